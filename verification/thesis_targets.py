"""Chapter 7 of thesis 003, measurement by measurement: what it found, and what the simulation says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from thesis_machine import AT_SATURATION, SMALL, WITH_OUTPUT, Bench
from thesis_program import Analysis

from striate.workload import Workload
from striate.workload.operations import Operation, barrier, write


@dataclass
class Row:
    """One number, or a range the thesis gives for it; `within` is the tolerance around `thesis`."""

    label: str
    simulated: float
    thesis: float | None = None
    within: float | None = None  # relative, or points where `unit` is %
    unit: str = ""
    words: str = ""  # the label for a sentence of the page

    @property
    def is_close(self) -> bool | None:
        if self.thesis is None or self.within is None:
            return None
        distance = abs(self.simulated - self.thesis)
        return distance <= (self.within if self.unit == "%" else self.within * self.thesis)


@dataclass
class Target:
    """A measurement: its numbers, and statements about them that must hold (hard) or should."""

    number: str
    title: str
    rows: list[Row]
    hard: dict[str, bool] = field(default_factory=dict)
    soft: dict[str, bool] = field(default_factory=dict)
    role: str = "predicted"

    @property
    def misses(self) -> list[str]:
        numbers = [
            f"{row.words or row.label}: {row.simulated:.3g}{row.unit} in the simulation, "
            f"{row.thesis:.3g}{row.unit} in the thesis"
            for row in self.rows
            if row.is_close is False
        ]
        return [name for name, holds in (self.hard | self.soft).items() if not holds] + numbers


def rising(values: list[float]) -> bool:
    return all(low < high for low, high in pairwise(values))


def small_run(bench: Bench) -> Target:
    seconds = bench.serial(SMALL) / SMALL.generations
    row = Row(
        "ms per generation with 12 taxa, 1 run and 4 processes", 1e3 * seconds, 1e3 * WITH_OUTPUT, 0.15,
        words="Time per generation of the serial version (rank 0 writes all output), in ms, with 12 taxa, 1 run and 4 "
        "processes",
    )  # fmt: skip
    return Target("15", "Time of a generation, absolute", [row], role="calibrated")


def saturation(bench: Bench) -> Iterator[Target]:
    analysis = Analysis.of_taxa(2664, runs=64, processes=1, generations=2)
    rows, best = [], {}
    for nodes, speedup in AT_SATURATION.items():
        counts = [nodes * factor for factor in (1, 2, 4, 8)]
        found = {count: bench.speedup(analysis.with_(processes=count), nodes) for count in counts}
        best[nodes] = max(found, key=found.__getitem__)
        rows += [
            Row(
                f"{nodes} nodes, {count} processes",
                value,
                speedup if count == 2 * nodes else None,
                0.15,
            )
            for count, value in found.items()
        ]
    exact = {
        f"with 64 runs on {nodes} nodes, the speedup is largest at {2 * nodes} processes": at == 2 * nodes
        for nodes, at in best.items()
    }
    yield Target("2", "Processes at saturation, 64 runs of 2664 taxa", [], hard=exact)
    at = [row.simulated for row in rows if row.thesis is not None]
    grows = {"with two processes per node, the speedup rises with the number of nodes": rising(at)}
    yield Target("3", "Speedup over processes and nodes, 64 runs", rows, hard=grows, role="calibrated")


def many_runs(bench: Bench) -> Iterator[Target]:
    def speedups(runs: int) -> dict[int, float]:
        analysis = Analysis.of_taxa(2664, runs=runs, processes=1, generations=2)
        return {count: bench.speedup(analysis.with_(processes=count)) for count in (8, 16, 32, 64)}

    found = speedups(256)
    yield Target(
        "4",
        "256 runs, 8 nodes, 16 processes",
        [Row("speedup", found[16], 11.3, 0.15, words="Speedup with 256 runs, 8 nodes and 16 processes")],
    )
    label = "rise of the speedup from 8 to 16 processes"
    words = f"R{label[1:]}, with 256 runs on 8 nodes"
    gain = Row(label, found[16] - found[8], 5.4, 0.2, words=words)
    yield Target("5", "256 runs, 8 nodes", [gain])
    found = speedups(32)
    share = 100 * found[64] / max(found.values())
    drops = {
        "with 32 runs on 8 nodes, more than 16 processes reduce the speedup": found[64]
        < found[32]
        < found[16]
    }
    words = "Speedup with 64 processes as a share of the best speedup, with 32 runs on 8 nodes"
    yield Target(
        "6",
        "32 runs, 8 nodes, 64 processes",
        [Row("share of the best speedup", share, 56, unit="%", words=words)],
        soft=drops,
    )


def patterns(bench: Bench) -> Target:
    complete = Analysis.of_depth(2, 8, processes=8, generations=1, chains=3)
    found = {
        "Complete-1, varstrip": bench.speedup(complete.with_varstrip()),
        "Complete-1": bench.speedup(complete),
        "Partial-1 (7 runs)": bench.speedup(complete.with_(runs=7)),
        "Complete+1 (9 runs)": bench.speedup(complete.with_(runs=9)),
    }
    said = {"Complete-1, varstrip": 3.86, "Complete+1 (9 runs)": 2.85}
    rows = [Row(label, value, said.get(label)) for label, value in found.items()]
    values = list(found.values())
    rows.append(Row("Complete-1 over Complete+1", values[0] / values[-1], 3.86 / 2.85, 0.15 / 1.354))
    order = {
        "with 8 processes, 8 runs with variable strips, then 8, 7 and 9 runs with stripes of 64 KiB (patterns "
        "Complete-1, Partial-1 and Complete+1 of the thesis) give speedups in descending order": rising(
            values[::-1]
        )
    }
    return Target("7", "Patterns, one generation, depth 2", rows, hard=order)


def runs(bench: Bench) -> Target:
    counts = [2, 4, 8, 16, 32, 64, 128, 256, 496]
    analysis = Analysis.of_taxa(1024, runs=1, processes=8, generations=2)
    simple = [bench.speedup(analysis.with_(runs=count)) for count in counts]
    strips = [bench.speedup(analysis.with_(runs=count).with_varstrip()) for count in counts]
    said = {32: 5.3, 496: 7.0}
    rows = [
        Row(f"{count} runs", value, said.get(count), 0.15)
        for count, value in zip(counts, simple, strict=True)
    ]
    rows.append(Row("496 runs, varstrip", strips[-1], 7.0, 0.15))
    return Target(
        "8",
        "Speedup over runs, 1024 taxa, 8 processes",
        rows,
        hard={"the speedup grows with the number of runs": rising(simple) and rising(strips)},
        soft={"once all servers are in use, doubling the number of runs adds at most 0.7 to the speedup": max(
            high - low for low, high in pairwise(simple[4:])
        ) <= 0.7},
    )  # fmt: skip


def striping_units(bench: Bench) -> Target:
    rows, worst, best, middle = [], [], 0.0, 0.0
    for depth, said in ((1, -10.0), (2, None), (4, None), (8, -2.0)):
        analysis = Analysis.of_depth(depth, 64, processes=8, generations=4)
        units = (1, 100, 1024, 16_384, 65_536 * depth)
        gains = {unit: bench.gain(analysis.with_(layout=f"simple:8:{unit}"), analysis) for unit in units}
        words = f"time saved at depth {depth} by a striping unit of 1 byte, against a unit of 64 KiB"
        rows.append(Row(f"depth {depth}, unit 1", gains[1], said, 3, "%", words))
        worst.append(gains[1])
        best = max(best, *gains.values())
        middle = min(middle, *(gain for unit, gain in gains.items() if unit >= 100))
    rows += [Row("best of all units", best, 0.6, 3, "%"), Row("worst unit from 100 on", middle, -2, 3, "%")]
    return Target(
        "9",
        "Time saved against a striping unit of 64 KiB",
        rows,
        hard={
            "writes with a striping unit of 1 byte are slower than with a unit of 64 KiB": max(worst) < 0,
            "the time lost by a striping unit of 1 byte shrinks as each generation writes more data": rising(
                worst
            ),
        },
    )


def buffering(bench: Bench) -> Iterator[Target]:
    def gains(analysis: Analysis, factors: tuple[int, ...]) -> dict[int, float]:
        plain = analysis.with_varstrip()
        return {
            factor: bench.gain(analysis.with_(buffered=factor).with_varstrip(), plain) for factor in factors
        }

    small = gains(Analysis.of_taxa(8, runs=64, processes=8, generations=20), (6, 10, 15, 20))
    rows = [
        Row(
            f"lambda {factor}",
            value,
            {6: 42, 20: 50}.get(factor),
            10,
            "%",
            f"time saved with 8 taxa by buffering {factor} generations before a write",
        )
        for factor, value in small.items()
    ]
    yield Target(
        "10",
        "Time saved by buffering, 8 taxa",
        rows,
        soft={
            "with 8 taxa, buffering 6 to 20 generations before a write saves time": min(small.values()) > 0
        },
    )
    large = gains(Analysis.of_taxa(1024, runs=64, processes=8, generations=20), (5, 10, 15, 20))
    rows = [Row(f"lambda {factor}", value, unit="%") for factor, value in large.items()]
    yield Target(
        "11",
        "Time saved by buffering, 1024 taxa",
        rows,
        soft={
            "with 1024 taxa, buffering 5 to 20 generations before a write costs time": max(large.values()) < 0
        },
    )
    said = {1: 2.5, 8: -2.5}
    sixteen = {
        depth: gains(Analysis.of_depth(depth, 64, processes=8, generations=16), (16,))[16]
        for depth in (1, 2, 4, 8)
    }
    rows = [Row(f"depth {depth}", value, said.get(depth), 2, "%") for depth, value in sixteen.items()]
    turns = sixteen[4] > 0 > sixteen[8] and sixteen[1] > 0
    yield Target(
        "12",
        "Time saved with lambda 16, 16 generations, varstrip",
        rows,
        hard={
            "buffering 16 generations before a write saves time up to depth 4 and costs time at depth 8": turns
        },
    )


def iterations(bench: Bench) -> Target:
    rows, moves = [], {}
    for count, depth, said in ((8, 1, (4, 4)), (8, 32, (3.8, 5)), (64, 0.5, (5, 3.5)), (64, 16, (7, 7))):
        analysis = Analysis.of_depth(depth, count, processes=8, generations=1).with_varstrip()
        found = [bench.speedup(analysis.with_(generations=generations)) for generations in (1, 8)]
        for generations, value, expected in zip((1, 8), found, said, strict=True):
            label = f"{count} runs, depth {depth}, {generations} generations"
            words = f"speedup with {count} runs at depth {depth} over {generations} generation{'s'[: generations - 1]}"
            rows.append(Row(label, value, expected, 0.2, words=words))
        moves[count, depth] = found[1] / found[0]
    return Target(
        "13",
        "Speedup over generations, varstrip",
        rows,
        hard={
            "from 1 to 8 generations, the speedup increases with 8 runs at depth 32": moves[8, 32] > 1.05,
            "from 1 to 8 generations, the speedup decreases with 64 runs at depth 0.5": moves[64, 0.5] < 0.95,
            "from 1 to 8 generations, the speedup changes by less than 10 % with 8 runs at depth 1 and with 64 runs at "
            "depth 16": all(abs(moves[key] - 1) < 0.1 for key in ((8, 1), (64, 16))),
        },
    )


def comparison(bench: Bench) -> Target:
    analysis = Analysis(runs=128, processes=8, generations=4, line_bytes=78_978_304 // 4 // 128)
    serial = bench.serial(analysis)
    found = {
        f"varstrip, lambda {factor}": serial / bench.mapped(analysis.with_(buffered=factor).with_varstrip())
        for factor in (1, 2, 4)
    } | {
        f"unit {unit}": serial / bench.mapped(analysis.with_(layout=f"simple:8:{unit}"))
        for unit in (1024, 65_536, 1)
    }
    said = {"varstrip, lambda 1": 7.05, "unit 1": 6.6}
    rows = [Row(label, value, said.get(label), 0.1) for label, value in found.items()]
    order = {
        "variable strips with lambda 1, 2 and 4, then striping units of 1 KiB, 64 KiB and 1 byte give speedups in "
        "descending order": rising(list(found.values())[::-1])
    }
    return Target("14", "128 runs, 4 generations", rows, soft=order)


def large_units(bench: Bench) -> Target:
    """Section 7.7.1's small program: 10,000 bytes of each of 8 ranks, 300 times."""

    def seconds(unit: int) -> float:
        def program(rank: int, ranks: int) -> Iterator[Operation]:
            for turn in range(300):
                yield write("file", offset=(turn * ranks + rank) * 10_000, size=10_000)
                yield barrier()

        return bench.seconds(Workload.from_program(program, 8, layouts={"file": f"simple:8:{unit}"}))

    found = {unit: seconds(unit) for unit in (10_000, 20_000, 40_000)}
    rows = [Row(f"unit {unit}: ms", 1e3 * value) for unit, value in found.items()]
    return Target(
        "16",
        "Units above the data of a node",
        rows,
        soft={
            "when each of 8 ranks writes 10,000 bytes at a time, the run time grows from a striping unit of 10,000 "
            "bytes to 20,000 and to 40,000 bytes": rising(list(found.values()))
        },
    )


def open_files(_: Bench) -> Target:
    files = {runs: 2 * runs + 1 for runs in (496, 512)}
    limit = {
        "the serial version opens at most 1024 files with 496 runs, and more than 1024 with 512 runs": files[
            496
        ]
        <= 1024
        < files[512]
    }
    return Target(
        "17",
        "The serial version's open files",
        [
            Row(
                "open files with 512 runs",
                files[512],
                1025,
                0,
                words="Open files of the serial version (rank 0 writes two files per run) with 512 runs",
            )
        ],
        hard=limit,
    )


TARGETS: tuple[Callable[[Bench], Target | Iterator[Target]], ...] = (
    small_run,
    saturation,
    many_runs,
    patterns,
    runs,
    striping_units,
    buffering,
    iterations,
    comparison,
    large_units,
    open_files,
)


def all_targets(bench: Bench) -> Iterator[Target]:
    for make in TARGETS:
        found = make(bench)
        if isinstance(found, Target):
            yield found
        else:
            yield from found
