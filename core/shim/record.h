// What a traced process leaves behind: two files, one of events and one of names.
//
// RANK.GENERATION.events (pPROCESS.GENERATION.events where the process called no MPI_Init): a page with
// `struct head`, then `struct event` after `struct event`, 64 bytes each. It is written through a shared
// mapping, so that what was recorded outlives a process that is killed; an event whose function is 0 was
// reserved and never written. RANK.GENERATION.names: `struct name` and its text, one after the other; see
// `enum name_kind`. src/striate/trace/parts/ reads both.
#pragma once

#include <stdint.h>

#define STRIATE_MAGIC "STRIATE1"
#define STRIATE_PAGE 4096

enum how { HOW_MPI, HOW_STARTED, HOW_FORKED };  // MPI_Init was called; a program was started; only forked

struct head {
    char magic[8];
    // Rank and size: of the world; of a child, those of the rank it descends from, -1 and 0 if there is none.
    // Finished: 0 running or killed, 1 finalized or ended, 2 aborted, 3 another program took its place
    // (exec).
    int32_t rank, size, process, finished;
    uint64_t events, dropped, limit;  // limit: bytes of events that may be kept
    uint64_t wall, clock;             // the same moment: nanoseconds since 1970, and on the events' clock
    char boot[48];                    // processes with the same boot share one clock
    char host[256];
    char library[256];
    int32_t parent, how, launch_rank,
        launch_size;        // launch: as torchrun or Slurm number processes, else -1 and 0
    uint64_t begun, ended;  // the process, on the events' clock; ended 0: not known
};

// Calls that threads are inside of, from STRIATE_INSIDE of the first page on; `start` 0: none.
#define STRIATE_INSIDE 2048
#define STRIATE_THREADS 64
struct inside {
    uint64_t start;
    uint32_t function, thread;
};
_Static_assert(sizeof(struct head) <= STRIATE_INSIDE, "the head and the calls share a page");

struct event {
    uint64_t start, end;  // nanoseconds, CLOCK_MONOTONIC
    int64_t offset;       // etypes in a view, bytes in POSIX, displacement of a view
    int64_t bytes;
    int64_t received;   // bytes received; size of the etype of a view
    int32_t object;     // open file or communicator
    int32_t peer, tag;  // peer: a rank, or the root; of an open: the communicator, and whether it creates
    uint32_t request;   // from 1; 0: none
    uint16_t function, thread;
    int32_t status;
};

_Static_assert(sizeof(struct event) == 64, "an event is one cache line");

struct name {
    uint32_t kind, length;
    int64_t number;
};

enum name_kind {
    NAME_FUNCTION = 1,  // number -> name of the function
    NAME_FILE,          // MPI file, one an open -> path NUL hints ("key=value\n" ...)
    NAME_PATH,          // POSIX file -> path
    NAME_TYPE,          // datatype of a view -> its tree as int64s, see datatype.c
    NAME_COMMUNICATOR,  // -> world ranks as int32s
    NAME_LIST,          // bytes to each peer of an alltoallv, as int64s
    NAME_REGION,        // -> name
    NAME_CLOCK,    // 0 at the beginning, 1 at the end -> offset and error in nanoseconds, and when, as int64s
    NAME_PROGRAM,  // -> the command line
};

// HOST.samples: `struct head` of the process that looks, then a sample now and then. Counters since the host
// was started, times in nanoseconds, the rest in bytes; -1: not known.
struct sample {
    uint64_t clock;
    int64_t cpu_user, cpu_system, cpu_wait, cpu_idle;  // summed over CPUs
    int64_t memory_total, memory_used;
    int64_t network_received, network_sent;
    int64_t disk_read, disk_written;
};

// Functions that are not calls: second halves of the event before them, and markers.
#define FUNCTION_COMPLETE "complete"  // a request is complete: peer, tag, received, request
#define FUNCTION_HALF "half"          // the receiving half of the sendrecv before it
#define FUNCTION_REGION_BEGIN "region_begin"
#define FUNCTION_REGION_END "region_end"
