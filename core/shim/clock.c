// Compares this process's clock with rank 0's: the fastest of a few round trips bounds the difference best.
#include "shim.h"

#define ROUNDS 12

typedef int (*send_function)(const void*, int, word, int, int, word);
typedef int (*receive_function)(void*, int, word, int, int, word, void*);

static word apart;  // a communicator of our own, so that no message of the program is touched

static int prepared(int* rank, int* size) {
    int (*get_rank)(word, int*) = (int (*)(word, int*))find_symbol("PMPI_Comm_rank");
    int (*get_size)(word, int*) = (int (*)(word, int*))find_symbol("PMPI_Comm_size");
    int (*duplicate)(word, void*) = (int (*)(word, void*))find_symbol("PMPI_Comm_dup");
    if (!get_rank || !get_size || !duplicate) return 0;
    get_rank(world_handle(), rank);
    get_size(world_handle(), size);
    if (*size < 2) return 0;
    if (!apart) {
        word place = 0;
        if (duplicate(world_handle(), &place) != 0) return 0;
        apart = handle_at(&place, 0);
    }
    return 1;
}

static void answer(int size, send_function send, receive_function receive, void* status) {
    for (int peer = 1; peer < size; peer++)
        for (int round = 0; round < ROUNDS; round++) {
            uint64_t theirs, ours;
            receive(&theirs, 8, byte_handle(), peer, 0, apart, status);
            ours = now();
            send(&ours, 8, byte_handle(), peer, 0, apart);
        }
}

void measure_clock(int moment) {
    int rank, size;
    if (!prepared(&rank, &size)) return;
    send_function send = (send_function)find_symbol("PMPI_Send");
    receive_function receive = (receive_function)find_symbol("PMPI_Recv");
    char status[256];
    if (!send || !receive) return;
    if (rank == 0) {
        answer(size, send, receive, status);
        return;
    }
    int64_t best[3] = {0, INT64_MAX, 0};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = now(), theirs;
        send(&before, 8, byte_handle(), 0, 0, apart);
        receive(&theirs, 8, byte_handle(), 0, 0, apart, status);
        uint64_t after = now();
        int64_t half = (int64_t)(after - before) / 2;
        if (half < best[1])
            best[0] = (int64_t)(theirs - before) - half, best[1] = half, best[2] = (int64_t)before;
    }
    put_name(NAME_CLOCK, moment, best, sizeof best);
}
