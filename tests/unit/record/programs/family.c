// Processes and threads that read and write in known ways: forked, started in place of another, with shared
// descriptors. FOLDER is the argument; every file lies in it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static const char* folder;
static char block[65536];
static pthread_barrier_t together;

static int in(const char* name, int flags) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, flags, 0644);
    if (file < 0) exit(9);
    return file;
}

static void must(long done) {
    if (done < 0) exit(8);
}

static void* thread(void* argument) {
    int number = (int)(long)argument;
    char name[64];
    snprintf(name, sizeof name, "%d.of.%d", number, (int)(getpid() % 2));
    int file = in(name, O_RDWR | O_CREAT | O_TRUNC);
    pthread_barrier_wait(&together);  // all are alive at once: numbers are not used again
    for (int i = 0; i < 3 + number; i++) must(pwrite(file, block, 100 * (size_t)(number + 1), 1000 * i));
    for (int i = 0; i < 2; i++) must(pread(file, block, 77, 10 * i));
    struct iovec parts[2] = {{block, 10}, {block, 20 + (size_t)number}};
    must(writev(file, parts, 2));
    must(lseek(file, 0, SEEK_SET));
    must(readv(file, parts, 2));
    must(fsync(file));
    must(close(file));
    pthread_barrier_wait(&together);
    return NULL;
}

static void threads(int count) {
    pthread_t all[8];
    pthread_barrier_init(&together, NULL, (unsigned)count);
    for (long i = 0; i < count; i++) pthread_create(&all[i], NULL, thread, (void*)i);
    for (int i = 0; i < count; i++) pthread_join(all[i], NULL);
}

static void forked(int shared, int number) {
    must(pread(shared, block, 512, 512 * number));  // a descriptor of the parent
    threads(2 + number);
    closefrom(3);  // as daemons do; the tracer must live on
    int file = in("after", O_RDWR | O_CREAT | O_APPEND);
    must(write(file, block, 11));
    int copy = dup(file), other = dup2(file, 77);
    must(write(copy, block, 12));
    must(write(other, block, 13));
    must(ftruncate(other, 30));
    close(file), close(copy), close(other);
    _exit(0);
}

static void start(const char* program, const char* how) {
    char* arguments[] = {(char*)program, (char*)folder, (char*)how, NULL};
    pid_t child;
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ)) exit(7);
    waitpid(child, NULL, 0);
}

int main(int count, char** argument) {
    (void)count;
    folder = argument[1];
    const char* how = argument[2] ? argument[2] : "first";
    memset(block, 'x', sizeof block);
    if (!strcmp(how, "second")) {  // opens, and becomes another program that goes on with the descriptor
        int file = in("kept", O_RDWR | O_CREAT);
        must(write(file, block, 5));
        char text[16];
        snprintf(text, sizeof text, "%d", file);
        execl(argument[0], argument[0], folder, "third", text, NULL);
        exit(6);
    }
    if (!strcmp(how, "third")) {
        must(write(atoi(argument[3]), block, 6));
        return 0;
    }
    int file = in("main", O_RDWR | O_CREAT | O_TRUNC);
    for (int i = 0; i < 10; i++) must(write(file, block, 1000));
    for (int i = 0; i < 2; i++)
        if (fork() == 0) forked(file, i);
    while (wait(NULL) > 0) {
    }
    start(argument[0], "second");
    if (vfork() == 0) {  // in our memory: what it closes stays open here
        close(file);
        _exit(0);
    }
    wait(NULL);
    int copy = in("copy", O_WRONLY | O_CREAT | O_TRUNC);
    off_t from = 100;
    must(sendfile(copy, file, &from, 4000));
    must(read(file, block, 10));  // at the end: nothing
    must(close(copy));
    must(close(file));
    return 0;
}
