// Messages between two ranks.
#include <string.h>

#include "shim.h"

void request_prepare(void* place, const struct event* event);

static const int count_error = 2;  // MPI_ERR_COUNT

// NAME: the function; PLAIN: what an MPI without the `_c` form has instead; COUNT: the type of the count.
#define CALL(COUNT_TYPES, PLAIN_TYPES, COUNT_ARGUMENTS, PLAIN_ARGUMENTS)                  \
    (site.real                           ? ((int(*) COUNT_TYPES)site.real)COUNT_ARGUMENTS \
     : count > INT_MAX || !site.fallback ? count_error                                    \
                                         : ((int(*) PLAIN_TYPES)site.fallback)PLAIN_ARGUMENTS)

#define SEND(NAME, PLAIN, COUNT)                                                                             \
    EXPORTED(NAME, (const void* buffer, COUNT count, word type, int peer, int tag, word communicator)) {     \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                          \
        struct call call = enter(&site, LEVEL_MPI);                                                          \
        int status =                                                                                         \
            CALL((const void*, COUNT, word, int, int, word), (const void*, int, word, int, int, word),       \
                 (buffer, count, type, peer, tag, communicator),                                             \
                 (buffer, (int)count, type, peer, tag, communicator));                                       \
        if (call.recorded) {                                                                                 \
            struct event event = {.bytes = count * type_bytes(type), .peer = peer_number(peer), .tag = tag}; \
            event.end = now(), event.status = status, event.object = communicator_number(communicator);      \
            put(&event, &site, &call);                                                                       \
        }                                                                                                    \
        leave();                                                                                             \
        return status;                                                                                       \
    }
SEND(MPI_Send, MPI_Send, int)
SEND(MPI_Bsend, MPI_Bsend, int)
SEND(MPI_Ssend, MPI_Ssend, int)
SEND(MPI_Rsend, MPI_Rsend, int)
SEND(MPI_Send_c, MPI_Send, wide)
SEND(MPI_Bsend_c, MPI_Bsend, wide)
SEND(MPI_Ssend_c, MPI_Ssend, wide)
SEND(MPI_Rsend_c, MPI_Rsend, wide)

// What a non-blocking send or receive, or a persistent one, leaves in flight.
#define LATER(NAME, PLAIN, COUNT, BUFFER, FINISH)                                                            \
    EXPORTED(NAME,                                                                                           \
             (BUFFER buffer, COUNT count, word type, int peer, int tag, word communicator, void* request)) { \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                          \
        struct call call = enter(&site, LEVEL_MPI);                                                          \
        int status =                                                                                         \
            CALL((BUFFER, COUNT, word, int, int, word, void*), (BUFFER, int, word, int, int, word, void*),   \
                 (buffer, count, type, peer, tag, communicator, request),                                    \
                 (buffer, (int)count, type, peer, tag, communicator, request));                              \
        if (call.recorded) {                                                                                 \
            struct event event = {.bytes = count * type_bytes(type), .peer = peer_number(peer), .tag = tag}; \
            event.end = now(), event.status = status, event.object = communicator_number(communicator);      \
            if (tag < 0) event.tag = -1;                                                                     \
            FINISH;                                                                                          \
        }                                                                                                    \
        leave();                                                                                             \
        return status;                                                                                       \
    }
#define UNDER_WAY                                                  \
    if (status == 0) event.request = request_begin(request, NULL); \
    put(&event, &site, &call)
#define PREPARED(SENDS)                    \
    event.function = SENDS, event.end = 0; \
    if (status == 0) request_prepare(request, &event)
LATER(MPI_Isend, MPI_Isend, int, const void*, UNDER_WAY)
LATER(MPI_Ibsend, MPI_Ibsend, int, const void*, UNDER_WAY)
LATER(MPI_Issend, MPI_Issend, int, const void*, UNDER_WAY)
LATER(MPI_Irsend, MPI_Irsend, int, const void*, UNDER_WAY)
LATER(MPI_Irecv, MPI_Irecv, int, void*, UNDER_WAY)
LATER(MPI_Isend_c, MPI_Isend, wide, const void*, UNDER_WAY)
LATER(MPI_Ibsend_c, MPI_Ibsend, wide, const void*, UNDER_WAY)
LATER(MPI_Issend_c, MPI_Issend, wide, const void*, UNDER_WAY)
LATER(MPI_Irsend_c, MPI_Irsend, wide, const void*, UNDER_WAY)
LATER(MPI_Irecv_c, MPI_Irecv, wide, void*, UNDER_WAY)
LATER(MPI_Send_init, MPI_Send_init, int, const void*, PREPARED(1))
LATER(MPI_Ssend_init, MPI_Ssend_init, int, const void*, PREPARED(1))
LATER(MPI_Recv_init, MPI_Recv_init, int, void*, PREPARED(2))
LATER(MPI_Send_init_c, MPI_Send_init, wide, const void*, PREPARED(1))
LATER(MPI_Ssend_init_c, MPI_Ssend_init, wide, const void*, PREPARED(1))
LATER(MPI_Recv_init_c, MPI_Recv_init, wide, void*, PREPARED(2))

