"""The decision tree of the ladder as a picture, drawn from the data that the ladder follows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from striate.ladder.decision import TREE, Rung, RungTrial
from striate.svg import ACCENT, INK, MUTED, RULE, Canvas

_WIDTH, _HEIGHT, _STEP = 330.0, 46.0, 74.0
_LEFT, _RIGHT = 70.0, 520.0
_PASSED, _FAILED = "#2f6fab", ACCENT
_TEST_FILL, _RUNG_FILL = "#eef4fa", "#fdf3e3"


def decision_picture() -> str:
    """Tests on the left, rungs on the right; blue where a test is passed, red where it fails, grey for wide ranges."""
    canvas = Canvas(corner=6)
    places = _places()
    for lane, (name, node) in enumerate(TREE.items()):
        if isinstance(node, RungTrial):
            _join(canvas, places, name, node.passed, "yes", _PASSED, lane)
            _join(canvas, places, name, node.failed, "no", _FAILED, lane)
        elif node.wider:
            _join(canvas, places, name, node.wider, "", MUTED, lane)
    for name, node in TREE.items():
        _box(canvas, places[name], name, node)
    bottom = max(y for _, y in places.values()) + _HEIGHT + 40
    legend = (
        ("yes: the test is passed", _PASSED),
        ("no: it is not", _FAILED),
        ("the range is too wide", MUTED),
    )
    for number, (words, color) in enumerate(legend):
        x = _LEFT + 250 * number
        canvas.line(x, bottom - 12, x + 26, bottom - 12, color, 2)
        canvas.text(x + 34, bottom - 8, words, anchor="start", size=12, color=MUTED)
    return canvas.svg(_RIGHT + _WIDTH + 90, bottom + 8, "Which rung is asked")


def _places() -> dict[str, tuple[float, float]]:
    """Tests in order down the left side; a rung beside the first test that leads to it, or below the rung before."""
    places: dict[str, tuple[float, float]] = {}
    trials = [name for name, node in TREE.items() if isinstance(node, RungTrial)]
    for number, name in enumerate(trials):
        places[name] = (_LEFT, 20 + number * _STEP)
    below = 0.0
    for name, node in TREE.items():
        if isinstance(node, Rung):
            beside = [places[trial][1] for trial in trials if TREE[trial].passed == name]  # type: ignore[union-attr]
            below = max([below, *beside])
            places[name] = (_RIGHT, below)
            below += _STEP
    return places


def _box(canvas: Canvas, place: tuple[float, float], name: str, node: RungTrial | Rung) -> None:
    x, y = place
    canvas.box(x, y, _WIDTH, _HEIGHT, _TEST_FILL if isinstance(node, RungTrial) else _RUNG_FILL, RULE)
    if isinstance(node, RungTrial):
        canvas.text(x + _WIDTH / 2, y + 19, name, size=13, bold=True, color=INK)
        canvas.text(x + _WIDTH / 2, y + 36, node.question, size=11, color=MUTED, room=_WIDTH - 12)
    else:
        canvas.text(x + _WIDTH / 2, y + 28, name, size=14, bold=True, color=INK)


def _join(
    canvas: Canvas,
    places: dict[str, tuple[float, float]],
    start: str,
    end: str,
    label: str,
    color: str,
    lane: int,
) -> None:
    """A line from one box to the next: straight down or across where it can be, else around by a lane of its own."""
    (x1, y1), (x2, y2) = places[start], places[end]
    middle = _HEIGHT / 2
    if x1 == x2 and y2 - y1 == _STEP:
        points = [(x1 + _WIDTH / 2, y1 + _HEIGHT), (x2 + _WIDTH / 2, y2)]
    elif x1 == x2:
        side = x1 - 14 - 8 * (lane % 4)
        points = [(x1, y1 + middle), (side, y1 + middle), (side, y2 + middle), (x2, y2 + middle)]
    elif end == "fine":
        side = _RIGHT + _WIDTH + 16 + 14 * lane
        points = [
            (x1 + _WIDTH, y1 + middle - 8),
            (side, y1 + middle - 8),
            (side, y2 + middle),
            (x2 + _WIDTH, y2 + middle),
        ]
    elif x1 < x2:
        level = y1 + middle + (0 if y1 == y2 else 13)
        between = (x1 + _WIDTH + x2) / 2 + 10
        points = [(x1 + _WIDTH, level), (between, level), (between, y2 + middle), (x2, y2 + middle)]
    else:
        between = (x1 + x2 + _WIDTH) / 2 - 20
        points = [
            (x1, y1 + middle + 8),
            (between, y1 + middle + 8),
            (between, y2 + middle - 15),
            (x2 + _WIDTH, y2 + middle - 15),
        ]
    for (from_x, from_y), (to_x, to_y) in pairwise(points):
        canvas.line(from_x, from_y, to_x, to_y, color, 1.6)
    tip_x, tip_y = points[-1]
    canvas.circle(tip_x, tip_y, 3.2, color, color)
    if label:
        at_x, at_y = points[0]
        down = points[0][0] == points[1][0]
        beside = 14 if down or points[1][0] > at_x else -10
        canvas.text(at_x + beside, at_y + (16 if down else -4), label, size=11, color=color)


if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs", "images", "decision-tree.svg").write_text(decision_picture())
