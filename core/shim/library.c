// Finds the MPI library in this process and knows what its handles look like: MPICH's, Open MPI's or the
// standard's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "shim.h"

enum binary binary = BINARY_NONE;
static void* library;
static char path[512];

static int is_mpi(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size, (void)data;
    const char* slash = strrchr(info->dlpi_name, '/');
    const char* base = slash ? slash + 1 : info->dlpi_name;
    static const char* const names[] = {"libmpi.so", "libmpi_abi.so", "libmpich.so", "libmpi_ilp64.so",
                                        "libmpi_rt.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(base, names[i], strlen(names[i]))) {
            snprintf(path, sizeof path, "%s", info->dlpi_name);
            return 1;
        }
    return 0;
}

// mpi4py loads MPI with RTLD_LOCAL, where RTLD_NEXT does not look: search the loaded objects by name.
static void find_library(void) {
    if (library) return;
    dl_iterate_phdr(is_mpi, NULL);
    if (path[0]) library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    const char* slash = strrchr(path, '/');
    if (strstr(slash ? slash : path, "libmpi_abi"))
        binary = BINARY_STANDARD;
    else
        binary = dlsym(library, "ompi_mpi_comm_world") ? BINARY_OPENMPI : BINARY_MPICH;
}

void* find_symbol(const char* name) {
    find_library();
    void* found = library ? dlsym(library, name) : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}

void find_real(struct site* site) {
    char name[96];
    snprintf(name, sizeof name, "P%s", site->name);
    site->real = find_symbol(name);
    if (site->real || !site->plain) return;
    snprintf(name, sizeof name, "P%s", site->plain);
    site->fallback = find_symbol(name);
}

const char* library_path(void) { return path; }

// A program's copy relocation moves Open MPI's objects into the program: look there first.
static word object(const char* name) {
    void* found = dlsym(RTLD_DEFAULT, name);
    return (word)(found ? found : dlsym(library, name));
}

word world_handle(void) {
    if (binary == BINARY_OPENMPI) return object("ompi_mpi_comm_world");
    return binary == BINARY_STANDARD ? 0x101 : 0x44000000;
}

word byte_handle(void) {
    if (binary == BINARY_OPENMPI) return object("ompi_mpi_byte");
    return binary == BINARY_STANDARD ? 0x247 : 0x4c00010d;
}

word handle_of(word handle) { return binary == BINARY_MPICH ? (uint32_t)handle : handle; }

word handle_at(const void* place, int index) {
    return binary == BINARY_MPICH ? ((const uint32_t*)place)[index] : ((const word*)place)[index];
}

int peer_number(int peer) {
    int none = binary == BINARY_MPICH ? -1 : binary == BINARY_OPENMPI ? -2 : -3;
    return peer == none ? -2 : peer < 0 ? -1 : peer;
}

int create_flag(void) { return binary == BINARY_STANDARD ? 2 : 1; }

int combiner_number(int combiner) {
    static const int standard[] = {1, 2, 3, 4, 6, 7, 9, 10, 19, 12, 13, 14, 15, 16, 17, 18, 20};
    if (binary == BINARY_MPICH) return combiner;
    if (binary == BINARY_OPENMPI) return combiner + 1;
    return combiner > 100 && combiner <= 117 ? standard[combiner - 101] : -1;
}

int in_place(const void* buffer) { return (word)buffer == (binary == BINARY_MPICH ? (word)-1 : (word)1); }

size_t status_bytes(void) { return binary == BINARY_MPICH ? 20 : binary == BINARY_OPENMPI ? 24 : 32; }

void* status_at(void* statuses, int index) { return (char*)statuses + status_bytes() * (size_t)index; }

// "Ignore" is a null pointer or 1.
void* status_or(void* status, void* own) { return (word)status <= 1 ? own : status; }

void* statuses_or(void* statuses, void* own) { return (word)statuses <= 1 ? own : statuses; }

void status_read(void* status, struct event* event) {
    const int32_t* field = status;
    const int32_t* source = binary == BINARY_MPICH ? field + 2 : field;
    event->peer = peer_number(source[0]);
    event->tag = source[1] < 0 ? -1 : source[1];
    if (binary == BINARY_MPICH) {
        event->received = ((int64_t)((uint32_t)field[1] >> 1) << 32) | (uint32_t)field[0];
    } else if (binary == BINARY_OPENMPI) {
        memcpy(&event->received, field + 4, sizeof event->received);
    } else {
        static int (*get_count)(const void*, word, int*);
        if (!get_count) get_count = (int (*)(const void*, word, int*))find_symbol("PMPI_Get_count");
        int count = 0;
        if (get_count) get_count(status, byte_handle(), &count);
        event->received = count < 0 ? 0 : count;
    }
}
