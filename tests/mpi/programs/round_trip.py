"""Random datasets, written and read in random ways, against a NumPy array: `round_trip.py FOLDER SEED CASES`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
DTYPES = [
    np.dtype("f8"),
    np.dtype(">i4"),
    np.dtype("u1"),
    np.dtype("c16"),
    np.dtype("S7"),
    np.dtype([("x", "f4", (2,)), ("v", "f8", (4,))]),
    np.dtype([("a", "i1"), ("b", "i8")]),
]
CODECS = [None, None, None, "zstd", "blosc", ["shuffle", "lz4"], "zlib", "auto"]


def draw_case(random, ranks):
    servers = sorted(random.permutation(ranks)[: random.integers(1, ranks + 1)].tolist())
    axes = random.choice([1, 1, 1, 2, 3])
    shape = tuple(
        int(random.integers(0 if random.random() < 0.1 else 1, 2500 if axes == 1 else 14))
        for _ in range(axes)
    )
    return {
        "shape": shape,
        "dtype": DTYPES[random.integers(len(DTYPES))],
        "servers": [None, len(servers), servers][random.integers(3)],
        "codec": CODECS[random.integers(len(CODECS))],
        "chunk": int(random.choice([64, 1000, 2**20])),
        "buffer": int(random.choice([1, 5000, 2**26])),
        "share_memory": [True, True, False, 2][random.integers(4)],
        "own": bool(random.random() < 0.3),
    }


def draw_records(random, shape, dtype):
    raw = random.integers(0, 5, (*shape, dtype.itemsize), np.uint8)
    if dtype.kind in "fc":  # whole numbers, so that sums are exact in any order
        return random.integers(-9, 9, shape).astype(dtype)
    return raw.view(dtype).reshape(shape)


def draw_slab(random, shape):
    parts = []
    for length in shape:
        low, high = sorted(random.integers(0, length + 1, 2).tolist())
        parts.append(slice(low, high, int(random.choice([1, 1, 2]))))
    return tuple(parts[: random.integers(1, len(parts) + 1)])


def draw_where(random, shape):
    """What one rank addresses: rows in any order with repeats, nothing, everything, or a hyperslab."""
    if random.random() < 0.25:
        return draw_slab(random, shape)
    if random.random() < 0.15 or shape[0] == 0:
        return np.zeros(0, np.int32)
    count = int(random.integers(0, 2 * shape[0] + 1))
    kind = [np.int32, np.int64, np.uint16][random.integers(3)]
    return random.integers(0, shape[0], count).astype(kind)


def check(claim, case, what):
    wrong = WORLD.allreduce(0 if claim else 1)
    if wrong:
        print(f"rank {WORLD.rank}: {'right' if claim else 'WRONG'} {what} {case}", flush=True)
        WORLD.Barrier()
        sys.exit(1)


def write_once(dataset, model, mine, together, case):
    """One write of every rank's own choice, by one of three calls."""
    where = draw_where(mine, model.shape)
    records = draw_records(mine, model[where].shape, model.dtype)
    adds = model.dtype.kind in "fc" and together.random() < 0.3
    combine = "sum" if adds else "last"
    way = together.integers(3)
    if way == 0:
        dataset.write_all(where, records, combine=combine)
    elif way == 1:
        schedule = dataset.schedule(where, combine=combine)
        dataset.write_all(schedule, np.zeros_like(records))
        dataset.write_all(schedule, records)
    else:
        pending = dataset.iwrite_all(where, records, combine=combine)
        pending.wait()
    everyone = WORLD.allgather((where, records))
    if adds:
        for place, _ in everyone:
            model[place] = 0
        for place, values in everyone:
            np.add.at(model, place, values)
    else:
        for place, values in everyone:
            model[place] = values


def run_case(path, number, seed):
    together = np.random.default_rng([seed, number])
    mine = np.random.default_rng([seed, number, WORLD.rank])
    case = draw_case(together, WORLD.size)
    settings = {key: case[key] for key in ("servers", "codec", "chunk", "buffer", "share_memory")}
    servers = case["servers"]
    count = WORLD.size if servers is None else servers if isinstance(servers, int) else len(servers)
    settings["group_factor"] = int(together.integers(1, count + 1))
    folders = None
    if case["own"]:
        folders = [path / f"server-{number}-{server}" for server in range(count)]
        if WORLD.rank == 0:
            for folder in folders:
                folder.mkdir()
        WORLD.Barrier()
        settings["directories"] = folders
    case |= settings
    target = path / f"dataset-{number}"
    model = np.zeros(case["shape"], case["dtype"])
    with runtime.create(WORLD, target, case["shape"], case["dtype"], **settings) as dataset:
        for _ in range(together.integers(0, 4)):
            write_once(dataset, model, mine, together, case)
            where = draw_where(mine, model.shape)
            check(np.array_equal(dataset.read_all(where), model[where]), case, f"read of {where}")
    fewer = WORLD.Split(WORLD.rank % 2 if together.random() < 0.5 else 0)  # other groups read it too
    with runtime.open(fewer, target, directories=folders, buffer=case["buffer"]) as dataset:
        check(np.array_equal(dataset.read_all(...), model), case, "read by others")
    fewer.Free()
    with runtime.open(WORLD, target, directories=folders, buffer=case["buffer"]) as dataset:
        write_once(dataset, model, mine, together, case)
    with runtime.open_serial(target, directories=folders) as serial:
        check(np.array_equal(serial[...], model), case, "serial read")


def main():
    path, seed, cases = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for number in range(cases):
        run_case(path, number, seed)
    if WORLD.rank == 0:
        print(f"{cases} cases agree")


main()
