"""Check a file of queueing points: times, speedups, components and the demands, to 1e-10 relative."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from striate import _core
from striate.queueing import Function, Model, Power, SpmdParameters, Table, constant, hyperperimeter, inverse
from striate.queueing.networks.kinds import find_kind

TOLERANCE = 1e-10
KINDS = {"SIO": "sio", "BUS-AIO": "bus-aio", "CLU-AIO": "clu-aio"}
IMBALANCE = {
    "exp": "exponential",
    "uniform": "uniform",
    "det": "deterministic",
    "deterministic": "deterministic",
}

Claim = tuple[str, float, float]  # what, found, wanted


def check(path: Path) -> int:
    """Print one line per case and a summary; 1 when a value is missed or there is nothing to check."""
    document = json.loads(path.read_text())
    met, cases, worst = 0, 0, 0.0
    for name, claims in _cases(document):
        errors = [_error(found, wanted) for _, found, wanted in claims]
        largest = max(errors)
        what = claims[int(np.argmax(errors))][0]
        passed = largest <= TOLERANCE
        print(
            f"{'met   ' if passed else 'MISSED'} {name}: {len(claims)} values, worst {largest:.1e} ({what})"
        )
        met, cases, worst = met + passed, cases + 1, max(worst, largest)
    print(f"{met} of {cases} met, worst relative error {worst:.1e}, tolerance {TOLERANCE:g}")
    return 0 if cases and met == cases else 1


def _cases(document: dict) -> Iterator[tuple[str, list[Claim]]]:
    for point in document.get("points", []):
        for solver in point["solver"].split("="):
            yield f"{point['id']} {solver}", _point_claims(point, solver)
    for number, row in enumerate(document.get("table3", [])):
        yield f"table3[{number}] p={row['p']}", _table_claims(row)
    for number, block in enumerate(document.get("blocks", [])):
        yield f"blocks[{number}] {block['f']}", _block_claims(block)


def _point_claims(point: dict, solver: str) -> list[Claim]:
    given, p, d = point["params"], point["p"], point["d"]
    model = Model(_spmd(given, p), KINDS[point["model"]], solver=solver)
    at = np.array([p])
    parts = model.components(p, d)
    found = {
        "T": model.time(p, d),
        "speedup": model.speedup(p, d),
        "T1": model.one_processor_seconds,
        "z": float(model.spmd.delay_seconds(at)[0]),
        "x": float(model.spmd.bus_seconds(at)[0]),
        "y": float(find_kind(model.kind).disk_seconds(model.spmd, at, np.array([d]))[0]),
        "K": p // model.spmd.group,
        "T_comp": parts.cpu + parts.communication,
        "T_io": parts.io,
        "double_T_comp": parts.cpu + parts.communication,
        "double_T_io": parts.io,
    }
    return [(key, found[key], _number(point[key])) for key in found if key in point]


def _spmd(given: dict, p: int) -> SpmdParameters:
    return SpmdParameters(
        parallel_seconds=given["S_par"],
        serial_seconds=given["S_ser"],
        message_startup_seconds=given["S0_com"],
        transfer_seconds=given["SR_com"],
        io_startup_seconds=given["S0_io"],
        io_transfer_seconds=given["SR_io"],
        bursts_per_io=given["n_io"],
        contention=given["w"],
        group=given["c"],
        scale=_scale(given["g"], p),
        imbalance=IMBALANCE.get(given["h"], given["h"]),
        startup_on_one_processor=given.get("startup_at_p1", False),
    )


def _scale(text: str, p: int) -> Power | Table | Function:
    name, _, argument = str(text).partition(":")
    if name == "hyper":
        return hyperperimeter(int(argument))
    if name == "power":
        return Power(-_number(argument))  # the file writes p^(-1/6) as power:1/6
    if name == "inv":
        return inverse()
    if name == "one":
        return constant()
    if name == "table":
        return Table(((p, _table_value(argument, p)),))
    raise ValueError(f"unknown scale {text!r}")


def _table_value(text: str, p: int) -> float:
    """One value, or `p=value` pairs in any of the usual notations."""
    pairs = re.findall(r"(\d+)\"?\s*[:=]\s*([^,;}\s]+)", text)
    return _number(dict(pairs)[str(p)]) if pairs else _number(text.strip("[]{}"))


def _table_claims(row: dict) -> list[Claim]:
    parallel = float(re.search(r"S_par=(?:\d+/\d+=)?([\d.]+)", row["inputs"])[1])
    messages, kilobytes = {9: (18, 64), 64: (48, 18)}[row["p"]]
    spmd = SpmdParameters(
        parallel_seconds=parallel,
        serial_seconds=0.08,
        message_startup_seconds="150 us",
        messages=messages,
        transfer_seconds=messages * kilobytes * 1000 / 27e6,
        scale=constant(),
        io_transfer_seconds=1,
        bursts_per_io=5,
        contention=0.23,
    )
    paper, exact = (Model(spmd, "sio", solver=solver).time(row["p"], 3) for solver in ("paper", "exact"))
    return [("reading_A", paper, row["reading_A"]), ("exact", exact, row["exact_ctmc_1stage"])]


def _block_claims(block: dict) -> list[Claim]:
    z, x, y = (_number(block.get(key, 0)) for key in "zxy")
    jobs = np.array([int(block.get("i", block.get("K", block.get("N"))))])
    one, delay, bus, disk = (np.array([value]) for value in (1.0, z, x, y))
    if block["f"] == "R1":
        computation, _ = _core.bus_split(jobs, delay, bus, np.array([0, 1]), 0 * one)
        return [("value", float(computation[0]) - z, _number(block["value"]))]
    if block["f"] == "eq16":
        found = _core.fork_join(jobs, delay, bus, one * block["n"], False)[0]
        return [("value", float(found), _number(block["value"]))]
    if block["f"] == "R2":
        times = _core.bus_times(jobs, delay, bus, np.array([0, 1]), disk)
        computation, io = _core.bus_split(jobs, delay, bus, np.array([0, 1]), disk)
        found = {"cycle_time": times[0], "R2_x": computation[0] - z, "R2_y": io[0]}
    else:
        computation, io = _core.clustered_split(jobs, np.array([int(block["d"])]), delay, bus, disk)
        found = {"cycle_time": computation[0] + io[0], "R_comp": computation[0], "R_io": io[0]}
    return [(key, float(value), _number(block[key])) for key, value in found.items()]


def _number(value: object) -> float:
    text = str(value)
    inside = re.fullmatch(r"np\.float64\((.*)\)", text)
    numerator, _, denominator = (inside[1] if inside else text).partition("/")
    return float(numerator) / float(denominator or 1)


def _error(found: float, wanted: float) -> float:
    return abs(found - wanted) / abs(wanted) if wanted else abs(found)
