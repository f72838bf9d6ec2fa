"""The rows of a simulated trace, level by level, from the bars that the engine wrote down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.part_names import service_name, station_name
from striate.engine.recording import Rows
from striate.layout.extents import Extents
from striate.trace.columns import NONE
from striate.trace.header import TracedCommunicator
from striate.trace.kinds import COLLECTIVES, KINDS, LEVELS, STEP_LEVEL
from striate.workload.application import Application
from striate.workload.kinds import ACCESSES, ONE_SIDED, OPERANDS, Kind
from striate.workload.program import Int64s

# Functions of rows whose kind does not tell all.
NAMED = {
    Kind.SSEND: "MPI_Ssend",
    Kind.EXSCAN: "MPI_Exscan",
    Kind.WAITANY: "MPI_Waitany",
    Kind.PUT: "MPI_Put",
    Kind.GET: "MPI_Get",
    Kind.ACCUMULATE: "MPI_Accumulate",
    Kind.FLUSH: "MPI_Win_flush",
    Kind.LOCK: "MPI_Win_lock",
    Kind.UNLOCK: "MPI_Win_unlock",
}
_MORE_NAMES = ("MPI_Testany", "MPI_Win_flush_local")
_NAMES = ("", *NAMED.values(), *_MORE_NAMES)
ALGORITHM = "algorithm:"  # of a collective call that names one, as its function
_BURST_DISK = 1 << 15  # core/include/striate/storage/device.hpp
_BARS = ("other", "read", "write", "sync", "open", "close", "stat", "delete", "transfer")
_STEPS = ("send", "recv", "sendrecv", "compute")  # kinds of bars, too
_KIND_OF_BAR = np.array([KINDS.index(word) for word in (*_BARS, *_STEPS)], np.int8)
_WORDS = {
    Kind.SSEND: "send",
    **{Kind[word.upper()]: word for word in (*COLLECTIVES, "send", "recv", "sendrecv", "wait", "compute")},
    **{Kind[word.upper()]: word for word in ("open", "close", "stat", "sync", "read", "write")},
    Kind.READ_ALL: "read",
    Kind.WRITE_ALL: "write",
    Kind.WAITALL: "wait",
    Kind.TEST: "probe",
    Kind.WAITANY: "wait",
    Kind.EXSCAN: "scan",
    **dict.fromkeys(ONE_SIDED, "rma"),
    Kind.ERASE: "delete",
    Kind.REGION_BEGIN: "region",
}
_PROGRAM = frozenset((Kind.COMPUTE, Kind.REGION_BEGIN))
_FILES = tuple(kind for kind, names in OPERANDS.items() if "file" in names)

Columns = dict[str, NDArray[Any]]


class Families:
    """The groups of all communicators one after the other, as a trace lists them."""

    def __init__(self, application: Application) -> None:
        found: list[TracedCommunicator] = []
        self._groups = []
        self._first = []
        for number, family in enumerate(application.communicators):
            groups = application.groups(number)
            self._groups.append(groups)
            self._first.append(len(found))
            if family.color is None:
                found.append(TracedCommunicator(family.name))
                continue
            ends = zip(groups.first[:-1].tolist(), groups.first[1:].tolist(), strict=True)
            found += [
                TracedCommunicator(f"{family.name} {group}", tuple(groups.member[low:high].tolist()))
                for group, (low, high) in enumerate(ends)
            ]
        self.communicators = tuple(found)

    def numbers(self, family: int, ranks: Int64s) -> Int64s:
        """The communicator of each of `ranks` in a family."""
        return self._first[family] + np.maximum(self._groups[family].group[ranks], 0)


class Resources:
    """Names of what ranks used, numbered as they are asked for."""

    def __init__(self, cluster: Cluster, ranks: int) -> None:
        self._cluster, self._ranks = cluster, ranks
        self.names: list[str] = []

    def numbers(self, keys: NDArray[Any], name: Any) -> NDArray[np.int32]:
        """A number for each key; new keys get the next ones and `name(key)`."""
        distinct, which = np.unique(keys, return_inverse=True)
        first = len(self.names)
        self.names += [name(key) for key in distinct.tolist()]
        return (first + which.ravel()).astype(np.int32)

    def server(self, number: int) -> str:
        return service_name(self._cluster, number)

    def disk(self, key: int) -> str:
        server, disk = divmod(key, 2**16)
        if disk < _BURST_DISK:
            return f"disk {server}.{disk}"
        return f"burst buffer {server}"

    def station(self, number: int) -> str:
        return station_name(self._cluster, self._ranks, number)


class Functions:
    """What a simulated row calls beside what its kind tells: a synchronous send, a collective's algorithm."""

    def __init__(self, application: Application) -> None:
        self._application = application

    @staticmethod
    def column(numbers: NDArray[Any], application: Application) -> tuple[NDArray[Any], list[str]]:
        """The numbers of all rows as codes, and the names that occur."""
        names = (*_NAMES, *(ALGORITHM + name for name in application.algorithms))
        used, codes = np.unique(numbers, return_inverse=True)
        return codes.ravel().astype(np.int16), [names[number] for number in used.tolist()] or [""]

    def number(self, line: int) -> int:
        programs = self._application.programs
        kind = Kind(int(programs.kind[line]))
        if "algorithm" in OPERANDS[kind] and self._named(line):
            return len(_NAMES) + int(programs.constant[programs.operand(line, "algorithm")])
        if kind is Kind.WAITANY and not int(programs.constant[programs.operand(line, "least")]):
            return _NAMES.index("MPI_Testany")
        if kind is Kind.FLUSH and int(programs.constant[programs.operand(line, "local")]):
            return _NAMES.index("MPI_Win_flush_local")
        return _NAMES.index(NAMED.get(kind, ""))

    def _named(self, line: int) -> bool:
        programs = self._application.programs
        return int(programs.constant[programs.operand(line, "algorithm")]) >= 0

    def has_sizes_by_peer(self, line: int) -> bool:
        programs = self._application.programs
        kind = Kind(int(programs.kind[line]))
        if kind is Kind.ALLTOALLV:
            return True
        if kind is not Kind.REDUCE_SCATTER:
            return False
        return int(programs.constant[programs.operand(line, "counts")]) >= 0


