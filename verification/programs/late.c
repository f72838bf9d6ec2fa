/* Ranks that come late: to a synchronous send, to MPI_Comm_split, to MPI_Allreduce. The time inside each call is
   waiting, which a replay must find again by itself. */
#include <mpi.h>
#include <time.h>

#include "striate.h"

static void work(double seconds) {
    double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until) {
    }
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank, size, token = 1, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);

    STRIATE_REGION_BEGIN("ssend");
    if (rank == 0) MPI_Ssend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) work(0.1), MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    STRIATE_REGION_END("ssend");

    STRIATE_REGION_BEGIN("split");
    MPI_Comm part;
    work(0.05 * rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    STRIATE_REGION_END("split");

    STRIATE_REGION_BEGIN("allreduce");
    work(0.02 * (size - rank));
    MPI_Allreduce(&token, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    STRIATE_REGION_END("allreduce");
    MPI_Finalize();
    return 0;
}
