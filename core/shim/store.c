// Keeps events in a file mapped into memory, a piece at a time: nothing is lost when the process is killed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

#define PIECE (1u << 20)
#define PER_PIECE (PIECE / sizeof(struct event))

_Atomic unsigned recorded_levels;
__thread int depth __attribute__((tls_model("initial-exec")));

static struct head* _Atomic head;
static struct event* piece;
static size_t used = PER_PIECE, pieces;
static int full, events_file = -1, names_file = -1;
static uint64_t names_bytes;
static int parent_names = -1;  // in a forked child: the names it knows already
static uint64_t parent_names_bytes;
static uint16_t functions;
static int world_rank = -1, world_size;  // of this process, or of the rank it descends from
static char events_path[1024], names_path[1024];

// Our own files bypass the wrappers of descriptor.c.
static int open_new(const char* path) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0644);
}

void fail_quietly(void) { recorded_levels = 0; }

static void* mmap_own(int file, size_t length, uint64_t offset) {
    return (void*)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
}

static void unmap_own(void* start, size_t length) { syscall(SYS_munmap, start, length); }

int own_descriptor_from(unsigned first) {
    int ours[] = {events_file, names_file, parent_names, samples_descriptor()}, lowest = -1;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i] >= 0 && (unsigned)ours[i] >= first && (lowest < 0 || ours[i] < lowest)) lowest = ours[i];
    return lowest;
}

int own_descriptor(int descriptor) {
    return descriptor >= 0 && (descriptor == events_file || descriptor == names_file ||
                               descriptor == parent_names || descriptor == samples_descriptor());
}

static void moved(int* ours, int descriptor) {
    if (*ours != descriptor || descriptor < 0) return;
    int other = (int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 3);
    if (other >= 0) *ours = other;
}

void make_way(int descriptor) {
    moved(&events_file, descriptor);
    moved(&names_file, descriptor);
    moved(&parent_names, descriptor);
    if (samples_descriptor() == descriptor) samples_forget();
}

// What was named so far is known still: the next store begins with these names.
static void let_go(void) {
    void* page = head;
    if (page) unmap_own(page, STRIATE_PAGE);
    if (piece) unmap_own(piece, PIECE);
    if (events_file >= 0) syscall(SYS_close, events_file);
    if (names_file >= 0) {
        if (parent_names >= 0) syscall(SYS_close, parent_names);
        parent_names = names_file, parent_names_bytes = names_bytes;
    }
    head = NULL;
    piece = NULL, inside = NULL;
    used = PER_PIECE, pieces = 0, full = 0;
    events_file = names_file = -1;
}

// A forked child shares the parent's mapping and files, and has none of its other threads.
void store_forget(void) {
    let_go();
    threads_forget();
}

