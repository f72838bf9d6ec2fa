// Files mapped into memory: reading them takes no call, so what was touched is looked up when they are
// unmapped.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define MOST_MAPPINGS 4096
#define MOST_PAGES (1 << 22)  // 16 GiB of small pages: looking at more takes too long

struct mapping {
    uintptr_t start, end;
    wide offset;
    int file;
};
static struct mapping mappings[MOST_MAPPINGS];
static _Atomic int count;
static int missed;  // mappings that found no room

// Bytes of pages that this process has in its page table; -1: not known.
static wide touched(uintptr_t start, uintptr_t end) {
    uint64_t entries[512], pages = 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = start / page, last = (end + page - 1) / page;
    if (last - at > MOST_PAGES) return -1;
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    while (at < last) {
        uintptr_t most = last - at < 512 ? last - at : 512;
        long got = syscall(SYS_pread64, file, entries, most * 8, at * 8) / 8;
        if (got <= 0) break;
        for (long i = 0; i < got; i++) pages += entries[i] >> 63;
        at += (uintptr_t)got;
    }
    syscall(SYS_close, file);
    if (at < last) return -1;
    wide bytes = (wide)(pages * page), length = (wide)(end - start);
    return bytes < length ? bytes : length;
}

static void remember(uintptr_t start, size_t length, wide offset, int file) {
    lock();
    if (count < MOST_MAPPINGS)
        mappings[count++] = (struct mapping){start, start + length, offset, file};
    else
        missed++;
    unlock();
}

// Takes what lies in [start, end) out of the list, a mapping at a time; 0: nothing is left there.
static int taken_out(uintptr_t start, uintptr_t end, struct mapping* part) {
    int found = 0;
    lock();
    for (int i = 0; i < count && !found; i++) {
        struct mapping* one = &mappings[i];
        if (one->end <= start || end <= one->start) continue;
        struct mapping whole = *one;
        *part = whole;
        if (start > whole.start) part->offset += (wide)(start - whole.start), part->start = start;
        if (end < whole.end) part->end = end;
        *one = mappings[--count];
        if (part->start > whole.start)
            mappings[count++] = (struct mapping){whole.start, part->start, whole.offset, whole.file};
        if (part->end < whole.end && count < MOST_MAPPINGS)
            mappings[count++] = (struct mapping){part->end, whole.end,
                                                 whole.offset + (wide)(part->end - whole.start), whole.file};
        found = 1;
    }
    unlock();
    return found;
}

static void unmapped(struct site* site, uintptr_t start, uintptr_t end, int all) {
    struct mapping part = {0};
    while (taken_out(start, end, &part)) {
        wide bytes = touched(part.start, part.end);
        struct call call = {1, now()};
        if (bytes || all)
            put_posix(site, &call, part.file, part.offset, bytes < 0 ? 0 : bytes, bytes < 0 ? ENOSYS : 0);
    }
}

static struct site unmap_site = {.name = "munmap"};

#define MAP(NAME, OFFSET_TYPE)                                                                         \
    VISIBLE void* NAME(void* wanted, size_t length, int protection, int flags, int descriptor,         \
                       OFFSET_TYPE offset) {                                                           \
        static struct site site = {.name = "mmap"};                                                    \
        int file =                                                                                     \
            (flags & MAP_ANONYMOUS) || !(recorded_levels & LEVEL_POSIX) ? -1 : posix_file(descriptor); \
        struct call call = {1, file < 0 ? 0 : now()};                                                  \
        void* start = (void*)syscall(SYS_mmap, wanted, length, protection, flags, descriptor, offset); \
        if (file < 0) return start;                                                                    \
        int error = errno;                                                                             \
        put_posix(&site, &call, file, (wide)offset, (wide)length, start == MAP_FAILED ? error : 0);    \
        if (start != MAP_FAILED) remember((uintptr_t)start, length, (wide)offset, file);               \
        errno = error;                                                                                 \
        return start;                                                                                  \
    }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

VISIBLE int munmap(void* start, size_t length) {
    if (count && (recorded_levels & LEVEL_POSIX)) {
        int error = errno;
        unmapped(&unmap_site, (uintptr_t)start, (uintptr_t)start + length, 1);
        errno = error;
    }
    return (int)syscall(SYS_munmap, start, length);
}

void mappings_end(void) {
    if (count) unmapped(&unmap_site, 0, UINTPTR_MAX, 0);
}
