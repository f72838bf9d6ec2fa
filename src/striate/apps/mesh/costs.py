"""What steps of the program and of the runtime cost on this machine: measured by doing them, on all ranks at once."""

from __future__ import annotations

import importlib.util
import math
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from striate.apps.mesh.generate import NODE, Mesh
from striate.cluster.cluster import Cluster
from striate.decoders import json_mistake
from striate.errors import ProbeError, TuningError
from striate.rungs.server_routes import server_routes_of

if TYPE_CHECKING:
    from striate.apps.mesh.timing import Task, Timings

_TIMING_SECONDS = 30.0  # far more than it takes


@dataclass(frozen=True, slots=True)
class CodecCost:
    """Seconds per byte to compress and to restore, and the share of the bytes that is left."""

    encode: float
    decode: float
    share: float
    chunk: float  # seconds of a chunk, beyond its bytes


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of a rank while all work: an edge, a record or a byte of its own at a time, and a commit."""

    setup_edge: float  # reading an edge and finding its nodes
    sweep_edge: float
    schedule_record: float
    move_byte: float  # a byte of a record into a window
    load_byte: float  # a byte of an earlier dump, still in the system's memory
    checksum_byte: float
    write_byte: float  # into the system's memory, a byte of all ranks
    window_byte: float  # memory that the ranks of a node share, the first time
    commit: float
    chunk: float  # of any rank, beyond its bytes
    rounds: list[tuple[int, float]] = field(default_factory=list)  # bytes of a window -> seconds more a byte
    codecs: dict[str, CodecCost] = field(default_factory=dict)

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> Costs:
        """The costs of a TOML table; raises TuningError with the path of the mistake."""
        try:
            return msgspec.convert(table, cls)
        except msgspec.ValidationError as error:
            message, at = json_mistake(error)
            raise TuningError(message, at=f"$.costs{(at or '$')[1:]}") from None

    def round_byte(self, window_bytes: int) -> float:
        """Seconds per byte that several rounds take longer than one, by the bytes of a window; between, on a line."""
        if not self.rounds:
            return 0.0
        sizes, seconds = zip(*sorted(self.rounds), strict=True)
        return float(np.interp(math.log(max(1, window_bytes)), np.log(sizes), seconds))

    def beyond(self, cluster: Cluster) -> Costs:
        """The costs that a prediction on `cluster` does not count itself: its writes pass through a network."""
        if not cluster.servers:
            return self
        routes = server_routes_of(cluster, cluster.place(1))
        return replace(self, write_byte=max(0.0, self.write_byte - float(routes.seconds_per_byte.mean())))


def measure_costs(mesh: Mesh, ranks: int, *, codecs: Iterable[str] = (), folder: Path | None = None) -> Costs:
    """Do sweeps and dumps on as many ranks as have a CPU, and look at the clock; takes a few seconds."""
    from striate.apps.mesh.timing import Task, time_steps

    processes = min(ranks, len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        task = Task(mesh.nodes, mesh.pattern, tuple(name for name in codecs if name != "none"), scratch)
        if processes > 1 and importlib.util.find_spec("mpi4py"):
            timings = _timed_by_ranks(task, processes)
        else:
            timings = time_steps(None, task)
    return costs_of(timings, mesh)


def _timed_by_ranks(task: Task, processes: int) -> Timings:
    from striate.apps.mesh.timing import Timings
    from striate.probe.launch import local_launcher, run_ranks

    output = Path(task.folder) / "timings.json"
    arguments = [msgspec.json.encode(task).decode(), str(output)]
    try:
        run_ranks(local_launcher(processes), "striate.apps.mesh.timing", arguments, seconds=_TIMING_SECONDS)
    except ProbeError as error:
        raise TuningError(f"cannot time the program: {error.message}") from None
    return msgspec.json.decode(output.read_bytes(), type=Timings)


def costs_of(timings: Timings, mesh: Mesh) -> Costs:
    """Costs with which the model takes, for the dumps that were timed, what they took."""
    from striate.apps.mesh.timing import LARGE_CHUNK, MAPPED_BYTES, SMALL_CHUNK

    total = mesh.nodes * NODE.itemsize
    own, moved = total / timings.ranks, max(1, timings.touched) * NODE.itemsize
    chunks = {size: -(-total // size) for size in (SMALL_CHUNK, LARGE_CHUNK)}
    more = max(1, chunks[SMALL_CHUNK] - chunks[LARGE_CHUNK])

    def chunk_seconds(codec: str) -> float:
        small, large = (timings.dumps[codec][size].all for size in (SMALL_CHUNK, LARGE_CHUNK))
        return float(max(0.0, (small - large) / more))

    plain = timings.dumps["none"][LARGE_CHUNK]
    stages = plain.load + plain.exchange + plain.compress + plain.write
    commit = max(0.0, plain.all - stages - chunks[LARGE_CHUNK] * chunk_seconds("none"))
    codecs = {}
    for name, dumps in timings.dumps.items():
        if name == "none":
            continue
        dump, share, chunk = dumps[LARGE_CHUNK], timings.stored_shares[name], chunk_seconds(name)
        rest = commit + dump.load + dump.exchange + plain.write * share + plain.compress * share
        codecs[name] = CodecCost(
            encode=max(dump.compress, dump.all - rest - chunks[LARGE_CHUNK] * chunk) / own,
            decode=max(0.0, dump.load - plain.load * share) / own,
            share=share,
            chunk=chunk,
        )
    return Costs(
        setup_edge=timings.setup / max(1, mesh.edges // timings.ranks),
        sweep_edge=timings.sweep / max(1, mesh.edges // timings.ranks),
        schedule_record=timings.schedule / max(1, timings.touched),
        move_byte=plain.exchange / moved,
        load_byte=plain.load / own,
        checksum_byte=plain.compress / own,
        write_byte=plain.write / total,
        window_byte=timings.window / MAPPED_BYTES,
        commit=commit,
        chunk=chunk_seconds("none"),
        rounds=[(window, max(0.0, more) / own) for window, more in timings.rounds],
        codecs=codecs,
    )
