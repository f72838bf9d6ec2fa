"""Any dataset, written and read in any way, equals a NumPy array: `round_trip.py FOLDER CASES`.

All ranks run the property side by side: they draw the same cases, and agree on every outcome before one of them
goes on, so that they also make a case that fails smaller together.
"""

import itertools
import sys
from pathlib import Path

import numpy as np
from dataset_cases import cases
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from mpi4py import MPI

import striate.runtime as runtime
from striate.errors import StriateError
from striate.runtime.move.communicator.group import group_of
from striate.runtime.move.schedules import update

WORLD = MPI.COMM_WORLD
FOLDER, CASES = Path(sys.argv[1]), int(sys.argv[2])
numbers = itertools.count()
update.LARGE, update.MANY = 8, 0  # small cases are to take the way of large ones, too


def records_of(write, shape, dtype):
    """This rank's records: whole numbers where they may be added, so that sums are exact in any order."""
    random = np.random.default_rng([write["seed"], WORLD.rank])
    if dtype.kind in "fc":
        return random.integers(-9, 9, shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    small = np.zeros((*shape, dtype.itemsize), np.uint8)
    small[...] = random.integers(0, 2, small.shape)  # also true and false, and numbers that are not NaN
    return small.view(dtype).reshape(shape)


def agree(found, wanted, what):
    wrong = WORLD.allreduce(not np.array_equal(found, wanted))
    assert not wrong, f"{what} differs on {wrong} ranks"


def write_once(dataset, model, write):
    where = write["where"][WORLD.rank]
    records = records_of(write, model[where].shape, model.dtype)
    adds = write["sum"] and model.dtype.kind in "fc"
    combine = "sum" if adds else "last"
    if write["way"] == "at once":
        dataset.write_all(where, records, combine=combine)
    elif write["way"] == "in the background":
        dataset.iwrite_all(where, records, combine=combine).wait()
    elif write["way"] == "updated" and all(isinstance(one, np.ndarray) for one in write["where"]):
        dataset.write_all(updated_schedule(dataset, where, combine, write["seed"]), records)
    else:
        schedule = dataset.schedule(where, combine=combine)
        dataset.write_all(schedule, np.zeros_like(records))
        dataset.write_all(schedule, records)
    everyone = WORLD.allgather((where, records))
    for place, _ in everyone if adds else ():
        model[place] = 0
    for place, values in everyone:
        if adds:
            np.add.at(model, place, values)
        else:
            model[place] = values


def updated_schedule(dataset, where, combine, seed):
    """The schedule of `where`, reached from that of other indices by a change, small or large."""
    random = np.random.default_rng([seed, WORLD.rank, 1])
    most = len(where) if seed % 4 == 0 else len(where) // 8
    changed = random.permutation(len(where))[: random.integers(0, most + 1)]
    before = where.copy()
    before[changed] = random.integers(0, max(dataset.shape[0], 1), len(changed))
    schedule = dataset.updated(dataset.schedule(before, combine=combine), changed, where[changed])
    anew = dataset.schedule(where, combine=combine)
    for name in ("units", "covered", "coverage", "holes"):
        agree(getattr(schedule, name), getattr(anew, name), name)
    ranks = group_of(WORLD).ranks
    reads = schedule.reading(ranks), anew.reading(ranks)
    for name in ("order", "place", "starts"):
        agree(getattr(schedule.writing, name), getattr(anew.writing, name), f"the writes' {name}")
        agree(*(getattr(moves, name) for moves in reads), f"the reads' {name}")
    return schedule


def own_directories(case, number):
    if not case["own_directories"]:
        return None
    folders = [FOLDER / f"server-{number}-{server}" for server in range(case["own_directories"])]
    if WORLD.rank == 0:
        for folder in folders:
            folder.mkdir()
    WORLD.Barrier()
    return folders


@how(
    max_examples=CASES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(cases(WORLD.size))
def equals_a_numpy_array(case):
    number = next(numbers)
    target, folders = FOLDER / f"dataset-{number}", own_directories(case, number)
    model = np.zeros(case["shape"], case["dtype"])
    with runtime.create(
        WORLD, target, case["shape"], case["dtype"], directories=folders, **case["settings"]
    ) as dataset:
        for write in case["writes"]:
            write_once(dataset, model, write)
            where = write["read"][WORLD.rank]
            agree(dataset.read_all(where), model[where], "a read")
    buffer = case["settings"]["buffer"]
    fewer = WORLD.Split(WORLD.rank % 2 if case["halves"] else 0)  # other groups read it too
    with runtime.open(fewer, target, directories=folders, buffer=buffer) as dataset:
        agree(dataset.read_all(...), model, "a read by others")
    fewer.Free()
    with runtime.open(WORLD, target, directories=folders, buffer=buffer) as dataset:
        write_once(dataset, model, case["last"])
    agree(serial_read(target, folders), model, "a serial read")


def serial_read(target, folders):
    """What this rank reads alone; what went wrong instead, so that all ranks hear of it."""
    try:
        with runtime.open_serial(target, directories=folders) as serial:
            return serial[...]
    except StriateError as error:
        return str(error)


equals_a_numpy_array()
if WORLD.rank == 0:
    print(f"{next(numbers)} cases agree")
