"""What whole programs cost beyond their kernels: CPU time of small runs on one rank, against their forecast.

These runs are no part of the matrix, and of other sizes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

from striate.cluster.cluster import Cluster
from striate.errors import ProbeError
from striate.interval import Interval
from striate.probe.samples import spread
from striate.validate.calibrate import Costs
from striate.validate.cases import Case
from striate.validate.forecast import Agreements, forecast_case, with_background

REPEATS = 3
# The checkpoints of the fourth application are flushes, which take no CPU time to speak of.
CASES = (
    Case("jacobi", 1, "calibration", {"rows": 800, "columns": 1024, "steps": 20, "every": 5}),
    Case("mesh", 1, "calibration", {"nodes": 600_000, "steps": 6, "every": 3}),
    Case("pmc3", 1, "calibration", {"runs": 3, "chains": 4, "generations": 20}),
)


def program_factors(
    folder: Path, cluster: Cluster, costs: Costs, agreements: Agreements, apps: Collection[str]
) -> dict[str, Interval]:
    """For each application, measured CPU seconds over those that the kernels add up to on a quiet machine."""
    quiet = with_background(cluster, Interval.exactly(0.0), 1)
    found = {}
    for case in CASES:
        if case.app in apps:
            expected = forecast_case(case, quiet, costs, agreements).estimate
            found[case.app] = spread([_cpu_seconds(case, folder) / expected for _ in range(REPEATS)])
    return found


def _cpu_seconds(case: Case, folder: Path) -> float:
    """CPU seconds of the timed region of a run on one rank, without a launcher."""
    scratch = Path(tempfile.mkdtemp(prefix="cpu-", dir=folder))
    told = scratch / "cpu.json"
    module = [sys.executable, "-m", "striate.validate.programs", case.app, str(scratch)]
    try:
        command = [*module, json.dumps(case.parameters), str(told)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            last = ran.stderr.strip().splitlines()[-1:] or ["no message"]
            raise ProbeError(f"{case.name} ended with status {ran.returncode}: {last[0][:200]}")
        return float(json.loads(told.read_text()))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
