// The beginning and end of a process, and its communicators.
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static struct map communicators;
static int64_t last_communicator;

static void begin_recording(void) {
    int rank = 0, size = 1;
    int (*get_rank)(word, int*) = (int (*)(word, int*))find_symbol("PMPI_Comm_rank");
    int (*get_size)(word, int*) = (int (*)(word, int*))find_symbol("PMPI_Comm_size");
    if (!get_rank || !get_size || !getenv("STRIATE_TRACE_DIR")) return;
    get_rank(world_handle(), &rank);
    get_size(world_handle(), &size);
    measure_clock(-1);  // warm the paths up
    store_open(rank, size);
    measure_clock(0);
    lock();
    map_add(&communicators, world_handle(), last_communicator++);
    unlock();
}

static void note_beginning(struct site* site, uint64_t start, int status) {
    struct call call = {1, start};
    if (status == 0) begin_recording();
    struct event event = {.status = status, .peer = -1, .tag = -1, .end = now()};  // our own work included
    if (recorded_levels & LEVEL_MPI) put(&event, site, &call);
}

EXPORTED(MPI_Init, (int* count, char*** arguments)) {
    static struct site site = {.name = "MPI_Init"};
    enter(&site, 0);
    uint64_t start = now();
    int status = ((int (*)(int*, char***))site.real)(count, arguments);
    note_beginning(&site, start, status);
    leave();
    return status;
}

EXPORTED(MPI_Init_thread, (int* count, char*** arguments, int required, int* provided)) {
    static struct site site = {.name = "MPI_Init_thread"};
    enter(&site, 0);
    uint64_t start = now();
    int status = ((int (*)(int*, char***, int, int*))site.real)(count, arguments, required, provided);
    note_beginning(&site, start, status);
    leave();
    return status;
}

EXPORTED(MPI_Finalize, (void)) {
    static struct site site = {.name = "MPI_Finalize"};
    struct call call = enter(&site, LEVEL_MPI);
    if (recorded_levels) measure_clock(1);
    struct event event = {.peer = -1, .tag = -1};
    if (call.recorded) put(&event, &site, &call);
    store_close(1);
    int status = ((int (*)(void))site.real)();
    leave();
    return status;
}

EXPORTED(MPI_Abort, (word communicator, int code)) {
    static struct site site = {.name = "MPI_Abort"};
    struct call call = enter(&site, LEVEL_MPI);
    struct event event = {.peer = -1, .tag = -1, .status = code};
    if (call.recorded) put(&event, &site, &call);
    store_close(2);
    int status = ((int (*)(word, int))site.real)(communicator, code);
    leave();
    return status;
}

int communicator_size(word communicator) {
    static int (*get_size)(word, int*);
    if (!get_size) get_size = (int (*)(word, int*))find_symbol("PMPI_Comm_size");
    int size = 0;
    if (get_size) get_size(communicator, &size);
    return size;
}

// World ranks of the members, asked for without a message.
static void describe(word communicator, int64_t number) {
    int (*get_group)(word, void*) = (int (*)(word, void*))find_symbol("PMPI_Comm_group");
    int (*translate)(word, int, const int*, word, int*) =
        (int (*)(word, int, const int*, word, int*))find_symbol("PMPI_Group_translate_ranks");
    int (*free_group)(void*) = (int (*)(void*))find_symbol("PMPI_Group_free");
    int size = communicator_size(communicator);
    word mine = 0, all = 0;
    int* ranks = calloc((size_t)size * 2 + 1, sizeof *ranks);
    if (ranks && get_group && translate && free_group && get_group(communicator, &mine) == 0) {
        if (get_group(world_handle(), &all) == 0) {
            for (int i = 0; i < size; i++) ranks[i] = i;
            if (translate(handle_at(&mine, 0), size, ranks, handle_at(&all, 0), ranks + size) == 0)
                put_name(NAME_COMMUNICATOR, number, ranks + size, (size_t)size * sizeof *ranks);
            free_group(&all);
        }
        free_group(&mine);
    }
    free(ranks);
}

