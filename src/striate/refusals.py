"""What the core refuses, in words: the one place where its exceptions become ours.

A refusal crosses the border as a reason and numbers (`core/include/striate/refusal.hpp`). Everything else that the core
throws is a bug, and is let through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from striate._core import Reason, Refusal, RefusalError, Wait, WaitKind
from striate.errors import DiskFullError, PredictionError, StriateError
from striate.units import about_size

# Faults of the program itself: no rung would take it.
OF_THE_PROGRAM = frozenset((Reason.deadlock, Reason.unreceived, Reason.truncated, Reason.server_full))


@dataclass(frozen=True, slots=True)
class Names:
    """How a message calls what the core counts; a program's own names, where they are known."""

    rank: Callable[[int], str] = "rank {}".format
    row: Callable[[int], str] = "row {}".format
    file: Callable[[int], str] = "file {}".format
    server: Callable[[int], str] = "server {}".format


PLAIN = Names()


@contextmanager
def translated(
    unfit: type[StriateError], names: Names = PLAIN, *, at: str | None = None, source: str | None = None
) -> Iterator[None]:
    """Turn a refusal of the core into one of ours: `unfit`, or a PredictionError where the program is at fault."""
    try:
        yield
    except RefusalError as error:
        raise error_of(error.refusal, unfit, names, at=at, source=source) from None


def error_of(
    refusal: Refusal,
    unfit: type[StriateError],
    names: Names = PLAIN,
    *,
    at: str | None = None,
    source: str | None = None,
) -> StriateError:
    """Our error for a refusal of the core."""
    kind = unfit
    if refusal.reason in OF_THE_PROGRAM:
        kind = DiskFullError if refusal.reason == Reason.server_full else PredictionError
    return kind(words(refusal, names), at=at, source=source)


def words(refusal: Refusal, names: Names = PLAIN) -> str:
    """What is refused, and why."""
    return _where(refusal, names) + _WORDS[refusal.reason](refusal, names)


def _where(refusal: Refusal, names: Names) -> str:
    """The operation at which it happened; empty when the core does not know."""
    if refusal.row < 0:
        return ""
    return f"{names.rank(refusal.rank)}, {names.row(refusal.row)}: "


def _deadlock(refusal: Refusal, names: Names) -> str:
    many = "rank waits" if refusal.count == 1 else "ranks wait"
    return f"{refusal.count} {many} for ever: {_all_waits(refusal.waits, names)}"


def _unreceived(refusal: Refusal, names: Names) -> str:
    many = "send or receive" if refusal.count == 1 else "sends or receives"
    return f"{refusal.count} {many} without a partner: {_all_waits(refusal.waits, names)}"


def _truncated(refusal: Refusal, names: Names) -> str:
    ends = f"from {names.rank(refusal.rank)} to {names.rank(refusal.peer)} with tag {refusal.tag}"
    return f"a message of {refusal.bytes} B {ends} meets a receive of at most {refusal.room} B"


def _server_full(refusal: Refusal, names: Names) -> str:
    grown = f"{names.file(refusal.file)} grows to {about_size(refusal.end)} there"
    return f"disk full: {names.server(refusal.server)} holds {about_size(refusal.room)}, and {grown}"


def _no_schedule(refusal: Refusal, names: Names) -> str:
    return f"no schedule for a call of {refusal.bytes} bytes among {refusal.count} ranks"


def _said(text: str) -> Callable[[Refusal, Names], str]:
    """Words with the refusal's own numbers in braces."""
    return lambda refusal, names: text.format(refusal)


