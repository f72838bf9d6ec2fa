"""Compare the sampler's posterior with MrBayes' on a small tree: `python verification/pmc3_posterior.py MATRIX.nex`.

The first sites of five taxa, few enough to leave the topology open, under JC69 with exponential branch
lengths, in both programs with the same priors. Means of LnL and of the tree length, and the share of each
split, must agree within four standard errors, by batch means. Needs mb.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from mpi.pmc3_runs import exported, sample
from striate.apps.pmc3.nexus import read_nexus

TAXA, SITES = 5, 50
GENERATIONS, FREQUENCY, BURN_IN, BATCHES = 60_000, 10, 0.2, 40
OPTIONS = ("--runs", "2", "--chains", "2", "--model", "jc69", "--checkpoint-every", "100000")
MOST_ERRORS = 4.0
LETTERS = {1: "A", 2: "C", 4: "G", 8: "T"}


def small_matrix(matrix: Path, to: Path) -> None:
    """The first taxa, with everything that is not one base made missing."""
    whole = read_nexus(matrix)
    rows = [
        f"{name} {''.join(LETTERS.get(int(state), '?') for state in states)}"
        for name, states in zip(whole.names[:TAXA], whole.states[:TAXA, :SITES], strict=True)
    ]
    size = f"dimensions ntax={TAXA} nchar={SITES};"
    head = f"#NEXUS\nbegin data;\n{size}\nformat datatype=dna missing=?;\nmatrix\n"
    to.write_text(head + "\n".join(rows) + "\n;\nend;\n")


def mrbayes(matrix: Path, folder: Path) -> dict[str, bytes]:
    """Its .p and .t files for the same model, priors, and number of samples."""
    script = f"""#NEXUS
begin mrbayes;
set autoclose=yes nowarn=yes seed=7 swapseed=8;
execute {matrix.name};
lset nst=1 rates=equal;
prset statefreqpr=fixed(equal) brlenspr=unconstrained:exponential(10.0);
mcmc ngen={GENERATIONS} samplefreq={FREQUENCY} nruns=2 nchains=2 mcmcdiagn=no filename=theirs;
end;
"""
    (folder / "run.nex").write_text(script)
    subprocess.run(["mb", "run.nex"], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return {path.name: path.read_bytes() for path in folder.glob("theirs.run*.[pt]")}


def series(files: dict[str, bytes]) -> dict[str, list[np.ndarray]]:
    """For each quantity, what each run saw after burn-in."""
    found: dict[str, list[np.ndarray]] = {}
    trees = [_splits(content) for name, content in sorted(files.items()) if name.endswith(".t")]
    for split in set().union(*(set().union(*run) for run in trees)):
        label = "split " + " ".join(str(leaf) for leaf in sorted(split))
        found[label] = [np.array([split in splits for splits in run], float) for run in trees]
    for name in sorted(files):
        if name.endswith(".p"):
            lines = files[name].decode().splitlines()
            table = np.array([[float(word) for word in line.split("\t")] for line in lines[2:]])
            for quantity in ("LnL", "TL"):
                found.setdefault(quantity, []).append(table[:, lines[1].split("\t").index(quantity)])
    return {name: [run[int(len(run) * BURN_IN) :] for run in runs] for name, runs in found.items()}


def _splits(content: bytes) -> list[set[frozenset[int]]]:
    """The groups of leaves of every tree, on the side without leaf 1."""
    lines = [line for line in content.decode().splitlines() if line.lstrip().startswith("tree ")]
    return [_groups(re.sub(r":[0-9.e+-]+", "", line.partition("] ")[2])) for line in lines]


def _groups(newick: str) -> set[frozenset[int]]:
    groups, open_ = set(), []
    for word in re.findall(r"\(|\)|\d+", newick):
        if word == "(":
            open_.append(set())
        elif word == ")":
            done = open_.pop()
            if open_:
                open_[-1] |= done
                side = frozenset(range(1, TAXA + 1)) - done if 1 in done else frozenset(done)
                groups.add(side)
        else:
            open_[-1].add(int(word))
    return groups


def estimate(runs: list[np.ndarray]) -> tuple[float, float]:
    """The mean over runs, and its standard error by batch means."""
    batches = np.concatenate(
        [np.array([part.mean() for part in np.array_split(run, BATCHES)]) for run in runs]
    )
    return float(batches.mean()), float(batches.std(ddof=1) / np.sqrt(len(batches)))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("matrix", type=Path)
    options = arguments.parse_args()
    if shutil.which("mb") is None:
        print("MrBayes (mb) is not installed", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        small_matrix(options.matrix, work / "small.nex")
        counts = ("--generations", str(GENERATIONS), "--sample-frequency", str(FREQUENCY))
        sample(1, work / "small.nex", work / "ours", *OPTIONS, *counts)
        ours, theirs = series(exported(work / "ours")), series(mrbayes(work / "small.nex", work))
    missed = 0
    for name in sorted(set(ours) | set(theirs)):
        mine, error = estimate(ours.get(name, [np.zeros(BATCHES)]))
        other, other_error = estimate(theirs.get(name, [np.zeros(BATCHES)]))
        spread = max(float(np.hypot(error, other_error)), 1e-3)  # shares seldom or never seen
        apart = abs(mine - other) / spread
        missed += apart > MOST_ERRORS
        print(f"{name:12s} striate {mine:11.4f}  MrBayes {other:11.4f}  {apart:4.1f} standard errors apart")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
