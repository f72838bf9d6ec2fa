/* One-sided communication, neighbourhood collectives, Alltoallw, synchronous sends, communicators: with "hang",
   the odd ranks then wait for a message that never comes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count > 1 && !strcmp(arguments[1], "hang")) {
        char byte = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank % 2) MPI_Recv(&byte, 1, MPI_CHAR, (rank + 1) % size, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(400000);
        if (rank == 0) abort();
        sleep(20);
    }
    double *memory = calloc(1024, sizeof(double)), *shared;
    MPI_Win window;
    MPI_Win_allocate(1024 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    MPI_Win_fence(0, window);
    double own[4] = {rank, rank, rank, rank};
    MPI_Put(own, 4, MPI_DOUBLE, (rank + 1) % size, 8, 4, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    int sizes[1] = {size}, periods[1] = {1};
    MPI_Comm ring, half;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    int mine[2] = {rank, rank}, theirs[2] = {-1, -1};
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring);
    MPI_Request request;
    MPI_Ineighbor_allgather(mine, 2, MPI_INT, memory, 2, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    int counts[64], places[64];
    MPI_Datatype types[64];
    for (int i = 0; i < size; i++) counts[i] = 1 + i, places[i] = 64 * i, types[i] = i % 2 ? MPI_INT : MPI_DOUBLE;
    int rooms[64];
    MPI_Datatype into[64];
    for (int i = 0; i < size; i++) rooms[i] = 1 + rank, into[i] = rank % 2 ? MPI_INT : MPI_DOUBLE;
    char* from = calloc(64, 64);
    char* to = calloc(64, 64);
    MPI_Alltoallw(from, counts, places, types, to, rooms, places, into, MPI_COMM_WORLD);

    if (rank == 0) MPI_Ssend(mine, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(theirs, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Barrier(half);
    MPI_Finalize();
    return theirs[0] == -1;
}
