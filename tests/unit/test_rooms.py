"""Rooms: no folder of the sources is crowded, and no file is longer than a reader takes in at once."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {".py", ".c", ".h", ".cpp", ".hpp", ".js"}
FILES = 24  # beside each other: a folder is one idea with about twenty
LINES = 400


def crowded(paths: list[Path]) -> dict[str, int]:
    """Folders with more than FILES sources beside each other."""
    return {
        str(folder): count
        for folder, count in Counter(path.parent for path in paths).items()
        if count > FILES
    }


def sources() -> list[Path]:
    return [path for part in ("src", "core") for path in (ROOT / part).rglob("*") if path.suffix in SOURCES]


def test_no_folder_is_crowded():
    assert crowded(sources()) == {}


def test_a_crowded_folder_is_found():
    assert crowded([Path("src/room") / f"{number}.py" for number in range(FILES + 1)]) == {
        "src/room": FILES + 1
    }


def test_every_file_is_read_in_one_go():
    lengths = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in sources()}

    assert {name: length for name, length in lengths.items() if length > LINES} == {}
