"""Draw the pictures of the queueing guide: `python tools/draw_queueing.py` writes docs/images/*.svg."""

import importlib.util
import math
from pathlib import Path

import numpy as np

from striate.queueing import Model, surface

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 640, 400
STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#5b6675}.axis{stroke:#9aa7b6}.grid{stroke:#9aa7b6;opacity:.3}"
    "path{fill:none;stroke-width:2.5}</style>"
)


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def document(parts: list[str], title: str) -> str:
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><title>{title}</title>{STYLE}{"".join(parts)}</svg>\n'


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def curve(points: list[tuple[float, float]], colour: str) -> str:
    return f'<path stroke="{colour}" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>'


def draw_btio() -> str:
    """Table 3 over p: three solutions of the model, and the two measured points."""
    btio = example("btio_sp2")
    # between Table 2's two columns the data per processor follow its own rule, p^(1/2 - 2/3)
    scale = {p: btio.SECONDS_OF_DATA[9] * (p / 9) ** (-1 / 6) for p in range(4, 101)}
    spmd = btio.btio().replace(scale=scale)

    def place(processors: float, seconds: float) -> tuple[float, float]:
        return 60 + 540 * (math.log2(processors) - 2) / (math.log2(100) - 2), 350 - 310 * seconds / 25

    parts = [line(60, 350, 600, 350, "axis"), line(60, 350, 60, 40, "axis")]
    for processors in (4, 9, 16, 25, 36, 49, 64, 100):
        parts.append(text(place(processors, 0)[0], 368, str(processors)))
    for seconds in (5, 10, 15, 20):
        parts += [line(60, place(4, seconds)[1], 600, place(4, seconds)[1], "grid")]
        parts.append(text(52, place(4, seconds)[1] + 4, str(seconds), "end"))
    parts += [
        text(330, 392, "processors p (count), log scale"),
        text(60, 28, "seconds for five time steps, d = 3", "start"),
    ]
    models = [
        ("eq. 16", "#2f6fab", Model(spmd, "sio")),
        ("exact", "#d08a1d", Model(spmd, "sio", solver="exact")),
        ("fixed loops", "#3d9a5f", Model(spmd, "sio", loops="fixed")),
    ]
    for index, (name, colour, model) in enumerate(models):
        parts.append(curve([place(p, model.time(p, 3)) for p in range(4, 101)], colour))
        parts += [curve([(430, 70 + 20 * index), (460, 70 + 20 * index)], colour)]
        parts.append(text(468, 74 + 20 * index, name, "start"))
    for processors, seconds in btio.MEASURED.items():
        x, y = place(processors, seconds)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#b3403a"/>')
    parts += [
        '<circle cx="445" cy="130" r="5" fill="#b3403a"/>',
        text(468, 134, "measured (Table 3)", "start"),
    ]
    return document(parts, "BTIO on the SP-2: model and measurement")


def draw_surface(model: Model, title: str) -> str:
    """A surface over powers of two, seen from above the corner p = d = 1."""
    processors, disks = 2 ** np.arange(10), 2 ** np.arange(7)
    grid = surface(model, processors, disks)
    top = float(np.nanmax(grid.speedup))

    def place(row: float, column: float, speedup: float) -> tuple[float, float]:
        across, away = row / 9, column / 6
        return 300 + 270 * across - 230 * away, 372 - 90 * across - 85 * away - 150 * speedup / top

    def colour(share: float) -> str:
        low, high = np.array([38, 70, 125]), np.array([240, 200, 90])
        return "#" + "".join(f"{round(value):02x}" for value in low + (high - low) * share)

    parts = []
    for row in range(8, -1, -1):
        for column in range(5, -1, -1):
            corners = [(row, column), (row + 1, column), (row + 1, column + 1), (row, column + 1)]
            points = " ".join("{:.1f},{:.1f}".format(*place(r, c, grid.speedup[r, c])) for r, c in corners)
            share = float(np.mean([grid.speedup[r, c] for r, c in corners])) / top
            parts.append(
                f'<polygon points="{points}" fill="{colour(share)}" stroke="#ffffff" stroke-width=".7"/>'
            )
    for row in (0, 3, 6, 9):
        x, y = place(row, 0, 0)
        parts.append(text(x + 10, y + 16, f"p = {processors[row]}", "start"))
    for column in (2, 4, 6):
        x, y = place(0, column, 0)
        parts.append(text(x - 10, y + 14, f"d = {disks[column]}", "end"))
    for speedup in (0, top / 2, top):
        x, y = place(9, 0, speedup)
        parts += [line(x, y, x + 8, y, "axis"), text(x + 12, y + 4, f"{speedup:.3g}", "start")]
    x, _ = place(9, 0, 0)
    parts += [line(x, place(9, 0, 0)[1], x, place(9, 0, top)[1], "axis"), text(20, 28, title, "start")]
    parts.append(text(x, place(9, 0, top)[1] - 12, "speedup"))
    return document(parts, title)


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    qcrd = example("qcrd").qcrd()
    pictures = {
        "queueing-btio.svg": draw_btio(),
        "queueing-qcrd.svg": draw_surface(
            Model(qcrd), "QCRD stage 2: speedup over processors and disks (log scales)"
        ),
        "queueing-io-bound.svg": draw_surface(
            Model(qcrd.replace(io_startup_seconds=0.0005, io_transfer_seconds=0.3)),
            "the same program with 300 times the I/O transfer",
        ),
    }
    for name, content in pictures.items():
        (IMAGES / name).write_text(content)
        print(f"wrote docs/images/{name} ({len(content)} bytes)")


if __name__ == "__main__":
    main()
