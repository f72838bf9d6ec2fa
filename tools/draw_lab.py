"""Draw the practice cluster of the guide, as it is built: `python tools/draw_lab.py [DIRECTORY]`."""

import sys
from pathlib import Path

from striate.cli.machines.lab import planned, up
from striate.lab.describe import describe
from striate.pages.topology.draw import draw


def usual() -> str:
    """What `striate lab up` builds when nothing else is asked for."""
    options = up.make_context("up", []).params
    del options["directory"]
    return draw(describe(planned(**options | {"name": "practice"})))


if __name__ == "__main__":
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "images"
    (directory / "lab.svg").write_text(usual())
