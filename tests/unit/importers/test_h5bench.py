"""h5bench's configurations: the bytes that h5bench's own output tells, or refused by the path of the key."""

import json

import pytest

from striate.cli.programs import find_workload
from striate.errors import WorkloadError
from striate.workload.summary import summary_of
from striate.workload.transforms.unfold import unfold

M = 2**20
WRITE = {
    "MEM_PATTERN": "CONTIG", "FILE_PATTERN": "CONTIG", "TIMESTEPS": "5", "DELAYED_CLOSE_TIMESTEPS": "2",
    "COLLECTIVE_DATA": "NO", "COLLECTIVE_METADATA": "NO", "EMULATED_COMPUTE_TIME_PER_TIMESTEP": "1 s",
    "NUM_DIMS": "1", "DIM_1": "16 M", "DIM_2": "1", "DIM_3": "1", "MODE": "SYNC", "CSV_FILE": "output.csv",
}  # fmt: skip


def configured(tmp_path, *benchmarks, mpi=None, **more):
    document = {
        "mpi": mpi or {"command": "mpirun", "ranks": "4"},
        "vol": {},
        "file-system": {},
        "directory": "out",
    }
    listed = [{"benchmark": kind, "file": "test.h5", "configuration": found} for kind, found in benchmarks]
    path = tmp_path / "configuration.json"
    path.write_text(json.dumps(document | {"benchmarks": listed} | more))
    return f"h5bench:{path}"


def summed(name, ranks=None):
    (found,) = summary_of(find_workload(name, ranks=ranks)[0]).applications
    return found


def test_a_rank_writes_as_much_as_h5bench_says(tmp_path):
    name = configured(
        tmp_path, ("write", WRITE), mpi={"command": "srun", "configuration": "-n 1 --cpu_bind=cores"}
    )
    found = summed(name)

    assert found.ranks == 1
    assert found.bytes_written == 2560 * M  # "Total write size = 2560 MB" of 16 M particles and 5 steps
    assert found.calls["write"] == 40


def test_what_was_written_is_read_by_its_name(tmp_path):
    reading = WRITE | {"READ_OPTION": "FULL", "COLLECTIVE_DATA": "YES"}
    found = summed(configured(tmp_path, ("write", WRITE), ("read", reading)))

    assert (found.ranks, found.files) == (4, 1)
    assert found.bytes_read == found.bytes_written == 4 * 2560 * M
    assert found.calls["read_all"] == 4 * 40


def test_part_of_it_and_records_in_one_array(tmp_path):
    reading = WRITE | {
        "READ_OPTION": "PARTIAL",
        "TO_READ_NUM_PARTICLES": "4 M",
        "FILE_PATTERN": "INTERLEAVED",
    }
    found = summed(configured(tmp_path, ("read", reading)))

    assert found.bytes_read == 5 * 32 * 4 * M
    assert found.calls["read"] == 4 * 5


def test_arrays_of_a_step_lie_one_behind_the_other(tmp_path):
    small = WRITE | {"DIM_1": "10", "TIMESTEPS": "2", "EMULATED_COMPUTE_TIME_PER_TIMESTEP": "0 s"}
    (application,) = find_workload(configured(tmp_path, ("write", small)), ranks=None)[0].applications
    runs = [
        (step.operands["offset"], step.operands["bytes"])
        for rank in range(4)
        for step in unfold(application, rank)
        if step.kind.label == "write"
    ]

    assert sorted(runs) == [(40 * number, 40) for number in range(4 * 8 * 2)]  # every byte once


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (
            {"MODE": "ASYNC"},
            {},
            "'ASYNC' is not supported; expected one of SYNC - at $.benchmarks[0].configuration.MODE",
        ),
        (
            {"COMPRESS": "YES"},
            {},
            "compression is not supported - at $.benchmarks[0].configuration.COMPRESS",
        ),
        ({"FILE_PATTERN": "STRIDED"}, {}, "'STRIDED' is not supported"),
        ({"UNHEARD": "1"}, {}, "unknown key 'UNHEARD' - at $.benchmarks[0].configuration.UNHEARD"),
        ({"DIM_1": "many"}, {}, "expected a number such as 16 M, got 'many'"),
        ({"EMULATED_COMPUTE_TIME_PER_TIMESTEP": "soon"}, {}, "EMULATED_COMPUTE_TIME_PER_TIMESTEP"),
        ({}, {"vol": {"connector": "async"}}, "VOL connectors are not supported - at $.vol"),
        ({}, {"unheard": 1}, "unknown key 'unheard' - at $.unheard"),
        ({}, {"benchmarks": []}, "expected a list of benchmarks"),
        ({}, {"benchmarks": [{"benchmark": "amrex"}]}, "h5bench's benchmark 'amrex' is not supported"),
        ({}, {"mpi": {"command": "mpirun"}}, "the number of ranks is missing"),
        ({}, {"file-system": {"lustre": {"stripe-size": "x"}}}, "expected a stripe-size such as 1M"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_path(change, more, message, tmp_path):
    with pytest.raises(WorkloadError) as refused:
        find_workload(configured(tmp_path, ("write", WRITE | change), **more), ranks=None)

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
