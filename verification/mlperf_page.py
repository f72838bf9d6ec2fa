"""The page of verification/mlperf.py: forecast against measured, every outlier by its name."""

import html


def page(verdicts, numbers, outliers, refused, others) -> str:
    """A page that opens offline: the figures, forecast against measured, every result, every outlier."""
    columns = (
        "result",
        "measured",
        "forecast",
        "80 % range",
        "error",
        "AU measured",
        "AU forecast",
        "binds",
        "not on the sheet",
    )
    rows = [
        (
            f"{one.result.submitter}/{one.result.name}",
            f"{one.result.throughput:,.1f}",
            f"{one.forecast.throughput.estimate:,.1f}",
            f"{one.forecast.throughput.low:,.1f} to {one.forecast.throughput.high:,.1f}",
            f"{one.error:.0%}",
            f"{one.result.utilisation:.1%}",
            f"{one.forecast.utilisation.estimate:.1%}",
            one.forecast.binding[0][0],
            ", ".join(one.forecast.missing),
        )
        for one in verdicts
    ]
    body = [
        "<h1>MLPerf Storage: forecast against measured</h1>",
        _numbers_table(numbers, others),
        _plot(verdicts),
    ]
    body += [
        "<h2>Outside the range</h2><ul>",
        *(f"<li>{html.escape(line)}</li>" for line in outliers),
        "</ul>",
    ]
    if refused:
        body += ["<h2>Not read</h2><ul>", *(f"<li>{html.escape(line)}</li>" for line in refused), "</ul>"]
    body.append(f"<h2>All results</h2><table><tr>{''.join(f'<th>{name}</th>' for name in columns)}</tr>")
    for one, row in zip(verdicts, rows, strict=True):
        cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
        body.append(f"<tr{'' if one.inside else ' class=out'}>{cells}</tr>")
    style = (
        "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:90rem;color:#222}table{border-collapse:collapse}"
        "td,th{padding:.15rem .6rem;text-align:left;border-bottom:1px solid #ddd}.out{background:#fff0e0}"
    )
    head = f'<meta charset="utf-8"><title>MLPerf Storage: forecast against measured</title><style>{style}</style>'
    return f"<!doctype html><html lang=en>{head}{''.join(body)}</table></html>\n"


def _numbers_table(numbers: dict[str, float], others: dict[str, float] | None) -> str:
    head = (
        "<tr><th></th><th>all submitters</th>"
        + ("<th>each by the others' numbers</th>" if others else "")
        + "</tr>"
    )
    lines = [
        f"<tr><td>{name}</td><td>{shown_number(name, value)}</td>"
        + (f"<td>{shown_number(name, others[name])}</td>" if others else "")
        + "</tr>"
        for name, value in numbers.items()
    ]
    return f"<table>{head}{''.join(lines)}</table>"


def shown_number(name: str, value: float) -> str:
    whole = name in ("results", "beat a proof", "beat a ceiling of the sheet")
    return (
        f"{value:.0f}" if whole else f"{value:.2f}" if "points" in name or "width" in name else f"{value:.1%}"
    )


def _plot(verdicts) -> str:
    """Measured (across) and forecast (up) as shares of the accelerators' pace, with ranges."""
    size, edge, low, high = 560, 50, 0.3, 1.02

    def place(share):
        return edge + (min(max(share, low), high) - low) / (high - low) * (size - 2 * edge)

    parts = [f'<svg width="{size}" height="{size}" role="img" aria-label="forecast against measured">']
    parts.append(
        f'<line x1="{place(low)}" y1="{size - place(low)}" x2="{place(1)}" y2="{size - place(1)}" stroke="#999"/>'
    )
    for share in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        parts.append(
            f'<text x="{place(share)}" y="{size - 20}" font-size="11" text-anchor="middle">{share:.0%}</text>'
        )
        parts.append(f'<text x="12" y="{size - place(share)}" font-size="11">{share:.0%}</text>')
    for one in verdicts:
        pace, span = one.forecast.pace, one.forecast.throughput
        across, colour = place(one.result.throughput / pace), "#1f6fb2" if one.inside else "#d1495b"
        ends = [size - place(value / pace) for value in (span.low, span.high, span.estimate)]
        name = html.escape(f"{one.result.submitter}/{one.result.name}")
        parts.append(
            f'<g stroke="{colour}" fill="{colour}"><title>{name}</title><line x1="{across:.1f}" x2="{across:.1f}" '
            f'y1="{ends[0]:.1f}" y2="{ends[1]:.1f}" stroke-opacity=".5"/>'
            f'<circle cx="{across:.1f}" cy="{ends[2]:.1f}" r="3"/></g>'
        )
    parts.append(
        "</svg><p>Across: measured, as a share of the pace without waiting; up: forecast, 80 % range.</p>"
    )
    return "".join(parts)
