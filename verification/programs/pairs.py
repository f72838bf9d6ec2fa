"""One of five programs before or after a change to its output: pairs.py CASE before|after FOLDER."""

import os
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate

case, variant, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
after = variant == "after"
MIB = 1 << 20
content = np.full(MIB, rank + 1, np.uint8)


def opened(path):
    return os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)


def requests():
    """Small requests, or large ones."""
    each = MIB if after else 4096
    file = opened(folder / f"own.{rank}")
    for offset in range(0, 48 * MIB, each):
        os.pwrite(file, content[:each], offset)
    os.close(file)


def flushes():
    """A flush after every write, or one at the end."""
    file = opened(folder / f"own.{rank}")
    for number in range(48):
        os.pwrite(file, content[:65536], number * 65536)
        if not after or number == 47:
            os.fsync(file)
    os.close(file)


def files():
    """One file that all ranks share, or one for each."""
    file = opened(folder / (f"own.{rank}" if after else "shared"))
    for number in range(64):
        place = number * MIB if after else (number * size + rank) * MIB
        os.pwrite(file, content, place)
    os.close(file)


def stripes():
    """Blocks in one file, or dealt out to files in four directories."""
    parts = [folder / f"directory.{number}" for number in range(4 if after else 1)]
    for part in parts:
        part.mkdir(exist_ok=True)
    open_files = [opened(part / f"own.{rank}") for part in parts]
    for number in range(64):
        os.pwrite(open_files[number % len(parts)], content, number // len(parts) * MIB)
    for file in open_files:
        os.close(file)


def collective():
    """Interleaved blocks written independently one by one, or in one collective call a step."""
    file = MPI.File.Open(world, str(folder / "shared"), MPI.MODE_CREATE | MPI.MODE_WRONLY)
    block, blocks = 8192, 64
    view = MPI.BYTE.Create_vector(blocks, block, block * size).Commit()
    for step in range(64):
        begin = step * block * blocks * size + rank * block
        if after:
            file.Set_view(begin, MPI.BYTE, view)
            file.Write_all(content[: block * blocks])
        else:
            for number in range(blocks):
                file.Write_at(begin + number * block * size, content[:block])
    file.Close()


world.Barrier()
with striate.region("output"):
    {"requests": requests, "flushes": flushes, "files": files, "stripes": stripes, "collective": collective}[
        case
    ]()
    world.Barrier()
