"""Throughput and utilisation of MLPerf Storage results, forecast from YAML and sheet alone, against what was measured.

    python verification/mlperf.py FOLDER [--page PAGE.html] [--leave-one-out]

FOLDER has the form of a round of MLPerf Storage results: SUBMITTER/systems/*.json and, somewhere below
SUBMITTER/results, folders of runs with `summary.json` and the DLIO configuration, beside it or in a folder above. What
cannot be read is named by its path and left out. Of a summary, the forecast sees how
the run was launched (`num_accelerators`, `num_hosts`) and nothing else. Five figures are printed: how many results beat
what is proved, the median error, the share inside the 80 % range, the same for the utilisation, and what one could say
without any sheet: that a published run reached the utilisation its YAML asks for.

--leave-one-out sets the numbers that came from results (`kinds.RESULTS`) again without each submitter in turn, by the
same rule, and judges that submitter with them.
"""

import argparse
import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from mlperf_page import page, shown_number

from striate.errors import StriateError
from striate.importers import dlio, mlperf_sheet
from striate.importers.system_name import from_name
from striate.training.forecast import TrainingForecast, forecast_training
from striate.training.job import TrainingJob
from striate.training.system import StorageSystem

CONFIGS = ("configs/config.yaml", ".hydra/config.yaml", "dlio_config/config.yaml", "config.yaml")
MOST = 1e12
RUN = re.compile(r"run[-_ ]?[0-9]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Result:
    """Runs of one configuration: what they were asked, on what, and what was measured."""

    submitter: str
    name: str
    job: TrainingJob
    system: StorageSystem
    throughput: float
    utilisation: float
    runs: int


def results_in(folder: Path) -> tuple[list[Result], list[str]]:
    """All results below a folder in a fixed order, and a line for everything that could not be read."""
    found: dict[tuple[str, str, TrainingJob], list[tuple[float, float]]] = defaultdict(list)
    systems: dict[tuple[str, str], StorageSystem] = {}
    refused = []
    for submitter in submitters_in(folder):
        results_folder = named(submitter, "results")
        for path in sorted(one for one in results_folder.rglob("*") if one.name.lower() == "summary.json"):
            try:
                job, measured = read_run(path, results_folder)
            except (StriateError, OSError, RecursionError, ValueError) as error:
                refused.append(f"{path.relative_to(folder)}: {error}")
                continue
            name = str(name_of(path, results_folder))
            key = (submitter.name, name)
            if key not in systems:
                systems[key] = sheet_of(submitter, name, refused)
            found[submitter.name, name, job].append(measured)
    results = []
    for (submitter_name, name, job), runs in found.items():
        throughput, utilisation = np.mean(runs, axis=0)
        system = systems[submitter_name, name]
        results.append(Result(submitter_name, name, job, system, throughput, utilisation, len(runs)))
    return results, refused


def submitters_in(folder: Path) -> list[Path]:
    """Folders with `results` in them, at any depth but below others: closed and open divisions have their own."""
    found = sorted(path for path in folder.rglob("*") if path.name.lower() == "results" and path.is_dir())
    return [one.parent for one in found if not any(other in one.parents for other in found)]


def named(folder: Path, name: str) -> Path:
    """The folder of a name in large or small letters."""
    return next((one for one in sorted(folder.iterdir()) if one.name.lower() == name), folder / name)


def read_run(summary: Path, results: Path) -> tuple[TrainingJob, tuple[float, float]]:
    """What a run was asked, its samples per second and its utilisation; raises ValueError with a mistake's path."""
    said = json.loads(summary.read_text())
    config = config_of(summary, results)
    accelerators = int(number_at(said, "num_accelerators", least=1))
    hosts = int(number_at(said, "num_hosts", least=1)) if at_path(said, "num_hosts") else 1
    job = dlio.from_file(config, accelerators=accelerators, hosts=hosts)
    throughput = mean_at(said, "train_throughput", "samples_per_second")
    return job, (throughput, mean_at(said, "train_au", "percentage") / 100)


def config_of(summary: Path, results: Path) -> Path:
    """The configuration of a run: the one nearest to its summary, in the same folder or above."""
    above = [summary.parent, *summary.parent.parents]
    for folder in above[: above.index(results) + 1]:
        for one in CONFIGS:
            if (folder / one).is_file():
                return folder / one
    raise ValueError("no DLIO configuration beside it or above")


def at_path(document: Any, path: str) -> Any:
    """The value at `a.b`; None where there is none."""
    for key in path.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def number_at(document: Any, path: str, *, least: float) -> float:
    value = at_path(document, path)
    try:
        found = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        found = math.nan
    if not least <= found < MOST:
        raise ValueError(f"expected a number from {least:g}, got {value!r:.60} - at $.{path}")
    return found


def mean_at(said: Any, what: str, unit: str) -> float:
    """A mean of epochs; where only the epochs themselves are told, the mean of these."""
    each = at_path(said, f"metric.{what}_{unit}")
    if at_path(said, f"metric.{what}_mean_{unit}") is None and isinstance(each, list) and each:
        epochs = [number_at({"one": one}, "one", least=1e-9) for one in each]
        return sum(epochs) / len(epochs)
    return number_at(said, f"metric.{what}_mean_{unit}", least=1e-9)


def name_of(summary: Path, results: Path) -> Path:
    """The path of a result: down to the folder that holds its runs."""
    parts = summary.relative_to(results).parent.parts
    place = next((place for place, part in enumerate(parts) if RUN.fullmatch(part)), len(parts) - 1)
    kept = parts[:place]
    kept = kept[:-1] if kept and kept[-1].lower() == "runs" else kept
    whole = [part for part in parts[:1] if not RUN.fullmatch(part)]
    return Path(*(kept or whole or [results.parent.name]))


def sheet_of(submitter: Path, name: str, refused: list[str]) -> StorageSystem:
    """The sheet that belongs to a result; what is wrong with it is told and left open, else the name must do."""
    chosen = chosen_sheet(named(submitter, "systems"), name)
    for lenient in (False, True) if chosen is not None else ():
        try:
            return mlperf_sheet.from_file(chosen, lenient=lenient)
        except StriateError as error:
            refused.append(str(error))
    system = from_name(name.split("/")[0])
    why = "its sheet cannot be read" if chosen is not None else "there is no sheet of this name"
    return replace(system, notes=(*system.notes, why))


def chosen_sheet(folder: Path, name: str) -> Path | None:
    """The sheet whose name is in that of the result, the longest; else the only one; else the one most alike."""
    sheets = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in (".json", ".yaml", ".yml")]
    sheets = [path for path in sheets if path.stem.lower() != "schema"]
    fitting = [path for path in sheets if _letters(path.stem) in _letters(name)]
    if fitting:
        return max(fitting, key=lambda path: len(path.stem))
    shared = {path: len(_words(path.stem) & _words(name)) for path in sheets}
    most = max(shared.values(), default=0)
    alike = [path for path in sheets if shared[path] == most]
    return alike[0] if len(sheets) == 1 or (most and len(alike) == 1) else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|[0-9.]+", text.lower()))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


