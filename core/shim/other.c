// Calls whose arguments are passed on as they come: one-sided communication, neighbourhood collectives,
// graphs, and what else may wait for other ranks. Every argument of MPI is an integer or a pointer, so that a
// function of fourteen words hands on whatever the caller gave, in registers and on the stack.
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define WORDS                                                                                            \
    word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10, word a11, \
        word a12, word a13, word a14
#define SAME a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14
typedef int (*passed)(WORDS);
static const int other_error = 15;  // MPI_ERR_OTHER: the library has no such function

// What follows the name sees `event` and the arguments once the call is over.
#define PASSED(NAME, ...)                                                                 \
    EXPORTED(NAME, (WORDS)) {                                                             \
        static struct site site = {.name = #NAME};                                        \
        struct call call = enter(&site, LEVEL_MPI);                                       \
        int status = site.real ? ((passed)site.real)(SAME) : other_error;                 \
        if (call.recorded) {                                                              \
            struct event event = {.status = status, .peer = -1, .tag = -1, .end = now()}; \
            __VA_ARGS__;                                                                  \
            put(&event, &site, &call);                                                    \
        }                                                                                 \
        leave();                                                                          \
        return status;                                                                    \
    }
// Both forms: counts are ints, or wide.
#define EITHER(NAME, ...)    \
    PASSED(NAME, {           \
        typedef int number;  \
        __VA_ARGS__;         \
    })                       \
    PASSED(NAME##_c, {       \
        typedef wide number; \
        __VA_ARGS__;         \
    })

// ---- windows

static struct map windows;

static void window_made(word communicator, word place, struct event* event) {
    event->object = communicator_number(communicator);
    if (event->status != 0) return;
    lock();
    map_add(&windows, handle_at((void*)place, 0), event->object);
    unlock();
}

static int on_window(word window) {
    lock();
    struct node* node = map_find(&windows, handle_of(window));
    int number = node ? (int)node->value : -1;
    unlock();
    return number;
}

// Whom an epoch is begun with: a row of ones and zeros over the ranks of the window.
static void with_group(struct event* event, word group, word window) {
    static int (*size)(word, int*), (*translate)(word, int, const int*, word, int*);
    static int (*whole)(word, void*), (*release)(void*);
    if (!size) {
        *(void**)&translate = find_symbol("PMPI_Group_translate_ranks");
        *(void**)&whole = find_symbol("PMPI_Win_get_group");
        *(void**)&release = find_symbol("PMPI_Group_free");
        *(void**)&size = find_symbol("PMPI_Group_size");
    }
    event->object = on_window(window);
    word everyone = 0;
    int members = 0, chosen = 0;
    if (!size || whole(window, &everyone) != 0) return;
    word all = handle_at(&everyone, 0);
    if (size(all, &members) == 0 && size(group, &chosen) == 0) {
        int* places = calloc((size_t)chosen * 2 + 1, sizeof *places);
        wide* row = calloc((size_t)members + 1, sizeof *row);
        for (int i = 0; places && i < chosen; i++) places[i] = i;
        if (places && row && translate(group, chosen, places, all, places + chosen) == 0) {
            for (int i = 0; i < chosen; i++) {
                int place = places[chosen + i];
                if (place >= 0 && place < members) row[place] = 1;
            }
            event->offset = row_number(row, members);
        }
        free(row);
        free(places);
    }
    release(&everyone);
}

// MPICH counts the kinds of locks from 234, Open MPI from 1, the standard ABI from 301: alone, then shared.
static int locks_alone(word type) { return (int)type == 234 || (int)type == 1 || (int)type == 301; }

#define MOVES(COUNT, TYPE, TARGET, WINDOW)                  \
    event.bytes = (wide)(number)(COUNT) * type_bytes(TYPE); \
    event.peer = peer_number((int)(TARGET)), event.object = on_window(WINDOW)
#define LATER(PLACE) \
    if (status == 0) event.request = request_begin((void*)(PLACE), NULL)
#define AT(TARGET, WINDOW) event.peer = peer_number((int)(TARGET)), event.object = on_window(WINDOW)
#define ON(WINDOW) event.object = on_window(WINDOW)

EITHER(MPI_Put, MOVES(a2, a3, a4, a8))
EITHER(MPI_Get, MOVES(a2, a3, a4, a8))
EITHER(MPI_Accumulate, MOVES(a2, a3, a4, a9))
EITHER(MPI_Get_accumulate, MOVES(a5, a6, a7, a12))
EITHER(MPI_Rput, MOVES(a2, a3, a4, a8); LATER(a9))
EITHER(MPI_Rget, MOVES(a2, a3, a4, a8); LATER(a9))
EITHER(MPI_Raccumulate, MOVES(a2, a3, a4, a9); LATER(a10))
EITHER(MPI_Rget_accumulate, MOVES(a5, a6, a7, a12); LATER(a13))
PASSED(MPI_Fetch_and_op, event.bytes = type_bytes(a3); AT(a4, a7))
PASSED(MPI_Compare_and_swap, event.bytes = type_bytes(a4); AT(a5, a7))

