"""Compute nodes by what is printed of them: `scontrol show node` and `lstopo`."""

from __future__ import annotations

import re
from collections import Counter

from striate.errors import ClusterError
from striate.training.system import StorageSystem
from striate.units import counted

_KEY = re.compile(r"\b(\w+)=(\S*)")
_LISTED = re.compile(r"(?:[^,\[]|\[[^\]]*\]?)+")  # names between commas outside brackets
_MACHINE = re.compile(r"^Machine [^(\n]*\([^)\n]*?([0-9]{1,15}(?:\.[0-9]{1,9})?)([KMGT])i?B", re.MULTILINE)
_SCALES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def from_scontrol(text: str, source: str) -> StorageSystem:
    """The nodes of `scontrol show node`, or of slurm.conf: how many, and the cores and memory that most have."""
    nodes: dict[str, tuple[int, int]] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for block in re.split(r"(?=^NodeName=)", text, flags=re.MULTILINE):
        keys = dict(_KEY.findall(block))
        name = keys.get("NodeName")
        if name is None:
            continue
        if name == "DEFAULT":
            raise ClusterError(
                "NodeName=DEFAULT in slurm.conf is not supported; give the output of `scontrol show node`",
                source=source,
            )
        if name in nodes:
            raise ClusterError(f"the node {name!r:.40} is listed twice", source=source)
        nodes[name] = (_cores(keys, name, source), _number(keys, "RealMemory", name, source) * 2**20)
        counts[nodes[name]] += _named(name, source)
    if not nodes:
        raise ClusterError(
            "expected the output of `scontrol show node`, found no NodeName in it", source=source
        )
    ((cores, memory), most), whole = counts.most_common(1)[0], counts.total()
    notes = [f"{counted(whole, 'node')} by scontrol"]
    if most < whole:
        notes.append(f"{whole - most} of them differ from the {most} that count")
    return StorageSystem(
        "Slurm", hosts=whole, host_cores=cores, host_memory=float(memory), notes=tuple(notes)
    )


def _named(name: str, source: str) -> int:
    """How many nodes a name stands for: node[001-064,070] is 65, a,b is 2."""
    total = 0
    for one in _LISTED.findall(name):
        inside = re.findall(r"\[([^\]]*)\]", one)
        parts = [part.partition("-") for group in inside for part in group.split(",")]
        ends = [(first, last or first) for first, _, last in parts]
        if (
            any(not re.fullmatch("[0-9]{1,9}", end, re.ASCII) for pair in ends for end in pair)
            or len(inside) > 1
        ):
            raise ClusterError(
                f"expected names of nodes such as node[001-064], got {name!r:.40}", source=source
            )
        sizes = [int(last) - int(first) + 1 for first, last in ends]
        if min(sizes, default=1) < 1:
            raise ClusterError(
                f"expected an ascending range of node numbers, got {name!r:.40}", source=source
            )
        total += sum(sizes) if sizes else 1
    return total


def _cores(keys: dict[str, str], name: str, source: str) -> int:
    if "Sockets" in keys and "CoresPerSocket" in keys:
        return _number(keys, "Sockets", name, source) * _number(keys, "CoresPerSocket", name, source)
    return _number(keys, "CPUTot", name, source)


def _number(keys: dict[str, str], key: str, name: str, source: str) -> int:
    text = keys.get(key, "")
    if not re.fullmatch(r"[0-9]{1,15}", text, re.ASCII) or int(text) < 1:
        raise ClusterError(
            f"expected a whole number of at least 1 as {key} of a node, got {text!r:.40}",
            at=name[:40],
            source=source,
        )
    return int(text)


def from_lstopo(text: str, source: str) -> StorageSystem:
    """Cores and memory of the host that `lstopo` printed, as text or XML."""
    if "<topology" in text:
        cores = len(re.findall(r'<object type="Core"', text))
        memory = float(sum(map(int, re.findall(r'local_memory="([0-9]{1,18})"', text))))
    else:
        cores = len(re.findall(r"\bCore L#", text))
        machine = _MACHINE.search(text)
        memory = float(machine[1]) * _SCALES[machine[2]] if machine else 0.0
    if not cores or not memory:
        raise ClusterError(
            "expected the output of `lstopo` with the cores and the memory of a machine, found no such lines",
            source=source,
        )
    return StorageSystem(
        "lstopo", host_cores=cores, host_memory=memory, notes=(f"{counted(cores, 'core')} by lstopo",)
    )
