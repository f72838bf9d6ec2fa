"""One rank fails in a given way; all must raise the same: `refusals.py FOLDER WAY`."""

import errno
import os
import resource
import signal
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.errors import StriateError

WORLD = MPI.COMM_WORLD
PATH, WAY = Path(sys.argv[1]), sys.argv[2]
LAST = WORLD.size - 1
RECORDS = 100_000
FILE_SIZES = resource.getrlimit(resource.RLIMIT_FSIZE)


def fill_up():
    """From now on no file of the last rank may grow beyond 64 KiB: the system's answer to a write is an error."""
    if WORLD.rank == LAST:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, FILE_SIZES[1]))


def run_out_of_space():
    """The last rank's disk is full after 64 KiB. (A limit of the system, as above, would stop MPI's messages too.)"""
    system, room = os.pwritev, [2**16]

    def answer(descriptor, buffers, offset):
        room[0] -= sum(len(part) for part in buffers)
        if room[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return system(descriptor, buffers, offset)

    if WORLD.rank == LAST:
        os.pwritev = answer


def write(dataset):
    mine = np.arange(WORLD.rank, RECORDS, WORLD.size)
    dataset.write_all(mine, mine.astype("f8"))


def make(**settings):
    return runtime.create(WORLD, PATH / "new", (RECORDS,), "f8", **settings)


def full():
    fill_up()
    write(make())


def full_by_messages():
    run_out_of_space()
    write(make(servers=[LAST], share_memory=False))


def full_in_the_background():
    run_out_of_space()
    dataset = make(buffer=1, chunk="4 KiB")
    mine = np.arange(WORLD.rank, RECORDS, WORLD.size)
    dataset.iwrite_all(mine, mine.astype("f8")).wait()


def full_compressed():
    run_out_of_space()
    dataset = make(codec="zlib", servers=[LAST])
    noise = np.random.default_rng(WORLD.rank).random(RECORDS)
    dataset.write_all(np.arange(RECORDS), noise)


def missing_directory():
    folders = [PATH / f"server-{rank}" for rank in range(WORLD.size)]
    if WORLD.rank != LAST:
        folders[WORLD.rank].mkdir()
    WORLD.Barrier()
    make(directories=folders)


def directory_vanishes():
    folders = [PATH / f"server-{rank}" for rank in range(WORLD.size)]
    folders[WORLD.rank].mkdir()
    WORLD.Barrier()
    dataset = make(directories=folders)
    if WORLD.rank == LAST:
        folders[LAST].rmdir()
    write(dataset)


def forbidden():
    """The system refuses to open a file for the last rank: no more descriptors is the one refusal root gets too."""
    dataset = make()
    if WORLD.rank == LAST:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    write(dataset)


def wrong_index():
    dataset = make()
    dataset.write_all(np.array([RECORDS if WORLD.rank == LAST else 0]), np.zeros(1))


def wrong_shape():
    dataset = make()
    dataset.write_all(np.array([1, 2]), np.zeros(3 if WORLD.rank == LAST else 2))


def wrong_settings():
    make(group_factor=1 if WORLD.rank != LAST else 99)


def other_shape():
    runtime.create(WORLD, PATH / "new", (RECORDS + (WORLD.rank == LAST),), "f8")


def other_buffer():
    runtime.open(WORLD, PATH / "new", buffer=2**20 if WORLD.rank == LAST else 2**24)


def other_sharing():
    make(share_memory=WORLD.rank != LAST)


def other_combine():
    make().write_all([0], [1.0], combine="sum" if WORLD.rank == LAST else "last")


def other_way():
    dataset = make()
    schedule = dataset.schedule([0])
    dataset.write_all(schedule if WORLD.rank == LAST else [0], [1.0])


def other_method():
    dataset = make()
    schedule = dataset.schedule([0])
    if WORLD.rank == LAST:
        dataset.read_all(schedule)
    else:
        dataset.write_all(schedule, [1.0])


def masked():
    dataset = make()
    dataset.write_all([0], np.ma.array([1.0]) if WORLD.rank == LAST else [1.0])


def wrong_entries():
    dataset = make()
    dataset.updated(dataset.schedule([0, 1]), [0.5 if WORLD.rank == LAST else 0], [2])


def wrong_out():
    out = np.zeros(1)
    out.flags.writeable = WORLD.rank != LAST
    make().read_all([0], out=out)


def nothing_there():
    runtime.open(WORLD, PATH / "nothing")


def damaged():
    dataset = make()
    write(dataset)
    dataset.close()
    WORLD.Barrier()  # rank 0 removes the files of the old dataset
    if WORLD.rank == LAST:
        victim = next((PATH / "new").glob("*-0.blocks"))
        content = bytearray(victim.read_bytes())
        content[1000] ^= 4
        victim.write_bytes(content)
    WORLD.Barrier()
    runtime.open(WORLD, PATH / "new").read_all(...)


old = runtime.create(WORLD, PATH / "new", (10,), "i4")
old.write_all(np.arange(10), np.arange(10, dtype="i4"))
old.close()
try:
    globals()[WAY]()
except StriateError as error:
    said = WORLD.allgather(f"{type(error).__name__}: {error}")
    if WORLD.rank == 0 and WAY not in ("damaged",):
        with runtime.open_serial(PATH / "new") as kept:
            assert np.array_equal(kept[...], np.arange(10)), "the old dataset is gone"
        left = sorted(path.name for path in (PATH / "new").glob("*.blocks"))
        assert len(left) == len([name for name in left if name[16:26] == "-00000001-"]) <= WORLD.size, left
    if WORLD.rank == 0:
        print(len(set(said)), said[0], flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, FILE_SIZES)  # so that MPI's own files may grow as it ends
else:
    print("nothing was refused")
