"""A refined description on one screen, whether traces or a table of rates refined it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from striate.probe.refine import Refined


def refined_text(refined: Refined) -> str:
    """What changed, and what could not be determined."""
    from striate.printable import columns
    from striate.units import about_rate, about_seconds

    rows: list[tuple[str, ...]] = [("number", "was", "is", "low", "high", "operations")]
    for one in refined.refinements:
        about = about_seconds if one.key.endswith("latency") else about_rate
        ends = (about(value) for value in (one.after.estimate, one.after.low, one.after.high))
        rows.append((one.key, about(one.before), *ends, f"{one.samples:,}"))
    parts = [columns(rows, numbers_from=1)] if refined.refinements else ["nothing could be determined"]
    return "\n\n".join(
        [*parts, "\n".join(f"not determined: {words}" for words in refined.undetermined)]
    ).rstrip()