PASSED(MPI_Win_fence, ON(a2))
PASSED(MPI_Win_start, with_group(&event, a1, a3))
PASSED(MPI_Win_complete, ON(a1))
PASSED(MPI_Win_post, with_group(&event, a1, a3))
PASSED(MPI_Win_wait, ON(a1))
PASSED(MPI_Win_lock, AT(a2, a4); event.tag = locks_alone(a1))
PASSED(MPI_Win_unlock, AT(a1, a2))
PASSED(MPI_Win_lock_all, ON(a2))
PASSED(MPI_Win_unlock_all, ON(a1))
PASSED(MPI_Win_flush, AT(a1, a2))
PASSED(MPI_Win_flush_all, ON(a1))
PASSED(MPI_Win_flush_local, AT(a1, a2))
PASSED(MPI_Win_flush_local_all, ON(a1))
PASSED(MPI_Win_sync, ON(a1))

EITHER(MPI_Win_create, (void)(number)0; window_made(a5, a6, &event))
EITHER(MPI_Win_allocate, (void)(number)0; window_made(a4, a6, &event))
EITHER(MPI_Win_allocate_shared, (void)(number)0; window_made(a4, a6, &event))
PASSED(MPI_Win_create_dynamic, window_made(a2, a3, &event))

EXPORTED(MPI_Win_free, (void* window)) {
    static struct site site = {.name = "MPI_Win_free"};
    struct call call = enter(&site, LEVEL_MPI);
    word handle = call.recorded ? handle_at(window, 0) : 0;
    int status = ((int (*)(void*))site.real)(window);
    if (call.recorded) {
        struct event event = {.status = status, .peer = -1, .tag = -1, .end = now()};
        event.object = on_window(handle);
        lock();
        map_take(&windows, handle, 0);
        unlock();
        put(&event, &site, &call);
    }
    leave();
    return status;
}

// ---- neighbourhoods

// Ranks that a rank of a topology sends to, in order; the caller frees them. None that is the null process.
static int* targets_of(word communicator, int* count) {
    static int (*test)(word, int*), (*dimensions)(word, int*), (*shift)(word, int, int, int*, int*);
    static int (*own)(word, int*), (*many)(word, int, int*), (*listed)(word, int, int, int*);
    static int (*degrees)(word, int*, int*, int*), (*edges)(word, int, int*, int*, int, int*, int*);
    if (!test) {
        *(void**)&dimensions = find_symbol("PMPI_Cartdim_get");
        *(void**)&shift = find_symbol("PMPI_Cart_shift");
        *(void**)&own = find_symbol("PMPI_Comm_rank");
        *(void**)&many = find_symbol("PMPI_Graph_neighbors_count");
        *(void**)&listed = find_symbol("PMPI_Graph_neighbors");
        *(void**)&degrees = find_symbol("PMPI_Dist_graph_neighbors_count");
        *(void**)&edges = find_symbol("PMPI_Dist_graph_neighbors");
        *(void**)&test = find_symbol("PMPI_Topo_test");
    }
    *count = 0;
    int kind = 0, in = 0, out = 0, weighted = 0, rank = 0;
    if (!test || test(communicator, &kind) != 0) return NULL;
    const int cartesian = binary == BINARY_MPICH ? 2 : binary == BINARY_OPENMPI ? 1 : 211;
    const int graph = binary == BINARY_MPICH ? 1 : binary == BINARY_OPENMPI ? 2 : 212;
    if (kind == cartesian && dimensions(communicator, &out) == 0) {
        int* found = calloc((size_t)out * 2 + 1, sizeof *found);
        for (int i = 0; found && i < out; i++) shift(communicator, i, 1, found + 2 * i, found + 2 * i + 1);
        *count = found ? 2 * out : 0;
        return found;
    }
    if (kind == graph && own(communicator, &rank) == 0 && many(communicator, rank, &out) == 0) {
        int* found = calloc((size_t)out + 1, sizeof *found);
        if (found && listed(communicator, rank, out, found) == 0) *count = out;
        return found;
    }
    if (degrees(communicator, &in, &out, &weighted) != 0) return NULL;
    int* found = calloc(((size_t)in + (size_t)out) * 2 + 1, sizeof *found);
    int* weights = found ? found + in + out : NULL;
    if (!found || edges(communicator, in, found, weights, out, found + in, weights + in) != 0) return found;
    memmove(found, found + in, (size_t)out * sizeof *found);
    *count = out;
    return found;
}

