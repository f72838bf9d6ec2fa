// POSIX I/O, below MPI and without it: calls on regular files that this process has open by name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

// Where the file pointer was: asked for after the call, so that appends and shared descriptors are right too.
static wide before(int descriptor, ssize_t moved) {
    wide after = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    return after < 0 ? -1 : after - (moved > 0 ? moved : 0);
}

#define MOVED(TYPE, NAME, PARAMETERS, TYPES, ARGUMENTS, OFFSET)                                  \
    VISIBLE TYPE NAME PARAMETERS {                                                               \
        SITE(NAME);                                                                              \
        TYPE moved = ((TYPE(*) TYPES)site.real)ARGUMENTS;                                        \
        int file = call.recorded ? posix_file(descriptor) : -1;                                  \
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
        int file = call.recorded ? posix_file(descriptor) : -1;               \
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
STEP(int, fallocate, (int descriptor, int mode, off_t offset, off_t size), (int, int, off_t, off_t),
     (descriptor, mode, offset, size), offset + size)
STEP(int, fallocate64, (int descriptor, int mode, off64_t offset, off64_t size), (int, int, off64_t, off64_t),
     (descriptor, mode, offset, size), offset + size)

// What the kernel copies: a read of one file and a write of the other.
static void copied(struct site* from, struct site* to, const struct call* call, int source, wide source_at,
                   int target, wide target_at, ssize_t moved) {
    int error = errno, status = moved < 0 ? error : 0;
    wide bytes = moved > 0 ? moved : 0;
    if (posix_file(source) >= 0) put_posix(from, call, posix_file(source), source_at, bytes, status);
    if (posix_file(target) >= 0) put_posix(to, call, posix_file(target), target_at, bytes, status);
    errno = error;
}

#define SEND_FILE(NAME, OFFSET_TYPE)                                                                \
    VISIBLE ssize_t NAME(int target, int source, OFFSET_TYPE* offset, size_t size) {                \
        SITE(NAME);                                                                                 \
        static struct site to = {.name = "sendfile to"};                                            \
        wide at = offset ? (wide) * offset : -1;                                                    \
        ssize_t moved =                                                                             \
            ((ssize_t (*)(int, int, OFFSET_TYPE*, size_t))site.real)(target, source, offset, size); \
        if (call.recorded)                                                                          \
            copied(&site, &to, &call, source, at < 0 ? before(source, moved) : at, target,          \
                   before(target, moved), moved);                                                   \
        return moved;                                                                               \
    }
SEND_FILE(sendfile, off_t)
SEND_FILE(sendfile64, off64_t)

VISIBLE ssize_t copy_file_range(int source, off64_t* source_offset, int target, off64_t* target_offset,
                                size_t size, unsigned flags) {
    SITE(copy_file_range);
    static struct site to = {.name = "copy_file_range to"};
    wide source_at = source_offset ? *source_offset : -1, target_at = target_offset ? *target_offset : -1;
    ssize_t moved = ((ssize_t (*)(int, off64_t*, int, off64_t*, size_t, unsigned))site.real)(
        source, source_offset, target, target_offset, size, flags);
    if (call.recorded)
        copied(&site, &to, &call, source, source_at < 0 ? before(source, moved) : source_at, target,
               target_at < 0 ? before(target, moved) : target_at, moved);
    return moved;
}

// Calls on names.
static void named(struct site* site, const struct call* call, int folder, const char* path, wide size,
                  int result) {
    char full[4096];
    int error = errno;
    if (!path) return;
    absolute(folder, path, full, sizeof full);
    if (worth_recording(full)) {
        store_begin();
        put_posix(site, call, (int)path_number(full), size, 0, result < 0 ? error : 0);
    }
    errno = error;
}

static int is_folder(const char* path) {
    struct stat status;
    int error = errno;
    int found = syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
    errno = error;
    return found && S_ISDIR(status.st_mode);
}

#define NAMED(NAME, PARAMETERS, TYPES, ARGUMENTS, FOLDER, SIZE) \
    NAMED_IF(NAME, PARAMETERS, TYPES, ARGUMENTS, FOLDER, SIZE, 1)
#define NAMED_IF(NAME, PARAMETERS, TYPES, ARGUMENTS, FOLDER, SIZE, OF_FILE) \
    VISIBLE int NAME PARAMETERS {                                           \
        SITE(NAME);                                                         \
        call.recorded = call.recorded && (OF_FILE);                         \
        int result = ((int(*) TYPES)site.real)ARGUMENTS;                    \
        if (call.recorded) named(&site, &call, FOLDER, path, SIZE, result); \
        return result;                                                      \
    }
NAMED(unlink, (const char* path), (const char*), (path), AT_FDCWD, -1)
NAMED_IF(unlinkat, (int folder, const char* path, int flags), (int, const char*, int), (folder, path, flags),
         folder, -1, !(flags & AT_REMOVEDIR))
NAMED_IF(remove, (const char* path), (const char*), (path), AT_FDCWD, -1, !is_folder(path))
NAMED(truncate, (const char* path, off_t size), (const char*, off_t), (path, size), AT_FDCWD, size)
NAMED(truncate64, (const char* path, off64_t size), (const char*, off64_t), (path, size), AT_FDCWD, size)
NAMED(rename, (const char* path, const char* target), (const char*, const char*), (path, target), AT_FDCWD,
      -1)
NAMED(renameat, (int folder, const char* path, int other, const char* target),
      (int, const char*, int, const char*), (folder, path, other, target), folder, -1)
