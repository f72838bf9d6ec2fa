"""Mistakes in a user's program are reported by file and line, in one line and without a traceback."""

import pytest

from striate.cli.main import run

NOTHING_DEFINED = (
    "striate: expected a Python file that defines `program(rank, ranks)`, `workload` or `app`, "
    "found none of them"
)
OPERATIONS = "from striate.workload.operations import barrier, compute, recv, send\n"


def refusal_of(capsys, tmp_path, code, *options):
    """What `striate predict` says about the program, without the file's name."""
    path = tmp_path / "bad.py"
    path.write_text(code)

    assert run(["predict", str(path), "laptop", *options]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.endswith(f" ({path})")
    return line.removesuffix(f" ({path})")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "def program(rank, ranks)\n    yield\n",
            "striate: SyntaxError: expected ':' (bad.py, line 1) - at line 1",
        ),
        (
            "x = 1\nimport nowhere_to_be_found\n",
            "striate: ModuleNotFoundError: No module named 'nowhere_to_be_found' - at line 2",
        ),
        ("x = 1\ny = 1 / 0\n", "striate: ZeroDivisionError: division by zero - at line 2"),
        ("import sys\nsys.exit(0)\n", "striate: SystemExit: 0 - at line 2"),
        ("x = 1\n", NOTHING_DEFINED),
        ("program = 5\n", NOTHING_DEFINED),
        (
            "workload = 5\n",
            "striate: expected `workload` in the Python file to be a Workload, got an object of type int",
        ),
        (
            "def workload():\n    return None\n",
            "striate: expected `workload` in the Python file to be a Workload, got an object of type NoneType",
        ),
        ("def workload():\n    raise KeyError('a')\n", "striate: KeyError: 'a' - at line 2"),
        (
            "from striate.workload import Spmd\nworkload = Spmd(2)\nworkload.repeat(2).__enter__()\n",
            "striate: expected the end of every repeated block, found an open block",
        ),
        ("raise ValueError('one\\ntwo')\n", "striate: ValueError: one two - at line 1"),
    ],
)
def test_a_file_that_does_not_run_is_reported_by_its_line(capsys, tmp_path, code, message):
    assert refusal_of(capsys, tmp_path, code) == message


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "def program(rank, ranks):\n    yield compute('1 ms')\n    if rank == 1:\n        yield 1 / 0\n",
            "striate: ZeroDivisionError: division by zero - at line 5",
        ),
        (
            "def program(rank, ranks):\n    yield compute('fast')\n",
            "striate: UnitError: expected a time such as \"12 ms\", got 'fast' - at line 3",
        ),
        (
            "def program(rank, ranks):\n    yield 'compute'\n",
            "striate: expected an operation such as compute('1 ms'), got 'compute' as operation 0 - at rank 0",
        ),
        (
            "def program(rank, ranks):\n    yield send(ranks, 8)\n",
            "striate: no rank 2 in communicator 'world' - at rank 0, operation 0 (send)",
        ),
        (
            "def program(rank, ranks):\n    yield compute('1 ms')\n    if rank:\n        yield barrier()\n",
            "striate: on communicator 'world' calls barrier, but rank 0 ends (operation 1) - "
            "at rank 1, operation 1 (barrier)",
        ),
        ("def program():\n    yield\n", None),
        (
            "def program(rank, ranks):\n    return 5\n",
            "striate: expected program(rank, ranks) to yield operations, got the return value 5 - at rank 0",
        ),
    ],
)
def test_a_program_that_cannot_run_is_reported_by_its_line_or_operation(capsys, tmp_path, code, message):
    found = refusal_of_program(capsys, tmp_path, OPERATIONS + code)

    if message is None:
        assert found.startswith("striate: TypeError: program() takes 0 positional arguments but 2 were given")
    else:
        assert found == message


def refusal_of_program(capsys, tmp_path, code):
    path = tmp_path / "bad.py"
    path.write_text(code)

    assert run(["predict", str(path), "laptop", "--ranks", "2"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    where = f" ({path})" if f"({path})" in line else " (bad)"
    assert line.endswith(where)
    return line.removesuffix(where)


def test_a_program_needs_a_number_of_ranks(capsys, tmp_path):
    found = refusal_of(capsys, tmp_path, "def program(rank, ranks):\n    yield\n")

    assert found == (
        "striate: the number of ranks is missing; program(rank, ranks) in a Python file needs --ranks N"
    )


def test_a_finished_workload_takes_no_number_of_ranks(capsys, tmp_path):
    code = "from striate.workload import Spmd\nworkload = Spmd(2)\n"

    assert refusal_of(capsys, tmp_path, code, "--ranks", "3") == (
        "striate: --ranks 3 is not accepted: `workload` in the Python file has its own number of ranks"
    )


def test_a_program_is_not_the_main_one(capsys, tmp_path):
    """What stands under `if __name__ == "__main__"` is not run."""
    path = tmp_path / "good.py"
    path.write_text(
        OPERATIONS
        + "def program(rank, ranks):\n    yield compute('1 s')\nif __name__ == '__main__':\n    1 / 0\n"
    )

    assert run(["predict", str(path), "laptop", "--ranks", "1"]) == 0
    assert capsys.readouterr().out.startswith("good on laptop, 1 rank: 1 s (80%: ")


def test_bytes_that_are_no_source_are_refused(capsys, tmp_path):
    path = tmp_path / "bad.py"
    path.write_bytes(b"\x00\xff\xfe")

    assert run(["predict", str(path), "laptop"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("striate: ")
