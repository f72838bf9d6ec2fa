"""How many aggregators, and which lock mode? Fitted on runs of few nodes, judged by those on more.

    python verification/aggregators.py TABLE.csv... [--fitted 8]
    python verification/aggregators.py --made 10 [--first 0] [--generator events|rounds|shares|closed]
    python verification/aggregators.py TABLE.csv --leave-one-out

A table has the columns nodes, ranks_per_node, stripes, multiplier, lock_mode, bytes and seconds; by other columns (HDD
or NVMe) it is split. Rows with at most --fitted nodes are fitted; no other row is seen before it is judged. Without a
table, machines drawn at random are measured on four models of locks, clients and OSTs that share nothing with the fit
nor with each other (tests/lustre_events.py, lustre_rounds.py, lustre_shares.py, lustre_closed.py); what a choice loses
there is a matter of times without noise, as the best of many noisy rows is a lucky one, and both are printed. With
--leave-one-out every row of a table, of any number of nodes, is forecast from all others; nothing is chosen. A part of
a table that cannot be judged, and rows with a lock mode that is not among those fitted, are named and left out. Exit
status 0 when the choice loses at most 10 % in 8 of 10 jobs and 70 to 90 % of the medians lie inside the 80 % range.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from lustre_closed import made_closed
from lustre_events import COLUMNS, made_table
from lustre_rounds import made_rounds
from lustre_shares import made_shares
from striate.errors import RatesError
from striate.interval import Interval
from striate.rates.choice import choose
from striate.rates.fit import fit_rates
from striate.rates.table import RateRow, by_part, read_rates

FITTED, LOSS = 8, 0.10
Times = Mapping[tuple[int, ...], float]  # seconds without noise by all else of a row
GENERATORS = {"events": made_table, "rounds": made_rounds, "shares": made_shares, "closed": made_closed}


@dataclass
class Judgement:
    """What became of rows that were forecast and of jobs for which a setting was chosen."""

    inside: list[bool] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    lucky: list[float] = field(default_factory=list)  # losses by noisy times, where others are known
    kept: list[float] = field(default_factory=list)  # losses of the best setting on the most nodes fitted

    def add(self, other: Judgement) -> None:
        for name in ("inside", "errors", "widths", "losses", "lucky", "kept"):
            getattr(self, name).extend(getattr(other, name))

    def compare(self, rows: list[RateRow], forecast: list[Interval]) -> None:
        for row, said in zip(rows, forecast, strict=True):
            self.inside.append(row.seconds in said)
            self.errors.append(abs(said.estimate / row.seconds - 1))
            self.widths.append(float(np.log(said.high / said.low)))

    @property
    def good(self) -> bool:
        """Whether enough rows lie inside and, where settings were chosen, enough choices are good."""
        if not self.inside:
            return False
        chosen = np.mean(np.array(self.losses) <= LOSS) if self.losses else 1.0
        return bool(chosen >= 0.8 and 0.7 <= np.mean(self.inside) <= 0.9)

    def __str__(self) -> str:
        if not self.inside:
            return "no row could be judged"
        losses, kept = np.array(self.losses), np.array(self.kept)
        rows = (
            f"{sum(self.inside)} of {len(self.inside)} inside ({np.mean(self.inside):.0%}), median error "
            f"{np.median(self.errors):.1%}, median range x{np.exp(np.median(self.widths)):.2f}"
        )
        if not self.losses:
            return rows
        lucky = f"by noisy times {int((np.array(self.lucky) <= LOSS).sum())}, " if self.lucky else ""
        return (
            f"{rows}; {int((losses <= LOSS).sum())} of {len(losses)} choices lose at most {LOSS:.0%} "
            f"({lucky}worst {losses.max(initial=0):.0%}; the best setting of few nodes kept: "
            f"{int((kept <= LOSS).sum())}, worst {kept.max(initial=0):.0%})"
        )


def judged(rows: list[RateRow], fitted: int, exact: Times) -> Judgement:
    """Fit the rows of few nodes, forecast the others, choose for every job among them; `exact` times judge that."""
    few = [row for row in rows if row.nodes <= fitted]
    many = [row for row in rows if row.nodes > fitted]
    if not many:
        raise RatesError(f"expected rows of more than {fitted} nodes to judge, found none")
    fit = fit_rates(few)
    for mode in sorted({row.lock_mode for row in many} - set(fit.lock_modes)):
        print(f"left out: lock mode {mode!r:.40} was measured on more than {fitted} nodes only")
    many = [row for row in many if row.lock_mode in fit.lock_modes]
    found = Judgement()
    found.compare(many, fit.forecast(many))
    for job in sorted({row.job for row in many}):
        candidates = [row for row in many if row.job == job]
        if len(candidates) < 2:
            continue
        choice, kept = choose(fit, candidates).row, _kept(few, candidates)
        noisy = {row: row.seconds for row in candidates}
        times = {row: exact.get(settings(row), row.seconds) for row in candidates}
        found.losses.append(times[choice] / min(times.values()) - 1)
        found.kept.append(times[kept] / min(times.values()) - 1)
        if exact:
            found.lucky.append(noisy[choice] / min(noisy.values()) - 1)
    return found


def left_out(rows: list[RateRow]) -> Judgement:
    """Forecast every row from all others."""
    found = Judgement()
    for at, row in enumerate(rows):
        rest = rows[:at] + rows[at + 1 :]
        if row.lock_mode in {one.lock_mode for one in rest}:
            found.compare([row], fit_rates(rest).forecast([row]))
    return found


def _kept(few: list[RateRow], candidates: list[RateRow]) -> RateRow:
    """The candidate that was best on the most nodes fitted."""
    rate = {
        (row.stripes, row.multiplier, row.lock_mode): (row.nodes, row.bytes / row.seconds)
        for row in sorted(few, key=lambda row: row.nodes)
    }
    return max(candidates, key=lambda row: rate.get((row.stripes, row.multiplier, row.lock_mode), (0, 0.0)))


def settings(row: RateRow) -> tuple[int, ...]:
    """All of a row of a made table but its time."""
    return (row.nodes, row.ranks_per_node, row.stripes, row.multiplier, int(row.lock_mode), row.bytes)


def judge(path: Path, fitted: int, exact: Times, *, leave_one_out: bool) -> Judgement:
    whole = Judgement()
    try:
        table = [row for row in read_rates(path) if row.known]
    except RatesError as error:
        sys.exit(str(error))
    for others, rows in by_part(table).items():
        name = f"{path.name}{''.join(f' {key}={value}' for key, value in others)}"
        try:
            found = left_out(rows) if leave_one_out else judged(rows, fitted, exact)
        except RatesError as error:
            print(f"{name}: {error}", flush=True)
            continue
        print(f"{name}: {found}", flush=True)
        whole.add(found)
    return whole


def main() -> bool:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", type=Path)
    parser.add_argument("--fitted", type=int, default=FITTED, help="nodes of the rows that are fitted")
    parser.add_argument(
        "--made", type=int, default=10, help="tables that each generator makes where none is given"
    )
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--generator", choices=list(GENERATORS), help="of the tables made; all unless given")
    parser.add_argument("--leave-one-out", action="store_true", help="forecast every row from all others")
    options = parser.parse_args()
    makers = [options.generator] if options.generator else list(GENERATORS)
    whole = Judgement()
    with tempfile.TemporaryDirectory() as folder:
        seeds = range(options.first, options.first + options.made)
        given = [(path, {}) for path in options.tables]
        for path, exact in given or (_made(Path(folder), name, seed) for name in makers for seed in seeds):
            whole.add(judge(path, options.fitted, exact, leave_one_out=options.leave_one_out))
    print(f"all: {whole}")
    return whole.good


def _made(folder: Path, generator: str, seed: int) -> tuple[Path, Times]:
    path, rows = folder / f"{generator}-{seed}.csv", GENERATORS[generator](seed)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *(row[:-1] for row in rows)])
    return path, {tuple(map(int, row[:-2])): row[-1] for row in rows}


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
