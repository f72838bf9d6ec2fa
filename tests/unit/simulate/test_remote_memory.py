"""One-sided calls, locks and neighbourhood collectives of simulated programs: what they move, and when."""

import striate
from hand_machine import machine
from striate.workload import operations as op
from unit.simulate.recorded import kinds, seconds


def test_one_sided_calls_are_simulated_as_what_they_are_made_of(simulate):
    """The program, and the same written down by hand, take the same time on a machine that is easy to time."""
    cluster = machine(2)
    made, printed = simulate(
        """
        memory = np.zeros(125)
        window = MPI.Win.Create(memory, 8, comm=comm)
        window.Fence()
        if rank == 0:
            window.Put(np.ones(125), 1)
        window.Fence()
        if rank == 0:
            window.Lock(1)
            window.Accumulate(np.ones(10), 1, 5)
            window.Fetch_and_op(np.ones(1), np.ones(1), 1, 124)
            window.Unlock(1)
        window.Free()
        print(memory.sum(), flush=True)
        """,
        cluster=cluster,
    )

    def by_hand(rank, ranks):
        yield op.win_create()
        yield op.win_fence()
        if rank == 0:
            yield op.put(1, 1000)
        yield op.win_fence()
        if rank == 0:
            yield from (
                op.win_lock(1),
                op.accumulate(1, 80),
                op.accumulate(1, 8),
                op.get(1, 8),
                op.win_unlock(1),
            )
        yield op.win_free()

    assert sorted(printed.splitlines()) == ["0.0", "136.0"]
    assert kinds(made, 0)[-6:] == ["accumulate", "accumulate", "get", "unlock", "flush", "barrier"]
    assert seconds(made, cluster) == seconds(striate.Workload.from_program(by_hand, 2), cluster)


def test_neighbourhood_collectives_are_simulated_as_their_messages(simulate):
    cluster = machine(4)
    made, printed = simulate(
        """
        grid = comm.Create_cart([4])
        found = np.full(200, -1.0)
        grid.Neighbor_alltoall(np.full(200, float(rank)), found)
        print(found[0], found[-1], flush=True)
        """,
        4,
        cluster=cluster,
    )

    def by_hand(rank, ranks):
        yield op.comm_dup()
        yield op.neighbor_alltoall(800, op.cartesian_neighbors(rank, [4]))

    assert sorted(printed.splitlines()) == ["-1.0 1.0", "0.0 2.0", "1.0 3.0", "2.0 -1.0"]
    assert seconds(made, cluster) == seconds(striate.Workload.from_program(by_hand, 4), cluster)


def test_locks_of_one_memory_are_granted_one_after_the_other(simulate):
    """Without the lock the ranks would read the same number; the time between is computing under the lock."""
    made, printed = simulate(
        """
        import time
        window = MPI.Win.Allocate(8, comm=comm)
        value = np.zeros(1)
        window.Lock(0)
        window.Get(value, 0)
        window.Flush(0)
        time.sleep(0.001)
        value += 1
        window.Put(value, 0)
        window.Unlock(0)
        comm.Barrier()
        if rank == 0:
            print(np.asarray(window.tomemory()).view("f8")[0])
        window.Free()
        """,
        6,
        cluster=machine(6),
    )

    assert printed == "6.0\n"
    assert 6e-3 < seconds(made, machine(6)) < 6.2e-3