#define RECV(NAME, PLAIN, COUNT)                                                                           \
    EXPORTED(NAME,                                                                                         \
             (void* buffer, COUNT count, word type, int peer, int tag, word communicator, void* result)) { \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                        \
        struct call call = enter(&site, LEVEL_MPI);                                                        \
        char own[64] = {0};                                                                                \
        void* used = call.recorded ? status_or(result, own) : result;                                      \
        int status =                                                                                       \
            CALL((void*, COUNT, word, int, int, word, void*), (void*, int, word, int, int, word, void*),   \
                 (buffer, count, type, peer, tag, communicator, used),                                     \
                 (buffer, (int)count, type, peer, tag, communicator, used));                               \
        if (call.recorded) {                                                                               \
            struct event event = {.end = now(), .status = status};                                         \
            status_read(used, &event);                                                                     \
            event.bytes = event.received, event.object = communicator_number(communicator);                \
            if (peer_number(peer) == -2) event.peer = -2, event.bytes = event.received = 0;                \
            put(&event, &site, &call);                                                                     \
        }                                                                                                  \
        leave();                                                                                           \
        return status;                                                                                     \
    }
RECV(MPI_Recv, MPI_Recv, int)
RECV(MPI_Recv_c, MPI_Recv, wide)

static struct site half = {.name = FUNCTION_HALF, .real = (void*)1};

static void put_both(struct site* site, const struct call* call, struct event* event, int source,
                     void* result) {
    struct event received = {.end = event->end, .object = event->object};
    status_read(result, &received);
    if (peer_number(source) == -2) received.peer = -2, received.received = 0;
    put(event, site, call);
    put(&received, &half, call);
}

#define BOTH(NAME, PLAIN, COUNT)                                                                             \
    EXPORTED(NAME, (const void* buffer, COUNT count, word type, int peer, int tag, void* into, COUNT room,   \
                    word into_type, int source, int source_tag, word communicator, void* result)) {          \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                          \
        struct call call = enter(&site, LEVEL_MPI);                                                          \
        char own[64] = {0};                                                                                  \
        void* used = call.recorded ? status_or(result, own) : result;                                        \
        int status = CALL(                                                                                   \
            (const void*, COUNT, word, int, int, void*, COUNT, word, int, int, word, void*),                 \
            (const void*, int, word, int, int, void*, int, word, int, int, word, void*),                     \
            (buffer, count, type, peer, tag, into, room, into_type, source, source_tag, communicator, used), \
            (buffer, (int)count, type, peer, tag, into, (int)room, into_type, source, source_tag,            \
             communicator, used));                                                                           \
        if (call.recorded) {                                                                                 \
            struct event event = {.bytes = count * type_bytes(type), .peer = peer_number(peer), .tag = tag}; \
            event.end = now(), event.status = status, event.object = communicator_number(communicator);      \
            put_both(&site, &call, &event, source, used);                                                    \
        }                                                                                                    \
        leave();                                                                                             \
        return status;                                                                                       \
    }
BOTH(MPI_Sendrecv, MPI_Sendrecv, int)
BOTH(MPI_Sendrecv_c, MPI_Sendrecv, wide)

#define REPLACE(NAME, PLAIN, COUNT)                                                                          \
    EXPORTED(NAME, (void* buffer, COUNT count, word type, int peer, int tag, int source, int source_tag,     \
                    word communicator, void* result)) {                                                      \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                          \
        struct call call = enter(&site, LEVEL_MPI);                                                          \
        char own[64] = {0};                                                                                  \
        void* used = call.recorded ? status_or(result, own) : result;                                        \
        int status = CALL((void*, COUNT, word, int, int, int, int, word, void*),                             \
                          (void*, int, word, int, int, int, int, word, void*),                               \
                          (buffer, count, type, peer, tag, source, source_tag, communicator, used),          \
                          (buffer, (int)count, type, peer, tag, source, source_tag, communicator, used));    \
        if (call.recorded) {                                                                                 \
            struct event event = {.bytes = count * type_bytes(type), .peer = peer_number(peer), .tag = tag}; \
            event.end = now(), event.status = status, event.object = communicator_number(communicator);      \
            put_both(&site, &call, &event, source, used);                                                    \
        }                                                                                                    \
        leave();                                                                                             \
        return status;                                                                                       \
    }
