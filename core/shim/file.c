// MPI-IO: all calls that open, look at, read, write and close a file. A file handle is a pointer in every
// MPI.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

static const int count_error = 2;  // MPI_ERR_COUNT
static struct map files;           // handle -> number of the open
static struct map splits;          // handle -> request of the split collective in flight
static int64_t last_file;
static uint32_t last_split = 1u << 31;

static int file_number(word file) {
    lock();
    struct node* node = map_find(&files, file);
    int number = node ? (int)node->value : -1;
    unlock();
    return number;
}

// The hints that the library says are in use, as "key=value\n".
static size_t add_hints(word file, char* text, size_t used, size_t room) {
    int (*get_info)(word, void*) = (int (*)(word, void*))find_symbol("PMPI_File_get_info");
    int (*get_count)(word, int*) = (int (*)(word, int*))find_symbol("PMPI_Info_get_nkeys");
    int (*get_key)(word, int, char*) = (int (*)(word, int, char*))find_symbol("PMPI_Info_get_nthkey");
    int (*get)(word, const char*, int, char*, int*) =
        (int (*)(word, const char*, int, char*, int*))find_symbol("PMPI_Info_get");
    int (*free_info)(void*) = (int (*)(void*))find_symbol("PMPI_Info_free");
    word info = 0;
    int count = 0;
    if (!get_info || !get_count || !get_key || !get || !free_info || get_info(file, &info) != 0) return used;
    word handle = handle_at(&info, 0);
    if (get_count(handle, &count) != 0) count = 0;
    for (int i = 0; i < count; i++) {
        char key[512] = {0}, value[1100] = {0};
        int flag = 0;
        if (get_key(handle, i, key) != 0 || get(handle, key, 1024, value, &flag) != 0 || !flag) continue;
        size_t length = strlen(key) + strlen(value) + 2;
        if (used + length + 1 > room) break;
        used += (size_t)snprintf(text + used, room - used, "%s=%s\n", key, value);
    }
    free_info(&info);
    return used;
}

// Writes the whole path of a file, with its driver ("ufs:") if it names one, into two times PATH_MAX bytes;
// how many there are, with the NUL.
static size_t whole_path(const char* path, char* text) {
    const char* colon = strchr(path, ':');
    int relative = path[0] != '/' && !(colon && colon[1] == '/');
    size_t used = 0, length = strnlen(path, PATH_MAX - 1);
    if (relative && getcwd(text, PATH_MAX)) used = strlen(text), text[used++] = '/';
    memcpy(text + used, path, length);
    text[used + length] = 0;
    return used + length + 1;
}

static void describe(int64_t number, word file, const char* path) {
    char text[2 * PATH_MAX];
    size_t used = whole_path(path, text);
    used = add_hints(file, text, used, sizeof text);
    put_name(NAME_FILE, number, text, used);
}

static wide position(word file) {
    static int (*get_position)(word, wide*);
    if (!get_position) get_position = (int (*)(word, wide*))find_symbol("PMPI_File_get_position");
    wide offset = 0;
    if (get_position) get_position(file, &offset);
    return offset;
}

EXPORTED(MPI_File_open, (word communicator, const char* path, int mode, word info, void* file)) {
    static struct site site = {.name = "MPI_File_open"};
    struct call call = enter(&site, LEVEL_MPI_IO);
    typedef int (*function)(word, const char*, int, word, void*);
    int status = ((function)site.real)(communicator, path, mode, info, file);
    if (call.recorded) {
        struct event event = {
            .end = now(), .status = status, .tag = mode & create_flag() ? 1 : 0, .object = -1};
        event.peer = communicator_number(communicator);
        if (status == 0) {
            word handle = *(word*)file;
            lock();
            event.object = (int32_t)last_file++;
            map_add(&files, handle, event.object);
            unlock();
            describe(event.object, handle, path);
            event.offset = position(handle);
        }
        put(&event, &site, &call);
    }
    leave();
    return status;
}

