"""Figures 5 to 9 of paper 002 for this machine: `python verification/paper_002_figures.py [--lab] [RANKS [NODES]]`.

Writes docs/images/runtime-*.svg, and prints the numbers in them as a table. With --lab the ranks are hosts of a
practice cluster (`striate lab`), every write is durable, and the pictures are docs/images/lab-*.svg.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
STAGES = ("exchange", "load", "compress", "write", "wait", "commit")
COLORS = dict(zip(STAGES, ("#4477aa", "#aa3377", "#ccbb44", "#228833", "#bbbbbb", "#66ccee"), strict=True))
WIDTH, HEIGHT, LEFT, BOTTOM = 720, 300, 70, 60


PROGRAM = ROOT / "benchmarks" / "programs" / "clustering.py"


def said(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def measure(ranks, nodes):
    """The figures of all cases."""
    prefix = Path(sys.prefix) / "bin"
    with tempfile.TemporaryDirectory() as folder:
        lines = said(prefix / "mpiexec", "-n", ranks, prefix / "python", PROGRAM, folder, nodes)
    return [json.loads(line) for line in lines.splitlines()]


def measure_on_lab(ranks, nodes):
    """The same with a host for every rank."""
    lab, name = (sys.executable, "-m", "striate", "lab"), f"figures-{os.getpid()}"
    said(*lab, "up", "--name", name, f"--hosts={ranks}")
    try:
        program = (sys.executable, PROGRAM, "/run/pfs", nodes, "sync")
        lines = said(*lab, "run", "--name", name, "--ranks", ranks, "--", *program)
    finally:
        said(*lab, "down", "--name", name)
    return [json.loads(line) for line in lines.splitlines()]


def bars(title, unit, columns):
    """An SVG of stacked bars; a column is (label, [(color, value), ...])."""
    top = max(sum(value for _, value in parts) for _, parts in columns) or 1
    step = (WIDTH - LEFT - 10) / len(columns)
    scale = (HEIGHT - BOTTOM - 40) / top
    shapes = [f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>']
    for tick in range(5):
        height = HEIGHT - BOTTOM - tick / 4 * top * scale
        shapes.append(
            f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{height:.1f}" y2="{height:.1f}" stroke="#ddd"/>'
        )
        text = f"{float(f'{tick / 4 * top:.3g}'):,g} {unit}"
        shapes.append(f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    for number, (label, parts) in enumerate(columns):
        base = HEIGHT - BOTTOM
        for color, value in parts:
            base -= value * scale
            place = f'x="{LEFT + number * step + step * 0.15:.1f}" y="{base:.1f}" width="{step * 0.7:.1f}"'
            shapes.append(f'<rect {place} height="{value * scale:.1f}" fill="{color}"/>')
        middle = LEFT + (number + 0.5) * step
        shapes.append(
            f'<text x="{middle:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{escape(label)}</text>'
        )
    return shapes


def legend(colors):
    """Names of stages with their colors, under the bars."""
    shapes = []
    for number, (name, color) in enumerate(colors.items()):
        left = LEFT + number * 100
        shapes.append(f'<rect x="{left}" y="{HEIGHT - 26}" width="12" height="12" fill="{color}"/>')
        shapes.append(f'<text x="{left + 17}" y="{HEIGHT - 16}">{name}</text>')
    return shapes


def save(name, shapes):
    style = 'font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>'
    (IMAGES / name).write_text("\n".join([head, *shapes, "</svg>"]) + "\n")


def draw(cases, total_bytes, kind):
    for figure, codec, words in ((5, None, ""), (7, "blosc", ", compressed")):
        chosen = [case for case in cases if case["case"] == "servers" and case["codec"] == codec]
        labels = [f"({case['servers']}, {case['factor']})" for case in chosen]
        speeds = [total_bytes / 1e6 / (case["write"] + case["schedule"] / 5) for case in chosen]
        title = f"Figure {figure}: bandwidth over (servers, group factor){words}"
        columns = [(label, [("#4477aa", speed)]) for label, speed in zip(labels, speeds, strict=True)]
        save(f"{kind}-figure-{figure}.svg", bars(title, "MB/s", columns))
        parts = [[(COLORS[name], case["stages"][name] * 1e3) for name in STAGES] for case in chosen]
        title = f"Figure {figure + 1}: stages of a write, slowest rank{words}"
        shapes = bars(title, "ms", list(zip(labels, parts, strict=True))) + legend(COLORS)
        save(f"{kind}-figure-{figure + 1}.svg", shapes)
    overlaps = [case for case in cases if case["case"] == "overlap"]
    columns = [
        (f"{round(case['share'] * 32)}/32 {'cached' if case['cached'] else 'none'}",
         [("#228833" if case["cached"] else "#bbbbbb", case["seconds"] * 1e3)])
        for case in overlaps
    ]  # fmt: skip
    save(f"{kind}-figure-9.svg", bars("Figure 9: two loops, with and without the cache", "ms", columns))


def main(arguments):
    on_lab, numbers = "--lab" in arguments, [int(word) for word in arguments if word != "--lab"]
    ranks = numbers[0] if numbers else 4
    nodes = numbers[1] if len(numbers) > 1 else 500_000 if on_lab else 2_000_000
    cases = measure_on_lab(ranks, nodes) if on_lab else measure(ranks, nodes)
    draw(cases, nodes * 40, "lab" if on_lab else "runtime")
    print(
        "| servers | group factor | codec | schedule ms | write ms | stored MB |\n|---|---|---|---|---|---|"
    )
    for case in cases:
        if case["case"] == "servers":
            figures = f"{case['schedule'] * 1e3:.0f} | {case['write'] * 1e3:.0f} | {case['stored'] / 1e6:.0f}"
            print(f"| {case['servers']} | {case['factor']} | {case['codec'] or 'none'} | {figures} |")
    print("\n| overlap | without cache ms | with cache ms | saved MB |\n|---|---|---|---|")
    overlaps = [case for case in cases if case["case"] == "overlap"]
    for plain, cached in zip(overlaps[::2], overlaps[1::2], strict=True):
        figures = (
            f"{plain['seconds'] * 1e3:.0f} | {cached['seconds'] * 1e3:.0f} | {cached['saved'] / 1e6:.0f}"
        )
        print(f"| {round(plain['share'] * 32)}/32 | {figures} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
