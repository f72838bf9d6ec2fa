// Operations in flight: which request stands for which, and when it is complete.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shim.h"

static struct map requests;
static uint32_t last_request;
static struct site completion = {.name = FUNCTION_COMPLETE, .real = (void*)1};

uint32_t request_begin(void* place, void* keep) {
    lock();
    uint32_t number = ++last_request;
    struct node* node = map_add(&requests, handle_at(place, 0), number);
    if (node) node->keep = keep;
    unlock();
    return number;
}

// A request that can be started again and again: `event` is what each start does.
void request_prepare(void* place, const struct event* event) {
    lock();
    struct node* node = map_add(&requests, handle_at(place, 0), 0);
    if (node) node->lasting = 1, node->event = *event;
    unlock();
}

static uint32_t request_end(word handle) {
    lock();
    struct node* node = map_find(&requests, handle);
    uint32_t number = node ? (uint32_t)node->value : 0;
    if (node && node->lasting)
        node->value = 0;
    else if (node)
        map_take(&requests, handle, 0);
    unlock();
    return number;
}

static void complete(word handle, void* status, const struct call* call, uint64_t end) {
    struct event event = {.request = request_end(handle), .end = end};
    if (!event.request) return;
    status_read(status, &event);
    put(&event, &completion, call);
}

// When messages are not recorded, only waits for files are of interest.
static int of_interest(const word* handle, int count) {
    if (recorded_levels & LEVEL_MPI) return 1;
    int found = 0;
    lock();
    for (int i = 0; i < count && !found; i++) found = map_find(&requests, handle[i]) != NULL;
    unlock();
    return found;
}

static void put_wait(struct site* site, const struct call* call, uint64_t end, int status, int count) {
    struct event event = {.end = end, .status = status, .bytes = count, .peer = -1, .tag = -1};
    put(&event, site, call);
}

// A program that asks again and again is waiting: tests of one request with no recorded call and hardly any
// CPU time between them are one wait, which begins with the first of them.
#define POLLING_NANOSECONDS 100000  // CPU time from one test to the next, on average; more is computing
#define HICCUP_NANOSECONDS 1000000  // beside it: interrupts, and what a virtual machine's host takes

static __thread struct {
    word handle;
    uint64_t begin, cpu, tests, events;  // CPU time when it began, tests since then
} polling __attribute__((tls_model("initial-exec")));

static uint64_t thread_nanoseconds(void) {
    struct timespec spent = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

static void tested(struct call* call, word handle, int done) {
    int same = polling.handle == handle && polling.events == thread_events;
    if (done && !same) return;
    uint64_t spent = thread_nanoseconds();
    if (same && spent - polling.cpu < ++polling.tests * POLLING_NANOSECONDS + HICCUP_NANOSECONDS)
        call->start = polling.begin;
    else
        polling.begin = call->start, polling.cpu = spent, polling.tests = 0;
    polling.handle = done ? 0 : handle, polling.events = thread_events;
}

#define FEW 64
// Requests are null after the call: keep what they were.
struct kept {
    word few[FEW];
    char statuses[FEW * 40];
    word* handle;
    void* status;
};

static void keep(struct kept* kept, int count, const void* array, void* statuses) {
    size_t room = count > 0 ? (size_t)count : 1;
    kept->handle = count <= FEW ? kept->few : calloc(room, sizeof(word));
    void* own = count <= FEW ? kept->statuses : calloc(room, 40);
    kept->status = statuses_or(statuses, own);
    if (own != kept->status && own != kept->statuses) free(own);
    for (int i = 0; i < count; i++) kept->handle[i] = handle_at(array, i);
}

static void drop(struct kept* kept, void* statuses) {
    if (kept->handle != kept->few) free(kept->handle);
    if (kept->status != kept->statuses && kept->status != statuses) free(kept->status);
}

EXPORTED(MPI_Wait, (void* request, void* status)) {
    static struct site site = {.name = "MPI_Wait"};
    struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);
    char own[64] = {0};
    word handle = call.recorded ? handle_at(request, 0) : 0;
    void* used = call.recorded ? status_or(status, own) : status;
    int result = ((int (*)(void*, void*))site.real)(request, used);
    if (call.recorded && of_interest(&handle, 1)) {
        uint64_t end = now();
        put_wait(&site, &call, end, result, 1);
        complete(handle, used, &call, end);
    }
    leave();
    return result;
}

EXPORTED(MPI_Test, (void* request, int* flag, void* status)) {
    static struct site site = {.name = "MPI_Test"};
    struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);
    char own[64] = {0};
    word handle = call.recorded ? handle_at(request, 0) : 0;
    void* used = call.recorded ? status_or(status, own) : status;
    int result = ((int (*)(void*, int*, void*))site.real)(request, flag, used);
    if (call.recorded) tested(&call, handle, *flag);
    if (call.recorded && *flag && of_interest(&handle, 1)) {
        uint64_t end = now();
        put_wait(&site, &call, end, result, 1);
        complete(handle, used, &call, end);
    }
    leave();
    return result;
}

EXPORTED(MPI_Waitall, (int count, void* array, void* statuses)) {
    static struct site site = {.name = "MPI_Waitall"};
    struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);
    struct kept kept;
    if (call.recorded) keep(&kept, count, array, statuses);
    int result =
        ((int (*)(int, void*, void*))site.real)(count, array, call.recorded ? kept.status : statuses);
    if (call.recorded) {
        uint64_t end = now();
        if (of_interest(kept.handle, count)) put_wait(&site, &call, end, result, count);
        for (int i = 0; i < count; i++) complete(kept.handle[i], status_at(kept.status, i), &call, end);
        drop(&kept, statuses);
    }
    leave();
    return result;
}

