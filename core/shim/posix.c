// POSIX I/O below MPI: calls on regular files that this process opened by name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

#define MOST 65536
static _Atomic int32_t file_of[MOST];  // number of the file + 1; 0: not one of ours

static int of(int descriptor) { return descriptor >= 0 && descriptor < MOST ? file_of[descriptor] - 1 : -1; }

static int watched(void) { return recorded_levels & LEVEL_POSIX; }

// Devices, sockets, libraries and the system's own files are not the program's I/O.
static int of_interest(const char* path, int descriptor) {
    static const char* const not[] = {"/dev/", "/proc/",  "/sys/", "/etc/", "/usr/",
                                      "/lib/", "/lib64/", "/run/", "/opt/"};
    for (size_t i = 0; i < sizeof not / sizeof *not && strncmp(path, "/dev/shm/", 9); i++)
        if (!strncmp(path, not[i], strlen(not[i]))) return 0;
    static const char* const ends[] = {".py", ".pyc", ".so", ".pth", ".cfg"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t tail = strlen(ends[i]);
        if (length > tail && !strcmp(path + length - tail, ends[i])) return 0;
    }
    if (strstr(path, ".so.") || strstr(path, "/site-packages/")) return 0;
    struct stat status;
    return syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) == 0 && S_ISREG(status.st_mode);
}

static int64_t path_number(const char* path) {
    static struct map known;
    static int64_t last;
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char* at = path; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    lock();
    struct node* node = map_find(&known, (word)hash);
    int64_t number = node ? node->value : last++;
    if (!node) {
        map_add(&known, (word)hash, number);
        put_name(NAME_PATH, number, path, strlen(path));
    }
    unlock();
    return number;
}

static void put_posix(struct site* site, const struct call* call, int file, wide offset, wide bytes,
                      int status) {
    struct event event = {.end = now(), .offset = offset, .bytes = bytes, .received = bytes, .object = file};
    event.peer = event.tag = -1, event.status = status;
    put(&event, site, call);
}

static void opened(struct site* site, const struct call* call, int folder, const char* path, int descriptor,
                   int create) {
    char full[4096];
    int error = errno;
    if (descriptor >= 0 && descriptor < MOST) file_of[descriptor] = 0;
    if (!path) return;
    if (path[0] != '/' && folder == AT_FDCWD && getcwd(full, 2048))
        snprintf(full + strlen(full), 2048, "/%s", path);
    else
        snprintf(full, sizeof full, "%s", path);
    if (descriptor >= 0 && descriptor < MOST && of_interest(full, descriptor)) {
        int64_t number = path_number(full);
        file_of[descriptor] = (int32_t)number + 1;
        struct event event = {.end = now(), .object = (int32_t)number, .peer = -1, .tag = create};
        put(&event, site, call);
    }
    errno = error;
}

