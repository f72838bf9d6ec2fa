"""Random histories of a dataset against a NumPy array: writes, sums, schedules, caches, handles, crashes, reopening.

    mpiexec -n 4 python verification/dataset_histories.py 500 50     # histories, steps of each
    python verification/dataset_histories.py 100 50                  # one process

Each history opens the dataset on 1 to all ranks, again and again. Prints the number of differences, and for each the
seed that brings it back.
"""

import sys
from itertools import pairwise

import histories
import numpy as np
from histories import DifferenceError, lose_lock, same

import striate.runtime as runtime
from striate.errors import DatasetError

KINDS = ("f8", "i4", [("a", "i8"), ("b", "f4", (2,))])
CODECS = (None, None, "zstd", ["shuffle", "lz4", "crc32"])


class Handle:
    """An open dataset and the array that it must show."""

    def __init__(self, dataset, array, name):
        self.dataset = dataset
        self.array = array
        self.name = name  # of the dataset that was opened; another may take its place
        self.pending = None
        self.schedules = []  # (schedule, what each rank named, how it combines)


class History:
    """One history. All ranks draw the same numbers; `teams[k]` are the communicators of the lowest k + 1 ranks."""

    def __init__(self, teams, rank, choose, path):
        self.teams, self.rank, self.choose, self.path = teams, rank, choose, path
        self.team = choose.randrange(len(teams))
        self.handles = []
        self.array = None  # what is committed
        self.names = 0
        self.replace()

    @property
    def size(self):
        return self.team + 1

    @property
    def takes_part(self):
        return self.rank < self.size

    def play(self, steps):
        moves = (
            *(
                self.write,
                self.write,
                self.add,
                self.slab,
                self.by_schedule,
                self.begin,
                self.end,
                self.read,
                self.read,
            ),
            *(self.open, self.refresh, self.close, self.loop_cache, self.write_behind, self.crash),
        )
        for _ in range(steps):
            move = self.replace if self.choose.random() < 0.02 else self.choose.choice(moves)
            move()
        self.check()
        while self.handles:
            self.close()
        self.check()

    # What is done to the dataset, and to the array.

    def replace(self):
        """Create another dataset in place of what is there; handles on the old one stay."""
        if any(handle.pending for handle in self.handles):
            return
        kind = np.dtype(self.choose.choice(KINDS))
        shape = (self.choose.randint(1, 200), *self.choose.choice([(), (), (3,)]))
        settings = {
            "chunk": self.choose.choice([64, 256, "1 KiB"]),
            "buffer": self.choose.choice(["4 KiB", "64 KiB"]),
            "codec": self.choose.choice(CODECS),
            "servers": self.choose.randint(1, self.size),
            "share_memory": self.choose.choice([True, True, False]),
        }
        self.names += 1
        self.array = np.zeros(shape, kind)
        handle = Handle(None, self.array, self.names)
        if self.takes_part:
            handle.dataset = runtime.create(self.teams[self.team], self.path, shape, kind, **settings)
            handle.dataset.write_all(np.zeros(0, np.int64), self.array[:0])  # it takes its place now
        self.handles.append(handle)

    def open(self):
        if len(self.handles) < 3:
            handle = Handle(None, self.array, self.names)
            if self.takes_part:
                handle.dataset = runtime.open(self.teams[self.team], self.path)
            self.handles.append(handle)

    def write(self):
        handle = self.pick()
        places, values = self.drawn(handle, self.choose.choice([3, 30, 300]))
        self.attempt(handle, lambda: handle.dataset.write_all(self.ours(places), self.ours(values)))
        self.put(handle, places, values)

    def add(self):
        handle = self.pick()
        places, values = self.drawn(handle, 20)
        self.attempt(
            handle, lambda: handle.dataset.write_all(self.ours(places), self.ours(values), combine="sum")
        )
        self.put(handle, places, values, adding=True)

    def slab(self):
        """Every rank its own part of the rows, and of the last axis where there are two."""
        handle = self.pick()
        rows = handle.array.shape[0]
        edges = sorted(self.choose.randint(0, rows) for _ in range(self.size + 1))
        parts = [
            (slice(low, high), *([slice(0, 2)] if handle.array.ndim == 2 else []))
            for low, high in pairwise(edges)
        ]
        values = [self.values(handle.array[part].shape, handle.array.dtype) for part in parts]
        self.attempt(handle, lambda: handle.dataset.write_all(self.ours(parts), self.ours(values)))
        if not self.refused(handle):
            self.finish_pending(handle)
            after = self.array.copy()
            for part, value in zip(parts, values, strict=True):
                after[part] = value
            self.commit(handle, after)

    def by_schedule(self):
        handle = self.pick()
        if not handle.schedules or self.choose.random() < 0.5:
            places, _ = self.drawn(handle, 40)
            combine = self.choose.choice(["last", "sum"])
            made = None
            if self.takes_part:
                handle.dataset._end_pending()
                made = handle.dataset.schedule(self.ours(places), combine=combine)
            self.finish_pending(handle)
            handle.schedules.append((made, places, combine))
        schedule, places, combine = self.choose.choice(handle.schedules)
        values = [self.values((len(place), *handle.array.shape[1:]), handle.array.dtype) for place in places]
        self.attempt(handle, lambda: handle.dataset.write_all(schedule, self.ours(values)))
        self.put(handle, places, values, adding=combine == "sum")
        if self.takes_part:
            found = handle.dataset.read_all(schedule)
            same(found, handle.array[self.ours(places)], "a read by a schedule")

    def begin(self):
        """A write in the background; another handle's write is refused until it ends."""
        handle = self.pick()
        places, values = self.drawn(handle, 30)
        if self.refused(handle):
            self.attempt(handle, lambda: handle.dataset.iwrite_all(self.ours(places), self.ours(values)))
            return
        self.finish_pending(handle)
        handle.pending = (None, places, values)
        if self.takes_part:
            handle.pending = (handle.dataset.iwrite_all(self.ours(places), self.ours(values)), places, values)

    def end(self):
        handle = self.pick()
        if handle.pending and handle.pending[0] is not None:
            handle.pending[0].wait()
        self.finish_pending(handle)

    def read(self):
        handle = self.pick()
        if handle.pending:
            self.end_of(handle)
        places, _ = self.drawn(handle, 50)
        interrupted = self.choose.random() < 0.5
        if self.takes_part:
            same(handle.dataset.read_all(self.ours(places)), handle.array[self.ours(places)], "a read")
            same(handle.dataset.read_all(...), handle.array, "a read of all")
            begun = handle.dataset.iread_all(self.ours(places))
            if interrupted:
                same(handle.dataset.read_all(...), handle.array, "a read of all, which ends the one before")
            same(begun.wait(), handle.array[self.ours(places)], "a read in the background")

    def refresh(self):
        handle = self.pick()
        if handle.pending:
            self.end_of(handle)
        if self.is_replaced(handle):
            self.must_refuse(handle, lambda: handle.dataset.refresh())
            return
        self.catch_up(handle)

    def close(self):
        if not self.handles:
            return
        handle = self.handles.pop(self.choose.randrange(len(self.handles)))
        if self.takes_part:
            handle.dataset.close()
        self.finish_pending(handle)
        if not self.handles:
            self.team = self.choose.randrange(len(self.teams))

    def loop_cache(self):
        handle = self.pick()
        if handle.array.ndim > 1 or self.refused(handle):
            return
        self.catch_up(handle)
        cache = runtime.LoopCache(handle.dataset) if self.takes_part else None
        view = self.array.copy()
        following, _ = self.drawn(handle, 30)
        for _ in range(self.choose.randint(1, 4)):
            places = following
            values = [self.values((len(place),), view.dtype) for place in places]
            following, _ = self.drawn(handle, 30)
            if self.takes_part:
                cache.write_all(self.ours(places), self.ours(values), again=self.ours(following))
            for place, value in zip(places, values, strict=True):
                view[place] = value
            if self.takes_part:
                same(
                    cache.read_all(self.ours(following)), view[self.ours(following)], "a read by a loop cache"
                )
        if self.takes_part:
            cache.flush()
            handle.dataset._caches.clear()
        self.commit(handle, view)

    def write_behind(self):
        handle = self.pick()
        if handle.array.ndim > 1 or self.refused(handle):
            return
        self.catch_up(handle)
        view = self.array.copy()
        memory = self.choose.choice([1, 400, 10**6])
        behind = runtime.WriteBehind(handle.dataset, memory=memory) if self.takes_part else None
        for _ in range(self.choose.randint(1, 5)):
            places, values = self.drawn(handle, 20)
            asked, ahead = self.drawn(handle, 10)[0], self.drawn(handle, 10)[0]
            if self.takes_part:
                behind.write_all(self.ours(places), self.ours(values))
            for place, value in zip(places, values, strict=True):
                view[place] = value
            if self.choose.random() < 0.5 and self.takes_part:
                found = behind.read_all(self.ours(asked), ahead=self.ours(ahead))
                same(found, view[self.ours(asked)], "a read behind writes")
        if self.takes_part:
            behind.flush()
            handle.dataset._caches.clear()
        self.commit(handle, view)

    def crash(self):
        """All handles end as if their processes had been killed; a write in flight leaves its files."""
        if self.choose.random() < 0.5:
            return
        for handle in self.handles:
            if self.takes_part:
                die(handle.dataset)
        self.handles.clear()
        if self.takes_part:
            self.barrier()
        self.team = self.choose.randrange(len(self.teams))

    # What the array in memory must then be.

    def put(self, handle, places, values, *, adding=False):
        if self.refused(handle):
            return
        self.finish_pending(handle)
        after = self.array.copy()
        if adding:
            for place in places:
                after[place] = np.zeros((), after.dtype)
        for place, value in zip(places, values, strict=True):
            if adding:
                add_at(after, place, value)
            else:
                after[place] = value
        self.commit(handle, after)

    def commit(self, handle, after):
        self.array = handle.array = after

    def finish_pending(self, handle):
        if handle.pending:
            _, places, values = handle.pending
            handle.pending = None
            self.put(handle, places, values)

    def end_of(self, handle):
        if handle.pending and handle.pending[0] is not None:
            handle.pending[0].wait()
        self.finish_pending(handle)

    def catch_up(self, handle):
        self.end_of(handle)
        if self.takes_part:
            handle.dataset.refresh()
        handle.array = self.array

    # Small things.

    def pick(self):
        if not self.handles:
            self.open()
        return self.choose.choice(self.handles)

    def ours(self, parts):
        return parts[self.rank]

    def is_replaced(self, handle):
        return handle.name != self.names

    def refused(self, handle):
        """A write by this handle is refused: the dataset is another now, or another handle has one in flight."""
        others = any(other.pending for other in self.handles if other is not handle)
        return others or self.is_replaced(handle)

    def attempt(self, handle, write):
        if self.refused(handle):
            if handle.pending:
                self.end_of(handle)
            self.must_refuse(handle, write)
        elif self.takes_part:
            write()

    def must_refuse(self, handle, act):
        if not self.takes_part:
            return
        try:
            act()
        except DatasetError:
            return
        raise DifferenceError("a write that must be refused was made")

    def drawn(self, handle, most):
        rows = handle.array.shape[0]
        places = histories.places(self.choose, rows, self.size, most)
        values = [self.values((len(place), *handle.array.shape[1:]), handle.array.dtype) for place in places]
        return places, values

    def values(self, shape, kind):
        return histories.values(self.choose, shape, kind)

    def check(self):
        if self.rank:
            return
        if findings := runtime.verify(self.path).findings:
            raise DifferenceError(findings[0])
        if not any(handle.pending for handle in self.handles):
            with runtime.open_serial(self.path) as dataset:
                same(dataset[...], self.array, "what another process reads")

    def barrier(self):
        if self.teams[self.team] is not None:
            self.teams[self.team].Barrier()


def add_at(array, places, values):
    if array.dtype.names is None:
        np.add.at(array, places, values)
        return
    for name in array.dtype.names:
        np.add.at(array[name], places, values[name])


def die(dataset):
    """End a handle as a kill of its process does: files stay as they are, and the kernel takes the lock back."""
    if dataset._pending is not None:
        dataset._pending.finish_moving()
        dataset._pending.writing.writers.close()
        dataset._pending = None
    dataset._files.close()
    dataset._windows.release()
    if dataset._background is not None:
        dataset._background.end(together=False)
    dataset._closed = True
    lose_lock(dataset._state.session)


if __name__ == "__main__":
    sys.exit(histories.main(History, sys.argv[1:]))
