"""Plug-ins in C++: shared objects, tried out in a process of their own before anything asks them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from striate import _core
from striate.cluster.cluster import Cluster
from striate.errors import PluginError
from striate.plugins.guard import LoadedPlugin, call_limit

PARTS = {
    "scheduler": _core.CompiledScheduler,
    "disk": _core.CompiledDisk,
    "cache": _core.CompiledReplacement,
}
START_SECONDS = 10.0  # in which a Python process begins, on a busy machine too
TRIED = "STRIATE_PLUGIN_TRIED"  # set for the process that tries a shared object out


@dataclass(frozen=True, slots=True)
class CompiledClass:
    """What a shared object has in place of a Python class; a part of a run is made of it for all servers at once."""

    path: str
    kind: str
    name: str

    def __call__(self, cluster: Cluster) -> Any:
        servers = [(one.name, one.memory, len(one.disks)) for one in cluster.servers]
        return PARTS[self.kind](self.path, self.name, servers, int(cluster.settings.io_request))


def compiler_flags() -> tuple[str, ...]:
    """Options of a C++ compiler that make a shared object of a plug-in; its sums are rounded as Python's are."""
    include = Path(_core.__file__).parent / "include"
    return ("-std=c++20", "-O2", "-fPIC", "-shared", "-ffp-contract=off", f"-I{include}")


def part_of(plugin: LoadedPlugin, hook: Callable[..., Any], *given: Any) -> Any:
    """What the core asks in a run: the compiled part itself, or for a Python class the `hook` around it."""
    if not isinstance(plugin.make, CompiledClass):
        return hook(plugin, *given)
    with faults_named((plugin,)):
        return plugin.make(*given)


def is_compiled(source: str) -> bool:
    """Whether a source names a shared object: `my.so`, or one of its plug-ins, `my.so:NAME`."""
    return source.endswith(".so") or ".so:" in source


def compiled_plugins(path: Path, name: str = "") -> tuple[LoadedPlugin, ...]:
    """The plug-ins of a shared object; refuses it when they, or the one of that name, fail when tried out."""
    if not path.is_file():
        raise PluginError("no such file", source=str(path))
    if TRIED not in os.environ:
        _try_out(path, name)
    place = str(path.resolve())
    try:
        listed = _core.compiled_plugins(place)
    except _core.PluginFaultError as fault:
        raise PluginError(_in_one_line(str(fault.args[1]), place), source=str(path)) from None
    return tuple(
        LoadedPlugin(str(path), kind, called, CompiledClass(place, kind, called)) for kind, called in listed
    )


def _in_one_line(words: str, place: str) -> str:
    return " ".join(words.replace(f"{place}: ", "").split())


@contextmanager
def faults_named(loaded: tuple[LoadedPlugin, ...]) -> Iterator[None]:
    """Where a compiled plug-in of these breaks a rule, name it."""
    try:
        yield
    except _core.PluginFaultError as fault:
        kind, words = fault.args
        plugin = next(one for one in loaded if one.kind == kind)
        raise plugin.error(words) from None


def _try_out(path: Path, name: str) -> None:
    """Run `striate plugin check` on it elsewhere: compiled code that hangs or crashes takes its process along."""
    limit = call_limit()
    command = [sys.executable, "-m", "striate", "plugin", "check", f"{path}:{name}" if name else str(path)]
    try:
        done = subprocess.run(
            command,
            env=dict(os.environ) | {TRIED: "1"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=START_SECONDS + limit,
        )
    except subprocess.TimeoutExpired:
        raise PluginError(
            f"the compiled plug-in never ends: no answer within {limit:g} s when tried out", source=str(path)
        ) from None
    if done.returncode < 0:
        stopped = signal.Signals(-done.returncode).name
        raise PluginError(f"crashes when tried out ({stopped})", source=str(path))
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"ends with status {done.returncode} when tried out"]
        raise PluginError(last[0].removeprefix("striate: "))
