"""The calls of DLIO's PyTorch loader, without PyTorch: workers read samples in shuffled order, then a checkpoint.

`loader.py FOLDER fork|spawn`: an epoch of 12 npz files by 3 worker processes, the last read by 2 threads.
"""

import multiprocessing
import os
import random
import sys
import threading
from pathlib import Path

import numpy as np


def read(paths):
    for path in paths:
        with np.load(path) as sample:
            assert sample["x"].shape == (64, 64)


def worker(paths, threads):
    if threads:
        ready = threading.Barrier(2)
        halves = [threading.Thread(target=lambda mine: (ready.wait(), read(mine), ready.wait()), args=(half,))
                  for half in (paths[::2], paths[1::2])]  # fmt: skip
        for half in halves:
            half.start()
        for half in halves:
            half.join()
    else:
        read(paths)


def main(folder, how):
    rng = np.random.default_rng(1)
    paths = [folder / f"sample_{number}.npz" for number in range(12)]
    for path in paths:
        np.savez(path, x=rng.random((64, 64)))
    random.Random(7).shuffle(paths)
    context = multiprocessing.get_context(how)
    workers = [context.Process(target=worker, args=(paths[number::3], number == 2)) for number in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    with (folder / "checkpoint.tmp").open("wb") as file:
        for _ in range(8):
            file.write(rng.bytes(100_000))
        file.flush()
        os.fsync(file.fileno())
    (folder / "checkpoint.tmp").rename(folder / "checkpoint.pth")
    return sum(one.exitcode for one in workers)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