def rank_rows(bars: Rows, application: Application, families: Families, lists: list[Extents]) -> Columns:
    """Operations and regions of ranks; what no loop moves is read from the table. Sizes by peer join `lists`."""
    row, rank = bars["place"].astype(np.int64), bars["rank"]
    programs = application.programs
    kinds = programs.kind[row]
    columns: Columns = {
        "rank": rank,
        "start": bars["start"],
        "end": bars["end"],
        "bytes": np.where(kinds == Kind.COMPUTE, 0, bars["bytes"]),
        "work": np.where(kinds == Kind.COMPUTE, bars["more"], NONE),
        "instructions": np.where(kinds == Kind.COMPUTE, bars["bytes"], 0),
        "function": np.zeros(len(row), np.int16),
        "tag": bars["tag"],
        "peer": bars["peer"],
        "blocks": np.ones(len(row), np.int64),
        "kind": np.array(
            [KINDS.index(_WORDS.get(Kind(code), "other")) for code in range(len(Kind))], np.int8
        )[kinds],
        "level": np.array([_level(Kind(code)) for code in range(len(Kind))], np.int8)[kinds],
        "collective": np.isin(kinds, [Kind.READ_ALL, Kind.WRITE_ALL])
        | ((kinds >= Kind.BARRIER) & (kinds <= Kind.REDUCE_SCATTER)),
        "received": np.where(kinds == Kind.SENDRECV, bars["more"], 0),
        "source": np.where(kinds == Kind.SENDRECV, bars["other"], NONE),
        "source_tag": np.where(kinds == Kind.SENDRECV, bars["other_tag"], NONE),
        "stride": np.zeros(len(row), np.int64),
        "status": np.zeros(len(row), np.int32),
        "thread": np.zeros(len(row), np.int32),
    }
    accesses = np.isin(kinds, list(ACCESSES))
    files = np.isin(kinds, _FILES)
    columns["file"] = np.where(files, bars["other"], NONE)
    columns["offset"] = np.where(accesses, bars["more"], NONE)
    for name in ("communicator", "request", "extents", "region"):
        columns[name] = np.full(len(row), NONE, np.int64)
    columns["request"] = np.where(kinds == Kind.WAITANY, bars["more"], NONE)
    functions = Functions(application)
    order = np.argsort(row, kind="stable")
    numbers, first = np.unique(row[order], return_index=True)
    for number, mine_of_one in zip(numbers.tolist(), np.split(order, first[1:])[: len(numbers)], strict=True):
        _from_program(columns, mine_of_one, application, number, families)
        columns["function"][mine_of_one] = functions.number(number)
        if functions.has_sizes_by_peer(number):
            columns["extents"][mine_of_one] = _sizes_by_peer(application, number, rank[mine_of_one], lists)
    return columns


def _sizes_by_peer(application: Application, number: int, rank: NDArray[Any], lists: list[Extents]) -> Int64s:
    """Numbers of lists (peer, bytes) of a call that names them, one per rank."""
    programs = application.programs
    members = application.groups(int(programs.communicator[number])).size(rank.astype(np.int64))
    counts = np.broadcast_to(
        programs.base(programs.operand(number, "counts"), rank.astype(np.int64)), rank.shape
    )
    distinct, which = np.unique(np.stack([rank, counts, members]), axis=1, return_inverse=True)
    first = len(lists)
    for one, matrix, size in distinct.T.tolist():
        sizes = application.counts[matrix]
        sizes = sizes[one] if sizes.ndim == 2 else sizes
        lists.append(Extents.trusted(np.arange(size, dtype=np.int64), sizes[:size]))
    return np.asarray(first + which.ravel(), np.int64)


