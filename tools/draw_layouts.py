"""Draw the pictures of the guide on layouts: `python tools/draw_layouts.py [DIRECTORY]`."""

import sys
from pathlib import Path

from striate.layout import parse
from striate.layout.draw import draw

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"

# file name -> layout, and the byte that the guide follows
PICTURES = {
    "layout-basic": ("basic", None),
    "layout-simple": ("simple:4:64KiB", 300_000),
    "layout-varstrip": ("varstrip:0:200KB;1:400KB;2:100KB;0:100KB", 1_000_000),
    "layout-twod": ("twod:6:64KiB:2:3", 1_000_000),
    "layout-grouped-1": ("grouped:4:1MiB:1", 1_500_000),
    "layout-grouped-4": ("grouped:4:1MiB:4", 1_500_000),
    "layout-grouped-padded": ("grouped:4:5MB:2:1MiB", 9_000_000),
}


def pictures() -> dict[str, str]:
    """File name -> SVG."""
    return {f"{name}.svg": draw(parse(layout), byte) for name, (layout, byte) in PICTURES.items()}


def main(arguments: list[str]) -> int:
    directory = Path(arguments[0]) if arguments else IMAGES
    for name, svg in pictures().items():
        (directory / name).write_text(svg)
        print(directory / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
