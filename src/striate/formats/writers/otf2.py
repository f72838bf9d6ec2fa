"""OTF2 archives, through the `otf2` package: a location a rank, a region a kind, the rest as attributes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from striate.errors import OutputError
from striate.trace.analysis.lanes import edges
from striate.trace.analysis.tracks import Slices, slices_of
from striate.trace.trace import Trace
from striate.whole_file import whole_folder

_NUMBERS = ("bytes", "offset", "peer", "tag")


def write(trace: Trace, path: Path) -> None:
    """Write the archive as the directory `path`; an existing one is replaced only by a whole new one."""
    try:
        import otf2
        from _otf2 import Error
    except ImportError:
        raise OutputError(
            "writing OTF2 needs a package that is not installed: pip install 'striate[otf2]'"
        ) from None
    with whole_folder(path) as folder, _quiet():
        try:
            with otf2.writer.open(str(folder), timer_resolution=10**9) as archive:
                _fill(otf2, archive, slices_of(trace.of_ranks()))
        except Error as error:
            raise OutputError(f"cannot write: {error}", at=str(path)) from None
        finally:
            archive = (
                None  # closed a second time by its destructor, which complains when the first close failed
            )
            gc.collect()


@contextmanager
def _quiet() -> Iterator[None]:
    """The library prints every failure of its own on standard error, and so does its destructor; we say it once."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        sys.unraisablehook = hook
        os.close(kept)
        os.close(null)


def _fill(otf2: Any, archive: Any, slices: Slices) -> None:
    define = archive.definitions
    numbers = {name: define.attribute(name, name, otf2.Type.INT64) for name in _NUMBERS}
    file_name = define.attribute("file", "name of the file", otf2.Type.STRING)
    level = define.attribute("level", "where it was seen", otf2.Type.STRING)
    regions = [define.region(name) for name in slices.names]
    root = define.system_tree_node("machine")
    columns = {name: slices.numbers[name].tolist() for name in _NUMBERS}
    names, files, levels = slices.name.tolist(), slices.file.tolist(), slices.category.tolist()
    for track, title in enumerate(slices.tracks):
        group = define.location_group(title, system_tree_parent=root)
        writer = archive.event_writer(title, group=group)
        mine = np.flatnonzero(slices.track == track)
        for at, begins, time in edges(slices.track[mine], slices.start[mine], slices.end[mine]):
            row = int(mine[at])
            if not begins:
                writer.leave(time, regions[names[row]])
                continue
            shown = {numbers[name]: columns[name][row] for name in _NUMBERS if columns[name][row] >= 0}
            shown[level] = slices.categories[levels[row]]
            if files[row] >= 0:
                shown[file_name] = slices.files[files[row]]
            writer.enter(time, regions[names[row]], shown)