def _level(kind: Kind) -> int:
    if kind in _PROGRAM:
        return LEVELS.index("program")
    return LEVELS.index("mpi-io" if "file" in OPERANDS[kind] else "mpi")


def _from_program(
    columns: Columns, rows: NDArray[np.int64], application: Application, number: int, families: Families
) -> None:
    """Fill in what the program table says of the bars `rows`, all of them of line `number`."""
    programs = application.programs
    kind = Kind(int(programs.kind[number]))
    ranks = columns["rank"][rows].astype(np.int64)

    def base(name: str) -> Any:
        return programs.base(programs.operand(number, name), ranks)

    if kind in (Kind.REGION_BEGIN, Kind.REGION_END):
        columns["region"][rows] = base("region")
        return
    if "request" in OPERANDS[kind]:
        columns["request"][rows] = base("request")
    if kind is not Kind.COMPUTE:
        columns["communicator"][rows] = families.numbers(int(programs.communicator[number]), ranks)
    if kind in ACCESSES:
        columns["extents"][rows] = base("extents")
        columns["blocks"][rows] = np.maximum(base("count"), 1)
        columns["stride"][rows] = np.where(columns["blocks"][rows] > 1, base("stride"), 0)


def step_rows(bars: Rows, application: Application, families: Families) -> Columns:
    """Steps of collective calls: exchanges, accesses of aggregators, computing; peers by their rank in the group."""
    kind = _KIND_OF_BAR[bars["kind"]]
    both = kind == KINDS.index("sendrecv")
    access = np.isin(kind, [KINDS.index(word) for word in ("read", "write")])
    columns: Columns = {
        **_shared(bars, STEP_LEVEL),
        "kind": kind,
        "rank": bars["rank"],
        "bytes": bars["bytes"],
        "peer": bars["peer"],
        "received": np.where(both, bars["more"], 0),
        "source": np.where(both, bars["other"], NONE),
        "offset": np.where(access, bars["more"], NONE),
        "communicator": np.full(len(bars), NONE, np.int64),
        "file": np.full(len(bars), NONE, np.int64),
    }
    programs, row = application.programs, bars["place"].astype(np.int64)
    for number in np.unique(row).tolist():
        mine = np.flatnonzero(row == number)
        ranks = bars["rank"][mine].astype(np.int64)
        columns["communicator"][mine] = families.numbers(int(programs.communicator[number]), ranks)
        if "file" in OPERANDS[Kind(int(programs.kind[number]))]:
            columns["file"][mine] = programs.base(programs.operand(number, "file"), ranks)
    columns["file"] = np.where(access, columns["file"], NONE)
    return columns


def server_rows(bars: Rows, resources: Resources) -> Columns:
    return {
        **_shared(bars, "server"),
        "kind": _KIND_OF_BAR[bars["kind"]],
        "rank": bars["rank"],
        "file": bars["other"],
        "offset": bars["more"],
        "bytes": bars["bytes"],
        "resource": resources.numbers(bars["place"], resources.server),
    }


def network_rows(transfers: Rows, resources: Resources, ranks: int) -> Columns:
    """Who sends, or for whom a server does; the peer where both are ranks."""
    source, target = transfers["source"], transfers["target"]
    return {
        **_shared(transfers, "network"),
        "kind": np.full(len(transfers), KINDS.index("transfer"), np.int8),
        "rank": np.where(source < ranks, source, np.where(target < ranks, target, NONE)),
        "peer": np.where((source < ranks) & (target < ranks), target, NONE),
        "bytes": transfers["bytes"],
        "resource": resources.numbers(transfers["station"], resources.station),
    }


def disk_rows(bars: Rows, resources: Resources) -> tuple[Columns, Columns]:
    """Transfers, and before them the seeks of those that took one."""
    numbers = resources.numbers(bars["place"].astype(np.int64) * 2**16 + bars["tag"], resources.disk)
    moves = bars["start"] + bars["more"]
    transfers: Columns = {
        **_shared(bars, "disk"),
        "kind": _KIND_OF_BAR[bars["kind"]],
        "start": moves,
        "file": bars["other"],
        "bytes": bars["bytes"],
        "resource": numbers,
    }
    seeking = bars["more"] > 0
    seeks: Columns = {
        **_shared(bars[seeking], "disk"),
        "kind": np.full(int(seeking.sum()), KINDS.index("seek"), np.int8),
        "end": moves[seeking],
        "file": bars["other"][seeking],
        "bytes": np.zeros(int(seeking.sum()), np.int64),
        "resource": numbers[seeking],
    }
    return transfers, seeks


def _shared(rows: Rows, level: str) -> Columns:
    count = len(rows)
    return {
        "start": rows["start"],
        "end": rows["end"],
        "level": np.full(count, LEVELS.index(level), np.int8),
        "collective": np.zeros(count, bool),
        "blocks": np.ones(count, np.int64),
        "thread": np.zeros(count, np.int32),
        "status": np.zeros(count, np.int32),
        "stride": np.zeros(count, np.int64),
        "received": np.zeros(count, np.int64),
    }
