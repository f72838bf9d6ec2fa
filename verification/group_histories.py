"""Random histories of a group against dictionaries: fixed rows, lists, steps, schedules, handles, crashes, reopening.

    mpiexec -n 4 python verification/group_histories.py 500 50     # histories, steps of each
    python verification/group_histories.py 100 50                  # one process

Each history opens the group on 1 to all ranks, again and again. Prints the number of differences, and for each the
seed that brings it back.
"""

import copy
import sys

import histories
import numpy as np
from histories import DifferenceError, lose_lock, same

import striate.runtime as runtime
from striate.runtime import Ragged, Variable

CODECS = (None, None, "zstd", "crc32c")


class Model:
    """What the group must hold: of each variable an array, or a list of arrays, and the same for every step."""

    def __init__(self, rows, kinds):
        self.rows, self.kinds = rows, kinds
        self.static = self.blank("abcd")
        self.steps, self.first = [], 0

    def blank(self, names):
        empty = {"a": np.zeros(self.rows, self.kinds[0]), "b": np.zeros((self.rows, 3), self.kinds[1])}
        empty["c"] = [np.zeros(0, self.kinds[2])] * self.rows
        empty["d"] = np.zeros(self.rows, self.kinds[3])
        return {name: copy.copy(empty[name]) for name in names}

    @staticmethod
    def put(variables, places, records):
        """Rank after rank, entry after entry: the last stays."""
        for name, parts in records.items():
            for place, part in zip(places, parts, strict=True):
                if name == "c":
                    for row, values in zip(place, part, strict=True):
                        variables[name][row] = values
                else:
                    variables[name][place] = part


