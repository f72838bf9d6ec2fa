"""One method of irregular I/O, timed under mpiexec: `irregular.py FOLDER NODES PATTERN METHOD REPEATS SYNC`.

Prints one JSON line: best seconds to prepare what can be reused, to write, and to read; most memory of a rank.
Every method's file is compared with the records, and for reads every record is looked at.
"""

import json
import os
import shutil
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

import numpy as np
from mpi4py import MPI
from mpiio import SharedFile

import striate.runtime as runtime
from striate.apps.mesh import NODE, Mesh
from striate.apps.mesh.generate import touched
from striate.runtime.hints import hints

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.rank, WORLD.size


class Ours:
    """A dataset a dump, the schedule made once."""

    canonical = True
    settings: ClassVar[dict] = {}

    def __init__(self, folder, nodes, indices, sync):
        self.folder, self.nodes, self.indices, self.sync, self.dumps = folder, nodes, indices, sync, 0
        with self._create("first") as dataset:
            dataset.write_all(indices[:1], np.zeros(len(indices[:1]), NODE))

    def _create(self, name):
        return runtime.create(WORLD, self.folder / name, (self.nodes,), NODE, sync=self.sync, **self.settings)

    def prepare(self):
        """Of this, the schedule alone counts: it needs a dataset, but not one of its own."""
        with self._create("pattern") as dataset:
            self.schedule_seconds = timed(self._schedule, dataset)

    def _schedule(self, dataset):
        self.schedule = dataset.schedule(self.indices)

    def write(self, records):
        self.dumps += 1
        with self._create(f"dump-{self.dumps}") as dataset:
            dataset.write_all(self.schedule, records)
            self.stages = dataset.report

    def read(self, records):
        with runtime.open(WORLD, self.folder / f"dump-{self.dumps}", **self.reading()) as dataset:
            return dataset.read_all(self.schedule, out=records)

    def reading(self):
        return {name: value for name, value in self.settings.items() if name == "share_memory"}

    def content(self):
        with runtime.open_serial(self.folder / f"dump-{self.dumps}") as dataset:
            return dataset[...]

    def clean(self):
        WORLD.Barrier()
        if RANK == 0:
            shutil.rmtree(self.folder / f"dump-{self.dumps}")


class Messages(Ours):
    """The same between nodes: no shared memory."""

    settings: ClassVar[dict] = {"share_memory": False}


class Files:
    """What all the others share: one file a dump."""

    canonical = True

    def __init__(self, folder, nodes, indices, sync):
        self.folder, self.nodes, self.indices, self.sync, self.dumps = folder, nodes, indices, sync, 0

    def prepare(self):
        pass

    @property
    def path(self):
        return self.folder / f"file-{self.dumps}"

    def content(self):
        return np.fromfile(self.path, NODE, self.nodes)

    def clean(self):
        WORLD.Barrier()
        if RANK == 0:
            for path in self.folder.glob(f"file-{self.dumps}*"):
                path.unlink()

    def put(self, path, arrays):
        with path.open("wb", buffering=0) as file:
            for array in arrays:
                os.writev(file.fileno(), [array.data.cast("B")])
            if self.sync:
                os.fsync(file.fileno())


class Gather(Files):
    """All records to rank 0, which puts them in order and writes."""

    def prepare(self):
        self.counts = np.array(WORLD.allgather(len(self.indices)))
        self.where = np.empty(self.counts.sum(), np.int32) if RANK == 0 else None
        WORLD.Gatherv(self.indices, [self.where, self.counts] if RANK == 0 else None)

    def write(self, records):
        self.dumps += 1
        everything = np.empty(self.counts.sum(), NODE) if RANK == 0 else None
        sizes = self.counts * NODE.itemsize
        WORLD.Gatherv(records.view("u1"), [everything.view("u1"), sizes] if RANK == 0 else None)
        if RANK == 0:
            array = np.zeros(self.nodes, NODE)
            array.view("V40")[self.where] = everything.view("V40")
            self.put(self.path, [array.view("u1")])

    def read(self, records):
        sizes = self.counts * NODE.itemsize
        chosen = None
        if RANK == 0:
            chosen = np.fromfile(self.path, NODE).view("V40").take(self.where)
        WORLD.Scatterv([chosen.view("u1"), sizes] if RANK == 0 else None, records.view("u1"))
        return records


class PerProcess(Files):
    """A file a rank: fast, and in no global order."""

    canonical = False

    def write(self, records):
        self.dumps += 1
        self.put(self.path.with_suffix(f".{RANK}"), [self.indices.view("u1"), records.view("u1")])

    def read(self, records):
        with self.path.with_suffix(f".{RANK}").open("rb", buffering=0) as file:
            file.seek(self.indices.nbytes)
            file.readinto(records.view("u1"))
        return records


