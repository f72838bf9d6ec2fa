// A file that is written, deleted and then flushed; one that is removed; and folders, which are no files.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char** argument) {
    char block[4096] = {0};
    if (count < 2 || chdir(argument[1]) != 0) return 1;
    int file = open("scratch", O_CREAT | O_RDWR, 0644);
    if (write(file, block, sizeof block) != sizeof block || unlink("scratch") != 0) return 1;
    fsync(file);
    close(file);
    file = open("removed", O_CREAT | O_RDWR, 0644);
    close(file);
    if (remove("removed") != 0 || unlink("removed") == 0) return 1;
    if (mkdir("one", 0755) != 0 || remove("one") != 0) return 1;
    return mkdir("two", 0755) != 0 || unlinkat(AT_FDCWD, "two", AT_REMOVEDIR) != 0;
}
