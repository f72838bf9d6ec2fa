"""Take the pictures of the guide on pages: `python tools/draw_runs.py [DIRECTORY]`.

The demo is forecast; a Jacobi solver, a mesh program and a sampler of phylogenies are run and traced for real. Needs
mpiexec, and Chromium with Playwright's driver.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gallery import EXHIBITS, make
from playwright.sync_api import FloatRect, Page, sync_playwright

from striate.apps.pmc3.nexus import random_matrix

ROOT = Path(__file__).resolve().parent.parent
STRIATE, MPIEXEC = (Path(sys.executable).with_name(name) for name in ("striate", "mpiexec"))
JACOBI = str(ROOT / "tests" / "mpi" / "programs" / "jacobi.py")

# picture -> page, the section taken (none: the page's top), the part of time looked at (shares of all)
PICTURES = {
    "show-demo": ("demo", None, None),
    "show-demo-timeline": ("demo", "timeline", (0.26, 0.46)),
    "show-jacobi": ("jacobi", "timeline", (0.45, 0.62)),
    "show-mesh": ("mesh", "timeline", (0.27, 0.76)),
    "show-pmc3": ("pmc3", "timeline", (0.60, 0.64)),
    "show-compare": ("compare", "compare", None),
    "show-advice": ("vpic", None, None),
    "show-study": ("study", "tuning", None),
}

LOOK = """([from, to]) => {
  const [first, last] = window.striate.views.timeline.extent;
  window.striate.page.set("time", [first + from * (last - first), first + to * (last - first)]);
}"""


def striate(folder: Path, *words: object) -> None:
    subprocess.run([str(STRIATE), *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def traced(folder: Path, name: str, ranks: int, program: Sequence[object]) -> None:
    words = [MPIEXEC, "-n", ranks, sys.executable, *program]
    striate(folder, "trace", "-o", f"{name}.parquet", "--", *words)


def make_pages(folder: Path) -> None:
    """demo/report.html and a page of each program."""
    striate(folder, "demo", "-o", "demo")
    shutil.copy(folder / "demo" / "report.html", folder / "demo.html")
    traced(folder, "jacobi", 4, [JACOBI, "grid.bin", 512, 2048, 40])
    traced(folder, "jacobi-narrow", 4, [JACOBI, "grid.bin", 512, 1024, 40])
    traced(folder, "mesh", 4, ["-m", "striate.apps.mesh", "dump", "--nodes", 200_000])
    (folder / "matrix.nex").write_text(random_matrix(12, 400, seed=1))
    sampler = ["-m", "striate.apps.pmc3", "matrix.nex", "--runs", 4, "--chains", 2, "--generations", 300]
    traced(folder, "pmc3", 4, [*sampler, "--parallel-file", "samples.pmc3"])
    for name in ("jacobi", "mesh", "pmc3"):
        striate(folder, "show", f"{name}.parquet", "-o", f"{name}.html", "--title", name)
    make(folder, tuple(exhibit for exhibit in EXHIBITS if exhibit.result in ("vpic.html", "study.html")))
    both = ["jacobi.parquet", "jacobi-narrow.parquet"]
    striate(folder, "show", *both, "-o", "compare.html", "--title", "two grids")


def take_pictures(folder: Path, directory: Path) -> None:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for picture, (page, section, part) in PICTURES.items():
            tab = browser.new_page(viewport={"width": 1200, "height": 860})
            tab.goto((folder / f"{page}.html").as_uri())
            tab.locator("html[data-ready=true]").wait_for(state="attached")
            if part:
                tab.evaluate(LOOK, part)
            tab.wait_for_timeout(500)  # the sharp frame after the last change
            tab.screenshot(path=directory / f"{picture}.png", full_page=True, clip=_around(tab, section))
            tab.close()
            print(directory / f"{picture}.png")
        browser.close()


def _around(tab: Page, section: str | None) -> FloatRect:
    """A section with a margin, or the top of the page."""
    if section is None:
        return {"x": 0, "y": 0, "width": 1200, "height": 860}
    box = tab.locator(f"#{section}").bounding_box()
    assert box is not None
    return {"x": 0, "y": box["y"], "width": 1200, "height": box["height"] + 16}


def main(arguments: list[str]) -> int:
    directory = Path(arguments[0]) if arguments else ROOT / "docs" / "images"
    with tempfile.TemporaryDirectory() as folder:
        make_pages(Path(folder))
        take_pictures(Path(folder), directory)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
