/* The same steps by PnetCDF: `with_pnetcdf PATH NODES STEPS`. Each rank writes its nodes, which a file of numbers names
   (PATH.nodes, all ranks' one after the other), as a list of single elements (varn); every step is flushed. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void expect(int status)
{
    if (status != NC_NOERR) {
        fprintf(stderr, "%s\n", ncmpi_strerror(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long nodes = atol(argv[2]), steps = atol(argv[3]);
    long count = nodes / size + (rank < nodes % size), first = 0, before;
    MPI_Exscan(&count, &first, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    before = rank ? first : 0;
    long long *ours = malloc(count * sizeof *ours);
    char name[4096];
    snprintf(name, sizeof name, "%s.nodes", argv[1]);
    FILE *file = fopen(name, "rb");
    fseek(file, before * (long)sizeof *ours, SEEK_SET);
    if (fread(ours, sizeof *ours, count, file) != (size_t)count)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fclose(file);
    int pid = getpid(), *pids = malloc(size * sizeof *pids);
    MPI_Gather(&pid, 1, MPI_INT, pids, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%d%c", pids[i], i + 1 < size ? ' ' : '\n');
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();

    /* --- the library's part */
    int id, dimensions[2], field;
    expect(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &id));
    expect(ncmpi_def_dim(id, "time", NC_UNLIMITED, &dimensions[0]));
    expect(ncmpi_def_dim(id, "node", nodes, &dimensions[1]));
    expect(ncmpi_def_var(id, "field", NC_DOUBLE, 2, dimensions, &field));
    expect(ncmpi_put_att_text(id, field, "units", 1, "K"));
    expect(ncmpi_enddef(id));
    MPI_Offset(*corner)[2] = malloc(count * sizeof *corner), **corners = malloc(count * sizeof *corners);
    double *values = malloc(count * sizeof *values);
    for (long i = 0; i < count; i++)
        corners[i] = corner[i];
    for (long step = 0; step < steps; step++) {
        for (long i = 0; i < count; i++) {
            corner[i][0] = step;
            corner[i][1] = ours[i];
            values[i] = step;
        }
        expect(ncmpi_put_varn_double_all(id, field, count, corners, NULL, values));
        expect(ncmpi_sync(id));
    }
    expect(ncmpi_close(id));
    /* --- end */

    if (rank == 0)
        printf("%g\n", MPI_Wtime() - begun);
    MPI_Finalize();
    return 0;
}