# --- judging


@dataclass(frozen=True, slots=True)
class Verdict:
    result: Result
    forecast: TrainingForecast

    @property
    def error(self) -> float:
        return abs(self.forecast.throughput.estimate / self.result.throughput - 1)

    @property
    def inside(self) -> bool:
        return self.result.throughput in self.forecast.throughput

    @property
    def utilisation_inside(self) -> bool:
        return self.result.utilisation in self.forecast.utilisation

    @property
    def beats_proof(self) -> bool:
        return self.result.throughput > self.forecast.pace or self.result.utilisation > 1

    @property
    def beats_sheet(self) -> list[str]:
        return [name for name, rate in self.forecast.ceilings if self.result.throughput > rate]


def judge(results: list[Result]) -> list[Verdict]:
    return [Verdict(one, forecast_training(one.job, one.system)) for one in results]


def figures(verdicts: list[Verdict]) -> dict[str, float]:
    errors = [one.error for one in verdicts]
    au_errors = [abs(one.forecast.utilisation.estimate - one.result.utilisation) for one in verdicts]
    said = [one.result.job.pace * (1 + one.result.job.wanted_utilisation) / 2 for one in verdicts]
    naive = [abs(guess / one.result.throughput - 1) for guess, one in zip(said, verdicts, strict=True)]
    given = [one.forecast.valid_throughput or one.forecast.throughput for one in verdicts]
    return {
        "results": len(verdicts),
        "beat a proof": sum(one.beats_proof for one in verdicts),
        "beat a ceiling of the sheet": sum(bool(one.beats_sheet) for one in verdicts),
        "median error": float(np.median(errors)),
        "90th percentile of the error": float(np.quantile(errors, 0.9)),
        "inside the 80 % range": float(np.mean([one.inside for one in verdicts])),
        "above it": float(
            np.mean([one.result.throughput > one.forecast.throughput.high for one in verdicts])
        ),
        "below it": float(np.mean([one.result.throughput < one.forecast.throughput.low for one in verdicts])),
        "median width (high / low)": float(
            np.median([one.forecast.throughput.high / one.forecast.throughput.low for one in verdicts])
        ),
        "utilisation: median error, points": 100 * float(np.median(au_errors)),
        "utilisation: inside the 80 % range": float(np.mean([one.utilisation_inside for one in verdicts])),
        "given that the run is valid: inside": float(
            np.mean([one.result.throughput in span for one, span in zip(verdicts, given, strict=True)])
        ),
        "given that the run is valid: median error": float(
            np.median(
                [abs(s.estimate / one.result.throughput - 1) for one, s in zip(verdicts, given, strict=True)]
            )
        ),
        "without any sheet, given that it is valid: median error": float(np.median(naive)),
    }


