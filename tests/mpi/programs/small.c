// Writes, reads, sends and gathers a little, and says on standard output what it did: run by the tests, traced.
// The same operations as small.py.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "striate.h"

static int rank, size;
static char said[4096];

#define SAY(...) snprintf(said + strlen(said), sizeof said - strlen(said), __VA_ARGS__)

static void use_file(const char* path) {
    char data[1024];
    MPI_File file;
    MPI_Info info;
    memset(data, rank, sizeof data);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "1");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    for (int step = 0; step < 3; step++) {
        MPI_Offset at = (step * size + rank) * 1024;
        MPI_File_write_at(file, at, data, 1024, MPI_BYTE, MPI_STATUS_IGNORE);
        SAY("%d write %lld 1024 1 0\n", rank, (long long)at);
    }
    long base = 3 * size * 1024;
    MPI_File_write_at_all(file, base + rank * 1024, data, 256, MPI_INT, MPI_STATUS_IGNORE);
    SAY("%d write_all %ld 1024 1 0\n", rank, base + rank * 1024);

    MPI_Datatype vector, kind;
    MPI_Type_vector(4, 256, 512 * size, MPI_BYTE, &vector);
    MPI_Type_create_resized(vector, 0, 4 * 512 * size, &kind);
    MPI_Type_commit(&kind);
    long view = 4 * size * 1024;
    MPI_File_set_view(file, view + rank * 512, MPI_BYTE, kind, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, 1024, MPI_BYTE, MPI_STATUS_IGNORE);
    SAY("%d write_all %ld 1024 4 %d\n", rank, view + rank * 512, 512 * size);
    MPI_Request request;
    MPI_File_iwrite_at(file, 1024, data, 512, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    SAY("%d write %ld 512 2 %d\n", rank, view + rank * 512 + 4 * 512 * size, 512 * size);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_sync(file);
    MPI_File_seek(file, rank * 1024, MPI_SEEK_SET);
    for (int i = 0; i < 2; i++) {
        MPI_File_read(file, data, 100, MPI_BYTE, MPI_STATUS_IGNORE);
        SAY("%d read %d 100 1 0\n", rank, rank * 1024 + 100 * i);
    }
    MPI_File_read_at_all_begin(file, 0, data, 64, MPI_BYTE);
    MPI_File_read_at_all_end(file, data, MPI_STATUS_IGNORE);
    SAY("%d read_all 0 64 1 0\n", rank);
    MPI_File_close(&file);
}

static void exchange(void) {
    char data[1024] = {0}, into[1024] = {0};
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(data, 300, MPI_BYTE, right, 7, into, 400, MPI_BYTE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SAY("%d sendrecv %d 300 %d 300\n", rank, right, left);
    MPI_Request requests[2];
    MPI_Irecv(into, 500, MPI_BYTE, left, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 400, MPI_BYTE, right, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    SAY("%d recv %d 400\n%d send %d 400\n", rank, left, rank, right);
    if (rank == 0) {
        MPI_Send(data, 50, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
        SAY("0 send 1 50\n");
    } else if (rank == 1) {
        MPI_Recv(into, 60, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        SAY("1 recv 0 50\n");
    }
    MPI_Comm half;
    double ones[4] = {1, 1, 1, 1}, total[4];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(ones, total, 4, MPI_DOUBLE, MPI_SUM, half);
    SAY("%d allreduce 32\n", rank);
    MPI_Bcast(data, 200, MPI_BYTE, 1, MPI_COMM_WORLD);
    SAY("%d bcast 200\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    SAY("%d barrier 0\n", rank);
    MPI_Allgather(data, 10, MPI_BYTE, into, 10, MPI_BYTE, MPI_COMM_WORLD);
    SAY("%d allgather 10\n", rank);
    int counts[64], rooms[64], places[64], sum = 0;
    for (int i = 0; i < size; i++) counts[i] = i, rooms[i] = rank, places[i] = 4 * i, sum += i;
    MPI_Alltoallv(data, counts, places, MPI_BYTE, into, rooms, places, MPI_BYTE, MPI_COMM_WORLD);
    SAY("%d alltoallv %d\n", rank, sum);
    MPI_Comm_free(&half);
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    STRIATE_REGION_BEGIN("write");
    use_file(arguments[1]);
    STRIATE_REGION_END("write");
    STRIATE_REGION_BEGIN("exchange");
    exchange();
    STRIATE_REGION_END("exchange");
    if (count > 2 && !strcmp(arguments[2], "crash") && rank == 1) *(volatile int*)0 = 0;
    if (count > 2 && !strcmp(arguments[2], "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (count > 2 && !strcmp(arguments[2], "rest")) usleep(200000);
    fputs(said, stdout);
    MPI_Finalize();
    return 0;
}
