"""Programs on simulated ranks: what they compute, what is written down, and what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

import striate
from striate.errors import WorkloadError
from striate.simulate import record_program
from unit.simulate.recorded import HEADER, kinds, seconds

PROGRAMS = Path(__file__).resolve().parents[2] / "mpi" / "programs" / "simulated"


def test_every_rank_has_its_own_memory(simulate):
    _, printed = simulate(
        """
        np.random.seed(rank)
        first = np.random.rand()
        comm.Barrier()
        second = np.random.rand()
        both = np.random.RandomState(rank).rand(2)
        same = comm.gather((first, second) == tuple(both))
        if rank == 0:
            print(same)
        """,
        4,
    )

    assert printed == "[True, True, True, True]\n"


def test_two_runs_without_measured_computing_are_the_same(simulate, westmere):
    program = """
        for step in range(3):
            comm.Allreduce(np.ones(1000), np.empty(1000))
            if rank:
                comm.send("x" * 100 * rank, dest=0)
            else:
                [comm.recv() for _ in range(size - 1)]
        """
    first, second = (simulate(program, 8)[0] for _ in range(2))

    assert seconds(first, westmere) == seconds(second, westmere) > 0
    assert "7 receives" not in first.notes[0]
    assert "21 receives from any source" in first.notes[0]


def test_given_computing_is_played(simulate, westmere):
    lines = "comm.Barrier()\ncomm.Barrier()\n"
    idle, busy = (simulate(lines, compute=time)[0] for time in (0, "10 ms"))

    assert seconds(busy, westmere) - seconds(idle, westmere) == pytest.approx(0.03, rel=0.01)


def test_computing_is_measured(simulate, westmere):
    made, _ = simulate(
        """
        import time
        begin = time.process_time()
        while time.process_time() - begin < 0.1 * (rank + 1):
            pass
        comm.Barrier()
        time.sleep(1000)
        """,
        compute=None,
    )

    assert 1000.2 <= seconds(made, westmere) <= 1000.5


def test_wtime_is_simulated(simulate):
    _, printed = simulate(
        """
        import time
        begin = MPI.Wtime()
        time.sleep(7)
        comm.Barrier()
        if rank == 0:
            print(MPI.Wtime() - begin)
        """
    )

    assert 7 < float(printed) < 7.01


def test_the_first_message_is_received_first(simulate):
    _, printed = simulate(
        """
        import time
        if rank:
            time.sleep(size - rank)
            comm.send(rank, dest=0)
        else:
            print([comm.recv() for _ in range(size - 1)])
        """,
        5,
    )

    assert printed == "[4, 3, 2, 1]\n"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            "comm.recv(source=1 - rank, tag=5)",
            "the program does not end: rank 0 waits in Recv from rank 1, tag 5 (app.py:5); "
            "rank 1 waits in Recv from rank 0, tag 5 (app.py:5) (",
        ),
        (
            "comm.Send(np.zeros(10**6), dest=1 - rank)\ncomm.Recv(np.zeros(10**6))",
            "rank 0 waits in Send to rank 1, tag 0 (app.py:5)",
        ),
        (
            "if rank: comm.Barrier()",
            "rank 1 waits in Barrier, to which rank 0 did not come (app.py:5); rank 0 has ended",
        ),
        (
            "comm.Barrier() if rank else comm.bcast(1)",
            "expected the same collective call on all ranks, but rank 1 calls Barrier (app.py:5) "
            "and rank 0 calls Bcast (app.py:5)",
        ),
        (
            "comm.isend(1, dest=0, tag=3)",
            "expected a receive for every message, got 2 messages without a receive; "
            "the first is from rank 0 to rank 0 with tag 3",
        ),
        ("MPI.Session.Init()", "MPI.Session is not simulated - at rank 0, app.py:5"),
        (
            "comm.Create_intercomm(0, comm, 1)",
            "MPI.Comm.Create_intercomm is not simulated - at rank 0, app.py:5",
        ),
        (
            "comm.Neighbor_alltoall(None, None)",
            "MPI.Comm.Neighbor_alltoall is not simulated - at rank 0, app.py:5",
        ),
        (
            "win = MPI.Win.Allocate(8, comm=comm)\nif rank: win.Fence()",
            "rank 1 waits in Win.Fence, to which rank 0 did not come (app.py:6); rank 0 has ended",
        ),
        (
            "win = MPI.Win.Allocate(8, comm=comm)\nwin.Fence() if rank else win.Free()",
            "expected the same collective call on all ranks, but rank 1 calls Win.Fence (app.py:6) "
            "and rank 0 calls Win.Free (app.py:6)",
        ),
        (
            "win = MPI.Win.Allocate(8, comm=comm)\nwin.Lock(0)\ncomm.Barrier()",
            "rank 1 waits in Win.Lock of rank 0 (app.py:6)",
        ),
        (
            "win = MPI.Win.Allocate(8, comm=comm)\nif rank: win.Start(comm.group.Incl([0]))",
            "rank 1 waits in Win.Start, for which rank 0 did not come (app.py:6)",
        ),
        (
            "grid = comm.Create_cart([2])\nif rank: grid.neighbor_allgather(1)",
            "rank 1 waits in a neighbourhood collective from rank 0 (app.py:6); rank 0 has ended",
        ),
        (
            "class Card:\n  __cuda_array_interface__ = {}\ncomm.Bcast(Card())",
            "expected a buffer in host memory: memory of a GPU is not simulated - at rank 0, app.py:7",
        ),
        (
            "from mpi4py.futures import MPIPoolExecutor",
            "mpi4py.futures is not simulated - at rank 0, app.py:5",
        ),
        ("comm.Abort(3)", "rank 0 called Abort(3) - at app.py:5"),
        ("import sys\nsys.exit(4)", "the program ended with status 4 - at rank 0"),
        (
            "import os\nos._exit(0)",
            "the process of rank 0 ended before its program did: it was killed or called os._exit",
        ),
        (
            "while not comm.iprobe(): pass",
            "ranks 0 to 1 wait in a test or probe that finds nothing (app.py:5)",
        ),
    ],
)
def test_a_program_that_cannot_end_is_refused_in_one_line(simulate, lines, words):
    with pytest.raises(WorkloadError) as refused:
        simulate(lines)

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_error_of_the_program_shows_its_own_traceback(tmp_path):
    path = tmp_path / "app.py"
    path.write_text(HEADER + "def inner():\n    return 1 // (1 - rank)\ncomm.Barrier()\ninner()\n")

    done = subprocess.run(
        [Path(sys.executable).with_name("striate"), "simulate", path, "westmere", "--ranks", "3"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    *trace, last = done.stderr.splitlines()
    assert trace[0] == "rank 1: Traceback (most recent call last):"
    assert [line for line in trace if "File" in line] == [
        f'  File "{path}", line 8, in <module>',
        f'  File "{path}", line 6, in inner',
    ]
    assert last.startswith("striate: the program raised ZeroDivisionError: ")
    assert last.endswith(f"- at rank 1, app.py:6 ({path})")


def test_files_are_written_and_played(simulate, tmp_path, westmere):
    made, _ = simulate(
        """
        import os
        info = MPI.Info.Create()
        info["striping_factor"], info["striping_unit"] = "2", "65536"
        file = MPI.File.Open(comm, "data", MPI.MODE_CREATE | MPI.MODE_WRONLY, info)
        file.Write_at_all(rank * 10**6, np.full(10**6, rank, "u1"))
        file.Close()
        plain = os.open(f"plain-{rank}", os.O_WRONLY | os.O_CREAT)
        os.pwrite(plain, bytes(5000), 100)
        os.fsync(plain)
        os.close(plain)
        """
    )
    (application,) = made.applications
    forecast = striate.predict(made, westmere, rung="fine", exact=True)

    assert (tmp_path / "data").stat().st_size == 2 * 10**6
    assert {file.name: file.layout for file in application.files} == {
        "data": "simple:2:64KiB",
        "plain-0": None,
        "plain-1": None,
    }
    assert sum(server.bytes_written for server in forecast.servers) == 2 * 10**6 + 2 * 5000
    assert kinds(made, 1) == ["open", "write_all", "close", "open", "write", "sync", "close"]


def test_a_workload_can_be_saved_and_predicted_again(simulate, tmp_path, westmere):
    made, _ = simulate("comm.bcast(list(range(100)))\ncomm.Split(rank, -rank).allreduce(1)\n", 4)
    made.save(tmp_path / "made.parquet")

    again = striate.Workload.load(tmp_path / "made.parquet")

    assert seconds(again, westmere) == seconds(made, westmere)


@pytest.mark.parametrize(
    "name", ["messages", "persistent", "collectives", "groups", "files", "windows", "neighbours"]
)
def test_the_calls_of_mpi4py_do_what_they_do(name, tmp_path, westmere):
    with (tmp_path / "printed").open("w+") as output:
        made = record_program(
            PROGRAMS / f"{name}.py", westmere, ranks=4, arguments=[str(tmp_path)], compute=0, output=output
        )
        output.seek(0)
        printed = output.read()

    assert printed == (PROGRAMS / f"{name}.out").read_text()
    assert seconds(made, westmere) > 0


def test_a_receive_that_is_cancelled_is_not_simulated(simulate):
    made, printed = simulate(
        """
        status = MPI.Status()
        request = comm.irecv(source=1 - rank, tag=4)
        over = request.Get_status(status)
        request.Cancel()
        request.Wait(status)
        kept = comm.irecv(source=1 - rank, tag=5)
        comm.send(rank, dest=1 - rank, tag=5)
        print(over, status.Is_cancelled(), kept.wait(status), status.Is_cancelled(), flush=True)
        """
    )

    assert sorted(printed.splitlines()) == ["False True 0 False", "False True 1 False"]
    assert kinds(made, 0) == ["recv", "send", "wait"]


def test_arrays_of_other_libraries_are_buffers(simulate):
    _, printed = simulate(
        """
        class Other:
            def __init__(self, array):
                self.array = array
            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)
            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        total = np.zeros(3)
        comm.Allreduce(Other(np.arange(3.0) + rank), Other(total))
        if rank == 0:
            print(total)
        """
    )

    assert printed == "[1. 3. 5.]\n"