EXPORTED(MPI_File_close, (void* file)) {
    static struct site site = {.name = "MPI_File_close"};
    struct call call = enter(&site, LEVEL_MPI_IO);
    word handle = call.recorded ? *(word*)file : 0;
    int status = ((int (*)(void*))site.real)(file);
    if (call.recorded) {
        struct event event = {
            .end = now(), .status = status, .peer = -1, .tag = -1, .object = file_number(handle)};
        lock();
        map_take(&files, handle, 0);
        unlock();
        put(&event, &site, &call);
    }
    leave();
    return status;
}

EXPORTED(MPI_File_delete, (const char* path, word info)) {
    static struct site site = {.name = "MPI_File_delete"};
    struct call call = enter(&site, LEVEL_MPI_IO);
    int status = ((int (*)(const char*, word))site.real)(path, info);
    if (call.recorded) {
        struct event event = {.end = now(), .status = status, .peer = -1, .tag = -1};
        lock();
        event.object = (int32_t)last_file++;
        unlock();
        char text[2 * PATH_MAX];
        put_name(NAME_FILE, event.object, text, whole_path(path, text));
        put(&event, &site, &call);
    }
    leave();
    return status;
}

EXPORTED(MPI_File_set_view,
         (word file, wide displacement, word etype, word type, const char* format, word info)) {
    static struct site site = {.name = "MPI_File_set_view"};
    struct call call = enter(&site, LEVEL_MPI_IO);
    typedef int (*function)(word, wide, word, word, const char*, word);
    int status = ((function)site.real)(file, displacement, etype, type, format, info);
    if (call.recorded) {
        struct event event = {
            .end = now(), .status = status, .offset = displacement, .object = file_number(file)};
        if (displacement < 0) {  // "current": ask what it became
            typedef int (*asking)(word, wide*, void*, void*, char*);
            asking get_view = (asking)find_symbol("PMPI_File_get_view");
            word kept[2] = {0};
            char name[512];
            if (get_view) get_view(file, &event.offset, &kept[0], &kept[1], name);
        }
        event.received = type_bytes(etype), event.bytes = type_number(type), event.peer = -1, event.tag = -1;
        put(&event, &site, &call);
    }
    leave();
    return status;
}

static void put_simple(struct site* site, struct call* call, word file, wide offset, int status) {
    struct event event = {.end = now(), .status = status, .offset = offset, .peer = -1, .tag = -1};
    event.object = file_number(file);
    put(&event, site, call);
}

