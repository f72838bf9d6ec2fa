"""Check the numbers of thesis 003 and of MrBayes: `run.py thesis FILE.json`.

A case names a function by the thesis' symbols, its arguments, and what is expected; here each name leads to
the function of the package that computes it. A name that leads nowhere is a failure, not a skip.
"""

import json
import math
import sys
from pathlib import Path

from reference import thesis_formulas as thesis
from striate.apps.pmc3 import line_sizes
from striate.apps.pmc3.format import SampleFormat
from striate.errors import StriateError
from striate.layout import Extents, SimpleStripe, VarStrip, parse_strips
from striate.layout import metrics as measure
from striate.layout.buffering import NodeMemory, buffer_bytes, safe_buffering, write_count
from striate.layout.mapped.temporal import ChainPlacement, is_balanced

DEPTH_MODES = {
    "real": "stripes",
    "ratio": "stripes",
    "stripes": "stripes",
    "strips": "strips",
    "ceil": "whole stripes",
}
ARRANGEMENTS = {"run": "run", "gen": "generation"}
KINDS = {"t": "tree", "p": "parameter"}


def first_pattern(runs, chains, processes, strict=False):
    writes = thesis.first_writes(ChainPlacement(runs, chains, processes))
    return [thesis.temporal_type(writes, strict=strict), writes]


def io_nodes_accessed(offset, size, unit, servers):
    return measure.servers_accessed(SimpleStripe(servers, unit), Extents([offset], [size]))


def delta_ioz(size, unit, servers, mode="real"):
    return measure.depth_of_parallelism(size, unit, servers, DEPTH_MODES[mode])


def sample_format(nruns, nlines, p_line, t_line, p_h=0, t_h=0, order="tp"):
    return SampleFormat(nruns, nlines, p_line, t_line, p_h, t_h, trees_first=order == "tp")


def mfg_offset(run, line, kind, *, layout="run", **sizes):
    record_map = sample_format(**sizes).record_map(ARRANGEMENTS[layout])
    return int(record_map.offset(KINDS[kind], run=run, line=line))


def file_bytes(nruns, nlines, p_line, t_line, p_h=0, t_h=0):
    return sample_format(nruns, nlines, p_line, t_line, p_h, t_h).record_map().size


def local_fraction(nruns, processes, nlines, p_line, t_line, strips, *, layout="run", **headers):
    described = sample_format(nruns, nlines, p_line, t_line, **headers)
    accesses = thesis.line_extents(described, ARRANGEMENTS[layout], processes)
    return measure.local_share(VarStrip([tuple(strip) for strip in strips]), accesses)


def t_line_mb32(taxa, generation=0, precision=6, scientific=True):
    return line_sizes.tree_line(taxa, generation, precision=precision, scientific=scientific)


def lambda_max(*memory, **more):
    return NodeMemory(*memory, *more.values()).largest_buffering()  # the one optional: processes a node


FUNCTIONS = {
    "p_rem": lambda *placement: thesis.remainder(ChainPlacement(*placement)),
    "ch_proc": lambda runs, chains, processes: runs * chains // processes,
    "chains_of_proc": lambda *placement: ChainPlacement(*placement).chains_of_processes.tolist(),
    "run_hosts": lambda *placement: ChainPlacement(*placement).hosts,
    "mrbayes327_accepts": lambda *placement: not thesis.remainder(ChainPlacement(*placement)),
    "tsio1": lambda *placement: thesis.swaps(ChainPlacement(*placement)),
    "n_patterns_exact": lambda *placement: thesis.patterns(ChainPlacement(*placement)),
    "n_patterns_eq51": lambda *placement: thesis.patterns_by_equation(ChainPlacement(*placement)),
    "first_pattern": first_pattern,
    "reachable_types": lambda *placement, **how: thesis.reachable_types(ChainPlacement(*placement), **how),
    "classify": lambda writes, strict=False: thesis.temporal_type(writes, strict=strict),
    "is_pi1": is_balanced,
    "data_per_run_mb31": thesis.sample_bytes_31,
    "t_lines_until": thesis.trees_within,
    "t_line_mb32": t_line_mb32,
    "p_line_mb32_sci": line_sizes.parameter_line,
    "slot_bytes": thesis.slot_bytes,
    "d_total_uniform": thesis.total_bytes,
    "file_size_lines": thesis.samples_written,
    "io_nodes_accessed": io_nodes_accessed,
    "delta_iox": measure.degree_of_parallelism,
    "delta_ioz": delta_ioz,
    "su_max": measure.largest_unit,
    "su_max_int": measure.largest_whole_unit,
    "su_max_exact": measure.largest_unit_reaching_all,
    "parse_strips": lambda text: [list(strip) for strip in parse_strips(text)],
    "vscs_min": measure.smallest_chunk,
    "vscs_max": measure.largest_chunk,
    "buffer_bytes": buffer_bytes,
    "wnum": write_count,
    "lambda_max": lambda_max,
    "lambda_max_cluster": lambda nodes: safe_buffering(NodeMemory(*node) for node in nodes),
    "speedup": measure.speedup,
    "efficiency_cpu": measure.efficiency,
    "delta_perf": measure.time_difference,
    "mfg_offset": mfg_offset,
    "file_bytes": file_bytes,
    "local_fraction": local_fraction,
    "serial_ops_per_sample": line_sizes.serial_operations,
}


def met(found, expected, tolerance) -> bool:
    """Equal, or, for numbers with a tolerance, no further apart than that."""
    if tolerance is None:
        return found == expected
    return math.isfinite(found) and abs(found - expected) <= tolerance


def outcome_of(case: dict) -> tuple[bool, str]:
    """Whether a case is met, and the words for it."""
    name = case["function"]
    if name not in FUNCTIONS:
        return False, f"no function is known as {name!r}"
    try:
        found = FUNCTIONS[name](*case["args"], **case["kwargs"])
        good = met(found, case["expected"], case.get("tolerance"))
    except (StriateError, TypeError, ValueError, KeyError) as error:
        return False, f"{type(error).__name__}: {error}"
    return good, f"{name} gives {found}, expected {case['expected']}"


def check(path: Path) -> int:
    """Print one line per case and a summary; 1 when a value is not met."""
    try:
        cases = json.loads(path.read_text())["cases"]
        outcomes = [(case["id"], *outcome_of(case)) for case in cases]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"cannot read {path}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    for identity, good, words in outcomes:
        print("met" if good else "FAILED", f"{identity}: {words}")
    failures = sum(1 for _, good, _ in outcomes if not good)
    print(f"thesis: {len(outcomes)} cases, {failures} failures")
    return 1 if failures or not outcomes else 0