EXPORTED(MPI_Testall, (int count, void* array, int* flag, void* statuses)) {
    static struct site site = {.name = "MPI_Testall"};
    struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);
    struct kept kept;
    if (call.recorded) keep(&kept, count, array, statuses);
    int result = ((int (*)(int, void*, int*, void*))site.real)(count, array, flag,
                                                               call.recorded ? kept.status : statuses);
    if (call.recorded) {
        uint64_t end = now();
        if (count > 0) tested(&call, kept.handle[0], *flag);
        if (*flag && of_interest(kept.handle, count)) put_wait(&site, &call, end, result, count);
        for (int i = 0; *flag && i < count; i++)
            complete(kept.handle[i], status_at(kept.status, i), &call, end);
        drop(&kept, statuses);
    }
    leave();
    return result;
}

EXPORTED(MPI_Waitany, (int count, void* array, int* index, void* status)) {
    static struct site site = {.name = "MPI_Waitany"};
    struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);
    struct kept kept;
    if (call.recorded) keep(&kept, count, array, status);
    int result = ((int (*)(int, void*, int*, void*))site.real)(count, array, index,
                                                               call.recorded ? kept.status : status);
    if (call.recorded) {
        uint64_t end = now();
        if (of_interest(kept.handle, count)) put_wait(&site, &call, end, result, 1);
        if (*index >= 0 && *index < count) complete(kept.handle[*index], kept.status, &call, end);
        drop(&kept, status);
    }
    leave();
    return result;
}

EXPORTED(MPI_Testany, (int count, void* array, int* index, int* flag, void* status)) {
    static struct site site = {.name = "MPI_Testany"};
    struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);
    struct kept kept;
    if (call.recorded) keep(&kept, count, array, status);
    typedef int (*function)(int, void*, int*, int*, void*);
    int result = ((function)site.real)(count, array, index, flag, call.recorded ? kept.status : status);
    if (call.recorded) {
        uint64_t end = now();
        if (count > 0) tested(&call, kept.handle[0], *flag);
        if (*flag && of_interest(kept.handle, count)) put_wait(&site, &call, end, result, 1);
        if (*flag && *index >= 0 && *index < count) complete(kept.handle[*index], kept.status, &call, end);
        drop(&kept, status);
    }
    leave();
    return result;
}

#define SOME(NAME)                                                                                        \
    EXPORTED(NAME, (int count, void* array, int* done, int* indices, void* statuses)) {                   \
        static struct site site = {.name = #NAME};                                                        \
        struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);                                        \
        struct kept kept;                                                                                 \
        if (call.recorded) keep(&kept, count, array, statuses);                                           \
        typedef int (*function)(int, void*, int*, int*, void*);                                           \
        void* used = call.recorded ? kept.status : statuses;                                              \
        int result = ((function)site.real)(count, array, done, indices, used);                            \
        if (call.recorded) {                                                                              \
            uint64_t end = now();                                                                         \
            if (count > 0) tested(&call, kept.handle[0], *done != 0);                                     \
            if (*done > 0 && of_interest(kept.handle, count)) put_wait(&site, &call, end, result, *done); \
            for (int i = 0; i < *done; i++)                                                               \
                complete(kept.handle[indices[i]], status_at(used, i), &call, end);                        \
            drop(&kept, statuses);                                                                        \
        }                                                                                                 \
        leave();                                                                                          \
        return result;                                                                                    \
    }
SOME(MPI_Waitsome)
SOME(MPI_Testsome)

static void start_one(struct site* site, const struct call* call, word handle, int status) {
    lock();
    struct node* node = map_find(&requests, handle);
    struct event event = node ? node->event : (struct event){.peer = -1, .tag = -1};
    if (node) node->value = event.request = ++last_request;
    unlock();
    event.status = status;
    put(&event, site, call);
}

// A persistent send and receive start by the same name: two sites tell them apart.
static struct site send_start = {.name = "MPI_Start(send)", .real = (void*)1};
static struct site receive_start = {.name = "MPI_Start(recv)", .real = (void*)1};

static struct site* start_site(word handle) {
    lock();
    struct node* node = map_find(&requests, handle);
    int sends = node && node->event.function == 1;
    unlock();
    return sends ? &send_start : &receive_start;
}

EXPORTED(MPI_Start, (void* request)) {
    static struct site site = {.name = "MPI_Start"};
    struct call call = enter(&site, LEVEL_MPI);
    int status = ((int (*)(void*))site.real)(request);
    if (call.recorded) start_one(start_site(handle_at(request, 0)), &call, handle_at(request, 0), status);
    leave();
    return status;
}

EXPORTED(MPI_Startall, (int count, void* array)) {
    static struct site site = {.name = "MPI_Startall"};
    struct call call = enter(&site, LEVEL_MPI);
    int status = ((int (*)(int, void*))site.real)(count, array);
    for (int i = 0; call.recorded && i < count; i++)
        start_one(start_site(handle_at(array, i)), &call, handle_at(array, i), status);
    leave();
    return status;
}

EXPORTED(MPI_Request_free, (void* request)) {
    static struct site site = {.name = "MPI_Request_free"};
    enter(&site, 0);
    if (recorded_levels) {
        lock();
        map_take(&requests, handle_at(request, 0), 0);
        unlock();
    }
    int status = ((int (*)(void*))site.real)(request);
    leave();
    return status;
}