#define SITE(NAME)                                       \
    static struct site site = {.name = #NAME};           \
    if (!site.real) site.real = dlsym(RTLD_NEXT, #NAME); \
    struct call call = {watched(), 0};                   \
    if (call.recorded) call.start = now()

#define OPEN(NAME)                                                                                \
    VISIBLE int NAME(const char* path, int flags, ...) {                                          \
        SITE(NAME);                                                                               \
        mode_t mode = 0;                                                                          \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                    \
            va_list rest;                                                                         \
            va_start(rest, flags);                                                                \
            mode = va_arg(rest, mode_t);                                                          \
            va_end(rest);                                                                         \
        }                                                                                         \
        int descriptor = ((int (*)(const char*, int, ...))site.real)(path, flags, mode);          \
        if (call.recorded) opened(&site, &call, AT_FDCWD, path, descriptor, !!(flags & O_CREAT)); \
        return descriptor;                                                                        \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(NAME)                                                                                 \
    VISIBLE int NAME(int folder, const char* path, int flags, ...) {                                  \
        SITE(NAME);                                                                                   \
        mode_t mode = 0;                                                                              \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                        \
            va_list rest;                                                                             \
            va_start(rest, flags);                                                                    \
            mode = va_arg(rest, mode_t);                                                              \
            va_end(rest);                                                                             \
        }                                                                                             \
        int descriptor = ((int (*)(int, const char*, int, ...))site.real)(folder, path, flags, mode); \
        if (call.recorded) opened(&site, &call, folder, path, descriptor, !!(flags & O_CREAT));       \
        return descriptor;                                                                            \
    }
OPEN_AT(openat)
OPEN_AT(openat64)

#define CREATE(NAME)                                                            \
    VISIBLE int NAME(const char* path, mode_t mode) {                           \
        SITE(NAME);                                                             \
        int descriptor = ((int (*)(const char*, mode_t))site.real)(path, mode); \
        if (call.recorded) opened(&site, &call, AT_FDCWD, path, descriptor, 1); \
        return descriptor;                                                      \
    }
CREATE(creat)
CREATE(creat64)

// The checked form that fortified programs call.
#define OPEN_CHECKED(NAME)                                                      \
    VISIBLE int NAME(const char* path, int flags) {                             \
        SITE(NAME);                                                             \
        int descriptor = ((int (*)(const char*, int))site.real)(path, flags);   \
        if (call.recorded) opened(&site, &call, AT_FDCWD, path, descriptor, 0); \
        return descriptor;                                                      \
    }
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

VISIBLE int close(int descriptor) {
    SITE(close);
    int file = of(descriptor);
    if (descriptor >= 0 && descriptor < MOST) file_of[descriptor] = 0;
    int status = ((int (*)(int))site.real)(descriptor);
    if (call.recorded && file >= 0) {
        int error = errno;
        put_posix(&site, &call, file, -1, 0, status < 0 ? error : 0);
        errno = error;
    }
    return status;
}

// Where the file pointer was: asked for after the call, so that appends and shared descriptors are right too.
static wide before(int descriptor, ssize_t moved) {
    wide after = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    return after < 0 ? -1 : after - (moved > 0 ? moved : 0);
}

#define MOVED(TYPE, NAME, PARAMETERS, TYPES, ARGUMENTS, OFFSET)                                  \
    VISIBLE TYPE NAME PARAMETERS {                                                               \
        SITE(NAME);                                                                              \
        TYPE moved = ((TYPE(*) TYPES)site.real)ARGUMENTS;                                        \
        int file = call.recorded ? of(descriptor) : -1;                                          \
        if (file >= 0) {                                                                         \
            int error = errno;                                                                   \
            put_posix(&site, &call, file, OFFSET, moved > 0 ? moved : 0, moved < 0 ? error : 0); \
            errno = error;                                                                       \
        }                                                                                        \
        return moved;                                                                            \
    }
MOVED(ssize_t, read, (int descriptor, void* buffer, size_t size), (int, void*, size_t),
      (descriptor, buffer, size), before(descriptor, moved))
MOVED(ssize_t, write, (int descriptor, const void* buffer, size_t size), (int, const void*, size_t),
      (descriptor, buffer, size), before(descriptor, moved))
MOVED(ssize_t, __read_chk, (int descriptor, void* buffer, size_t size, size_t room),
      (int, void*, size_t, size_t), (descriptor, buffer, size, room), before(descriptor, moved))
MOVED(ssize_t, pread, (int descriptor, void* buffer, size_t size, off_t offset), (int, void*, size_t, off_t),
      (descriptor, buffer, size, offset), offset)
MOVED(ssize_t, pread64, (int descriptor, void* buffer, size_t size, off64_t offset),
      (int, void*, size_t, off64_t), (descriptor, buffer, size, offset), offset)
MOVED(ssize_t, __pread_chk, (int descriptor, void* buffer, size_t size, off_t offset, size_t room),
      (int, void*, size_t, off_t, size_t), (descriptor, buffer, size, offset, room), offset)
MOVED(ssize_t, __pread64_chk, (int descriptor, void* buffer, size_t size, off64_t offset, size_t room),
      (int, void*, size_t, off64_t, size_t), (descriptor, buffer, size, offset, room), offset)
MOVED(ssize_t, pwrite, (int descriptor, const void* buffer, size_t size, off_t offset),
      (int, const void*, size_t, off_t), (descriptor, buffer, size, offset), offset)
MOVED(ssize_t, pwrite64, (int descriptor, const void* buffer, size_t size, off64_t offset),
      (int, const void*, size_t, off64_t), (descriptor, buffer, size, offset), offset)
MOVED(ssize_t, readv, (int descriptor, const struct iovec* parts, int count), (int, const struct iovec*, int),
      (descriptor, parts, count), before(descriptor, moved))
MOVED(ssize_t, writev, (int descriptor, const struct iovec* parts, int count),
      (int, const struct iovec*, int), (descriptor, parts, count), before(descriptor, moved))
MOVED(ssize_t, preadv, (int descriptor, const struct iovec* parts, int count, off_t offset),
      (int, const struct iovec*, int, off_t), (descriptor, parts, count, offset), offset)
MOVED(ssize_t, preadv64, (int descriptor, const struct iovec* parts, int count, off64_t offset),
      (int, const struct iovec*, int, off64_t), (descriptor, parts, count, offset), offset)
MOVED(ssize_t, pwritev, (int descriptor, const struct iovec* parts, int count, off_t offset),
      (int, const struct iovec*, int, off_t), (descriptor, parts, count, offset), offset)
MOVED(ssize_t, pwritev64, (int descriptor, const struct iovec* parts, int count, off64_t offset),
      (int, const struct iovec*, int, off64_t), (descriptor, parts, count, offset), offset)

// Forms with flags, which Python calls; an offset of -1 is the file pointer.
#define MOVED_WITH_FLAGS(NAME, OFFSET_TYPE)                                                             \
    MOVED(ssize_t, NAME,                                                                                \
          (int descriptor, const struct iovec* parts, int count, OFFSET_TYPE offset, int flags),        \
          (int, const struct iovec*, int, OFFSET_TYPE, int), (descriptor, parts, count, offset, flags), \
          offset < 0 ? before(descriptor, moved) : (wide)offset)
MOVED_WITH_FLAGS(preadv2, off_t)
MOVED_WITH_FLAGS(preadv64v2, off64_t)
MOVED_WITH_FLAGS(pwritev2, off_t)
MOVED_WITH_FLAGS(pwritev64v2, off64_t)

#define STEP(TYPE, NAME, PARAMETERS, TYPES, ARGUMENTS, OFFSET)                \
    VISIBLE TYPE NAME PARAMETERS {                                            \
        SITE(NAME);                                                           \
        TYPE result = ((TYPE(*) TYPES)site.real)ARGUMENTS;                    \
        int file = call.recorded ? of(descriptor) : -1;                       \
        if (file >= 0) {                                                      \
            int error = errno;                                                \
            put_posix(&site, &call, file, OFFSET, 0, result < 0 ? error : 0); \
            errno = error;                                                    \
        }                                                                     \
        return result;                                                        \
    }
STEP(off_t, lseek, (int descriptor, off_t offset, int whence), (int, off_t, int),
     (descriptor, offset, whence), result)
STEP(off64_t, lseek64, (int descriptor, off64_t offset, int whence), (int, off64_t, int),
     (descriptor, offset, whence), result)
STEP(int, fsync, (int descriptor), (int), (descriptor), -1)
STEP(int, fdatasync, (int descriptor), (int), (descriptor), -1)
STEP(int, ftruncate, (int descriptor, off_t size), (int, off_t), (descriptor, size), size)
STEP(int, ftruncate64, (int descriptor, off64_t size), (int, off64_t), (descriptor, size), size)
