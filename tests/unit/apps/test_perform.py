"""Kernels performed for real on one rank, and what a performer refuses."""

import pytest

from striate.apps.kernels.perform import Performer
from striate.apps.kernels.registry import chosen
from striate.errors import WorkloadError

MPI = pytest.importorskip("mpi4py.MPI")


def performed(tmp_path, name, **options):
    kernel, values = chosen(name, options)
    return Performer(MPI.COMM_SELF, tmp_path, kernel(0, 1, **values), {}).run()


def test_a_write_leaves_the_bytes_and_says_what_each_call_took(tmp_path):
    spent = performed(tmp_path, "io-level-0", size="4 KiB", blocks=3, sync=1)

    assert (tmp_path / "data").stat().st_size == 3 * 4096
    assert set(spent) == {"open", "write", "sync", "close"}
    assert all(seconds >= 0 for seconds in spent.values())


@pytest.mark.parametrize("level", range(4))
def test_every_level_reads_what_it_wrote(tmp_path, level):
    performed(tmp_path, f"io-level-{level}", size="1 KiB", blocks=5)

    spent = performed(tmp_path, f"io-level-{level}", size="1 KiB", blocks=5, mode="read")

    assert (tmp_path / "data").stat().st_size == 5 * 1024
    assert any(kind.startswith("read") for kind in spent)


def test_a_read_that_finds_fewer_bytes_is_an_error(tmp_path):
    performed(tmp_path, "io-level-0", size="1 KiB", blocks=1)

    with pytest.raises(
        WorkloadError,
        match="expected read at offset 0 to transfer 4096 bytes, got 1024 bytes - at file 'data'",
    ):
        performed(tmp_path, "io-level-0", size="4 KiB", blocks=1, mode="read")


@pytest.mark.parametrize(
    "kind",
    [
        *("barrier", "bcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv"),
        *("allgather", "allgatherv", "alltoall", "alltoallv", "scan", "reduce_scatter"),
    ],
)
def test_every_collective_is_performed(tmp_path, kind):
    options = {} if kind == "barrier" else {"size": "1 KiB"}

    assert set(performed(tmp_path, kind, repeat=2, **options)) == {kind}
