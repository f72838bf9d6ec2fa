"""A fit as a page: observed against fitted, and what is left over."""

from __future__ import annotations

from striate.pages.plotly_page import plotly_page
from striate.queueing import Fit

_BODY = '<div class="charts"><div id="fitted"></div><div id="residuals"></div></div>'


def residuals_page(fit: Fit, *, title: str) -> str:
    """One self-contained HTML document: speedups or seconds, and relative residuals over p."""
    observed = fit.observations
    fitted = observed.values * (1 + fit.residuals)
    if observed.quantity == "seconds":
        fitted = observed.values / (1 + fit.residuals)  # residuals are those of speedups
    heading = (
        f"{fit.kind}, {observed.values.size} observations, average error {fit.error:.3%}, RMS {fit.rms:.2%}"
    )
    data = {
        "processors": observed.processors.tolist(),
        "disks": observed.disks.tolist(),
        "observed": observed.values.tolist(),
        "fitted": fitted.tolist(),
        "residuals": (100 * fit.residuals).tolist(),
        "quantity": "speedup" if observed.quantity == "speedup" else "time (s)",
    }
    return plotly_page(title, heading=heading, body=_BODY, script="residuals.js", data=data)
