// Looks at the host while the program runs: a thread of one process per host reads counters of /proc now and
// then.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define ROOM (1 << 16)

static _Atomic int samples_file = -1;
static uint64_t interval, room_left;
static _Atomic pid_t looker;  // the process that has a thread for it
static int64_t tick_nanoseconds;
static char text[ROOM];
static atomic_flag looking = ATOMIC_FLAG_INIT;

// The beginning of a file, ended by NUL; empty where there is no such file.
static void read_text(const char* path, size_t most) {
    size_t length = 0;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && length + 1 < most) {
        long got = syscall(SYS_read, file, text + length, most - 1 - length);
        if (got <= 0) break;
        length += (size_t)got;
    }
    if (file >= 0) syscall(SYS_close, file);
    text[length] = 0;
}

static void look_at_cpus(struct sample* sample) {
    long long n[7] = {0};
    read_text("/proc/stat", 4096);
    if (sscanf(text, "cpu %lld %lld %lld %lld %lld %lld %lld", n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6) <
        4)
        return;
    sample->cpu_user = (n[0] + n[1]) * tick_nanoseconds;
    sample->cpu_system = (n[2] + n[5] + n[6]) * tick_nanoseconds;
    sample->cpu_idle = n[3] * tick_nanoseconds;
    sample->cpu_wait = n[4] * tick_nanoseconds;
}

static void look_at_memory(struct sample* sample) {
    long long total, available;
    read_text("/proc/meminfo", 4096);
    const char* all = strstr(text, "MemTotal:");
    const char* rest = strstr(text, "MemAvailable:");
    if (!all || sscanf(all, "MemTotal: %lld kB", &total) != 1) return;
    sample->memory_total = total * 1024;
    if (rest && sscanf(rest, "MemAvailable: %lld kB", &available) == 1)
        sample->memory_used = (total - available) * 1024;
}

static void add(int64_t* sum, long long value) { *sum = (*sum < 0 ? 0 : *sum) + value; }

// Every interface but the loop-back.
static void look_at_network(struct sample* sample) {
    read_text("/proc/net/dev", ROOM);
    char* rest;
    for (char* line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char name[64];
        long long in, out;
        if (sscanf(line, " %63[^: ]: %lld %*d %*d %*d %*d %*d %*d %*d %lld", name, &in, &out) != 3) continue;
        if (!strcmp(name, "lo")) continue;
        add(&sample->network_received, in);
        add(&sample->network_sent, out);
    }
}

static int is_part_of(const char* name, const char* disk) {
    size_t length = strlen(disk);
    if (!length || strncmp(name, disk, length) != 0) return 0;
    char next = name[length];
    return next == 'p' || (next >= '0' && next <= '9');
}

// Whole disks: their partitions follow them, and what is made of other disks or of memory is left out.
static void look_at_disks(struct sample* sample) {
    static const char* made[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd"};
    char disk[64] = "";
    read_text("/proc/diskstats", ROOM);
    char* rest;
    for (char* line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char name[64];
        long long in, out;
        if (sscanf(line, " %*d %*d %63s %*d %*d %lld %*d %*d %*d %lld", name, &in, &out) != 3) continue;
        int skip = is_part_of(name, disk);
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            skip |= !strncmp(name, made[i], strlen(made[i]));
        if (skip) continue;
        strcpy(disk, name);
        add(&sample->disk_read, in * 512);
        add(&sample->disk_written, out * 512);
    }
}

static void take_sample(void) {
    while (atomic_flag_test_and_set_explicit(&looking, memory_order_acquire)) usleep(100);
    if (samples_file >= 0 && room_left >= sizeof(struct sample)) {
        struct sample sample;
        memset(&sample, 0xff, sizeof sample);  // -1: not known
        sample.clock = now();
        look_at_cpus(&sample);
        look_at_memory(&sample);
        look_at_network(&sample);
        look_at_disks(&sample);
        room_left -= sizeof sample;
        syscall(SYS_write, samples_file, &sample, sizeof sample);
    }
    atomic_flag_clear_explicit(&looking, memory_order_release);
}

static void* keep_looking(void* nothing) {
    uint64_t next = now();
    while (samples_file >= 0) {
        next += interval;
        uint64_t time = now();
        if (next < time) next = time;  // late: do not hurry after it
        struct timespec wake = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
        take_sample();
    }
    looker = 0;
    return nothing;
}

// Signals are the program's: this thread takes none.
static void start_thread(void) {
    sigset_t all, before;
    pthread_attr_t options;
    pthread_t thread;
    sigfillset(&all);
    if (pthread_attr_init(&options) != 0) return;
    pthread_attr_setdetachstate(&options, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, &options, keep_looking, NULL) != 0) samples_file = -1;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&options);
}

// The process that creates the host's file is the one that looks. Ranks have a file of their own, for a
// launcher that was there before them may close its files or end first.
void samples_begin(const struct head* process) {
    const char* asked = getenv("STRIATE_TRACE_SAMPLE");
    const char* folder = getenv("STRIATE_TRACE_DIR");
    interval = asked ? strtoull(asked, NULL, 10) : 0;
    if (!interval || !folder) return;
    char path[1024], host[sizeof process->host];
    memcpy(host, process->host, sizeof host);
    for (char* letter = host; *letter; letter++)
        if (*letter == '/') *letter = '_';
    snprintf(path, sizeof path, "%s/%s%s.samples", folder, host, process->how == HOW_MPI ? "" : ".process");
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return;
    syscall(SYS_write, file, process, sizeof *process);
    long ticks = sysconf(_SC_CLK_TCK);
    tick_nanoseconds = ticks > 0 ? 1000000000 / ticks : 10000000;
    room_left = process->limit;
    samples_file = file;
    take_sample();
    if (looker == getpid()) return;
    looker = getpid();
    start_thread();
}

void samples_forget(void) { samples_file = -1; }

int samples_descriptor(void) { return samples_file; }

void samples_end(void) {
    if (samples_file < 0) return;
    take_sample();
    while (atomic_flag_test_and_set_explicit(&looking, memory_order_acquire)) usleep(100);
    syscall(SYS_close, samples_file);
    samples_file = -1;
    atomic_flag_clear_explicit(&looking, memory_order_release);
}
