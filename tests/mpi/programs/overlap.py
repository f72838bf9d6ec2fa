"""Writes and reads of two datasets go on behind the program's back, which communicates itself: `overlap.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.errors import StriateError

WORLD = MPI.COMM_WORLD
ROWS = 30_000
mine = np.random.default_rng(5).permutation(ROWS)[WORLD.rank :: WORLD.size]
for share in (True, False):
    path = Path(sys.argv[1]) / f"d{share}"
    settings = {"chunk": "4 KiB", "buffer": "64 KiB", "share_memory": share}
    with (
        runtime.create(WORLD, f"{path}a", (ROWS,), "f8", **settings) as first,
        runtime.create(WORLD, f"{path}b", (ROWS,), "i8", **settings) as second,
    ):
        for turn in range(3):
            records = mine * (turn + 1.0)
            writes = [first.iwrite_all(mine, records), second.iwrite_all(mine, mine + turn)]
            records[:] = -1  # ours again at once
            assert WORLD.allreduce(1) == WORLD.size
            assert writes[1].wait().records == len(mine)
            reads = [
                second.iread_all(mine[::2]),
                first.iread_all(mine),
            ]  # the second read ends its write first
            assert WORLD.allreduce(2) == 2 * WORLD.size
            assert np.array_equal(reads[1].wait(), mine * (turn + 1.0))
            assert np.array_equal(reads[0].wait(), mine[::2] + turn)
            assert writes[0].wait() is writes[0].wait()
    victim = sorted(Path(f"{path}a").glob("*.blocks"))[0]
    with runtime.open(WORLD, f"{path}a", share_memory=share) as opened:
        WORLD.Barrier()
        if WORLD.rank == 0:
            content = bytearray(victim.read_bytes())
            content[100] ^= 1
            victim.write_bytes(content)
        WORLD.Barrier()
        try:
            opened.iread_all(...).wait()
        except StriateError as error:
            said = str(error)
        assert "checksum" in said, said
    WORLD.Barrier()
if WORLD.rank == 0:
    print("all as written")
