"""Verify the sampler at length: `python verification/pmc3.py MATRIX.nex [--kills 20]`.

The same samples on 1, 2, 4 and 8 ranks; a rank killed at random moments, and the restart compared with an undisturbed
run; and, when MrBayes (mb) is installed, sump and sumt on the exported files. Exit status 1 when anything fails.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from mpi.pmc3_runs import disturbed, exported, sample

PARITY = ("--runs", "4", "--chains", "4", "--generations", "200")
KILLED = (
    "--runs",
    "2",
    "--chains",
    "2",
    "--generations",
    "1500",
    "--buffer",
    "4",
    "--checkpoint-every",
    "50",
)
ACCEPTED = ("--runs", "4", "--chains", "4", "--generations", "2000")


def parity(matrix: Path, folder: Path) -> bool:
    sample(1, matrix, folder / "alone", *PARITY)
    wanted = exported(folder / "alone")
    good = True
    for ranks in (2, 4, 8):
        sample(ranks, matrix, folder / f"ranks{ranks}", *PARITY)
        same = exported(folder / f"ranks{ranks}") == wanted
        print(
            f"{ranks} ranks: exported files {'identical to' if same else 'DIFFER from'} those of one",
            flush=True,
        )
        good &= same
    return good


def kills(matrix: Path, folder: Path, times: int) -> bool:
    sample(1, matrix, folder / "whole", *KILLED)
    wanted = exported(folder / "whole")
    same = disturbances = 0
    for seed in range(times):
        output = folder / f"torn{seed}"
        disturbances += disturbed(2, matrix, output, seed, *KILLED)
        sample(2, matrix, output, *KILLED, "--restart")
        same += exported(output) == wanted
    print(f"{disturbances} of {times} samplings killed; {same} restarts gave the undisturbed files")
    return same == times and disturbances == times


def acceptance(matrix: Path, folder: Path) -> bool:
    if shutil.which("mb") is None:
        print("MrBayes (mb) is not installed: sump and sumt not tried")
        return True
    sample(4, matrix, folder / "accepted", *ACCEPTED)
    exported(folder / "accepted")
    files = folder / "accepted.files"
    shutil.copy(matrix, files / "matrix.nex")
    # one command per line: mb forgets what follows "execute" on the same line
    commands = "execute matrix.nex;\nsump filename=samples nruns=4;\nsumt filename=samples nruns=4;"
    (files / "check.nex").write_text(
        f"#NEXUS\nbegin mrbayes;\nset autoclose=yes nowarn=yes;\n{commands}\nend;\n"
    )
    done = subprocess.run(
        ["mb", "check.nex"], cwd=files, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    made = [name for name in ("pstat", "parts", "con.tre", "trprobs") if (files / f"samples.{name}").exists()]
    print(f"mb: status {done.returncode}, made {', '.join(made)}")
    return done.returncode == 0 and len(made) == 4 and "Error" not in done.stdout


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("matrix", type=Path)
    arguments.add_argument("--kills", type=int, default=20)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        outcomes = [parity(options.matrix, work), kills(options.matrix, work, options.kills)]
        outcomes.append(acceptance(options.matrix, work))
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
