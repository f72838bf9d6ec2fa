"""The numbers of `striate.training.kinds` that are set from results: the rule that sets them.

Eight numbers: six medians and two widths, each from a short list of round values. A coordinate search from the middle
of every list takes the values with the least mean pinball loss (10th, 50th and 90th percentile of the logarithm of the
throughput), every submitter with the same weight. The lists were written before the search; they say what is possible,
not what fits.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from striate.training.forecast import quantiles_of
from striate.training.kinds import GB
from striate.training.system import Rates, rates_of

LISTS = {
    "delivered": (0.35, 0.45, 0.55, 0.65, 0.75, 0.85),
    "tfrecord": (0.05 * GB, 0.08 * GB, 0.12 * GB, 0.18 * GB, 0.27 * GB, 0.4 * GB, 0.6 * GB),
    "npz": (0.2 * GB, 0.3 * GB, 0.45 * GB, 0.7 * GB, 1.0 * GB, 1.5 * GB),
    "smoothness": (3, 4, 6, 8, 12, 20),
    "step_loss": (0.005, 0.01, 0.02, 0.035, 0.06, 0.1),
    "start_per_file": (0.2e-6, 0.4e-6, 0.8e-6, 1.6e-6),
    "rate_width": (1.15, 1.3, 1.5, 1.75, 2.0, 2.5),
    "loss_width": (1.5, 2.0, 3.0, 4.0),
}
PERCENTILES = (0.1, 0.5, 0.9)
Setting = dict[str, float]


def middle_of_lists() -> Setting:
    return {name: values[len(values) // 2] for name, values in LISTS.items()}


def with_setting(rates: Rates, record_format: str, setting: Setting, *, local: bool) -> Rates:
    """The ranges with the numbers of a setting in the place of those that are set from results."""
    wide, loose = setting["rate_width"], setting["loss_width"]
    changed = {
        "smoothness": replace(rates.smoothness, **_around(setting["smoothness"], wide)),
        "step_loss": replace(rates.step_loss, **_around(setting["step_loss"], loose, 1.0)),
        "start_per_file": replace(rates.start_per_file, **_around(setting["start_per_file"], loose)),
    }
    if not local:
        changed["delivered"] = replace(rates.delivered, **_around(setting["delivered"], wide, 1.0))
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
        said = np.log(quantiles_of(one.job, one.system, rates_by(setting, one), PERCENTILES))
        missed = np.log(one.throughput) - said
        losses = np.maximum(np.array(PERCENTILES) * missed, (np.array(PERCENTILES) - 1) * missed)
        by_submitter[one.submitter].append(losses.mean())
    return float(np.mean([np.mean(losses) for losses in by_submitter.values()]))


def fit(results) -> tuple[Setting, float]:
    """Coordinate search until nothing improves."""
    setting = middle_of_lists()
    best = loss_of(results, setting)
    improved = True
    while improved:
        improved = False
        for name, values in LISTS.items():
            for value in values:
                tried = {**setting, name: value}
                loss = loss_of(results, tried)
                if loss < best - 1e-9:
                    setting, best, improved = tried, loss, True
    return setting, best