REPLACE(MPI_Sendrecv_replace, MPI_Sendrecv_replace, int)
REPLACE(MPI_Sendrecv_replace_c, MPI_Sendrecv_replace, wide)

EXPORTED(MPI_Probe, (int peer, int tag, word communicator, void* result)) {
    static struct site site = {.name = "MPI_Probe"};
    struct call call = enter(&site, LEVEL_MPI);
    char own[64] = {0};
    void* used = call.recorded ? status_or(result, own) : result;
    int status = ((int (*)(int, int, word, void*))site.real)(peer, tag, communicator, used);
    if (call.recorded) {
        struct event event = {.end = now(), .status = status, .object = communicator_number(communicator)};
        status_read(used, &event);
        put(&event, &site, &call);
    }
    leave();
    return status;
}

// A message found by a matched probe is received without naming its communicator again.
static struct map found;

EXPORTED(MPI_Mprobe, (int peer, int tag, word communicator, void* message, void* result)) {
    static struct site site = {.name = "MPI_Mprobe"};
    struct call call = enter(&site, LEVEL_MPI);
    char own[64] = {0};
    void* used = call.recorded ? status_or(result, own) : result;
    int status = ((int (*)(int, int, word, void*, void*))site.real)(peer, tag, communicator, message, used);
    if (call.recorded) {
        struct event event = {.end = now(), .status = status, .object = communicator_number(communicator)};
        status_read(used, &event);
        lock();
        map_add(&found, handle_at(message, 0), event.object);
        unlock();
        put(&event, &site, &call);
    }
    leave();
    return status;
}

EXPORTED(MPI_Improbe, (int peer, int tag, word communicator, int* flag, void* message, void* result)) {
    static struct site site = {.name = "MPI_Improbe"};
    struct call call = enter(&site, LEVEL_MPI);
    int status = ((int (*)(int, int, word, int*, void*, void*))site.real)(peer, tag, communicator, flag,
                                                                          message, result);
    if (call.recorded && *flag) {
        int number = communicator_number(communicator);
        lock();
        map_add(&found, handle_at(message, 0), number);
        unlock();
    }
    leave();
    return status;
}

static int take_message(void* message) {
    lock();
    int number = (int)map_take(&found, handle_at(message, 0), 0);
    unlock();
    return number;
}

#define MATCHED(NAME, PLAIN, COUNT)                                                                         \
    EXPORTED(NAME, (void* buffer, COUNT count, word type, void* message, void* result)) {                   \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                         \
        struct call call = enter(&site, LEVEL_MPI);                                                         \
        char own[64] = {0};                                                                                 \
        void* used = call.recorded ? status_or(result, own) : result;                                       \
        int number = call.recorded ? take_message(message) : 0;                                             \
        int status = CALL((void*, COUNT, word, void*, void*), (void*, int, word, void*, void*),             \
                          (buffer, count, type, message, used), (buffer, (int)count, type, message, used)); \
        if (call.recorded) {                                                                                \
            struct event event = {.end = now(), .status = status, .object = number};                        \
            status_read(used, &event);                                                                      \
            event.bytes = event.received;                                                                   \
            put(&event, &site, &call);                                                                      \
        }                                                                                                   \
        leave();                                                                                            \
        return status;                                                                                      \
    }
MATCHED(MPI_Mrecv, MPI_Mrecv, int)
MATCHED(MPI_Mrecv_c, MPI_Mrecv, wide)

#define MATCHED_LATER(NAME, PLAIN, COUNT)                                                                   \
    EXPORTED(NAME, (void* buffer, COUNT count, word type, void* message, void* request)) {                  \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                         \
        struct call call = enter(&site, LEVEL_MPI);                                                         \
        int number = call.recorded ? take_message(message) : 0;                                             \
        int status =                                                                                        \
            CALL((void*, COUNT, word, void*, void*), (void*, int, word, void*, void*),                      \
                 (buffer, count, type, message, request), (buffer, (int)count, type, message, request));    \
        if (call.recorded) {                                                                                \
            struct event event = {.end = now(), .status = status, .object = number, .peer = -1, .tag = -1}; \
            event.bytes = count * type_bytes(type);                                                         \
            UNDER_WAY;                                                                                      \
        }                                                                                                   \
        leave();                                                                                            \
        return status;                                                                                      \
    }
MATCHED_LATER(MPI_Imrecv, MPI_Imrecv, int)
MATCHED_LATER(MPI_Imrecv_c, MPI_Imrecv, wide)
