"""Makes the gallery: `python tools/gallery.py [DIRECTORY]` runs its commands and writes their pages and an index.

Nothing but the package is needed: runs are simulated, or are logs among the test data. The same list makes the page
"Gallery" of the documentation, with the commands but without their results.
"""

from __future__ import annotations

import contextlib
import html
import io
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = "examples/tune_stripes.toml"
LOG = "tests/data/darshan/dxtexp_vpic_192r_dxt.darshan"


@dataclass(frozen=True)
class Exhibit:
    """One entry: what to see, the commands that make it, and the file that shows it."""

    title: str
    about: str
    commands: tuple[str, ...]
    result: str


EXHIBITS = (
    Exhibit(
        "A forecast",
        "The median and the range of a checkpointing program on ten nodes, what makes the range, the work of every "
        "resource, and the simulated timeline.",
        ("demo -o demo",),
        "demo/report.html",
    ),
    Exhibit(
        "Ranks, servers, links and disks",
        "A Jacobi solver with checkpoints, simulated packet by packet. Zoom in with W, out with S, pan with A and D.",
        (
            "predict jacobi westmere --ranks 8 --timeline jacobi.parquet -o jacobi.json",
            "show jacobi.parquet jacobi.json -o jacobi.html --title 'Jacobi solver, simulated'",
        ),
        "jacobi.html",
    ),
    Exhibit(
        "Two stripe sizes side by side",
        "The same collective write with stripes of 64 KiB and of 4 MiB; the differences are listed below the timeline.",
        (
            "predict kernel:io-level-3,size=8MiB pvs-cluster --ranks 8 --layout data=simple:8:64KiB "
            "--timeline small.parquet",
            "predict kernel:io-level-3,size=8MiB pvs-cluster --ranks 8 --layout data=simple:8:4MiB "
            "--timeline large.parquet",
            "show small.parquet large.parquet -o stripes.html --title 'Stripes of 64 KiB and of 4 MiB'",
        ),
        "stripes.html",
    ),
    Exhibit(
        "A Darshan log with advice",
        "A log of 192 ranks (VPIC, with DXT), what is wrong with its I/O, and what to change.",
        (
            f"advise {ROOT / LOG} -o advice.json",
            f"show {ROOT / LOG} advice.json -o vpic.html --title 'VPIC, 192 ranks'",
        ),
        "vpic.html",
    ),
    Exhibit(
        "A search over settings",
        "Stripe sizes and numbers of servers for a checkpointing program: the time and the outcome of every candidate.",
        (
            f"tune {ROOT / SPEC} pvs-cluster --executor serial -o study.json",
            "show study.json -o study.html --title 'Stripes for checkpoints'",
        ),
        "study.html",
    ),
    Exhibit(
        "A cluster",
        "The nodes, switches and file servers of a bundled machine.",
        ("check lustre-64 -o lustre-64.svg",),
        "lustre-64.svg",
    ),
    Exhibit(
        "A layout",
        "Which server has byte 300,000 of a file that is striped over four servers.",
        ("layout draw simple:4:64KiB --byte 300000 -o layout.svg",),
        "layout.svg",
    ),
)


def markdown() -> str:
    """The documentation's page: every entry with its commands."""
    lines = [
        "# Gallery",
        "",
        "`make gallery` runs these commands and writes the pages, with an index, to `build/gallery`. Each page is one "
        "file that opens offline.",
        "",
    ]
    for exhibit in EXHIBITS:
        commands = [f"    striate {command}".replace(f"{ROOT}/", "") for command in exhibit.commands]
        lines += [f"## {exhibit.title}", "", exhibit.about, "", *commands, ""]
    return "\n".join(lines)


def make(folder: Path, exhibits: tuple[Exhibit, ...] = EXHIBITS) -> Path:
    """Run the commands in `folder`, and write index.html there; its path."""
    from striate.cli.main import run

    folder.mkdir(parents=True, exist_ok=True)
    with _inside(folder):
        for command in (command for exhibit in exhibits for command in exhibit.commands):
            with contextlib.redirect_stdout(io.StringIO()):
                status = run([*shlex.split(command), "--force"])
            if status not in (0, 3):
                raise SystemExit(f"gallery: `striate {command}` ended with status {status}")
    index = folder / "index.html"
    index.write_text(_index(exhibits))
    return index


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _index(exhibits: tuple[Exhibit, ...]) -> str:
    entries = "\n".join(
        f'<h2><a href="{exhibit.result}">{html.escape(exhibit.title)}</a></h2><p>{html.escape(exhibit.about)}</p>'
        f"<pre>{html.escape(chr(10).join(f'striate {command}' for command in exhibit.commands))}</pre>"
        for exhibit in exhibits
    )
    head = '<meta charset="utf-8"><title>Striate: gallery</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body><h1>Gallery</h1>\n{entries}\n</body></html>\n'


if __name__ == "__main__":
    print(make(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "gallery")))
