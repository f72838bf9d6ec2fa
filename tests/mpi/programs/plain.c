// Nanoseconds a call, without MPI: FILE write|pwrite|read|open TIMES. An open counts with its close, halved.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char block[512];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int count, char** argument) {
    if (count < 4) return 2;
    long times = atol(argument[3]), failed = 0;
    const char* call = argument[2];
    int file = open(argument[1], O_RDWR | O_CREAT, 0644);
    for (int i = 0; i < 64; i++) failed += pwrite(file, block, sizeof block, 512 * i) < 0;
    double begun = now();
    for (long i = 0; i < times; i++) {
        if (i % 64 == 0 && *call != 'o' && *call != 'p') failed += lseek(file, 0, SEEK_SET) < 0;
        if (!strcmp(call, "write"))
            failed += write(file, block, sizeof block) < 0;
        else if (!strcmp(call, "pwrite"))
            failed += pwrite(file, block, sizeof block, 512 * (i % 64)) < 0;
        else if (!strcmp(call, "read"))
            failed += read(file, block, sizeof block) < 0;
        else
            failed += close(open(argument[1], O_RDONLY)) < 0;
    }
    double spent = (now() - begun) / (double)times;
    printf("%.1f\n", *call == 'o' ? spent / 2 : spent);
    return failed != 0;
}