_WORDS: dict[Reason, Callable[[Refusal, Names], str]] = {
    Reason.deadlock: _deadlock,
    Reason.unreceived: _unreceived,
    Reason.truncated: _truncated,
    Reason.server_full: _server_full,
    Reason.no_server: _said("the program touches files but the cluster has no I/O server"),
    Reason.no_route: _said("no route from component {0.from_} to component {0.to}"),
    Reason.unreachable: lambda refusal, names: (
        f"{names.rank(refusal.rank)} cannot reach {names.rank(refusal.peer)}"
    ),
    Reason.unknown_request: _said("request {0.request} was never started"),
    Reason.unknown_operation: _said("the packet engine cannot run this operation"),
    Reason.no_schedule: _no_schedule,
    Reason.nonblocking_collective: _said("non-blocking collectives are not supported here"),
    Reason.nonblocking_collective_io: _said("non-blocking collective I/O is not supported here"),
    Reason.files_as_fluid: _said("the fluid engine does not support file operations; use packets"),
    Reason.too_few_servers: _said(
        "expected a layout of at most {0.room} servers, as the machine has, got {0.count}"
    ),
    Reason.too_many_bytes: _said("expected at most 2^63 - 1 bytes of I/O, got more"),
    Reason.too_many_packets: _said("expected messages of at most 2^31 packets, got a longer one"),
    Reason.too_many_passes: _said("a peer, root or size differs in too many iterations of a loop"),
    Reason.too_many_file_passes: _said("the file differs in too many iterations of a loop"),
    Reason.too_many_offsets: _said("accesses begin at too many different offsets"),
    Reason.job_too_long: _said("one step of a job takes more than 46 days"),
    Reason.run_too_long: _said("the run is longer than the clock can count"),
    Reason.blocks_ahead: _said("expected a disk to read 1 to {0.room} blocks ahead, got {0.count}"),
    Reason.too_many_disks: _said("expected at most {0.room} disks and processors, got {0.count}"),
    Reason.window_too_large: _said("one window of a stream has too many blocks to be simulated"),
    Reason.unknown_receiver: _said(
        "expected receivers below {0.count}, the number of processors, got {0.peer}"
    ),
    Reason.too_many_receivers: _said(
        "a block is sent to at most {0.room} other processors: give a smaller reach or fewer processors"
    ),
    Reason.negative_time: _said("expected times of 0 or more, got a negative one"),
    Reason.no_aggregator: _said("expected at least one aggregator for collective I/O, got none"),
    Reason.unknown_aggregator: _said("expected aggregators that are ranks of the program, each named once"),
    Reason.empty_buffer: _said("expected a collective buffer and an alignment of at least 1 byte, got less"),
    Reason.place_beyond: _said("an offset in the file of a server exceeds 2^63 - 1 bytes"),
    Reason.too_many_pieces: _said("one access has too many pieces to be planned at once"),
    Reason.rate_out_of_range: _said("expected a rate from 1 B/s to 2^47 B/s, got {0.rate:g} B/s"),
    Reason.transfer_too_large: _said("expected packets and disk jobs from 0 to 2^47 bytes, got {0.bytes}"),
    Reason.instruction_rate: _said(
        "cannot compute {0.count} instructions at {0.rate:g} instructions per second"
    ),
    Reason.negative_latency: _said("expected latencies of 0 or more, got a negative one"),
    Reason.empty_unit: _said("expected packets, I/O requests, RAID chunks and caches of one byte or more"),
    Reason.too_few_disks: _said("expected a server with {0.room} disks or more, got {0.count}"),
    Reason.idle_disk: _said(
        "expected disks with a rate of 1 B/s or more, a speed of rotation, a channel and a queue"
    ),
    Reason.burst_limits: _said("expected a burst buffer that begins to drain before it is full"),
    Reason.no_cpu: _said("expected at least one CPU on each node, got none"),
}


def _all_waits(waits: Sequence[Wait], names: Names) -> str:
    return "; ".join(_wait(wait, names) for wait in waits)


def _wait(wait: Wait, names: Names) -> str:
    """One line of a deadlock; of a collective's own messages only who waits for whom is told."""
    here = _listed([_place(names, place.rank, place.row) for place in wait.places], wait.all_places)
    there = _listed([_peer(names, peer) for peer in wait.peers], wait.all_peers)
    tag = "any" if wait.tag < 0 else wait.tag
    match wait.kind:
        case WaitKind.send:
            return f"{here} sends to {there} with tag {tag}"
        case WaitKind.receive:
            return f"{here} receives from {there} with tag {tag}"
        case WaitKind.collective_send:
            return f"{here} sends to {there}"
        case WaitKind.collective_receive:
            return f"{here} waits for {there}"
        case WaitKind.others:
            return f"and {wait.all_places} more"
        case WaitKind.file:
            return f"in a call on {names.file(wait.file)} of communicator {wait.communicator}: {here}"
        case WaitKind.meeting:
            return f"{here} wait in a collective for {there}"
        case _:
            return f"{here} waits for {there}" if wait.peers else here


def _place(names: Names, rank: int, row: int) -> str:
    return names.rank(rank) if row < 0 else f"{names.rank(rank)} at {names.row(row)}"


def _peer(names: Names, rank: int) -> str:
    return "any rank" if rank < 0 else names.rank(rank)


def _listed(told: Sequence[str], count: int) -> str:
    return ", ".join([*told, "..."] if count > len(told) else told)