class Plain(Files):
    """The bound: rank 0 writes an array that is already in order."""

    canonical = False

    def write(self, records):
        self.dumps += 1
        if RANK == 0:
            if not hasattr(self, "array"):
                self.array = np.zeros(self.nodes, NODE)
                self.array["v"][:] = 1
            self.put(self.path, [self.array.view("u1")])

    def read(self, records):
        if RANK == 0:
            np.fromfile(self.path, "u1")
        return records


class MpiIo(Files):
    """The MPI library's own I/O through an indexed view; `wishes` are its hints."""

    collective = True

    def wishes(self):
        return {}

    def prepare(self):
        self.file = SharedFile(WORLD, self.path, NODE, self.wishes())
        self.view = self.file.view(self.indices)

    def write(self, records):
        self.dumps += 1
        self.file.path = str(self.path)
        self.file.write_all(self.view, records, collective=self.collective)

    def read(self, records):
        records[:] = self.file.read_all(self.view, collective=self.collective)
        return records


class MpiIoTuned(MpiIo):
    def wishes(self):
        return hints(
            aggregators=SIZE, aggregator_buffer=-(-self.nodes * NODE.itemsize // SIZE // 4096) * 4096
        )


class MpiIoSieving(MpiIo):
    collective = False


METHODS = {
    "striate": Ours,
    "striate by messages": Messages,
    "gather to rank 0": Gather,
    "file per process": PerProcess,
    "MPI-IO independent": MpiIoSieving,
    "MPI-IO collective, default": MpiIo,
    "MPI-IO collective, tuned": MpiIoTuned,
    "plain write of the array": Plain,
}


def timed(work, *arguments):
    WORLD.Barrier()
    begin = time.perf_counter()
    work(*arguments)
    WORLD.Barrier()
    return time.perf_counter() - begin


class Peak:
    """`with Peak() as peak`: how much more memory this rank held meanwhile, looked at every two milliseconds.

    Memory shared with others counts by its share; mapped files are the system's cache, and do not count.
    """

    def __enter__(self):
        self.before = self.most = held_bytes()
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()
        return self

    def watch(self):
        while not self.over.wait(0.002):
            self.most = max(self.most, held_bytes())

    def __exit__(self, *error):
        self.over.set()
        self.watcher.join()
        self.bytes = max(self.most, held_bytes()) - self.before


def held_bytes():
    lines = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    found = {words[0]: int(words[1]) * 1024 for words in lines if words[0].startswith("Rss")}
    return found["RssAnon:"] + found["RssShmem:"] // SIZE


def main():
    folder, nodes, pattern = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    name, repeats, sync = sys.argv[4], int(sys.argv[5]), sys.argv[6] == "sync"
    indices = touched(Mesh(nodes, pattern).part(RANK, SIZE))
    records = np.zeros(len(indices), NODE)
    records["v"][:, 0], records["x"][:, 1] = indices, indices % 1000
    again = np.full_like(records, 0)
    peak = Peak()
    best = {"prepare": 1e9, "write": 1e9, "read": 1e9}
    for number in range(repeats):
        with peak if number == 0 else nullcontext():
            if number == 0:
                method = METHODS[name](folder, nodes, indices, sync)
            seconds = timed(method.prepare)
            best["prepare"] = min(best["prepare"], getattr(method, "schedule_seconds", seconds))
            best["write"] = min(best["write"], timed(method.write, records))
            again.view("u1")[:] = 0
            best["read"] = min(best["read"], timed(method.read, again))
        if name != "plain write of the array":
            assert np.array_equal(again, records), "what was read is not what was written"
        if number == 0:
            held = getattr(getattr(method, "schedule", None), "nbytes", 0)
            memory = WORLD.gather((peak.bytes, peak.bytes - held, held, len(indices)))
        if RANK == 0 and method.canonical and number == 0:
            content = method.content()
            assert np.array_equal(content["v"][indices, 0], indices), "the file is not in global order"
        if number < repeats - 1:
            method.clean()
    if RANK == 0:
        most, buffer, schedule, _ = (max(column) for column in zip(*memory, strict=True))
        position = max(held / count for _, _, held, count in memory)  # bytes of schedule for one record
        found = {"peak": most, "buffer": buffer, "schedule": schedule, "position": position}
        print(json.dumps(best | found | {"library": MPI.Get_library_version().split(",")[0][:40]}))


main()