def print_table(verdicts: list[Verdict]) -> None:
    heads = ("measured", "forecast", "low", "high")
    print(f"  {'result':72}" + "".join(f" {head:>10}" for head in heads) + "  error     AU   said")
    for one in verdicts:
        span, au = one.forecast.throughput, one.forecast.utilisation
        mark = " " if one.inside else "*"
        name = f"{one.result.submitter}/{one.result.name}"[-72:]
        numbers = (one.result.throughput, span.estimate, span.low, span.high)
        shares = f" {one.error:6.0%} {one.result.utilisation:6.1%} {au.estimate:6.1%}"
        print(f"{mark} {name:72}" + "".join(f" {number:10,.1f}" for number in numbers) + shares)


def outliers(verdicts: list[Verdict]) -> Iterator[str]:
    """A line for every result outside its range: on which side, what binds, what the sheet leaves open."""
    for one in verdicts:
        if one.inside:
            continue
        side = "above" if one.result.throughput > one.forecast.throughput.high else "below"
        binding = one.forecast.binding[0][0]
        widest = ", ".join(width.name for width in one.forecast.widths[:2] if not width.stated)
        open_ = ", ".join(one.forecast.missing) or "nothing of what we ask for"
        notes = "".join(f"; {note}" for note in one.forecast.notes)
        name = f"{one.result.submitter}/{one.result.name}"
        said = f"most often binds: {binding}; widest: {widest}; the sheet leaves open: {open_}{notes}"
        yield f"{name}: {side} the range; {said}"


# --- numbers that were set from results


def leave_one_out(results: list[Result]) -> list[Verdict]:
    """Every submitter forecast with the numbers that the others give."""
    from mlperf_fit import fit, rates_by

    verdicts = []
    known = {}
    for submitter in sorted({one.submitter for one in results}):
        setting = fit([one for one in results if one.submitter != submitter], known)
        print(f"without {submitter}: " + ", ".join(f"{name} {value:.3g}" for name, value in setting.items()))
        for one in results:
            if one.submitter == submitter:
                verdicts.append(Verdict(one, forecast_training(one.job, one.system, rates_by(setting, one))))
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--page", type=Path, default=Path("mlperf.html"))
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--fit", action="store_true", help="print the numbers that all results give")
    options = parser.parse_args()
    results, refused = results_in(options.folder)
    if not results:
        sys.exit(f"no results below {options.folder}")
    verdicts = judge(results)
    print_table(verdicts)
    for line in [*outliers(verdicts), *(f"not read: {line}" for line in refused)]:
        print(line)
    numbers = figures(verdicts)
    others = None
    if options.fit:
        from mlperf_fit import fit

        print(fit(results))
    if options.leave_one_out:
        others = figures(leave_one_out(results))
    for name, value in numbers.items():
        print(
            f"{name:60} {shown_number(name, value):>8}"
            + (f"  each by the others: {shown_number(name, others[name]):>8}" if others else "")
        )
    options.page.write_text(page(verdicts, numbers, list(outliers(verdicts)), refused, others))
    good = (
        not numbers["beat a proof"]
        and numbers["median error"] <= 0.25
        and 0.75 <= numbers["inside the 80 % range"] <= 0.9
    )
    word = "holds" if good else "does not hold"
    print(f"page: {options.page}; {word}: no proof beaten, median error <= 25 %, 75 to 90 % inside")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