class History:
    """One history. All ranks draw the same numbers; `teams[k]` are the communicators of the lowest k + 1 ranks."""

    def __init__(self, teams, rank, choose, path):
        self.teams, self.rank, self.choose, self.path = teams, rank, choose, path
        self.team = choose.randrange(len(teams))
        rows, kinds = choose.randint(1, 120), [np.dtype(choose.choice(["f8", "i4", "u1"])) for _ in range(4)]
        self.keep = choose.choice([None, None, 1, 3])
        self.model = Model(rows, kinds)
        self.group, self.view = None, None  # the handle that writes, and an older one that reads
        self.schedule = None
        variables = {"t": Variable("f8", ("time",))}
        for prefix, front in (("", ()), ("s", ("time",))):
            codec = choose.choice(CODECS)
            variables |= {
                f"{prefix}a": Variable(kinds[0], (*front, "row"), codec=codec),
                f"{prefix}b": Variable(kinds[1], (*front, "row", "xyz")),
                f"{prefix}c": Variable(kinds[2], (*front, "row"), codec=codec, ragged=True),
                f"{prefix}d": Variable(kinds[3], (*front, "row")),
            }
        settings = {
            "chunk": choose.choice([64, 256, "1 KiB"]),
            "buffer": choose.choice(["4 KiB", "64 KiB"]),
            "servers": choose.randint(1, self.team + 1),
            "share_memory": choose.choice([True, True, False]),
            "keep": self.keep,
        }
        dimensions = {"time": None, "row": rows, "xyz": 3}
        if self.takes_part:
            self.group = runtime.create_group(
                self.teams[self.team], path, dimensions=dimensions, variables=variables, **settings
            )
        self.append()  # it takes its place now

    @property
    def takes_part(self):
        return self.rank <= self.team

    def play(self, steps):
        moves = (
            self.write,
            self.write,
            self.append,
            self.append,
            self.read,
            self.read,
            self.look,
            self.reopen,
            self.crash,
        )
        for _ in range(steps):
            self.choose.choice(moves)()
        self.check()
        self.end()
        self.check()

    # What is done to the group, and to the model.

    def write(self):
        where, records = self.drawn(self.choose.choice(["a", "b", "c", "ab", "ac", "abc", "abd", "abd"]))
        if self.takes_part:
            self.group.write_all(where, self.ours(records))
        self.model.put(self.model.static, self.places, records)

    def append(self):
        where, records = self.drawn(self.choose.choice(["a", "c", "bc", "abc", "abd", "abd", "abcd"]))
        time = self.choose.randint(0, 99) / 4
        if self.takes_part:
            named = {f"s{name}": part for name, part in self.ours(records).items()}
            self.group.append_all(where, named, t=time)
        step = self.model.blank("abcd")
        self.model.put(step, self.places, records)
        self.model.steps.append((time, step))
        if self.keep and len(self.model.steps) > self.keep:
            self.model.steps.pop(0)
            self.model.first += 1

    def read(self):
        self.compare(self.group, self.model)

    def look(self):
        """A reader opened before goes on with its generation, unless a step it knows was dropped; then it refreshes."""
        if self.view is None:
            handle = runtime.open_group(self.teams[self.team], self.path) if self.takes_part else None
            self.view = (handle, copy.deepcopy(self.model))
            return
        handle, model = self.view
        if self.choose.random() < 0.5:
            if self.takes_part:
                handle.refresh()
            self.view = (handle, copy.deepcopy(self.model))
        elif not self.keep and self.choose.random() < 0.7:
            self.compare(handle, model, growing_only=True)

    def reopen(self):
        self.end()
        self.team = self.choose.randrange(len(self.teams))
        if self.takes_part:
            self.group = runtime.open_group(self.teams[self.team], self.path)

    def crash(self):
        """The handles end as if their processes had been killed, in the middle of a write or not."""
        if self.choose.random() < 0.5:
            return
        if self.takes_part:
            for handle in (self.group, self.view and self.view[0]):
                if handle is not None:
                    handle._memory.release()
                    handle.files.close()
                    handle._closed = True
                    lose_lock(handle._state.setting.session)
        if self.rank == 0:
            (self.path / f"{self.identity()}-99999999-0.blocks").write_bytes(b"half a write")
        self.group = self.view = self.schedule = None
        self.barrier()
        self.team = self.choose.randrange(len(self.teams))
        if self.takes_part:
            self.group = runtime.open_group(self.teams[self.team], self.path)

    def identity(self):
        return next(self.path.glob("*.blocks")).name[:16] if list(self.path.glob("*.blocks")) else "0" * 16

    def end(self):
        if self.takes_part:
            for handle in (self.group, self.view and self.view[0]):
                if handle is not None:
                    handle.close()
        self.group = self.view = self.schedule = None
        self.barrier()

    # Comparing.

    def compare(self, handle, model, growing_only=False):
        name = self.choose.choice("abcd")
        rows = histories.places(self.choose, model.rows, self.team + 1, 60)
        step = self.choose.randrange(len(model.steps)) if model.steps else None
        growing = growing_only or self.choose.random() < 0.5
        if not self.takes_part or (growing and step is None):
            return
        wanted = model.steps[step][1][name] if growing else model.static[name]
        mine = rows[self.rank]
        found = handle.read_all(
            f"s{name}" if growing else name, mine, step=model.first + step if growing else -1
        )
        if name == "c":
            same_lists(found, [wanted[row] for row in mine])
        else:
            same(found, wanted[mine], f"{name}, step {step}")
        same(handle.scalar("t"), np.array([time for time, _ in model.steps]), "the times")

    def check(self):
        if self.rank:
            return
        if findings := runtime.verify(self.path).findings:
            raise DifferenceError(findings[0])
        with runtime.open_group(None, self.path) as group:
            for name, wanted in self.model.static.items():
                self.same_whole(group.read_all(name), wanted, name)
            for number, (_, step) in enumerate(self.model.steps):
                for name, wanted in step.items():
                    found = group.read_all(f"s{name}", step=self.model.first + number)
                    self.same_whole(found, wanted, f"{name}, step {number}")

    def same_whole(self, found, wanted, what):
        if isinstance(found, Ragged):
            same_lists(found, wanted)
        else:
            same(found, wanted, what)

    # Small things.

    def drawn(self, names):
        """Where to write, as places or as a schedule, and what: for each name the records of each rank."""
        model = self.model
        if self.schedule is None or self.choose.random() < 0.7:
            self.places = self.drawn_places()
            where = self.places[self.rank] if self.takes_part else None
            if self.choose.random() < 0.3:
                made = self.group.schedule("row", where) if self.takes_part else None
                self.schedule = where = (made, self.places)
                where = made
        else:
            where, self.places = self.schedule
        records = {}
        for name, kind in zip("abcd", model.kinds, strict=True):
            if name in names:
                records[name] = [self.records(name, len(place), kind) for place in self.places]
        return where, records

    def drawn_places(self):
        """For each rank some rows; now and then all ranks together name all rows."""
        rows, ranks = self.model.rows, self.team + 1
        if self.choose.random() < 0.7:
            return histories.places(self.choose, rows, ranks, self.choose.choice([3, 40]))
        every = np.array(self.choose.sample(range(rows), rows), np.int64)
        return np.array_split(every, ranks)

    def records(self, name, count, kind):
        if name == "c":
            lengths = [self.choose.choice([0, 1, 2, 9, 60]) for _ in range(count)]
            return [
                np.abs(histories.values(self.choose, (length,), np.dtype("i4"))).astype(kind)
                for length in lengths
            ]
        shape = (count, 3) if name == "b" else (count,)
        return np.abs(histories.values(self.choose, shape, np.dtype("i4"))).astype(kind)

    def ours(self, records):
        """A rank gives its lists as they are, or counted and in one row."""
        found = {name: parts[self.rank] for name, parts in records.items()}
        if "c" in found and (self.rank % 2 or not found["c"]):
            found["c"] = Ragged.of(found["c"], self.model.kinds[2])
        return found

    def barrier(self):
        if self.teams[-1] is not None:
            self.teams[-1].Barrier()


def same_lists(found, wanted):
    if len(found) != len(wanted) or any(
        not np.array_equal(one, other) or one.dtype != other.dtype
        for one, other in zip(found, wanted, strict=True)
    ):
        raise DifferenceError("lists differ")


if __name__ == "__main__":
    sys.exit(histories.main(History, sys.argv[1:]))
