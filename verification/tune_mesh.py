"""Does tuning find what measuring finds? `python verification/tune_mesh.py [CLUSTER.toml] [--repeats N]`

Probes this machine unless a description is given or build/here.toml is younger than an hour. Tunes
examples/tune_mesh.toml, then really runs the chosen settings and 20 candidates drawn by lot, in turn and several
times over, and prints predicted beside measured times, the noise, and how far the chosen one is from the best.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from striate.apps.spec import load_tunable
from striate.cluster import load_cluster
from striate.tuning import Space, tune

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "examples" / "tune_mesh.toml"
DRAWN = 20
LIMIT_SECONDS, LIMIT_SHARE = 30.0, 0.10
READY_BYTES = 768 * 1024**2  # of memory, made ready before every run: whether it is would be a matter of luck
PROBE_SECONDS = 3600  # how long a probe is good for
DISTURBED, RETRIES = 0.1, 4  # a share of the CPUs that others had during a run


def measure(candidates, parameters, repeats):
    """Seconds of every run of every candidate, all in one MPI job, in an order drawn anew for every turn."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps({"candidates": candidates, "parameters": parameters, "repeats": repeats}))
        prefix = Path(sys.prefix) / "bin"
        ranks = str(parameters["ranks"])
        command = [str(prefix / "mpiexec"), "-n", ranks, sys.executable, __file__, "--measure", str(plan)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [([], []) for _ in candidates]
    for line in map(json.loads, done.stdout.splitlines()):
        found[line["candidate"]][0].append(line["seconds"])
        found[line["candidate"]][1].append(line["writes"])
    return found


def run_plan(path):
    """The other side, on every rank."""
    from mpi4py import MPI

    from striate.apps.mesh import Mesh
    from striate.probe.ready_memory import keep_memory

    keep_memory()
    world = MPI.COMM_WORLD
    plan = json.loads(path.read_text())
    given = plan["parameters"]
    mesh = Mesh(given["nodes"], given.get("pattern", "random"))
    times = {"steps": given["steps"], "every": given["every"]}
    order = list(range(len(plan["candidates"])))
    for turn in range(-1, plan["repeats"]):
        random.Random(turn).shuffle(order)
        for number in order if turn >= 0 else order[:2]:  # the first two warm the machine up
            settings = dict(plan["candidates"][number])
            settings["codec"] = None if settings["codec"] == "none" else settings["codec"]
            found = run_undisturbed(world, path.parent, mesh, times | settings)
            if world.rank == 0 and turn >= 0:
                print(json.dumps({"candidate": number, **found}), flush=True)


def run_undisturbed(world, folder, mesh, arguments):
    """A run, done again a few times while others use the machine meanwhile; the least disturbed one."""
    found = [run_once(world, folder, mesh, arguments)]
    while found[-1]["others"] > DISTURBED and len(found) < RETRIES:
        found.append(run_once(world, folder, mesh, arguments))
    return min(found, key=lambda one: one["others"])


def run_once(world, folder, mesh, arguments):
    """Seconds of a run and of its writes, and the share of the CPUs that others had."""
    from mpi4py import MPI

    from striate.apps.mesh import run
    from striate.probe.ready_memory import ready_memory

    ready_memory(folder / f"ready-{world.rank}", READY_BYTES // world.size)
    alone = world.Dup()  # the runtime keeps memory with a communicator, for the next dataset
    world.Barrier()
    begin, busy, own = time.perf_counter(), busy_seconds(), time.process_time()
    reports = run(alone, folder / "dump", mesh, **arguments)
    world.Barrier()
    seconds, busy, own = time.perf_counter() - begin, busy_seconds() - busy, time.process_time() - own
    alone.Free()
    writes = world.allreduce(sum(report.total_seconds for report in reports), MPI.MAX)
    others = world.bcast((busy - world.allreduce(own)) / seconds / os.cpu_count())
    return {"seconds": seconds, "writes": writes, "others": others}


def busy_seconds():
    """Of all CPUs since the system's start, by whomever; 0 where the system does not tell."""
    try:
        user, nice, system, _, _, *others = Path("/proc/stat").read_text().partition("\n")[0].split()[1:9]
    except (OSError, ValueError):
        return 0.0
    return sum(map(int, (user, nice, system, *others))) / os.sysconf("SC_CLK_TCK")


def drawn(study, count, seed):
    """Candidates by lot, among those that can be run."""
    runnable = [outcome for outcome in study.outcomes if outcome.seconds is not None]
    return random.Random(seed).sample(runnable[1:], count)


def cpu_seconds():
    """CPU time of this process and of the workers that have ended; the clock counts what others take of the cores."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def noise(times):
    """Half the distance between quartiles over the median: how far a repeated run is from itself."""
    low, middle, high = statistics.quantiles(times, n=4)
    return (high - low) / 2 / middle


def probed():
    """The path of a description of this machine, probed anew when there is none or it is old."""
    path = ROOT / "build" / "here.toml"
    if path.exists() and (age := time.time() - path.stat().st_mtime) < PROBE_SECONDS:
        print(f"the machine as probed {age / 60:.0f} minutes ago: build/{path.name}")
        return path
    path.parent.mkdir(exist_ok=True)
    words = ["probe", "--budget", "40 s", "--directory", str(path.parent), "-o", str(path), "--force"]
    print("probing the machine: build/here.toml", flush=True)
    subprocess.run([sys.executable, "-m", "striate", *words], check=True, stdout=subprocess.DEVNULL)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cluster", nargs="?", help="a description; this machine is probed without one")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        run_plan(asked.measure)
        return 0
    cluster = load_cluster(asked.cluster or probed())
    begin, spent = time.perf_counter(), cpu_seconds()
    tunable = load_tunable(SPEC, cluster, read_program=None)
    study = tune(tunable.build, cluster, vary=tunable.vary, budget=20 * LIMIT_SECONDS, workers=2)
    wall, seconds = time.perf_counter() - begin, (cpu_seconds() - spent) / 2
    print(
        f"{Space.of(tunable.vary).size} candidates in {wall:.1f} s by the clock, {seconds:.1f} s of two cores: "
        f"{study.counts()}"
    )
    chosen = [study.best, *drawn(study, DRAWN, seed=1)]
    measured = measure([outcome.candidate.settings for outcome in chosen], tunable.parameters, asked.repeats)
    # the least of the repeats: what is slower was disturbed by something else
    rows = [
        (min(whole), statistics.median(whole), noise(whole), min(writes), outcome)
        for (whole, writes), outcome in zip(measured, chosen, strict=True)
    ]
    print("\n| settings | state | predicted s | measured s | median s | noise | of it writes s |")
    print("|---|---|---|---|---|---|---|")
    for least, middle, spread, writes, outcome in sorted(rows, key=lambda row: row[0]):
        words = f"| {outcome.candidate} | {outcome.state} | {outcome.seconds.estimate:.3f} "
        print(words + f"| {least:.3f} | {middle:.3f} | {spread:.0%} | {writes:.3f} |")
    for at, what in (
        (0, "whole program, least of the repeats"),
        (1, "whole program, median"),
        (3, "writes alone"),
    ):
        best = min(row[at] for row in rows)
        print(f"{what}: chosen {rows[0][at]:.3f} s, best {best:.3f} s: {rows[0][at] / best - 1:+.1%}")
    print(f"noise of a repeated run: {statistics.median(row[2] for row in rows):.1%}")
    behind = rows[0][0] / min(row[0] for row in rows) - 1
    good = seconds <= LIMIT_SECONDS and behind <= LIMIT_SHARE
    print("within the limits" if good else "outside the limits")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
