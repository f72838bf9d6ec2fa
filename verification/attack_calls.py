"""Further steps of random programs: requests in flight, modes of sending, sizes by rank, choices, views of files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from striate.workload import operations as op

Case = dict[str, Any]

SIZES = (0, 1, 64, 4096, 65_537, 400_000, 3_000_001)
KINDS = ("exchange", "varying", "begun", "choice", "fan", "view", "delete", "uneven")


def draw_step(dice: random.Random) -> Case:
    """A step of one of KINDS."""
    kind = dice.choice(KINDS)
    step: Case = {"kind": kind, "size": dice.choice(SIZES), "times": dice.choice((1, 1, 2, 5, 20))}
    if kind == "exchange":
        step["mode"] = dice.choice(("isend", "issend", "send", "ssend"))
        step["seconds"] = dice.choice((0.0, 1e-6, 1e-3))
        step["tested"] = dice.random() < 0.3
    elif kind == "varying":
        step["call"] = dice.choice(
            ("gatherv", "scatterv", "allgatherv", "alltoallv", "reduce_scatter", "exscan")
        )
    elif kind == "begun":
        step["call"] = dice.choice(("bcast", "allreduce", "alltoall", "barrier"))
    elif kind == "choice":
        step["call"] = dice.choice(("waitany", "waitsome", "testany", "testsome"))
    elif kind == "fan":
        step["inward"] = dice.random() < 0.5
    elif kind == "view":
        step["call"] = dice.choice(("write", "read", "write_all", "read_all"))
        step["blocks"] = dice.choice((1, 7, 60))
    elif kind == "uneven":
        step["call"] = dice.choice(("write", "read"))
    return step


def operations(step: Case, number: int, rank: int, ranks: int) -> Iterator[Any]:
    """What one rank does in a step."""
    make = globals()[f"_{step['kind']}"]
    for turn in range(step["times"]):
        yield from make(step, number, turn, rank, ranks)


def _exchange(step: Case, number: int, _: int, rank: int, ranks: int) -> Iterator[Any]:
    """Receives are posted, sends begin, and computing goes on beside them."""
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    if after == rank:
        return
    arriving = op.irecv(before, step["size"], tag=number)
    yield arriving
    sending = getattr(op, step["mode"])(after, step["size"], tag=number)
    yield sending
    if step["seconds"]:
        yield op.compute(step["seconds"])
    begun = [arriving, sending] if step["mode"].startswith("i") else [arriving]
    if step["tested"]:
        yield op.test(*begun)
    yield op.waitall(begun)


def _varying(step: Case, _: int, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    sizes = [(step["size"] * ((other * 7 + turn) % 4)) // 3 for other in range(ranks)]
    call = getattr(op, step["call"])
    if step["call"] == "reduce_scatter":
        yield call(sizes)
    elif step["call"] == "alltoallv":
        yield call([sizes[(rank + other) % ranks] for other in range(ranks)])
    else:
        yield call(step["size"] if step["call"] == "exscan" else sizes[rank])


def _begun(step: Case, _: int, __: int, rank: int, ranks: int) -> Iterator[Any]:
    call = getattr(op, step["call"])
    begun = call(blocking=False) if step["call"] == "barrier" else call(step["size"], blocking=False)
    yield begun
    yield op.compute(1e-5)
    yield op.wait(begun)


def _choice(step: Case, number: int, _: int, rank: int, ranks: int) -> Iterator[Any]:
    if ranks < 3:
        return
    if rank == 0:
        arriving = [op.irecv(source, step["size"], tag=number) for source in (1, 2)]
        yield from arriving
        yield getattr(op, step["call"])(arriving)
        yield op.compute(1e-5)
        yield op.waitall()
    elif rank < 3:
        yield op.compute(1e-6 * rank)
        yield op.send(0, step["size"], tag=number)


def _fan(step: Case, number: int, _: int, rank: int, ranks: int) -> Iterator[Any]:
    """All to the first rank, or from it, in the order of ranks."""
    others = range(1, ranks)
    if step["inward"]:
        yield from (op.recv(other, step["size"], tag=number) for other in (others if rank == 0 else ()))
        if rank:
            yield op.send(0, step["size"], tag=number)
        return
    yield from (op.send(other, step["size"], tag=number) for other in (others if rank == 0 else ()))
    if rank:
        yield op.recv(0, step["size"], tag=number)


def _view(step: Case, _: int, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    """Every rank has every so-many-th block."""
    block = step["size"] // step["blocks"] + 1
    offsets = [((turn * step["blocks"] + at) * ranks + rank) * block for at in range(step["blocks"])]
    yield getattr(op, step["call"])("seen", extents=(offsets, [block] * step["blocks"]))


def _delete(_: Case, number: int, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    yield op.open_file(f"short.{number}.{rank}", create=turn == 0)
    yield op.write(f"short.{number}.{rank}", size=1000)
    yield op.close_file(f"short.{number}.{rank}")
    if turn:
        yield op.delete_file(f"short.{number}.{rank}")


def _uneven(step: Case, _: int, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    """Accesses of different sizes that overlap those of the neighbours."""
    size = 1 + step["size"] * (1 + (rank + turn) % 3) // 3
    yield getattr(op, step["call"])("uneven", offset=rank * (step["size"] // 2 + 1), size=size)