#define SIMPLE(NAME, PARAMETERS, TYPES, ARGUMENTS, OFFSET)                 \
    EXPORTED(NAME, PARAMETERS) {                                           \
        static struct site site = {.name = #NAME};                         \
        struct call call = enter(&site, LEVEL_MPI_IO);                     \
        int status = ((int(*) TYPES)site.real)ARGUMENTS;                   \
        if (call.recorded) put_simple(&site, &call, file, OFFSET, status); \
        leave();                                                           \
        return status;                                                     \
    }
SIMPLE(MPI_File_sync, (word file), (word), (file), -1)
SIMPLE(MPI_File_set_size, (word file, wide size), (word, wide), (file, size), size)
SIMPLE(MPI_File_preallocate, (word file, wide size), (word, wide), (file, size), size)
SIMPLE(MPI_File_get_size, (word file, void* size), (word, void*), (file, size), -1)
SIMPLE(MPI_File_seek, (word file, wide offset, int whence), (word, wide, int), (file, offset, whence),
       position(file))
SIMPLE(MPI_File_seek_shared, (word file, wide offset, int whence), (word, wide, int), (file, offset, whence),
       -1)

#define CALL(COUNT_TYPES, PLAIN_TYPES, COUNT_ARGUMENTS, PLAIN_ARGUMENTS)                  \
    (site.real                           ? ((int(*) COUNT_TYPES)site.real)COUNT_ARGUMENTS \
     : count > INT_MAX || !site.fallback ? count_error                                    \
                                         : ((int(*) PLAIN_TYPES)site.fallback)PLAIN_ARGUMENTS)

// Bytes asked for, and bytes that the status says were moved: a read may end at the end of the file.
static void put_access(struct site* site, struct call* call, word file, wide offset, wide bytes, void* result,
                       int status) {
    struct event event = {.end = now(), .status = status, .offset = offset};
    status_read(result, &event);
    event.bytes = bytes;
    if (status != 0 || event.received > bytes) event.received = status ? 0 : bytes;
    event.peer = event.tag = -1, event.object = file_number(file);
    put(&event, site, call);
}

#define AT(NAME, PLAIN, COUNT)                                                                               \
    EXPORTED(NAME, (word file, wide offset, void* buffer, COUNT count, word type, void* result)) {           \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                          \
        struct call call = enter(&site, LEVEL_MPI_IO);                                                       \
        char own[64] = {0};                                                                                  \
        void* used = call.recorded ? status_or(result, own) : result;                                        \
        int status =                                                                                         \
            CALL((word, wide, void*, COUNT, word, void*), (word, wide, void*, int, word, void*),             \
                 (file, offset, buffer, count, type, used), (file, offset, buffer, (int)count, type, used)); \
        if (call.recorded) put_access(&site, &call, file, offset, count * type_bytes(type), used, status);   \
        leave();                                                                                             \
        return status;                                                                                       \
    }
#define HERE(NAME, PLAIN, COUNT)                                                                       \
    EXPORTED(NAME, (word file, void* buffer, COUNT count, word type, void* result)) {                  \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                    \
        struct call call = enter(&site, LEVEL_MPI_IO);                                                 \
        char own[64] = {0};                                                                            \
        void* used = call.recorded ? status_or(result, own) : result;                                  \
        int status = CALL((word, void*, COUNT, word, void*), (word, void*, int, word, void*),          \
                          (file, buffer, count, type, used), (file, buffer, (int)count, type, used));  \
        if (call.recorded) put_access(&site, &call, file, -1, count * type_bytes(type), used, status); \
        leave();                                                                                       \
        return status;                                                                                 \
    }
#define UNDER_WAY(OFFSET)                                                                               \
    if (call.recorded) {                                                                                \
        struct event event = {.end = now(), .status = status, .offset = OFFSET, .peer = -1, .tag = -1}; \
        event.bytes = event.received = count * type_bytes(type), event.object = file_number(file);      \
        if (status == 0) event.request = request_begin(request, NULL);                                  \
        put(&event, &site, &call);                                                                      \
    }
#define AT_LATER(NAME, PLAIN, COUNT)                                                                      \
    EXPORTED(NAME, (word file, wide offset, void* buffer, COUNT count, word type, void* request)) {       \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                       \
        struct call call = enter(&site, LEVEL_MPI_IO);                                                    \
        int status = CALL((word, wide, void*, COUNT, word, void*), (word, wide, void*, int, word, void*), \
                          (file, offset, buffer, count, type, request),                                   \
                          (file, offset, buffer, (int)count, type, request));                             \
        UNDER_WAY(offset)                                                                                 \
        leave();                                                                                          \
        return status;                                                                                    \
    }
#define HERE_LATER(NAME, PLAIN, COUNT)                                                                      \
    EXPORTED(NAME, (word file, void* buffer, COUNT count, word type, void* request)) {                      \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                         \
        struct call call = enter(&site, LEVEL_MPI_IO);                                                      \
        int status = CALL((word, void*, COUNT, word, void*), (word, void*, int, word, void*),               \
                          (file, buffer, count, type, request), (file, buffer, (int)count, type, request)); \
        UNDER_WAY(-1)                                                                                       \
        leave();                                                                                            \
        return status;                                                                                      \
    }

// A split collective has no request of its own: we give it one, from the upper half of the numbers.
static uint32_t split_begin(word file) {
    lock();
    uint32_t number = last_split++;
    map_add(&splits, file, number);
    unlock();
    return number;
}
#define SPLIT(OFFSET)                                                                                   \
    if (call.recorded) {                                                                                \
        struct event event = {.end = now(), .status = status, .offset = OFFSET, .peer = -1, .tag = -1}; \
        event.bytes = event.received = count * type_bytes(type), event.object = file_number(file);      \
        if (status == 0) event.request = split_begin(file);                                             \
        put(&event, &site, &call);                                                                      \
    }
#define AT_BEGIN(NAME, PLAIN, COUNT)                                                                      \
    EXPORTED(NAME, (word file, wide offset, void* buffer, COUNT count, word type)) {                      \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                       \
        struct call call = enter(&site, LEVEL_MPI_IO);                                                    \
        int status = CALL((word, wide, void*, COUNT, word), (word, wide, void*, int, word),               \
                          (file, offset, buffer, count, type), (file, offset, buffer, (int)count, type)); \
        SPLIT(offset)                                                                                     \
        leave();                                                                                          \
        return status;                                                                                    \
    }
#define HERE_BEGIN(NAME, PLAIN, COUNT)                                                                       \
    EXPORTED(NAME, (word file, void* buffer, COUNT count, word type)) {                                      \
        static struct site site = {.name = #NAME, .plain = #PLAIN};                                          \
        struct call call = enter(&site, LEVEL_MPI_IO);                                                       \
        int status = CALL((word, void*, COUNT, word), (word, void*, int, word), (file, buffer, count, type), \
                          (file, buffer, (int)count, type));                                                 \
        SPLIT(-1)                                                                                            \
        leave();                                                                                             \
        return status;                                                                                       \
    }

static struct site completion = {.name = FUNCTION_COMPLETE, .real = (void*)1};

static void put_end(struct site* site, struct call* call, word file, void* result, int status) {
    struct event wait = {.end = now(), .status = status, .bytes = 1, .peer = -1, .tag = -1};
    struct event done = {.end = wait.end};
    lock();
    done.request = (uint32_t)map_take(&splits, file, 0);
    unlock();
    wait.object = file_number(file);
    put(&wait, site, call);
    if (!done.request) return;
    status_read(result, &done);
    done.peer = done.tag = -1;
    put(&done, &completion, call);
}
#define END(NAME)                                                                  \
    EXPORTED(NAME, (word file, void* buffer, void* result)) {                      \
        static struct site site = {.name = #NAME};                                 \
        struct call call = enter(&site, LEVEL_MPI_IO);                             \
        char own[64] = {0};                                                        \
        void* used = call.recorded ? status_or(result, own) : result;              \
        int status = ((int (*)(word, void*, void*))site.real)(file, buffer, used); \
        if (call.recorded) put_end(&site, &call, file, used, status);              \
        leave();                                                                   \
        return status;                                                             \
    }

#define FORMS(SHAPE, NAME) SHAPE(NAME, NAME, int) SHAPE(NAME##_c, NAME, wide)
FORMS(AT, MPI_File_read_at)
FORMS(AT, MPI_File_read_at_all)
FORMS(AT, MPI_File_write_at)
FORMS(AT, MPI_File_write_at_all)
FORMS(HERE, MPI_File_read)
FORMS(HERE, MPI_File_read_all)
FORMS(HERE, MPI_File_write)
FORMS(HERE, MPI_File_write_all)
FORMS(HERE, MPI_File_read_shared)
FORMS(HERE, MPI_File_write_shared)
FORMS(HERE, MPI_File_read_ordered)
FORMS(HERE, MPI_File_write_ordered)
FORMS(AT_LATER, MPI_File_iread_at)
FORMS(AT_LATER, MPI_File_iwrite_at)
FORMS(AT_LATER, MPI_File_iread_at_all)
FORMS(AT_LATER, MPI_File_iwrite_at_all)
FORMS(HERE_LATER, MPI_File_iread)
FORMS(HERE_LATER, MPI_File_iwrite)
FORMS(HERE_LATER, MPI_File_iread_all)
FORMS(HERE_LATER, MPI_File_iwrite_all)
FORMS(HERE_LATER, MPI_File_iread_shared)
FORMS(HERE_LATER, MPI_File_iwrite_shared)
FORMS(AT_BEGIN, MPI_File_read_at_all_begin)
FORMS(AT_BEGIN, MPI_File_write_at_all_begin)
FORMS(HERE_BEGIN, MPI_File_read_all_begin)
FORMS(HERE_BEGIN, MPI_File_write_all_begin)
FORMS(HERE_BEGIN, MPI_File_read_ordered_begin)
FORMS(HERE_BEGIN, MPI_File_write_ordered_begin)
END(MPI_File_read_at_all_end)
END(MPI_File_write_at_all_end)
END(MPI_File_read_all_end)
END(MPI_File_write_all_end)
END(MPI_File_read_ordered_end)
END(MPI_File_write_ordered_end)
