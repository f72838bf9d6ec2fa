"""Darshan logs of real runs through `predict` and `advise`: CPU seconds of whole commands, against what is aimed at.

The log of VPIC is among the tests' data; `STRIATE_NWCHEM_LOG` names the one of NWChem, which is too large for them.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("striate")
VPIC = Path(__file__).resolve().parent.parent / "tests/data/darshan/dxtexp_vpic_192r_dxt.darshan"
MACHINE = "lustre-64"


def cpu_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(what: str, spent: float, aim: float) -> bool:
    """One line; true when no more was spent than is aimed at."""
    print(f"{what:58s} {spent:9.3g} s (at most {aim:g}){'' if spent <= aim else '  falls short'}", flush=True)
    return spent <= aim


def main() -> int:
    met = [
        report("VPIC (192 ranks, 90,885 operations): predict", cpu_seconds("predict", str(VPIC), MACHINE), 1),
        report("  advise", cpu_seconds("advise", str(VPIC), MACHINE), 3),
    ]
    nwchem = os.environ.get("STRIATE_NWCHEM_LOG")
    if nwchem is None:
        print("NWChem (224 ranks): not measured; STRIATE_NWCHEM_LOG names no log")
    else:
        met.append(report("NWChem (224 ranks): advise", cpu_seconds("advise", nwchem, MACHINE), 6))
    return met.count(False)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
