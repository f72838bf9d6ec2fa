"""Formulas of thesis 003, and sizes of MrBayes' files, that the package itself does not need.

Temporal patterns (chapter 5): which processes write a sample, as swaps move the cold chain of every run.
"""

import math
from collections import Counter

import numpy as np

from striate.apps.pmc3.line_sizes import summed_digits, tree_line
from striate.errors import LayoutError
from striate.layout.mapped.slots import digits
from striate.layout.mapped.temporal import ChainPlacement

COMPLETE_1, PARTIAL_1, COMPLETE_PLUS, PARTIAL_PLUS = "Complete-1", "Partial-1", "Complete+1", "Partial+1"
TREES_HEAD = len("#NEXUS\n[ID: 0123456789]\nbegin trees;\n   translate\n")
PARAMETER_TREE = len("[Param: tree]\n")  # a line of MrBayes 3.2 only


def temporal_type(writes, *, strict=False):
    """The type of table 5.1 for the number of runs each process writes in one sample.

    Processes that all write the same number of runs are Complete-1, as the thesis calls them in section 5.3
    and chapter 7; `strict` takes table 5.1 by the letter, where Complete-1 means exactly one.
    """
    if not writes or min(writes) < 0 or max(writes) == 0:
        raise LayoutError(f"expected writes of at least one process, got {writes[:20]}")
    if min(writes) > 0:
        balanced = max(writes) == 1 if strict else min(writes) == max(writes)
        return COMPLETE_1 if balanced else COMPLETE_PLUS
    return PARTIAL_1 if max(writes) == 1 else PARTIAL_PLUS


def remainder(placement):
    """P_rem: processes with a rank below it hold one chain more; MrBayes since 3.2.4 refuses any."""
    return placement.runs * placement.chains % placement.processes


def swaps(placement):
    """Tsio_1, definition 5.2: an I/O swap for every run and process that holds it beside the cold one."""
    return sum(len(hosts) - 1 for hosts in placement.hosts)


def patterns_by_equation(placement):
    """T_PIO of equation 5.1: an upper bound once a run spans more than two processes."""
    return placement.processes if placement.runs == 1 else 2 ** swaps(placement)


def patterns(placement):
    """How many sets of writers there are: each run's cold chain on any of its hosts."""
    return math.prod(len(hosts) for hosts in placement.hosts)


def first_writes(placement):
    """Runs each process writes in the first sample: a run's first chain is the cold one."""
    owners = placement.process_of(np.arange(placement.runs) * placement.chains)
    return np.bincount(owners, minlength=placement.processes).tolist()


def samples(placement, count, seed, *, swap_probability=0.5):
    """Runs each process writes in each sample; every run moves its cold chain with that probability."""
    random = np.random.default_rng(seed)
    owners = np.array([hosts[0] for hosts in placement.hosts])
    for _ in range(count):
        yield np.bincount(owners, minlength=placement.processes).tolist()
        for run, hosts in enumerate(placement.hosts):
            if random.random() < swap_probability:
                owners[run] = random.choice(hosts)


def reachable_types(placement, *, strict=False):
    """How many of the `patterns` are of each temporal type.

    Counted run by run; processes before a run's first host are finished, so few counts are open. A state is (least,
    most) writes of finished processes and the writes of the open ones from `first` on.
    """
    states = Counter({(placement.runs, 0, ()): 1})
    first = 0
    for hosts in [*placement.hosts, [placement.processes]]:
        finished = hosts[0] - first
        first = hosts[0]
        moved = Counter()
        for (least, most, open_), count in states.items():
            padded = open_ + (0,) * (max(finished, hosts[-1] - hosts[0] + 1 + finished) - len(open_))
            done, left = padded[:finished], padded[finished:]
            ends = min((least, *done)), max((most, *done))
            for host in hosts if hosts[0] < placement.processes else [None]:
                moved[*ends, left if host is None else _plus_one(left, host - first)] += count
        states = moved
    types = Counter()
    for (least, most, _), count in states.items():
        types[temporal_type([least, most], strict=strict)] += count
    return dict(sorted(types.items()))


def _plus_one(counts, index):
    return (*counts[:index], counts[index] + 1, *counts[index + 1 :])


def slot_bytes(
    line, first_generation, last_generation, signed_columns=0, *, wide_exponents=False, integer_digits=0
):
    """Bytes that hold any later line, when the first one, at `first_generation`, has `line` bytes.

    Room for the digits of the last generation, a sign for every number that may turn negative, with
    `wide_exponents` a third exponent digit for each, and `integer_digits` more for columns of whole numbers.
    """
    growth = digits(last_generation) - digits(first_generation)
    return line + growth + signed_columns * (2 if wide_exponents else 1) + integer_digits


def tree_header(names, *, version="3.2"):
    """Bytes before the first tree: the identity, and the translate block with one line per taxon."""
    head = TREES_HEAD + (PARAMETER_TREE if version == "3.2" else 0)
    return head + sum(
        6 + max(2, digits(number)) + 1 + len(name) + 2 for number, name in enumerate(names, start=1)
    )


def sample_bytes_31(taxa, likelihood_characters):
    """Bytes that a run of MrBayes 3.1 adds in generation 1: a tree line in fixed notation and a parameter line.

    The thesis prints the sums (table A.4); the width of LnL is the one input it does not. The tree length
    begins as 0.1 for each of 2 n - 3 branches, with three decimals.
    """
    tree_length_characters = digits((2 * taxa - 3) // 10) + len(".000")
    parameters = 41 + likelihood_characters + tree_length_characters
    return tree_line(taxa, 1, scientific=False, version="3.1") + parameters


def trees_within(limit_bytes, taxa, names):
    """Whole tree lines of MrBayes 3.1, generations 1, 2, ..., that a file of `limit_bytes` holds."""
    room = limit_bytes - tree_header(names, version="3.1")
    without_number = tree_line(taxa, 1, scientific=False, version="3.1") - 1
    low, high = 0, max(0, room // without_number) + 1
    while low < high:
        middle = (low + high + 1) // 2
        fits = middle * without_number + summed_digits(middle) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def samples_written(generations, sample_frequency, rule="thesis"):
    """Lines of one file after a run, header not counted.

    Table 6.1 of the thesis samples every multiple; MrBayes 3.1 generation 1 and every multiple; 3.2
    generation 0, every multiple, and the last generation always.
    """
    multiples, rest = divmod(generations, sample_frequency)
    more = {
        "thesis": 0,
        "mb31": int(sample_frequency > 1 and generations > 0),
        "mb32": 1 + (1 if rest else 0),
    }
    return multiples + more[rule]


def total_bytes(runs, tree_head, parameter_head, tree, parameter, lines):
    """D_total of equation 4.1 when all lines of a kind have one size."""
    return runs * (tree_head + parameter_head + lines * (tree + parameter))


def line_extents(described, arrangement, processes):
    """The runs of bytes each process writes over the whole sampling, headers left out."""
    record_map = described.record_map(arrangement)
    owners = ChainPlacement(described.runs, 1, processes).process_of(np.arange(described.runs))
    accesses = []
    for process in range(processes):
        where = described.indices(np.flatnonzero(owners == process)[:, None], np.arange(described.lines))
        trees = record_map.extents("tree", **where)
        accesses.append(trees.followed_by(record_map.extents("parameter", **where)))
    return accesses
