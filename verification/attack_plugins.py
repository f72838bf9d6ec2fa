"""Programs with plug-ins, in Python and in C++: proofs must not claim what a plug-in may change."""

from __future__ import annotations

import random
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from striate.plugins import load
from striate.plugins.compiled import compiler_flags
from striate.plugins.loading import Plugins

Case = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "template": ROOT / "src" / "striate" / "plugins" / "templates",
    "example": ROOT / "examples" / "plugins",
}
SOURCES = (
    *(
        f"template/{name}"
        for name in ("cache.py", "cache.cpp", "collective.py", "collective_io.py", "disk.py")
    ),
    *(
        f"template/{name}"
        for name in ("disk.cpp", "layout.py", "routing.py", "scheduler.py", "scheduler.cpp")
    ),
    *(f"example/{name}" for name in ("as_they_come.py", "by_server.py", "by_speed.py", "elevator.py")),
    *(f"example/{name}" for name in ("elevator.cpp", "most_recent.py", "node_tree.py", "zoned_disk.py")),
)
CALLS = ("bcast", "reduce")  # that have plug-ins among them
POLICIES = {"scheduler": "server-directed", "elevator": "server-directed"}  # under which servers ask them


def with_plugin(case: Case, dice: random.Random) -> Case:
    """The case with a plug-in, two calls of the collectives that have one, and servers that ask theirs."""
    source = dice.choice(SOURCES)
    steps = [
        {"kind": "collective", "call": call, "size": dice.choice((0, 7, 65_537)), "times": 2, "root": 0}
        for call in CALLS
    ]
    machine = case["machine"]
    if (policy := POLICIES.get(Path(source).stem)) and "base" in machine:
        kept = {key: value for key, value in machine.get("cache", {}).items() if key not in ("dirty", "sync")}
        machine = machine | {"cache": kept | {"policy": policy}}
    return case | {"plugin": source, "machine": machine, "program": [*case["program"], *steps]}


@cache
def loaded(source: str) -> Plugins:
    """The plug-ins of a source; one in C++ is compiled first."""
    folder, name = source.split("/")
    path = FOLDERS[folder] / name
    return load([str(_compiled(path) if path.suffix == ".cpp" else path)])


def _compiled(path: Path) -> Path:
    target = Path(tempfile.mkdtemp(prefix="striate-attack-")) / f"{path.stem}.so"
    subprocess.run(["c++", *compiler_flags(), str(path), "-o", str(target)], check=True)
    return target