int communicator_number(word communicator) {
    communicator = handle_of(communicator);
    lock();
    struct node* node = map_find(&communicators, communicator);
    int64_t number = node ? node->value : last_communicator++;
    if (!node) map_add(&communicators, communicator, number);
    unlock();
    if (!node) describe(communicator, number);
    return (int)number;
}

// Creation is collective: numbering here, in the order of creation, lets ranks agree on who is who.
void communicator_created(void* place) {
    word created = handle_at(place, 0);
    word null = binary == BINARY_MPICH ? 0x04000000 : binary == BINARY_STANDARD ? 0x100 : 0;
    static void* open_null;
    if (binary == BINARY_OPENMPI && !open_null) open_null = find_symbol("ompi_mpi_comm_null");
    if (created != null && created != (word)open_null) communicator_number(created);
}

#define CREATOR(NAME, PARAMETERS, TYPES, ARGUMENTS, PARENT)                               \
    EXPORTED(NAME, PARAMETERS) {                                                          \
        static struct site site = {.name = #NAME};                                        \
        struct call call = enter(&site, LEVEL_MPI | LEVEL_MPI_IO);                        \
        int status = ((int(*) TYPES)site.real)ARGUMENTS;                                  \
        if (call.recorded) {                                                              \
            struct event event = {.status = status, .peer = -1, .tag = -1, .end = now()}; \
            event.object = communicator_number(PARENT);                                   \
            if (status == 0) communicator_created(created);                               \
            if (recorded_levels & LEVEL_MPI) put(&event, &site, &call);                   \
        }                                                                                 \
        leave();                                                                          \
        return status;                                                                    \
    }

CREATOR(MPI_Comm_dup, (word parent, void* created), (word, void*), (parent, created), parent)
CREATOR(MPI_Comm_dup_with_info, (word parent, word info, void* created), (word, word, void*),
        (parent, info, created), parent)
CREATOR(MPI_Comm_split, (word parent, int color, int key, void* created), (word, int, int, void*),
        (parent, color, key, created), parent)
CREATOR(MPI_Comm_split_type, (word parent, int type, int key, word info, void* created),
        (word, int, int, word, void*), (parent, type, key, info, created), parent)
CREATOR(MPI_Comm_create, (word parent, word group, void* created), (word, word, void*),
        (parent, group, created), parent)
CREATOR(MPI_Comm_create_group, (word parent, word group, int tag, void* created), (word, word, int, void*),
        (parent, group, tag, created), parent)
CREATOR(MPI_Cart_create,
        (word parent, int n, const int* sizes, const int* periods, int reorder, void* created),
        (word, int, const int*, const int*, int, void*), (parent, n, sizes, periods, reorder, created),
        parent)
CREATOR(MPI_Cart_sub, (word parent, const int* remain, void* created), (word, const int*, void*),
        (parent, remain, created), parent)
CREATOR(MPI_Intercomm_merge, (word parent, int high, void* created), (word, int, void*),
        (parent, high, created), parent)

static void forget(void* place) {
    lock();
    map_take(&communicators, handle_at(place, 0), 0);
    unlock();
}

EXPORTED(MPI_Comm_free, (void* communicator)) {
    static struct site site = {.name = "MPI_Comm_free"};
    enter(&site, 0);
    if (recorded_levels) forget(communicator);
    int status = ((int (*)(void*))site.real)(communicator);
    leave();
    return status;
}

EXPORTED(MPI_Comm_disconnect, (void* communicator)) {
    static struct site site = {.name = "MPI_Comm_disconnect"};
    enter(&site, 0);
    if (recorded_levels) forget(communicator);
    int status = ((int (*)(void*))site.real)(communicator);
    leave();
    return status;
}
