"""The numbers of `striate.training.kinds` that are set from results: the rule that sets them.

Ten numbers, each from a short list of round values. Eight medians: a coordinate search from the middle of every list
takes the values with the least mean pinball loss (10th, 50th and 90th percentile of the logarithm of the throughput),
every submitter with the same weight. Two widths: those with the least loss on submitters whose results the medians
were not set from; on the same results they would come out too narrow.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from striate.training.forecast import quantiles_of
from striate.training.kinds import GB
from striate.training.system import Rates, rates_of

MEDIANS = {
    "network": (0.35, 0.45, 0.55, 0.65, 0.75, 0.85),
    "local": (0.7, 0.8, 0.9, 0.95, 1.0),
    "tfrecord": (0.05 * GB, 0.08 * GB, 0.12 * GB, 0.18 * GB, 0.27 * GB, 0.4 * GB, 0.6 * GB),
    "npz": (0.2 * GB, 0.3 * GB, 0.45 * GB, 0.7 * GB, 1.0 * GB, 1.5 * GB),
    "smoothness": (3, 4, 6, 8, 12, 20),
    "step_loss": (0.005, 0.01, 0.02, 0.035, 0.06, 0.1),
    "step_seconds": (0.05e-3, 0.1e-3, 0.2e-3, 0.4e-3, 0.8e-3, 1.6e-3),
    "start_per_file": (0.2e-6, 0.4e-6, 0.8e-6, 1.6e-6, 3.2e-6),
}
WIDTHS = {"rate_width": (1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5), "loss_width": (1.5, 2.0, 3.0, 4.0)}
DRAWS = 256  # enough for a search
PERCENTILES = (0.1, 0.5, 0.9)
Setting = dict[str, float]


def with_setting(rates: Rates, record_format: str, setting: Setting, *, local: bool) -> Rates:
    """The ranges with the numbers of a setting in the place of those that are set from results."""
    wide, loose = setting["rate_width"], setting["loss_width"]
    changed = {
        "smoothness": replace(rates.smoothness, **_around(setting["smoothness"], wide)),
        "step_loss": replace(rates.step_loss, **_around(setting["step_loss"], loose, 1.0)),
        "step_seconds": replace(rates.step_seconds, **_around(setting["step_seconds"], loose)),
        "start_per_file": replace(rates.start_per_file, **_around(setting["start_per_file"], loose)),
    }
    share = setting["local" if local else "network"]
    changed["delivered"] = replace(rates.delivered, **_around(share, wide, 1.0))
    if record_format in ("tfrecord", "npz"):
        changed["core_rate"] = replace(rates.core_rate, **_around(setting[record_format], wide))
    return replace(rates, **changed)


def _around(middle, width, most=float("inf")):
    return {"low": middle / width, "middle": middle, "high": min(middle * width, most)}


def rates_by(setting, result):
    rates = rates_of(result.system, result.job.record_format)
    return with_setting(rates, result.job.record_format, setting, local=result.system.local)


def loss_of(results, setting: Setting) -> float:
    """Mean pinball loss, first over the results of a submitter, then over submitters."""
    by_submitter = defaultdict(list)
    for one in results:
        said = np.log(quantiles_of(one.job, one.system, rates_by(setting, one), PERCENTILES, DRAWS))
        missed = np.log(one.throughput) - said
        losses = np.maximum(np.array(PERCENTILES) * missed, (np.array(PERCENTILES) - 1) * missed)
        by_submitter[one.submitter].append(losses.mean())
    return float(np.mean([np.mean(losses) for losses in by_submitter.values()]))


def fit(results, known=None) -> Setting:
    """Medians from all results, widths from results of submitters that the medians have not seen.

    `known` keeps medians by the submitters they were set from, for the next call.
    """
    known = {} if known is None else known
    submitters = sorted({one.submitter for one in results})
    groups = {name: [one for one in results if one.submitter == name] for name in submitters}
    without = {
        name: medians_of([one for one in results if one.submitter != name], known) for name in submitters
    }
    widths = [(rate, loss) for rate in WIDTHS["rate_width"] for loss in WIDTHS["loss_width"]]

    def loss_of_widths(pair) -> float:
        both = {"rate_width": pair[0], "loss_width": pair[1]}
        return float(np.mean([loss_of(groups[name], {**without[name], **both}) for name in submitters]))

    rate_width, loss_width = min(widths, key=loss_of_widths)
    return {**medians_of(results, known), "rate_width": rate_width, "loss_width": loss_width}


def medians_of(results, known) -> Setting:
    """Coordinate search with the widths in the middle of their lists, until nothing improves."""
    key = frozenset(one.submitter for one in results)
    if key in known:
        return known[key]
    setting = {name: values[len(values) // 2] for name, values in (MEDIANS | WIDTHS).items()}
    best = loss_of(results, setting)
    improved = True
    while improved:
        improved = False
        for name, values in MEDIANS.items():
            for value in values:
                tried = {**setting, name: value}
                loss = loss_of(results, tried)
                if loss < best - 1e-9:
                    setting, best, improved = tried, loss, True
    known[key] = setting
    return setting
