/* Epochs of one-sided communication (post and start, locks), ready sends, waits for any, an exclusive scan. */
#include <mpi.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *memory, own[64] = {0};
    MPI_Win window;
    MPI_Win_allocate(64 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);

    MPI_Group world, other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int partner = 1 - rank;
    if (rank < 2) MPI_Group_incl(world, 1, &partner, &other);
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        MPI_Put(own, 64, MPI_DOUBLE, 1, 0, 64, MPI_DOUBLE, window);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    }
    if (rank < 2) MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock(rank == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(own, 8, MPI_DOUBLE, 0, 0, 8, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(0, window);
    MPI_Get(own, 16, MPI_DOUBLE, 0, 16, 16, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);

    double sum = rank, before = 0;
    MPI_Exscan(&sum, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    MPI_Request* requests = malloc((size_t)size * sizeof *requests);
    if (rank == 0) {
        for (int i = 1; i < size; i++) MPI_Irecv(own + i, 1, MPI_DOUBLE, i, 3, MPI_COMM_WORLD, requests + i - 1);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 1, index; i < size; i++) MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Rsend(&before, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    }
    free(requests);
    MPI_Finalize();
    return rank > 0 && before != rank * (rank - 1) / 2;
}
