"""`striate fit cluster.toml --rates table.csv`: what a table of measured writes says, and forecasts of open rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from striate.cli.output import print_json, progress, say, write_output

if TYPE_CHECKING:
    from striate.interval import Interval
    from striate.probe.refine import Refined
    from striate.rates.choice import SettingChoice
    from striate.rates.fit import RateFit
    from striate.rates.table import RateRow


@dataclass(frozen=True, slots=True)
class _Said:
    """All that is printed: the fit, the description, rows asked for with their forecasts, a choice per job."""

    fit: RateFit
    refined: Refined
    asked: list[RateRow]
    seconds: list[Interval]
    choices: list[SettingChoice]

    def likely(self) -> dict[int, float]:
        """By the identity of a chosen row: how likely it is the best."""
        return {id(one.row): one.likely for one in self.choices}


def fit_table(
    cluster: str, rates: Path, conditions: Sequence[str], *, as_json: bool, output: Path | None, force: bool
) -> None:
    """Fit, write the description, and print numbers, forecasts and choices."""
    from striate.cluster.description.dump import cluster_to_toml
    from striate.cluster.load import load_cluster
    from striate.rates.choice import choose
    from striate.rates.describe import described
    from striate.rates.fit import fit_rates
    from striate.rates.table import read_rates, where

    machine = load_cluster(cluster)
    rows = where(read_rates(rates), conditions, source=str(rates))
    asked = [row for row in rows if not row.known]
    with progress("fitting"):
        fit = fit_rates(rows)
        jobs = dict.fromkeys(row.job for row in asked)
        choices = [choose(fit, [row for row in asked if row.job == job]) for job in jobs]
        said = _Said(fit, described(machine, fit), asked, fit.forecast(asked) if asked else [], choices)
    if output is not None:
        write_output(output, cluster_to_toml(said.refined.cluster), force=force)
    print_json(_document(said)) if as_json else say(_text(said))


def _document(said: _Said) -> dict[str, Any]:
    from striate.probe.refine import SCHEMA

    likely, refined = said.likely(), said.refined
    numbers = [
        {"name": one.prior.name, "what": one.prior.what, "unit": one.prior.unit}
        | {"value": one.value, "determined": one.determined}
        for one in said.fit.found()
    ]
    forecasts = [
        _settings(row) | {"seconds": seconds, "best": id(row) in likely, "likely": likely.get(id(row))}
        for row, seconds in zip(said.asked, said.seconds, strict=True)
    ]
    return {
        "schema": SCHEMA,
        "cluster": refined.cluster.name,
        "refinements": refined.refinements,
        "undetermined": refined.undetermined,
        "curves": refined.curves,
        "rates": {"rows": len(said.fit.rows), "numbers": numbers, "forecasts": forecasts},
    }


def _settings(row: RateRow) -> dict[str, Any]:
    named = ("nodes", "ranks_per_node", "stripes", "multiplier", "aggregators", "lock_mode", "bytes")
    return {name: getattr(row, name) for name in named} | {"others": dict(row.others)}


def _text(said: _Said) -> str:
    from striate.cli.machines.refined import refined_text
    from striate.printable import columns

    numbers: list[tuple[str, ...]] = [("number of the formula", "is", "low", "high", "")]
    for one in said.fit.found():
        if one.determined:
            ends = (f"{end:.3g}" for end in (one.value.estimate, one.value.low, one.value.high))
            numbers.append((one.prior.name, *ends, one.prior.unit))
    parts = [f"{len(said.fit.rows)} settings fitted", columns(numbers, numbers_from=1)]
    parts.append(refined_text(said.refined))
    return "\n\n".join([*parts, _forecasts(said)] if said.asked else parts)


def _forecasts(said: _Said) -> str:
    from striate.printable import columns
    from striate.units import about_seconds, about_size

    likely = said.likely()
    head = (
        "nodes",
        "ranks/node",
        "stripes",
        "aggregators",
        "lock mode",
        "bytes",
        "median",
        "low",
        "high",
        "",
    )
    rows: list[tuple[str, ...]] = [head]
    for row, seconds in zip(said.asked, said.seconds, strict=True):
        times = (about_seconds(end) for end in (seconds.estimate, seconds.low, seconds.high))
        best = f"best ({likely[id(row)]:.0%})" if id(row) in likely else ""
        counts = (str(row.nodes), str(row.ranks_per_node), str(row.stripes), f"stripes x {row.multiplier}")
        rows.append((*counts, row.lock_mode, about_size(row.bytes), *times, best))
    return columns(rows, numbers_from=0)
