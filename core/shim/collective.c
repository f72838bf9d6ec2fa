// Collectives, blocking or not, with counts of either width.
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static const int count_error = 2;  // MPI_ERR_COUNT

// An MPI without the `_c` form takes the counts as ints.
static int* narrowed(const wide* numbers, int count) {
    int* ints = malloc(((size_t)count + 1) * sizeof *ints);
    for (int i = 0; ints && i < count; i++) ints[i] = (int)numbers[i];
    return ints;
}

static void put_collective(struct site* site, struct call* call, struct event* event, word communicator,
                           int status, void* request, void* keep) {
    event->end = now(), event->status = status, event->object = communicator_number(communicator);
    if (request && status == 0) {
        event->request = request_begin(request, keep);
        keep = NULL;
    }
    put(event, site, call);
    free(keep);
}

// In every macro: NAME of the function, PLAIN of the one without `_c`, COUNT the type of a count;
// P, T and A add a request to parameters, types and arguments, and R is that request or NULL.
#define WITHOUT_P
#define WITHOUT_T
#define WITHOUT_A
#define WITHOUT_R NULL
#define WITH_P , void* request
#define WITH_T , void*
#define WITH_A , request
#define WITH_R request

#define BEGIN(NAME, PLAIN)                                      \
    static struct site site = {.name = #NAME, .plain = #PLAIN}; \
    struct call call = enter(&site, LEVEL_MPI);                 \
    void* keep = NULL;                                          \
    int status = count_error
#define FINISH(BYTES, PEER, R)                                               \
    if (call.recorded) {                                                     \
        struct event event = {.bytes = BYTES, .peer = PEER, .tag = -1};      \
        put_collective(&site, &call, &event, communicator, status, R, keep); \
    } else if (!(R)) {                                                       \
        free(keep);                                                          \
    }                                                                        \
    leave();                                                                 \
    return status

#define BARRIER(NAME, PLAIN, COUNT, MORE)                                    \
    EXPORTED(NAME, (word communicator MORE##_P)) {                           \
        BEGIN(NAME, PLAIN);                                                  \
        status = ((int (*)(word MORE##_T))site.real)(communicator MORE##_A); \
        FINISH(0, -1, MORE##_R);                                             \
    }

#define BCAST(NAME, PLAIN, COUNT, MORE)                                                                      \
    EXPORTED(NAME, (void* buffer, COUNT count, word type, int root, word communicator MORE##_P)) {           \
        BEGIN(NAME, PLAIN);                                                                                  \
        if (site.real)                                                                                       \
            status = ((int (*)(void*, COUNT, word, int, word MORE##_T))site.real)(buffer, count, type, root, \
                                                                                  communicator MORE##_A);    \
        else if (count <= INT_MAX)                                                                           \
            status = ((int (*)(void*, int, word, int, word MORE##_T))site.fallback)(                         \
                buffer, (int)count, type, root, communicator MORE##_A);                                      \
        FINISH(count * type_bytes(type), root, MORE##_R);                                                    \
    }

#define REDUCE(NAME, PLAIN, COUNT, MORE)                                                                \
    EXPORTED(NAME, (const void* from, void* into, COUNT count, word type, word operation, int root,     \
                    word communicator MORE##_P)) {                                                      \
        BEGIN(NAME, PLAIN);                                                                             \
        if (site.real)                                                                                  \
            status = ((int (*)(const void*, void*, COUNT, word, word, int, word MORE##_T))site.real)(   \
                from, into, count, type, operation, root, communicator MORE##_A);                       \
        else if (count <= INT_MAX)                                                                      \
            status = ((int (*)(const void*, void*, int, word, word, int, word MORE##_T))site.fallback)( \
                from, into, (int)count, type, operation, root, communicator MORE##_A);                  \
        FINISH(count * type_bytes(type), root, MORE##_R);                                               \
    }

#define COMBINE(NAME, PLAIN, COUNT, MORE, TIMES)                                                   \
    EXPORTED(NAME, (const void* from, void* into, COUNT count, word type, word operation,          \
                    word communicator MORE##_P)) {                                                 \
        BEGIN(NAME, PLAIN);                                                                        \
        if (site.real)                                                                             \
            status = ((int (*)(const void*, void*, COUNT, word, word, word MORE##_T))site.real)(   \
                from, into, count, type, operation, communicator MORE##_A);                        \
        else if (count <= INT_MAX)                                                                 \
            status = ((int (*)(const void*, void*, int, word, word, word MORE##_T))site.fallback)( \
                from, into, (int)count, type, operation, communicator MORE##_A);                   \
        FINISH(count * type_bytes(type) * (TIMES), -1, MORE##_R);                                  \
    }
#define ALLREDUCE(NAME, PLAIN, COUNT, MORE) COMBINE(NAME, PLAIN, COUNT, MORE, 1)
#define REDUCE_BLOCK(NAME, PLAIN, COUNT, MORE) \
    COMBINE(NAME, PLAIN, COUNT, MORE, communicator_size(communicator))

// Gathers count what each rank sends, scatters what each receives; "in place" leaves only the other side to
// look at.
#define SENT (in_place(from) ? room * type_bytes(into_type) : count * type_bytes(type))
#define RECEIVED (in_place(into) ? count * type_bytes(type) : room * type_bytes(into_type))
#define ROOTED(NAME, PLAIN, COUNT, MORE, BYTES)                                                              \
    EXPORTED(NAME, (const void* from, COUNT count, word type, void* into, COUNT room, word into_type,        \
                    int root, word communicator MORE##_P)) {                                                 \
        BEGIN(NAME, PLAIN);                                                                                  \
        if (site.real)                                                                                       \
            status = ((int (*)(const void*, COUNT, word, void*, COUNT, word, int, word MORE##_T))site.real)( \
                from, count, type, into, room, into_type, root, communicator MORE##_A);                      \
        else if (count <= INT_MAX && room <= INT_MAX)                                                        \
            status = ((int (*)(const void*, int, word, void*, int, word, int, word MORE##_T))site.fallback)( \
                from, (int)count, type, into, (int)room, into_type, root, communicator MORE##_A);            \
        FINISH(BYTES, root, MORE##_R);                                                                       \
    }
#define GATHER(NAME, PLAIN, COUNT, MORE) ROOTED(NAME, PLAIN, COUNT, MORE, SENT)
#define SCATTER(NAME, PLAIN, COUNT, MORE) ROOTED(NAME, PLAIN, COUNT, MORE, RECEIVED)

#define EVERYONE(NAME, PLAIN, COUNT, MORE)                                                              \
    EXPORTED(NAME, (const void* from, COUNT count, word type, void* into, COUNT room, word into_type,   \
                    word communicator MORE##_P)) {                                                      \
        BEGIN(NAME, PLAIN);                                                                             \
        if (site.real)                                                                                  \
            status = ((int (*)(const void*, COUNT, word, void*, COUNT, word, word MORE##_T))site.real)( \
                from, count, type, into, room, into_type, communicator MORE##_A);                       \
        else if (count <= INT_MAX && room <= INT_MAX)                                                   \
            status = ((int (*)(const void*, int, word, void*, int, word, word MORE##_T))site.fallback)( \
                from, (int)count, type, into, (int)room, into_type, communicator MORE##_A);             \
        FINISH(SENT, -1, MORE##_R);                                                                     \
    }

// Counts and displacements by rank; `keep` holds narrowed ones until the request is complete.
#define GATHERV_BODY(COUNT, DISPLACEMENT, ROOT_T, ROOT_A, MORE, PEER, SIGNIFICANT)                          \
    if (site.real) {                                                                                        \
        status = ((int (*)(const void*, COUNT, word, void*, const COUNT*, const DISPLACEMENT*, word ROOT_T, \
                           word MORE##_T))site.real)(from, count, type, into, rooms, places,                \
                                                     into_type ROOT_A, communicator MORE##_A);              \
    } else {                                                                                                \
        int* narrow = NULL;                                                                                 \
        int size = communicator_size(communicator);                                                         \
        if (SIGNIFICANT) {                                                                                  \
            NARROW(rooms, places);                                                                          \
            narrow = keep;                                                                                  \
        }                                                                                                   \
        status = ((int (*)(const void*, int, word, void*, const int*, const int*, word ROOT_T,              \
                           word MORE##_T))site.fallback)(from, (int)count, type, into, narrow,              \
                                                         narrow ? narrow + size : NULL, into_type ROOT_A,   \
                                                         communicator MORE##_A);                            \
    }
#define NARROW(FIRST, SECOND)                                                                            \
    int* ints = malloc(((size_t)size * 2 + 1) * sizeof *ints);                                           \
    for (int i = 0; ints && i < size; i++) ints[i] = (int)(FIRST)[i], ints[size + i] = (int)(SECOND)[i]; \
    keep = ints

static int own_rank(word communicator) {
    static int (*get_rank)(word, int*);
    if (!get_rank) get_rank = (int (*)(word, int*))find_symbol("PMPI_Comm_rank");
    int rank = -1;
    if (get_rank) get_rank(communicator, &rank);
    return rank;
}

#define COMMA ,
#define GATHERV(NAME, PLAIN, COUNT, DISPLACEMENT, MORE)                                                      \
    EXPORTED(NAME, (const void* from, COUNT count, word type, void* into, const COUNT* rooms,                \
                    const DISPLACEMENT* places, word into_type, int root, word communicator MORE##_P)) {     \
        BEGIN(NAME, PLAIN);                                                                                  \
        GATHERV_BODY(COUNT, DISPLACEMENT, COMMA int, COMMA root, MORE, root, own_rank(communicator) == root) \
        wide bytes = in_place(from) ? rooms[own_rank(communicator)] * type_bytes(into_type)                  \
                                    : count * type_bytes(type);                                              \
        FINISH(bytes, root, MORE##_R);                                                                       \
    }

#define ALLGATHERV(NAME, PLAIN, COUNT, DISPLACEMENT, MORE)                                     \
    EXPORTED(NAME, (const void* from, COUNT count, word type, void* into, const COUNT* rooms,  \
                    const DISPLACEMENT* places, word into_type, word communicator MORE##_P)) { \
        BEGIN(NAME, PLAIN);                                                                    \
        GATHERV_BODY(COUNT, DISPLACEMENT, , , MORE, -1, 1)                                     \
        wide bytes = in_place(from) ? rooms[own_rank(communicator)] * type_bytes(into_type)    \
                                    : count * type_bytes(type);                                \
        FINISH(bytes, -1, MORE##_R);                                                           \
    }

#define SCATTERV(NAME, PLAIN, COUNT, DISPLACEMENT, MORE)                                                  \
    EXPORTED(NAME, (const void* from, const COUNT* counts, const DISPLACEMENT* places, word type,         \
                    void* into, COUNT room, word into_type, int root, word communicator MORE##_P)) {      \
        BEGIN(NAME, PLAIN);                                                                               \
        if (site.real) {                                                                                  \
            status = ((int (*)(const void*, const COUNT*, const DISPLACEMENT*, word, void*, COUNT, word,  \
                               int, word MORE##_T))site.real)(from, counts, places, type, into, room,     \
                                                              into_type, root, communicator MORE##_A);    \
        } else {                                                                                          \
            int* narrow = NULL;                                                                           \
            int size = communicator_size(communicator);                                                   \
            if (own_rank(communicator) == root) {                                                         \
                NARROW(counts, places);                                                                   \
                narrow = keep;                                                                            \
            }                                                                                             \
            status = ((int (*)(const void*, const int*, const int*, word, void*, int, word, int,          \
                               word MORE##_T))site.fallback)(from, narrow, narrow ? narrow + size : NULL, \
                                                             type, into, (int)room, into_type, root,      \
                                                             communicator MORE##_A);                      \
        }                                                                                                 \
        wide bytes = in_place(into) ? counts[root] * type_bytes(type) : room * type_bytes(into_type);     \
        FINISH(bytes, root, MORE##_R);                                                                    \
    }

// To whom how much: written once for equal rows of counts.
int64_t row_number(const wide* bytes, int count) {
    static struct map known;
    static int64_t last;
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < count; i++) hash = (hash ^ (uint64_t)bytes[i]) * 0x100000001B3u, hash ^= hash >> 29;
    lock();
    struct node* node = map_find(&known, (word)hash);
    int64_t number = node ? node->value : ++last;
    if (!node) {
        map_add(&known, (word)hash, number);
        put_name(NAME_LIST, number, bytes, (size_t)count * sizeof *bytes);
    }
    unlock();
    return number;
}

#define ALLTOALLV(NAME, PLAIN, COUNT, DISPLACEMENT, MORE)                                                 \
    EXPORTED(NAME, (const void* from, const COUNT* counts, const DISPLACEMENT* places, word type,         \
                    void* into, const COUNT* rooms, const DISPLACEMENT* into_places, word into_type,      \
                    word communicator MORE##_P)) {                                                        \
        BEGIN(NAME, PLAIN);                                                                               \
        int size = communicator_size(communicator);                                                       \
        const COUNT* shown = in_place(from) ? rooms : counts;                                             \
        if (site.real) {                                                                                  \
            status = ((int (*)(const void*, const COUNT*, const DISPLACEMENT*, word, void*, const COUNT*, \
                               const DISPLACEMENT*, word, word MORE##_T))site.real)(                      \
                from, counts, places, type, into, rooms, into_places, into_type, communicator MORE##_A);  \
        } else {                                                                                          \
            int* ints = malloc(((size_t)size * 4 + 1) * sizeof *ints);                                    \
            for (int i = 0; ints && i < size; i++) {                                                      \
                ints[i] = in_place(from) ? 0 : (int)counts[i],                                            \
                ints[size + i] = in_place(from) ? 0 : (int)places[i];                                     \
                ints[2 * size + i] = (int)rooms[i], ints[3 * size + i] = (int)into_places[i];             \
            }                                                                                             \
            keep = ints;                                                                                  \
            status = ((int (*)(const void*, const int*, const int*, word, void*, const int*, const int*,  \
                               word, word MORE##_T))site.fallback)(from, ints, ints + size, type, into,   \
                                                                   ints + 2 * size, ints + 3 * size,      \
                                                                   into_type, communicator MORE##_A);     \
        }                                                                                                 \
        if (call.recorded) {                                                                              \
            struct event event = {.peer = -1, .tag = -1};                                                 \
            wide unit = type_bytes(in_place(from) ? into_type : type);                                    \
            wide* bytes = malloc(((size_t)size + 1) * sizeof *bytes);                                     \
            for (int i = 0; bytes && i < size; i++) event.bytes += bytes[i] = shown[i] * unit;            \
            if (bytes) event.offset = row_number(bytes, size);                                            \
            free(bytes);                                                                                  \
            put_collective(&site, &call, &event, communicator, status, MORE##_R, keep);                   \
        } else if (!(MORE##_R)) {                                                                         \
            free(keep);                                                                                   \
        }                                                                                                 \
        leave();                                                                                          \
        return status;                                                                                    \
    }

#define REDUCE_SCATTER(NAME, PLAIN, COUNT, DISPLACEMENT, MORE)                                            \
    EXPORTED(NAME, (const void* from, void* into, const COUNT* counts, word type, word operation,         \
                    word communicator MORE##_P)) {                                                        \
        BEGIN(NAME, PLAIN);                                                                               \
        int size = communicator_size(communicator);                                                       \
        wide total = 0;                                                                                   \
        for (int i = 0; i < size; i++) total += counts[i];                                                \
        if (site.real) {                                                                                  \
            status = ((int (*)(const void*, void*, const COUNT*, word, word, word MORE##_T))site.real)(   \
                from, into, counts, type, operation, communicator MORE##_A);                              \
        } else {                                                                                          \
            keep = narrowed((const wide*)(const void*)counts, size);                                      \
            status = ((int (*)(const void*, void*, const int*, word, word, word MORE##_T))site.fallback)( \
                from, into, keep, type, operation, communicator MORE##_A);                                \
        }                                                                                                 \
        FINISH(total * type_bytes(type), -1, MORE##_R);                                                   \
    }

BARRIER(MPI_Barrier, MPI_Barrier, int, WITHOUT)
BARRIER(MPI_Ibarrier, MPI_Ibarrier, int, WITH)

#define NOW(SHAPE, NAME)                        \
    SHAPE(MPI_##NAME, MPI_##NAME, int, WITHOUT) \
    SHAPE(MPI_##NAME##_c, MPI_##NAME, wide, WITHOUT)
#define LATER(SHAPE, NAME)                   \
    SHAPE(MPI_##NAME, MPI_##NAME, int, WITH) \
    SHAPE(MPI_##NAME##_c, MPI_##NAME, wide, WITH)
NOW(BCAST, Bcast)
LATER(BCAST, Ibcast)
NOW(REDUCE, Reduce)
LATER(REDUCE, Ireduce)
NOW(ALLREDUCE, Allreduce)
LATER(ALLREDUCE, Iallreduce)
NOW(ALLREDUCE, Scan)
LATER(ALLREDUCE, Iscan)
NOW(ALLREDUCE, Exscan)
LATER(ALLREDUCE, Iexscan)
NOW(REDUCE_BLOCK, Reduce_scatter_block)
LATER(REDUCE_BLOCK, Ireduce_scatter_block)
NOW(GATHER, Gather)
LATER(GATHER, Igather)
NOW(SCATTER, Scatter)
LATER(SCATTER, Iscatter)
NOW(EVERYONE, Allgather)
LATER(EVERYONE, Iallgather)
NOW(EVERYONE, Alltoall)
LATER(EVERYONE, Ialltoall)

#define BY_RANK(SHAPE, NAME, MORE)                \
    SHAPE(MPI_##NAME, MPI_##NAME, int, int, MORE) \
    SHAPE(MPI_##NAME##_c, MPI_##NAME, wide, wide, MORE)
BY_RANK(GATHERV, Gatherv, WITHOUT)
BY_RANK(GATHERV, Igatherv, WITH)
BY_RANK(SCATTERV, Scatterv, WITHOUT)
BY_RANK(SCATTERV, Iscatterv, WITH)
BY_RANK(ALLGATHERV, Allgatherv, WITHOUT)
BY_RANK(ALLGATHERV, Iallgatherv, WITH)
BY_RANK(ALLTOALLV, Alltoallv, WITHOUT)
BY_RANK(ALLTOALLV, Ialltoallv, WITH)
BY_RANK(REDUCE_SCATTER, Reduce_scatter, WITHOUT)
BY_RANK(REDUCE_SCATTER, Ireduce_scatter, WITH)
