// Maps 4 MiB and touches 1 MiB of them; reads the rest by a stream.
#include <stdio.h>
#include <sys/mman.h>

int main(int count, char** argument) {
    (void)count;
    static char block[1 << 20];
    FILE* stream = fopen(argument[1], "w+");
    for (int i = 0; i < 4; i++) fwrite(block, 1, sizeof block, stream);
    fflush(stream);
    volatile char* map = mmap(NULL, 4 << 20, PROT_READ, MAP_SHARED, fileno(stream), 0);
    if (map == MAP_FAILED) return 9;
    int sum = 0;
    for (int i = 0; i < 256; i++) sum += map[4096 * i];
    munmap((void*)map, 4 << 20);
    fseek(stream, 1 << 20, SEEK_SET);
    for (int i = 0; i < 3; i++) sum += (int)fread(block, 1, sizeof block, stream);
    fclose(stream);
    return sum != 3 << 20;
}
