"""A forecast as one small page: the time with its range, what each resource has to do, and how sure we are."""

from __future__ import annotations

from html import escape

from striate.interval import Interval
from striate.predict.forecast import Answer, Forecast, Use
from striate.units import about_seconds, about_size

_STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --paper: #ffffff; --line: #d8dee6; --bar: #2f6fab; --range: #bcd3ea; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebf2; --soft: #9aa7b6; --paper: #14181f; --line: #313a46; --bar: #5fa3e0; --range: #274866; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 52rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.1rem; font-weight: 600; color: var(--soft); margin: 0; }
h2 { font-size: 1.05rem; margin: 2.2rem 0 .5rem; }
.time { font-size: 2.6rem; font-weight: 650; margin: .1rem 0; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 13px system-ui, sans-serif; }
@media print { body { margin: 0; } }
"""


def forecast_page(forecast: Forecast) -> str:
    """One self-contained HTML document; every name in it is shown as text."""
    title = f"{forecast.workload} on {forecast.cluster}"
    parts = [
        f"<h1>{_name(title)}, {forecast.ranks:,} ranks</h1>",
        f'<p class="time">{about_seconds(forecast.seconds.estimate)}</p>',
        f"<p>{escape(_sentence(forecast))}</p>",
        "<h2>How sure</h2>",
        "".join(_range(answer, 1.6 * forecast.seconds.high) for answer in forecast.answers),
        "<h2>Where the work is</h2>",
        _uses(forecast.uses),
        _checks(forecast),
        _notes(forecast),
        "<h2>Where the numbers come from</h2>",
        _provenance(forecast),
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en">\n<head>{head}{viewport}</head>\n<body>\n{body}\n</body>\n</html>\n'


def _name(text: str) -> str:
    """A name as text; marks that turn its direction end with it."""
    return f"<bdi>{escape(text)}</bdi>"


def _sentence(forecast: Forecast) -> str:
    text = f"{_span(forecast.seconds)}, by the {forecast.rung} rung."
    if (busiest := forecast.bottleneck) and forecast.seconds.estimate:
        share = busiest.busiest_seconds / forecast.seconds.estimate
        work = about_seconds(busiest.busiest_seconds)
        text += f" The most work is on {busiest.busiest}: {work}, {share:.0%} of the time."
    if not forecast.trusted:
        text += " The validity tests say that this answer is not to be trusted."
    elif not forecast.reached:
        text += f" The range is wider than the {forecast.within:.0%} that were asked for."
    return text


def _range(answer: Answer, most: float) -> str:
    """A bar from low to high on a scale from zero to `most`, with a tick at the estimate; open where it goes beyond."""
    width, left = 800.0, 110.0
    room = width - left - 10
    bounds = answer.combined
    low, middle, high = (
        left + room * min(value / most if most else 0.0, 1.0)
        for value in (bounds.low, bounds.estimate, bounds.high)
    )
    caption = _span(bounds)
    anchor, at = ("start", low) if low < 0.8 * width else ("end", width - 10)
    beyond = f'<path d="M{width - 10} 8 l10 10 l-10 10 z" fill="var(--range)"/>' if bounds.high > most else ""
    return (
        f'<svg viewBox="0 0 {width:.0f} 52" role="img" aria-label="{escape(answer.rung)}: {escape(caption)}">'
        f'<text x="0" y="22">{escape(answer.rung)}</text>'
        f'<line x1="{left}" y1="32" x2="{width - 10}" y2="32" stroke="var(--line)"/>'
        f'<rect x="{low:.1f}" y="8" width="{max(high - low, 1.5):.1f}" height="20" rx="2" fill="var(--range)"/>{beyond}'
        f'<rect x="{middle - 1.5:.1f}" y="4" width="3" height="28" fill="var(--bar)"/>'
        f'<text x="{at:.1f}" y="48" text-anchor="{anchor}">{escape(caption)}</text></svg>'
    )


def _span(bounds: Interval) -> str:
    if bounds.width == 0:
        return about_seconds(bounds.estimate)
    return f"{about_seconds(bounds.low)} to {about_seconds(bounds.high)}"


def _uses(uses: tuple[Use, ...]) -> str:
    most = max((use.busiest_seconds for use in uses), default=0.0)
    rows = "".join(
        f"<tr><td>{use.count:,} &times; {_name(use.kind)}</td><td>{_name(use.busiest)}</td>"
        f'<td class="number">{about_seconds(use.busiest_seconds)}</td><td style="width:38%">{_bar(use, most)}</td>'
        f'<td class="number">{about_seconds(use.mean_seconds)}</td></tr>'
        for use in uses
    )
    heads = ("<th>resource", "<th>busiest", "<th class='number'>its work", "<th>", "<th class='number'>mean")
    head = f"<tr>{'</th>'.join(heads)}</th></tr>"
    return f"<table>{head}{rows}</table>"


def _bar(use: Use, most: float) -> str:
    busiest, mean = (100 * value / most if most else 0.0 for value in (use.busiest_seconds, use.mean_seconds))
    return (
        '<svg viewBox="0 0 100 6" preserveAspectRatio="none" style="height:.8rem" aria-hidden="true">'
        f'<rect width="{busiest:.2f}" height="6" fill="var(--range)"/>'
        f'<rect width="{mean:.2f}" height="6" fill="var(--bar)"/></svg>'
    )


def _checks(forecast: Forecast) -> str:
    rows = "".join(
        f"<tr><td>{escape(check.name)}</td><td>{'passed' if check.passed else 'failed'}</td>"
        f"<td>{escape(check.finding)}</td></tr>"
        for check in forecast.checks
    )
    return f"<h2>Tests</h2><table>{rows}</table>" if rows else ""


def _notes(forecast: Forecast) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in forecast.notes)
    return f"<h2>Keep in mind</h2><ul>{items}</ul>" if items else ""


def _provenance(forecast: Forecast) -> str:
    versions = ", ".join(
        f"{_name(name)} {_name(number)}" for name, number in forecast.provenance.versions.items()
    )
    inputs = "".join(
        f"<br>{_name(name)} {_name(digest)}" for name, digest in forecast.provenance.inputs.items()
    )
    cost = forecast.cost
    spent = f"{about_seconds(cost.cpu_seconds)} of CPU, {about_size(cost.peak_memory_bytes)} of memory"
    return f'<p class="soft">{versions}; {spent}.{inputs}</p>'
