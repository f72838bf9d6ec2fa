"""IO500's configurations: phases with the bytes and files they say, or refused by the section and key."""

import pytest

from striate.cli.programs import find_workload
from striate.errors import WorkloadError
from striate.workload.summary import summary_of

M = 2**20
SMALL = (
    "[global]\ndatadir = ./datafiles\n[debug]\nstonewall-time = 0 # no deadline\n[ior-easy]\nAPI = POSIX\n"
    "transferSize = 2m\nblockSize = 8m\n[mdtest-easy]\nn = 50\n[ior-hard]\nAPI = MPIIO -c\nsegmentCount = 10\n"
    "[mdtest-hard]\nn = 20\n"
)


def described(tmp_path, text):
    path = tmp_path / "config.ini"
    path.write_text(text)
    return f"io500:{path}"


def test_all_phases_come_in_their_order_with_their_bytes(tmp_path):
    (found,) = summary_of(find_workload(described(tmp_path, SMALL), ranks=4)[0]).applications

    data = 4 * 8 * M + 4 * 10 * 47008
    assert found.bytes_written == data + 4 * 20 * 3901
    assert found.bytes_read == data + 4 * 20 * 3901
    assert found.files == 4 + 1 + 4 * 50 + 4 * 20
    assert found.calls["stat"] == 2 * 4 * 70  # find, and the two phases of stats
    assert found.calls["delete"] == 4 * 70
    assert found.calls["write_all"] == found.calls["read_all"] == 40
    assert found.phases == (
        *(
            "ior-easy-write",
            "mdtest-easy-write",
            "ior-hard-write",
            "mdtest-hard-write",
            "find",
            "ior-easy-read",
        ),
        *("mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat", "mdtest-easy-delete", "mdtest-hard-read"),
        "mdtest-hard-delete",
    )


def test_phases_that_are_not_run_are_left_out(tmp_path):
    text = SMALL + "[find]\nrun = FALSE\n[ior-easy-read]\nrun = FALSE\n[mdtest-easy]\nrun = FALSE\n"
    (found,) = summary_of(find_workload(described(tmp_path, text), ranks=2)[0]).applications

    assert "find" not in found.phases
    assert not [phase for phase in found.phases if "mdtest-easy" in phase]
    assert found.bytes_read == 2 * (10 * 47008 + 20 * 3901)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[global]\ndatadir = x\n", "with a deadline the amount of data depends on the speed"),
        ("[debug]\nstonewall-time = 300\n", "at debug.stonewall-time"),
        ("[unheard]\n", "unknown section 'unheard'"),
        (SMALL + "[ior-hard]\nunheard = 1\n", "unknown key 'unheard' - at ior-hard.unheard"),
        (
            SMALL + "[ior-easy]\nblockSize = 3m\n",
            "expected a multiple of transferSize - at ior-easy.blockSize",
        ),
        (SMALL + "[ior-easy]\nAPI = DFS\n", "'DFS' is not supported"),
        (SMALL + "[ior-easy]\nhintsFileName = x\n", "hintsFileName is not supported"),
        (SMALL + "[mdtest-easy]\nn = many\n", "expected a whole number, got 'many' - at mdtest-easy.n"),
        (SMALL + "[find]\nrun = maybe\n", "expected TRUE or FALSE, got 'maybe' - at find.run"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_key(text, message, tmp_path):
    with pytest.raises(WorkloadError) as refused:
        find_workload(described(tmp_path, text), ranks=2)

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_phases_of_the_extended_mode_may_be_named_and_are_not_run(tmp_path):
    more = "[find-easy]\nnproc = 4\n[find-hard]\nrun = FALSE\n[timestamp]\n[mdworkbench-bench]\nrun = FALSE\n"
    more += "[ior-rnd4K-easy-read]\nAPI =\nrun = TRUE\n"

    extended, _ = find_workload(described(tmp_path, SMALL + more), ranks=4)
    standard, _ = find_workload(described(tmp_path, SMALL), ranks=4)

    assert summary_of(extended) == summary_of(standard)


@pytest.mark.parametrize(("api", "buffer"), [("MPIIO -c", None), ("MPIIO", 2 * M)])
def test_the_largest_transfer_is_the_buffer_where_no_call_is_collective(api, buffer, tmp_path):
    text = SMALL.replace("API = MPIIO -c", f"API = {api}")

    assert find_workload(described(tmp_path, text), ranks=4)[0].reused_buffer == buffer
