// Streams of the C library (fopen, fread): they call the system below these names, so their own calls are
// recorded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "shim.h"

static int file_of_stream(FILE* stream) { return stream ? posix_file(fileno_unlocked(stream)) : -1; }

#define STREAM_OPEN(NAME)                                                                        \
    VISIBLE FILE* NAME(const char* path, const char* mode) {                                     \
        SITE(NAME);                                                                              \
        FILE* stream = ((FILE * (*)(const char*, const char*)) site.real)(path, mode);           \
        if (call.recorded && stream)                                                             \
            opened(&site, &call, AT_FDCWD, path, fileno_unlocked(stream), mode && *mode != 'r'); \
        return stream;                                                                           \
    }
STREAM_OPEN(fopen)
STREAM_OPEN(fopen64)

#define STREAM_REOPEN(NAME)                                                                          \
    VISIBLE FILE* NAME(const char* path, const char* mode, FILE* stream) {                           \
        SITE(NAME);                                                                                  \
        FILE* again = ((FILE * (*)(const char*, const char*, FILE*)) site.real)(path, mode, stream); \
        if (call.recorded && again && path)                                                          \
            opened(&site, &call, AT_FDCWD, path, fileno_unlocked(again), mode && *mode != 'r');      \
        return again;                                                                                \
    }
STREAM_REOPEN(freopen)
STREAM_REOPEN(freopen64)

VISIBLE int fclose(FILE* stream) {
    SITE(fclose);
    int file = call.recorded ? file_of_stream(stream) : -1;
    if (file >= 0) closed_by_stream(fileno_unlocked(stream));
    int result = ((int (*)(FILE*))site.real)(stream);
    int error = errno;
    if (file >= 0) put_posix(&site, &call, file, -1, 0, result ? error : 0);
    errno = error;
    return result;
}

static void put_stream(struct site* site, const struct call* call, FILE* stream, int file, wide bytes) {
    int error = errno;
    wide after = ftello(stream);
    put_posix(site, call, file, after < bytes ? -1 : after - bytes, bytes, 0);
    errno = error;
}

#define STREAM_MOVE(TYPE, NAME, PARAMETERS, TYPES, ARGUMENTS, BYTES)          \
    VISIBLE TYPE NAME PARAMETERS {                                            \
        SITE(NAME);                                                           \
        TYPE result = ((TYPE(*) TYPES)site.real)ARGUMENTS;                    \
        int file = call.recorded ? file_of_stream(stream) : -1;               \
        if (file >= 0) put_stream(&site, &call, stream, file, (wide)(BYTES)); \
        return result;                                                        \
    }
#define STREAM_BLOCKS(NAME, CONST)                                                            \
    STREAM_MOVE(size_t, NAME, (CONST void* buffer, size_t size, size_t blocks, FILE* stream), \
                (CONST void*, size_t, size_t, FILE*), (buffer, size, blocks, stream), result* size)
#define NOTHING
#undef fread_unlocked
#undef fwrite_unlocked
STREAM_BLOCKS(fread, NOTHING)
STREAM_BLOCKS(fread_unlocked, NOTHING)
STREAM_BLOCKS(fwrite, const)
STREAM_BLOCKS(fwrite_unlocked, const)
STREAM_MOVE(size_t, __fread_chk, (void* buffer, size_t room, size_t size, size_t blocks, FILE* stream),
            (void*, size_t, size_t, size_t, FILE*), (buffer, room, size, blocks, stream), result* size)
STREAM_MOVE(char*, fgets, (char* buffer, int size, FILE* stream), (char*, int, FILE*), (buffer, size, stream),
            result ? strlen(result) : 0)
STREAM_MOVE(char*, __fgets_chk, (char* buffer, size_t room, int size, FILE* stream),
            (char*, size_t, int, FILE*), (buffer, room, size, stream), result ? strlen(result) : 0)
STREAM_MOVE(int, fputs, (const char* text, FILE* stream), (const char*, FILE*), (text, stream),
            result < 0 ? 0 : strlen(text))
STREAM_MOVE(ssize_t, getline, (char** line, size_t* room, FILE* stream), (char**, size_t*, FILE*),
            (line, room, stream), result < 0 ? 0 : result)
STREAM_MOVE(ssize_t, getdelim, (char** line, size_t* room, int end, FILE* stream),
            (char**, size_t*, int, FILE*), (line, room, end, stream), result < 0 ? 0 : result)

#define STREAM_STEP(NAME, PARAMETERS, TYPES, ARGUMENTS)                                      \
    VISIBLE int NAME PARAMETERS {                                                            \
        SITE(NAME);                                                                          \
        int result = ((int(*) TYPES)site.real)ARGUMENTS;                                     \
        int file = call.recorded ? file_of_stream(stream) : -1;                              \
        int error = errno;                                                                   \
        if (file >= 0) put_posix(&site, &call, file, ftello(stream), 0, result ? error : 0); \
        errno = error;                                                                       \
        return result;                                                                       \
    }
STREAM_STEP(fseek, (FILE * stream, long offset, int whence), (FILE*, long, int), (stream, offset, whence))
STREAM_STEP(fseeko, (FILE * stream, off_t offset, int whence), (FILE*, off_t, int), (stream, offset, whence))
STREAM_STEP(fseeko64, (FILE * stream, off64_t offset, int whence), (FILE*, off64_t, int),
            (stream, offset, whence))
