// Keeps events in a file mapped into memory, a piece at a time: nothing is lost when the process is killed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define PIECE (1u << 20)
#define PER_PIECE (PIECE / sizeof(struct event))

_Atomic unsigned recorded_levels;
__thread int depth __attribute__((tls_model("initial-exec")));

__thread struct inside* inside __attribute__((tls_model("initial-exec")));
static __thread uint16_t thread_number __attribute__((tls_model("initial-exec")));
static atomic_uint threads;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static struct head* head;
static struct event* piece;
static size_t used = PER_PIECE, pieces;
static int events_file = -1, names_file = -1;
static uint16_t functions;

void lock(void) {
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {
    }
}

void unlock(void) { atomic_flag_clear_explicit(&taken, memory_order_release); }

// Our own files bypass the wrappers of posix.c.
static int open_new(const char* path) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

void fail_quietly(void) { recorded_levels = 0; }

// A forked child shares the mapping: it must not write to it.
static void in_child(void) {
    recorded_levels = 0;
    inside = NULL;
    samples_forget();
}

static unsigned levels_asked(void) {
    const char* text = getenv("STRIATE_TRACE_LEVEL");
    return text ? (unsigned)strtoul(text, NULL, 10) | LEVEL_REGION
                : LEVEL_MPI_IO | LEVEL_MPI | LEVEL_POSIX | LEVEL_REGION;
}

static void read_line(const char* path, char* text, size_t room) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    long length = syscall(SYS_read, file, text, room - 1);
    text[length > 0 ? length : 0] = 0;
    syscall(SYS_close, file);
}

static void describe(int rank, int size) {
    struct timespec wall;
    memcpy(head->magic, STRIATE_MAGIC, 8);
    head->rank = rank, head->size = size, head->process = (int32_t)getpid();
    const char* limit = getenv("STRIATE_TRACE_BYTES");
    head->limit = limit ? strtoull(limit, NULL, 10) : 1ull << 30;
    clock_gettime(CLOCK_REALTIME, &wall);
    head->clock = now();
    head->wall = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
    gethostname(head->host, sizeof head->host - 1);
    read_line("/proc/sys/kernel/random/boot_id", head->boot, sizeof head->boot);
    snprintf(head->library, sizeof head->library, "%s", library_path());
    char command[4096];
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    long length = file < 0 ? 0 : syscall(SYS_read, file, command, sizeof command);
    if (file >= 0) syscall(SYS_close, file);
    put_name(NAME_PROGRAM, 0, command, length > 0 ? (size_t)length : 0);
}

// Reserve room before it is mapped: a full disk is then an error here, not a signal later. File systems that
// cannot reserve (NFS before 4.2, ramfs) make the file longer.
static int reserve(uint64_t start, uint64_t length) {
    if (syscall(SYS_fallocate, events_file, 0, (off_t)start, (off_t)length) == 0) return 1;
    return errno == EOPNOTSUPP && syscall(SYS_ftruncate, events_file, (off_t)(start + length)) == 0;
}

void store_open(int rank, int size) {
    const char* folder = getenv("STRIATE_TRACE_DIR");
    if (!folder || head) return;
    char path[1024];
    int generation = 0;
    do {
        snprintf(path, sizeof path, "%s/%d.%d.events", folder, rank, generation);
        events_file = open_new(path);
    } while (events_file < 0 && errno == EEXIST && ++generation < 10000);
    if (events_file < 0) return;
    snprintf(path, sizeof path, "%s/%d.%d.names", folder, rank, generation);
    names_file = open_new(path);
    if (names_file < 0 || !reserve(0, STRIATE_PAGE)) return;
    void* page = mmap(NULL, STRIATE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, events_file, 0);
    if (page == MAP_FAILED) return;
    head = page;
    describe(rank, size);
    pthread_atfork(NULL, NULL, in_child);
    recorded_levels = levels_asked();
    samples_begin(head);
}

static int next_piece(void) {
    uint64_t start = STRIATE_PAGE + (uint64_t)pieces * PIECE;
    if ((pieces + 1) * (uint64_t)PIECE > head->limit + PIECE - 1) return 0;
    if (piece) munmap(piece, PIECE);
    piece = NULL;
    if (!reserve(start, PIECE)) return 0;
    void* mapped = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, events_file, (off_t)start);
    if (mapped == MAP_FAILED) return 0;
    piece = mapped;
    pieces++;
    used = 0;
    return 1;
}

static int room(void) {
    if (used < PER_PIECE) return (head->events + 1) * sizeof(struct event) <= head->limit;
    static int full;
    if (!full && !next_piece()) full = 1;
    return !full;
}

// Both need the lock or are called once a thread.
static void number_function(struct site* site) {
    if (site->number) return;
    put_name(NAME_FUNCTION, functions + 1, site->name, strlen(site->name));
    site->number = ++functions;
}

static void number_thread(void) {
    if (!thread_number) thread_number = (uint16_t)(atomic_fetch_add(&threads, 1) + 1);
}

void note_entry(struct site* site, uint64_t start) {
    if (!head) return;
    if (!site->number) {
        lock();
        number_function(site);
        unlock();
    }
    if (!inside) {
        number_thread();
        if (thread_number > STRIATE_THREADS) return;
        inside = (struct inside*)((char*)head + STRIATE_INSIDE) + (thread_number - 1);
        inside->thread = thread_number - 1u;
    }
    inside->function = site->number;
    inside->start = start;
}

void put(struct event* event, struct site* site, const struct call* call) {
    event->start = call->start;
    if (!event->end) event->end = now();
    number_thread();
    event->thread = (uint16_t)(thread_number - 1);
    lock();
    if (head && recorded_levels) {
        number_function(site);
        event->function = site->number;
        if (room()) {
            piece[used++] = *event;
            head->events++;
        } else {
            head->dropped++;
        }
    }
    unlock();
}

void put_name(enum name_kind kind, int64_t number, const void* text, size_t length) {
    if (names_file < 0) return;
    struct name name = {(uint32_t)kind, (uint32_t)length, number};
    char small[512];
    if (length <= sizeof small - sizeof name) {
        memcpy(small, &name, sizeof name);
        if (length) memcpy(small + sizeof name, text, length);
        syscall(SYS_write, names_file, small, sizeof name + length);
        return;
    }
    syscall(SYS_write, names_file, &name, sizeof name);
    syscall(SYS_write, names_file, text, length);
}

void store_close(int finished) {
    samples_end();
    lock();
    recorded_levels = 0;
    if (head) {
        head->finished = finished;
        if (finished == 1) {
            if (syscall(SYS_ftruncate, events_file,
                        (off_t)(STRIATE_PAGE + head->events * sizeof(struct event))) != 0)
                head->finished = 1;
            if (piece) munmap(piece, PIECE);
            piece = NULL, used = PER_PIECE;
        }
    }
    unlock();
}