unsigned levels_asked(void) {
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

static void describe(struct head* page, int rank, int size) {
    struct timespec wall;
    page->rank = rank, page->size = size;
    describe_process(page);
    const char* limit = getenv("STRIATE_TRACE_BYTES");
    page->limit = limit ? strtoull(limit, NULL, 10) : 1ull << 30;
    clock_gettime(CLOCK_REALTIME, &wall);
    page->clock = now();
    page->wall = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
    gethostname(page->host, sizeof page->host - 1);
    read_line("/proc/sys/kernel/random/boot_id", page->boot, sizeof page->boot);
    snprintf(page->library, sizeof page->library, "%s", library_path());
    memcpy(page->magic, STRIATE_MAGIC, 8);
    char command[4096];
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    long length = file < 0 ? 0 : syscall(SYS_read, file, command, sizeof command);
    if (file >= 0) syscall(SYS_close, file);
    put_name(NAME_PROGRAM, 0, command, length > 0 ? (size_t)length : 0);
}

// What the parent had named when it forked: the child uses the same numbers.
static void copy_parent_names(void) {
    char part[4096];
    if (parent_names < 0) return;
    for (uint64_t at = 0; at < parent_names_bytes;) {
        uint64_t left = parent_names_bytes - at;
        long got = syscall(SYS_pread64, parent_names, part, left < sizeof part ? left : sizeof part, at);
        if (got <= 0) break;
        syscall(SYS_write, names_file, part, got);
        at += (uint64_t)got;
    }
    names_bytes = parent_names_bytes;
    syscall(SYS_close, parent_names);
    parent_names = -1;
}

// Reserve room before it is mapped: a full disk is then an error here, not a signal later. File systems that
// cannot reserve (NFS before 4.2, ramfs) make the file longer.
static int reserve(uint64_t start, uint64_t length) {
    if (syscall(SYS_fallocate, events_file, 0, (off_t)start, (off_t)length) == 0) return 1;
    return errno == EOPNOTSUPP && syscall(SYS_ftruncate, events_file, (off_t)(start + length)) == 0;
}

// Files by the next free generation of `stem`, and the page of the head; NULL where there can be none.
static struct head* open_files(const char* folder, const char* stem) {
    int generation = 0;
    do {
        snprintf(events_path, sizeof events_path, "%s/%s.%d.events", folder, stem, generation);
        events_file = open_new(events_path);
    } while (events_file < 0 && errno == EEXIST && ++generation < 10000);
    if (events_file < 0) return NULL;
    snprintf(names_path, sizeof names_path, "%s/%s.%d.names", folder, stem, generation);
    names_file = open_new(names_path);
    if (names_file < 0 || !reserve(0, STRIATE_PAGE)) return NULL;
    names_bytes = 0;
    void* page = mmap_own(events_file, STRIATE_PAGE, 0);
    return page == MAP_FAILED ? NULL : page;
}

// A process that calls MPI_Init is a rank from then on; what it did before is not part of the run.
static void discard(void) {
    if (!head) return;
    syscall(SYS_unlinkat, AT_FDCWD, events_path, 0);
    syscall(SYS_unlinkat, AT_FDCWD, names_path, 0);
    let_go();
}

void store_open(int rank, int size) {
    const char* folder = getenv("STRIATE_TRACE_DIR");
    if (!folder || (head && head->how == HOW_MPI)) return;
    char stem[32];
    take(&opening);
    lock();
    discard();
    snprintf(stem, sizeof stem, "%d", rank);
    struct head* page = open_files(folder, stem);
    if (page) {
        copy_parent_names();
        describe(page, rank, size);
        page->how = HOW_MPI;
        world_rank = rank, world_size = size;
        head = page;
        recorded_levels = levels_asked();
    }
    unlock();
    give(&opening);
    if (!page) return;
    if (getenv("STRIATE_TRACE_PROCESSES")) {
        snprintf(stem, sizeof stem, "%d/%d", rank, size);
        setenv("STRIATE_TRACE_RANK", stem, 1);  // for programs that this rank starts
    }
    samples_begin(page);
}

void store_begin(void) {
    if (head || !recorded_levels || borrowed()) return;
    const char* folder = getenv("STRIATE_TRACE_DIR");
    const char* above = getenv("STRIATE_TRACE_RANK");
    char stem[32];
    take(&opening);
    if (!head && folder && recorded_levels) {
        int error = errno;
        if (world_size == 0 && above && sscanf(above, "%d/%d", &world_rank, &world_size) != 2)
            world_rank = -1, world_size = 0;
        snprintf(stem, sizeof stem, "p%d", (int)getpid());
        struct head* page = open_files(folder, stem);
        if (page) {
            copy_parent_names();
            describe(page, world_rank, world_size);
            head = page;
        } else {
            fail_quietly();
        }
        errno = error;
        if (page) samples_begin(page);
    }
    give(&opening);
}

// The page of the program that ran in this process before says that it was not killed.
void store_replaced(void) {
    const char* folder = getenv("STRIATE_TRACE_DIR");
    char path[1024];
    int file = -1;
    for (int generation = 0; generation < 10000; generation++) {
        snprintf(path, sizeof path, "%s/p%d.%d.events", folder, (int)getpid(), generation);
        int next = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
        if (next < 0) break;
        if (file >= 0) syscall(SYS_close, file);
        file = next;
    }
    if (file < 0) return;
    char host[sizeof((struct head*)0)->host] = "";
    gethostname(host, sizeof host - 1);
    struct head* page = mmap_own(file, STRIATE_PAGE, 0);
    if (page != MAP_FAILED) {
        if (page->finished == 0 && !strcmp(page->host, host)) page->finished = 3, page->ended = now();
        unmap_own(page, STRIATE_PAGE);
    }
    syscall(SYS_close, file);
}

static int next_piece(void) {
    uint64_t start = STRIATE_PAGE + (uint64_t)pieces * PIECE;
    if ((pieces + 1) * (uint64_t)PIECE > head->limit + PIECE - 1) return 0;
    if (piece) unmap_own(piece, PIECE);
    piece = NULL;
    if (!reserve(start, PIECE)) return 0;
    void* mapped = mmap_own(events_file, PIECE, start);
    if (mapped == MAP_FAILED) return 0;
    piece = mapped;
    pieces++;
    used = 0;
    return 1;
}

static int room(void) {
    if (used < PER_PIECE) return (head->events + 1) * sizeof(struct event) <= head->limit;
    if (!full && !next_piece()) full = 1;
    return !full;
}

// Both need the lock or are called once a thread.
static void number_function(struct site* site) {
    if (site->number) return;
    put_name(NAME_FUNCTION, functions + 1, site->name, strlen(site->name));
    site->number = ++functions;
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
    if (!thread_number) number_thread();
    event->thread = (uint16_t)(thread_number - 1);
    thread_events++;
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
    struct iovec parts[2] = {{&name, sizeof name}, {(void*)text, length}};
    take(&naming);
    long written = syscall(SYS_writev, names_file, parts, length ? 2 : 1);
    if (written > 0) names_bytes += (uint64_t)written;
    give(&naming);
}

void store_close(int finished) {
    samples_end();
    lock();
    recorded_levels = 0;
    if (head) {
        head->ended = now();
        head->finished = finished;
        if (finished == 1) {
            if (syscall(SYS_ftruncate, events_file,
                        (off_t)(STRIATE_PAGE + head->events * sizeof(struct event))) != 0)
                head->finished = 1;
            if (piece) unmap_own(piece, PIECE);
            piece = NULL, used = PER_PIECE;
        }
    }
    unlock();
}

void store_end(void) {
    if (!head || head->how == HOW_MPI || !recorded_levels) return;
    mappings_end();
    store_close(1);
}
