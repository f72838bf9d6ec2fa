"""Draw the picture of the guide to simulated runs: `python tools/draw_timeline.py` writes it to docs/images.

A Jacobi solver with checkpoints on eight nodes of `westmere`: phases of every rank, and below them what two links, two
servers and their disks did meanwhile.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from striate.apps import jacobi
from striate.ladder import predict
from striate.svg import RULE, Canvas
from striate.trace.trace import Trace

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "timeline-jacobi.svg"
PHASES = {"compute": "#8fb8de", "exchange": "#e8a33d", "checkpoint": "#7d5ba6"}
RESOURCES = (
    "compute.0.hub > switch",
    "switch > compute.0.hub",
    "server 0",
    "server 1",
    "disk 0.0",
    "disk 1.0",
)
OTHERS = {"transfer": "#4c9f70", "write": "#7d5ba6", "seek": "#c1121f"}
LEFT, TOP, WIDTH, ROW, BAR = 190.0, 46.0, 760.0, 20.0, 14.0


def simulated() -> Trace:
    """The run that is drawn."""
    load = jacobi.workload(8, rows=2048, columns=2048, steps=8, every=4, cell="40 ns")
    trace = predict(load, "westmere", timeline=True).timeline
    assert isinstance(trace, Trace)
    return trace


def draw(trace: Trace) -> str:
    """Time to the right, one row per rank or resource."""
    canvas = Canvas(outline="none")
    last = int(trace.column("end").max())
    rows = trace.ranks + len(RESOURCES)
    _axis(canvas, last, rows)
    for rank in range(trace.ranks):
        _phases(canvas, trace, rank, last)
    for at, name in enumerate(RESOURCES):
        _resource(canvas, trace, name, trace.ranks + at, last)
    _legend(canvas, TOP + rows * ROW + 40)
    return canvas.svg(LEFT + WIDTH + 20, TOP + rows * ROW + 60, "A Jacobi solver with checkpoints, simulated")


def _x(time: float, last: int) -> float:
    return LEFT + WIDTH * time / last


def _axis(canvas: Canvas, last: int, rows: int) -> None:
    canvas.text(
        LEFT,
        22,
        "Jacobi with checkpoints, 8 ranks on westmere, simulated packet by packet",
        size=14,
        anchor="start",
    )
    for tick in range(0, last + 1, 50_000_000):
        x = _x(tick, last)
        canvas.line(x, TOP - 6, x, TOP + rows * ROW, RULE, 0.6)
        canvas.text(x, TOP - 10, f"{tick // 1_000_000} ms", size=10)


def _label(canvas: Canvas, row: int, text: str) -> None:
    canvas.text(LEFT - 8, TOP + row * ROW + BAR - 2, text, size=11, anchor="end")


def _bars(canvas: Canvas, trace: Trace, row: int, last: int, fill: str) -> None:
    y = TOP + row * ROW + (ROW - BAR) / 2 - 1
    start, end = trace.column("start"), trace.column("end")
    for begin, stop in _joined(start, end, last / 2000):
        canvas.box(_x(begin, last), y, max(_x(stop, last) - _x(begin, last), 0.3), BAR, fill)


def _joined(start: np.ndarray, end: np.ndarray, gap: float) -> list[tuple[int, int]]:
    """Bars closer together than a hair's breadth are drawn as one."""
    found: list[tuple[int, int]] = []
    for begin, stop in sorted(zip(start.tolist(), end.tolist(), strict=True)):
        if found and begin - found[-1][1] <= gap:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((begin, stop))
    return found


def _phases(canvas: Canvas, trace: Trace, rank: int, last: int) -> None:
    _label(canvas, rank, f"rank {rank}")
    marks = trace.where(trace.of_kind("region")).select(ranks=[rank])
    for number, name in enumerate(trace.header.regions):
        _bars(canvas, marks.where(marks.column("region") == number), rank, last, PHASES[name])


def _resource(canvas: Canvas, trace: Trace, name: str, row: int, last: int) -> None:
    _label(canvas, row, name)
    mine = trace.where(trace.column("resource") == trace.header.resources.index(name))
    for kind, fill in OTHERS.items():
        _bars(canvas, mine.where(mine.of_kind(kind)), row, last, fill)


def _legend(canvas: Canvas, y: float) -> None:
    x = LEFT
    for name, fill in {**PHASES, "message on a link": OTHERS["transfer"], "seek": OTHERS["seek"]}.items():
        canvas.box(x, y - 10, 12, 12, fill)
        canvas.text(x + 17, y, name, size=11, anchor="start")
        x += 40 + 7.2 * len(name)


def main() -> None:
    PICTURE.write_text(draw(simulated()))
    print(f"wrote docs/images/{PICTURE.name} ({PICTURE.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