// Bytes to neighbour i; -1 in `each` where the calls differ by neighbour.
enum sizes { EQUAL, INT_COUNTS, WIDE_COUNTS };

static void to_neighbours(struct event* event, word communicator, enum sizes sizes, word count, word type,
                          int typed) {
    event->object = communicator_number(communicator);
    int found = 0, members = communicator_size(communicator);
    int* target = targets_of(communicator, &found);
    wide* bytes = calloc((size_t)members + 1, sizeof *bytes);
    for (int i = 0; bytes && i < found; i++) {
        wide each = sizes == EQUAL        ? (wide)count
                    : sizes == INT_COUNTS ? ((const int*)count)[i]
                                          : ((const wide*)count)[i];
        each *= type_bytes(typed ? handle_at((void*)type, i) : type);
        event->bytes += each;
        if (target[i] >= 0 && target[i] < members) bytes[target[i]] += each;
    }
    if (bytes) event->offset = row_number(bytes, members);
    free(bytes);
    free(target);
}

#define EQUALLY(COMM) to_neighbours(&event, COMM, EQUAL, (word)(wide)(number)(a2), a3, 0)
#define BY_COUNT(COMM) to_neighbours(&event, COMM, sizeof(number) == 4 ? INT_COUNTS : WIDE_COUNTS, a2, a4, 0)
#define BY_TYPE(COMM) to_neighbours(&event, COMM, sizeof(number) == 4 ? INT_COUNTS : WIDE_COUNTS, a2, a4, 1)

EITHER(MPI_Neighbor_allgather, EQUALLY(a7))
EITHER(MPI_Neighbor_allgatherv, EQUALLY(a8))
EITHER(MPI_Neighbor_alltoall, EQUALLY(a7))
EITHER(MPI_Neighbor_alltoallv, BY_COUNT(a9))
EITHER(MPI_Neighbor_alltoallw, BY_TYPE(a9))
EITHER(MPI_Ineighbor_allgather, EQUALLY(a7); LATER(a8))
EITHER(MPI_Ineighbor_allgatherv, EQUALLY(a8); LATER(a9))
EITHER(MPI_Ineighbor_alltoall, EQUALLY(a7); LATER(a8))
EITHER(MPI_Ineighbor_alltoallv, BY_COUNT(a9); LATER(a10))
EITHER(MPI_Ineighbor_alltoallw, BY_TYPE(a9); LATER(a10))

// ---- to everyone, each with a type of its own

static void to_everyone(struct event* event, word communicator, enum sizes sizes, word counts, word types) {
    event->object = communicator_number(communicator);
    int members = communicator_size(communicator);
    wide* bytes = calloc((size_t)members + 1, sizeof *bytes);
    for (int i = 0; bytes && i < members; i++) {
        wide count = sizes == INT_COUNTS ? ((const int*)counts)[i] : ((const wide*)counts)[i];
        event->bytes += bytes[i] = count * type_bytes(handle_at((void*)types, i));
    }
    if (bytes) event->offset = row_number(bytes, members);
    free(bytes);
}

#define EVERYONE                                                                                           \
    to_everyone(&event, a9, sizeof(number) == 4 ? INT_COUNTS : WIDE_COUNTS, in_place((void*)a1) ? a6 : a2, \
                in_place((void*)a1) ? a8 : a4)

EITHER(MPI_Alltoallw, EVERYONE)
EITHER(MPI_Ialltoallw, EVERYONE; LATER(a10))

// ---- communicators with a topology, of two groups, of other programs

#define MADE(PLACE)                         \
    event.object = communicator_number(a1); \
    if (status == 0) communicator_created((void*)(PLACE))

PASSED(MPI_Graph_create, MADE(a6))
PASSED(MPI_Dist_graph_create, MADE(a9))
PASSED(MPI_Dist_graph_create_adjacent, MADE(a10))
PASSED(MPI_Intercomm_create, MADE(a6))

// ---- what is recorded by name and time alone

#define BY_NAME(NAME) PASSED(NAME, (void)event)
BY_NAME(MPI_Comm_idup)
BY_NAME(MPI_Comm_spawn)
BY_NAME(MPI_Comm_spawn_multiple)
BY_NAME(MPI_Comm_accept)
BY_NAME(MPI_Comm_connect)
BY_NAME(MPI_Comm_join)
BY_NAME(MPI_Comm_create_from_group)
BY_NAME(MPI_Pready)
BY_NAME(MPI_Pready_range)
BY_NAME(MPI_Parrived)
