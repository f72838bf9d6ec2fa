// Which descriptors are files of the program, by name: how they are opened, doubled, inherited and closed.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define MOST 65536
static _Atomic int32_t file_of[MOST];  // number of the file + 1; 0: not one of ours
static _Atomic unsigned highest;       // none of ours from here on

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

int posix_file(int descriptor) { return descriptor >= 0 && descriptor < MOST ? file_of[descriptor] - 1 : -1; }

static void set_file(int descriptor, int file) {
    if (descriptor < 0 || descriptor >= MOST) return;
    file_of[descriptor] = file + 1;
    if (file >= 0 && (unsigned)descriptor >= highest) highest = (unsigned)descriptor + 1;
}

// Devices, libraries and the system's own files are not the program's I/O.
int worth_recording(const char* path) {
    static const char* const not[] = {"/dev/", "/proc/",  "/sys/", "/etc/", "/usr/",
                                      "/lib/", "/lib64/", "/run/", "/opt/"};
    for (size_t i = 0; i < sizeof not / sizeof *not && strncmp(path, "/dev/shm/", 9); i++)
        if (!strncmp(path, not[i], strlen(not[i]))) return 0;
    static const char* const ends[] = {".py", ".pyc", ".so", "/pyvenv.cfg"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t tail = strlen(ends[i]);
        if (length > tail && !strcmp(path + length - tail, ends[i])) return 0;
    }
    return !strstr(path, ".so.") && !strstr(path, "/site-packages/");
}

static int is_regular(int descriptor) {
    struct stat status;
    return syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) == 0 && S_ISREG(status.st_mode);
}

int64_t path_number(const char* path) {
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

void put_posix(struct site* site, const struct call* call, int file, wide offset, wide bytes, int status) {
    struct event event = {.end = now(), .offset = offset, .bytes = bytes, .received = bytes, .object = file};
    event.peer = event.tag = -1, event.status = status;
    store_begin();
    put(&event, site, call);
}

// Where a descriptor leads; empty where the system does not say.
static void path_of(int descriptor, char* path, size_t room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, room - 1);
    path[length > 0 ? length : 0] = 0;
}

void absolute(int folder, const char* path, char* full, size_t room) {
    full[0] = 0;
    if (path[0] != '/' && folder == AT_FDCWD && !getcwd(full, room / 2)) full[0] = 0;
    if (path[0] != '/' && folder != AT_FDCWD) path_of(folder, full, room / 2);
    size_t length = strlen(full);
    snprintf(full + length, room - length, "%s%s", length ? "/" : "", path);
}

void opened(struct site* site, const struct call* call, int folder, const char* path, int descriptor,
            int create) {
    char full[4096];
    int error = errno;
    set_file(descriptor, -1);
    if (!path || descriptor < 0 || descriptor >= MOST) return;
    absolute(folder, path, full, sizeof full);
    if (worth_recording(full) && is_regular(descriptor)) {
        store_begin();
        int64_t number = path_number(full);
        set_file(descriptor, (int)number);
        struct event event = {.end = now(), .object = (int32_t)number, .peer = -1, .tag = create};
        put(&event, site, call);
    }
    errno = error;
}

// Whether a descriptor is what the traced command was given as input and output: that is the caller's
// business.
static int of_the_caller(int descriptor) {
    struct stat status;
    char own[64];
    const char* given = getenv("STRIATE_TRACE_OUTPUT");
    if (!given || syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) != 0) return 1;
    snprintf(own, sizeof own, " %llu:%llu ", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    return strstr(given, own) != NULL;
}

// Files that the program before us left open.
void inherit_descriptors(void) {
    DIR* folder = opendir("/proc/self/fd");
    if (!folder) return;
    for (struct dirent* entry; (entry = readdir(folder));) {
        char path[4096];
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || descriptor >= MOST || descriptor == dirfd(folder)) continue;
        if (descriptor < 3 && of_the_caller(descriptor)) continue;
        path_of(descriptor, path, sizeof path);
        if (path[0] != '/' || !worth_recording(path) || !is_regular(descriptor)) continue;
        store_begin();
        set_file(descriptor, (int)path_number(path));
    }
    closedir(folder);
}

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

#define OPEN_AT_CHECKED(NAME)                                                              \
    VISIBLE int NAME(int folder, const char* path, int flags) {                            \
        SITE(NAME);                                                                        \
        int descriptor = ((int (*)(int, const char*, int))site.real)(folder, path, flags); \
        if (call.recorded) opened(&site, &call, folder, path, descriptor, 0);              \
        return descriptor;                                                                 \
    }
OPEN_AT_CHECKED(__openat_2)
OPEN_AT_CHECKED(__openat64_2)

VISIBLE int close(int descriptor) {
    SITE(close);
    if (own_descriptor(descriptor)) {
        errno = EBADF;  // to the program, there is no such file
        return -1;
    }
    int file = posix_file(descriptor);
    if (file >= 0 && borrowed()) file = -1;
    if (file >= 0) set_file(descriptor, -1);
    int status = ((int (*)(int))site.real)(descriptor);
    if (call.recorded && file >= 0) {
        int error = errno;
        put_posix(&site, &call, file, -1, 0, status < 0 ? error : 0);
        errno = error;
    }
    return status;
}

// Our own files stay open among those that are closed.
VISIBLE int close_range(unsigned first, unsigned last, int flags) {
    int forget = flags == 0 && !borrowed();
    for (unsigned at = first; forget && at <= last && at < highest; at++) file_of[at] = 0;
    for (int ours; first <= last && (ours = own_descriptor_from(first)) >= 0 && (unsigned)ours <= last;) {
        if ((unsigned)ours > first && syscall(SYS_close_range, first, ours - 1, flags) != 0) return -1;
        first = (unsigned)ours + 1;
    }
    return first > last ? 0 : (int)syscall(SYS_close_range, first, last, flags);
}

VISIBLE void closefrom(int first) { close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0); }

static int doubled(int descriptor, int copy) {
    if (copy >= 0 && !borrowed()) set_file(copy, posix_file(descriptor));
    return copy;
}

VISIBLE int dup(int descriptor) { return doubled(descriptor, (int)syscall(SYS_dup, descriptor)); }

VISIBLE int dup2(int descriptor, int copy) {
    if (descriptor == copy) return syscall(SYS_fcntl, descriptor, F_GETFD) < 0 ? -1 : copy;
    if (!borrowed()) make_way(copy);
    return doubled(descriptor, (int)syscall(SYS_dup3, descriptor, copy, 0));
}

VISIBLE int dup3(int descriptor, int copy, int flags) {
    if (!borrowed()) make_way(copy);
    return doubled(descriptor, (int)syscall(SYS_dup3, descriptor, copy, flags));
}

#define CONTROL(NAME)                                                                      \
    VISIBLE int NAME(int descriptor, int request, ...) {                                   \
        static int (*real)(int, int, ...);                                                 \
        if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, #NAME);                 \
        va_list rest;                                                                      \
        va_start(rest, request);                                                           \
        void* argument = va_arg(rest, void*);                                              \
        va_end(rest);                                                                      \
        int result = real(descriptor, request, argument);                                  \
        if (request == F_DUPFD || request == F_DUPFD_CLOEXEC) doubled(descriptor, result); \
        return result;                                                                     \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

void closed_by_stream(int descriptor) { set_file(descriptor, -1); }
