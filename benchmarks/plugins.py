"""What plug-ins cost: CPU time of the same run with built-in parts and with a plug-in, per access of the disks."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from striate.apps import kernels
from striate.cluster.cluster import Cluster
from striate.cluster.load import load_cluster
from striate.plugins import load
from striate.plugins.compiled import compiler_flags
from striate.rungs.fine import play
from striate.workload import Workload

TEMPLATES = Path(__file__).resolve().parents[1] / "src" / "striate" / "plugins" / "templates"
MOST_MICROSECONDS = 50  # per request or access, Python included


def seconds(workload: Workload, cluster: Cluster) -> tuple[float, int]:
    """CPU time of the quickest of some runs, and the accesses of the disks."""
    best, accesses = float("inf"), 0
    for _ in range(3):
        start = time.thread_time()
        accesses = int(play(workload, cluster).disk_operations.sum())
        best = min(best, time.thread_time() - start)
    return best, accesses


def built(kind: str, folder: Path) -> Path:
    """The shared object of a template."""
    made = folder / f"{kind}.so"
    subprocess.run(["c++", *compiler_flags(), str(TEMPLATES / f"{kind}.cpp"), "-o", str(made)], check=True)
    return made


def main() -> int:
    workload = kernels.workload("io-level-0", ranks=8, size="256 KiB", blocks=400)
    cluster = load_cluster("westmere")
    built_in, accesses = seconds(workload, cluster)
    print(f"built-in parts: {built_in:.3f} s, {accesses:,} accesses of the disks")
    missed = 0
    with TemporaryDirectory() as folder:
        for kind in ("scheduler", "disk"):
            for language, source in (
                ("Python", TEMPLATES / f"{kind}.py"),
                ("C++", built(kind, Path(folder))),
            ):
                own, asked = seconds(workload, replace(cluster, plugins=load([source])))
                each = (own - built_in) / asked * 1e6
                missed += each > MOST_MICROSECONDS
                print(f"{kind} in {language}: {own:.3f} s, {asked:,} accesses, {each:.1f} us for each more")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
