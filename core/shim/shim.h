// What the wrappers share: finding the real functions, recording events, numbering handles.
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "record.h"

typedef uintptr_t word;  // an MPI handle, whatever its width; upper halves of 32-bit handles are garbage
typedef int64_t wide;    // MPI_Count, MPI_Offset and MPI_Aint

#define VISIBLE __attribute__((visibility("default")))

// Fortran bindings of Open MPI call PMPI_ directly, so each wrapper answers to both names.
#define EXPORTED(NAME, PARAMETERS)                                  \
    VISIBLE int NAME PARAMETERS;                                    \
    VISIBLE __typeof__(NAME) P##NAME __attribute__((alias(#NAME))); \
    int NAME PARAMETERS

enum level { LEVEL_MPI_IO = 1, LEVEL_MPI = 2, LEVEL_POSIX = 4, LEVEL_REGION = 8 };

// One wrapper: its name, the function without `_c` to fall back on, and what was found of them.
struct site {
    const char* name;
    const char* plain;
    void* real;
    void* fallback;
    uint16_t number;
};

struct call {
    int recorded;
    uint64_t start;
};

// library.c
enum binary { BINARY_NONE, BINARY_MPICH, BINARY_OPENMPI, BINARY_STANDARD };
extern enum binary binary;
void find_real(struct site* site);
void* find_symbol(const char* name);
const char* library_path(void);
word world_handle(void);
word byte_handle(void);
word handle_at(const void* place, int index);  // handle number `index` of an array
word handle_of(word handle);                   // without the garbage
int peer_number(int peer);                     // -1: any or none, -2: the null process
int create_flag(void);
int combiner_number(int combiner);  // MPICH's numbering
int in_place(const void* buffer);
void* status_or(void* status, void* own);
void* statuses_or(void* statuses, void* own);
void* status_at(void* statuses, int index);
size_t status_bytes(void);
void status_read(void* status, struct event* event);  // peer, tag, received

// store.c
extern _Atomic unsigned recorded_levels;
extern __thread int depth __attribute__((tls_model("initial-exec")));
unsigned levels_asked(void);
void store_open(int rank, int size);
void store_begin(void);  // of a process without MPI: before the first thing that is recorded
void store_close(int finished);
void store_end(void);                     // of a process without MPI
void store_forget(void);                  // in a forked child: begin anew
void store_replaced(void);                // in a program that takes the place of another in its process
int own_descriptor(int descriptor);       // a file of the tracer, which the program must not close
int own_descriptor_from(unsigned first);  // the lowest from `first` on, -1: none
void make_way(int descriptor);            // the program is about to use this number
void put(struct event* event, struct site* site, const struct call* call);
void put_name(enum name_kind kind, int64_t number, const void* text, size_t length);
void fail_quietly(void);
void note_entry(struct site* site,
                uint64_t start);  // until `leave`: a process that is killed shows where it was

// thread.c
extern __thread struct inside* inside __attribute__((tls_model("initial-exec")));
extern __thread uint16_t thread_number __attribute__((tls_model("initial-exec")));  // from 1; 0: none yet
extern __thread uint64_t thread_events __attribute__((tls_model("initial-exec")));  // recorded by this thread
void number_thread(void);
void threads_forget(void);  // in a forked child, which has one thread

// lock.c
extern atomic_flag naming, opening;  // held while a name is written, and while files are opened
void take(atomic_flag* flag);
void give(atomic_flag* flag);
void lock(void);  // while the store changes
void unlock(void);
void fork_begins(void);
void fork_ends(void);

// lifetime.c
void describe_process(struct head* head);
int borrowed(void);  // whether this is a child of vfork, in the memory of its parent

// descriptor.c
int posix_file(int descriptor);  // of a file that is recorded, -1: none
int64_t path_number(const char* path);
int worth_recording(const char* path);  // by its name
void absolute(int folder, const char* path, char* full, size_t room);
void opened(struct site* site, const struct call* call, int folder, const char* path, int descriptor,
            int create);
void put_posix(struct site* site, const struct call* call, int file, wide offset, wide bytes, int status);
void inherit_descriptors(void);
void closed_by_stream(int descriptor);

// mapping.c
void mappings_end(void);

// sample.c
void samples_begin(const struct head* process);
void samples_end(void);
void samples_forget(void);  // in a forked child, which has no thread that looks
int samples_descriptor(void);

// map.c
struct node {
    word key;
    int64_t value;
    void* keep;  // freed with the node
    int lasting;
    struct event event;  // persistent requests: what a start does
    struct node* next;
};
struct map {
    struct node* bucket[1024];
};
struct node* map_add(struct map* map, word key, int64_t value);
struct node* map_find(struct map* map, word key);
int64_t map_take(struct map* map, word key, int64_t missing);

// process.c, file.c, request.c, datatype.c, clock.c, collective.c
int communicator_number(word communicator);
void communicator_created(void* place);
int communicator_size(word communicator);
uint32_t request_begin(void* place, void* keep);
wide type_bytes(word type);
int64_t type_number(word type);
void measure_clock(int moment);
int64_t row_number(const wide* bytes, int count);  // of a list of bytes to each rank

static inline uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Calls that MPI makes to itself come back through our exported names: only the outermost one is recorded.
static inline struct call enter(struct site* site, unsigned level) {
    if (!site->real && !site->fallback) find_real(site);
    struct call call = {depth++ == 0 && (recorded_levels & level), 0};
    if (call.recorded) note_entry(site, call.start = now());
    return call;
}

static inline void leave(void) {
    if (--depth == 0 && inside) inside->start = 0;
}

// A call of the C library. It has no name until MPI or a file makes the process worth recording.
#define SITE(NAME)                                             \
    static struct site site = {.name = #NAME};                 \
    if (!site.real) site.real = dlsym(RTLD_NEXT, #NAME);       \
    struct call call = {!!(recorded_levels & LEVEL_POSIX), 0}; \
    if (call.recorded) call.start = now()
