"""Five changes to a program's output: forecast from the trace of the run before, measured by the run after.

    python verification/before_after.py CLUSTER.toml [--runs 5] [--ranks 2]

CLUSTER.toml is this machine as `striate probe` describes it. Each pair is run in turns, before and after. The trace
of the median run before is changed as the program will be and forecast, beside the same without the change. The
measured gain (median before - median after) is held against the 80 % range of the forecast gain, which is made as
`striate tune` makes it. 768 MiB of memory are made ready before every run, and forecasts take so much as at hand.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
from replay_runs import clean, traced

from striate.apps.run import READY_BYTES
from striate.cluster import Cluster, load_cluster
from striate.cluster.fresh_memory import made_ready
from striate.evaluate.compare import run_seconds
from striate.interval import Interval
from striate.ladder import predict
from striate.trace.trace import Trace
from striate.tuning.gain import saved_between
from striate.workload import Workload
from striate.workload import operations as do
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.transforms.rewrite import rewritten

PROGRAM = Path(__file__).parent / "programs" / "pairs.py"
REGION = "output"
MIB = 1 << 20
WANTED = 4


def larger_requests(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    """Writes of 1 MiB in place of those that make it up, and of the time between them."""
    begin = end = 0
    file = None
    for step in steps:
        if step.kind is Kind.WRITE:
            name, offset, size = step.operands[:3]
            if file == name and offset == end and end - begin < MIB:
                end += size
                continue
            if file is not None:
                yield do.write(file, offset=begin, size=end - begin)
            file, begin, end = name, offset, offset + size
            continue
        if step.kind is Kind.COMPUTE and file is not None and end - begin < MIB:
            continue
        if step.kind is not Kind.COMPUTE and file is not None:
            yield do.write(file, offset=begin, size=end - begin)
            file = None
        yield step


def one_flush(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    """The last flush alone."""
    every = list(steps)
    last = max((at for at, step in enumerate(every) if step.kind is Kind.SYNC), default=-1)
    yield from (step for at, step in enumerate(every) if step.kind is not Kind.SYNC or at == last)


def own_files(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    """Each rank's bytes one after the other in a file of its own."""
    place = 0
    for step in steps:
        if step.kind is Kind.WRITE:
            yield do.write(f"own.{rank}", offset=place, size=step.operands[2])
            place += step.operands[2]
        elif step.kind in (Kind.OPEN, Kind.CLOSE, Kind.SYNC):
            yield Operation(step.kind, (f"own.{rank}", *step.operands[1:]), step.communicator)
        else:
            yield step


def collective_calls(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    """Sixty-four writes of a step as one collective call."""
    runs: list[tuple[int, int]] = []
    for step in steps:
        if step.kind is Kind.WRITE:
            runs.append((step.operands[1], step.operands[2]))
            if len(runs) == 64:
                offsets, sizes = zip(*runs, strict=True)
                yield do.write_all(step.operands[0], extents=(list(offsets), list(sizes)))
                runs = []
        elif step.kind is not Kind.COMPUTE or not runs:
            yield step


def changed(case: str, workload: Workload) -> Workload:
    """What the program will ask for after the change."""
    rewrites = {
        "requests": larger_requests,
        "flushes": one_flush,
        "files": own_files,
        "collective": collective_calls,
    }
    if case == "stripes":  # four directories of the one file system: the same requests to the same disk
        return workload
    made = rewritten(workload, rewrites[case])
    if case == "collective":
        names = {file.name: "two-phase:nodes:16MiB" for file in made.applications[0].files}
        return made.with_collective(names)
    return made


def output_alone(trace: Trace) -> Trace:
    """The rows of the timed region."""
    number = trace.header.regions.index(REGION)
    inside = (trace.column("region") == number) & ~trace.of_kind("region")
    return replace(trace.where(inside), header=msgspec.structs.replace(trace.header, duration=0))


def forecast_of(case: str, before: Trace, cluster: Cluster) -> tuple[Interval, Interval]:
    """Seconds of the run as it is and after the change."""
    workload = Workload.from_trace(output_alone(before), metadata_recorded=True)
    made = (workload, changed(case, workload))
    was, will = (predict(one, cluster, rung="fine").seconds for one in made)
    return was, will


def told(seconds: Interval) -> str:
    return f"forecast {seconds.estimate * 1e3:.1f}, {seconds.low * 1e3:.1f} to {seconds.high * 1e3:.1f}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cluster")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--ranks", type=int, default=2)
    options.add_argument("--keep", type=Path)
    asked = options.parse_args()
    cluster = made_ready(load_cluster(asked.cluster), READY_BYTES)
    inside = 0
    cases = ("requests", "flushes", "files", "stripes", "collective")
    for case in cases:
        runs: dict[str, list[tuple[float, Trace]]] = {"before": [], "after": []}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for number in range(asked.runs):
                for variant, done in runs.items():
                    clean(folder)
                    command = [sys.executable, str(PROGRAM), case, variant, name]
                    trace = traced(command, folder, asked.ranks)
                    if asked.keep:
                        trace.save(asked.keep / f"{case}-{variant}-{number}.parquet")
                    done.append((run_seconds(trace, REGION), trace))
        medians = {
            variant: statistics.median(seconds for seconds, _ in done) for variant, done in runs.items()
        }
        before = sorted(runs["before"], key=lambda one: one[0])[asked.runs // 2][1]
        measured = medians["before"] - medians["after"]
        was, will = forecast_of(case, before, cluster)
        saved = saved_between(was, will)
        inside += measured in saved
        print(
            f"{case:12}",
            *(
                f"{medians[name] * 1e3:6.1f} ms {name} ({one}),"
                for name, one in zip(medians, map(told, (was, will)), strict=True)
            ),
            f"saves {measured * 1e3:6.1f} ms ({told(saved)}){'' if measured in saved else '  <-- outside'}",
            flush=True,
        )
    print(f"{inside} of {len(cases)} measured gains inside the 80 % range")
    return 0 if inside >= WANTED else 3


if __name__ == "__main__":
    raise SystemExit(main())
