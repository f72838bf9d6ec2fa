"""IOR: its command line as a workload; offsets are those of IOR's WriteOrRead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.importers.block_order import at_random
from striate.importers.ior_options import IorTest, read_tests
from striate.importers.written_program import WrittenProgram
from striate.workload import Workload

MOST_APART = 1000  # repetitions that are written out


def from_words(words: list[str], ranks: int | None) -> Workload:
    """The workload of the words after `ior`; -N may ask for fewer ranks than are started."""
    tests = read_tests(words)
    asked = {test.tasks for test in tests}
    if len(asked) > 1:
        raise WorkloadError(
            "IOR tests with different numbers of tasks are not supported", at="numTasks", source="ior"
        )
    tasks = asked.pop()
    if ranks is None and not tasks:
        raise WorkloadError("the number of ranks is missing; give --ranks N, or -N to ior", source="ior")
    started = ranks if ranks is not None else tasks
    return workload_of(tests, ranks=min(started, tasks or started))


def workload_of(tests: list[IorTest], *, ranks: int) -> Workload:
    """Every repetition of every test: write, check what was written, read, each between an open, a close, a barrier."""
    body = WrittenProgram(ranks, name="ior", source="ior")
    files: dict[tuple[str, str, bool], Any] = {}  # by name, repetition and whether each rank has its own

    def file_of(test: IorTest, mark: str = "") -> Any:
        key = (test.name, mark, bool(test.file_per_rank))
        return files[key] if key in files else files.setdefault(key, declare(body, test, mark))

    for test in tests:
        _test(body, test, file_of)
    return body.workload().with_reused_buffer(buffer_of(tests))


def buffer_of(tests: Sequence[IorTest]) -> int | None:
    """Bytes of the one buffer of every test, a transfer's size; None where collective calls may use others."""
    return None if any(test.collective for test in tests) else max(test.transfer_bytes for test in tests)


def _test(body: Any, test: IorTest, file_of: Callable[..., Any]) -> None:
    apart = bool(test.multi_file or test.delay_seconds)  # repetitions that differ are written out
    if not apart:
        file = file_of(test)
        with body.repeat(test.repetitions):
            _repetition(body, test, file)
        return
    if test.repetitions > MOST_APART:
        found = f"expected at most {MOST_APART} repetitions with -m or -d, got {test.repetitions}"
        raise WorkloadError(found, at="-i", source="ior")
    for repetition in range(test.repetitions):
        if repetition and test.delay_seconds:
            body.compute(f"{test.delay_seconds} s")
        _repetition(body, test, file_of(test, f".{repetition}" if test.multi_file else ""))


def declare(body: Any, test: IorTest, mark: str = "") -> Any:
    """The file of a test, or its files, one per rank."""
    own = ".{}" if test.file_per_rank else ""
    return body.files(f"{test.name}{mark}{own}", per_rank=bool(test.file_per_rank))


def _repetition(body: Any, test: IorTest, file: Any) -> None:
    if test.write:
        write_phase(body, test, file, "write", writes=True)
    if test.check_write:
        _phase(body, test, file, "check of what was written", writes=False, shift=_shift(test, 1))
    if test.read or test.check_read:
        write_phase(body, test, file, "read", writes=False)
    if not test.keep:
        body.barrier()
        if test.file_per_rank:
            body.delete_file(file)
        else:
            with body.only(body.rank == 0):
                body.delete_file(file)


def _shift(test: IorTest, further: int) -> int:
    """How many ranks away a rank reads from what it wrote: -C with ranks placed on nodes round-robin."""
    return test.task_offset + further if test.reorder else 0


def write_phase(body: Any, test: IorTest, file: Any, name: str, *, writes: bool) -> None:
    """A phase that writes what is a rank's own, or reads as far away as the test says."""
    _phase(body, test, file, name, writes=writes, shift=0 if writes else _shift(test, 0))


def _phase(body: Any, test: IorTest, file: Any, name: str, *, writes: bool, shift: int) -> None:
    body.barrier()
    with body.region(name):
        whose = (body.rank + shift % body.ranks) % body.ranks
        if test.file_per_rank and shift:
            file = file.first + whose  # the files of other ranks, by their numbers
        body.open_file(file, create=writes)
        if test.barriers:
            body.barrier()
        _transfers(body, test, file, whose, writes=writes)
        if writes and test.fsync:
            body.sync_file(file)
        if test.barriers:
            body.barrier()
        body.close_file(file)


def _transfers(body: Any, test: IorTest, file: Any, whose: Any, *, writes: bool) -> None:
    """All segments; a block of each rank lies in every segment, in its own file one after the other."""
    alone = bool(test.file_per_rank)
    body.expect_bytes(test.segments * test.block_bytes * (1 if alone else body.ranks), at="-b")
    begin = np.zeros_like(whose) if alone else whose * test.block_bytes
    segment_bytes = test.block_bytes * (1 if alone else body.ranks)
    names = ("write_all" if test.collective else "write", "read_all" if test.collective else "read")
    call = getattr(body, names[0] if writes else names[1])
    count = test.block_bytes // test.transfer_bytes
    with body.repeat(test.segments) as segment:
        if not test.shuffled:
            with body.repeat(count) as transfer:
                at = segment * segment_bytes + transfer * test.transfer_bytes + begin
                _transfer(body, test, call, file, at, writes)
            return
        at_random(
            body,
            count,
            1,
            lambda place, _: _transfer(
                body, test, call, file, segment * segment_bytes + begin + place * test.transfer_bytes, writes
            ),
        )


def _transfer(body: Any, test: IorTest, call: Any, file: Any, at: Any, writes: bool) -> None:
    call(file, offset=at, size=test.transfer_bytes)
    if writes and test.fsync_each:
        body.sync_file(file)
