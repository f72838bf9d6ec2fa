// A process from its beginning to its end: programs that are started, children that fork, exits.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

static int following;  // processes without MPI are recorded too
static pid_t process;
static uint64_t begun;
static enum how how = HOW_STARTED;

int borrowed(void) { return getpid() != process; }

static int number_in(const char* name, int missing) {
    const char* text = getenv(name);
    if (!text || *text < '0' || *text > '9') return missing;
    return atoi(text);
}

// How launchers number processes: torchrun, Slurm.
static void describe_launch(struct head* head) {
    static const char* const names[][2] = {{"RANK", "WORLD_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}};
    head->launch_rank = -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int rank = number_in(names[i][0], -1), size = number_in(names[i][1], 0);
        if (rank < 0 || rank >= size) continue;
        head->launch_rank = rank, head->launch_size = size;
        return;
    }
}

void describe_process(struct head* head) {
    head->process = (int32_t)getpid();
    head->parent = (int32_t)getppid();
    head->how = (int32_t)how;
    head->begun = begun;
    describe_launch(head);
}

static unsigned levels_without_mpi(void) { return levels_asked() & (LEVEL_POSIX | LEVEL_REGION); }

static void in_child(void) {
    fork_ends();
    process = getpid();
    begun = now();
    how = HOW_FORKED;
    samples_forget();
    store_forget();
    recorded_levels = following && recorded_levels ? levels_without_mpi() : 0;
}

__attribute__((constructor)) static void at_beginning(void) {
    process = getpid();
    begun = now();
    pthread_atfork(fork_begins, fork_ends, in_child);
    following = getenv("STRIATE_TRACE_DIR") && getenv("STRIATE_TRACE_PROCESSES");
    if (!following) return;
    store_replaced();
    recorded_levels = levels_without_mpi();
    if (recorded_levels & LEVEL_POSIX) inherit_descriptors();
}

static void at_exit(void) {
    if (!borrowed()) store_end();
}

__attribute__((destructor)) static void at_end(void) { at_exit(); }

// Forked children of Python end like this, without destructors.
VISIBLE _Noreturn void _exit(int status) {
    at_exit();
    for (;;) syscall(SYS_exit_group, status);
}

VISIBLE _Noreturn void _Exit(int status) { _exit(status); }
