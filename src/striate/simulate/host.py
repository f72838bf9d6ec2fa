"""`python -m striate.simulate.host`: a process of one thread that forks the ranks, so that each has its own memory.

Module globals, random states and imported modules are apart as on a real machine; what the ranks need first is
imported once, before they are forked.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from striate.simulate.rank_process import ProgramSpec, run_rank
from striate.simulate.wire import Channel, RankSettings


def main(arguments: list[str]) -> int:
    """Fork the ranks and wait for them; the argument is the descriptor of the connection that says what to run."""
    control: Channel = Connection(int(arguments[0]))
    settings, spec, descriptors = control.recv()
    control.close()
    _preload(spec)
    children = []
    for rank, descriptor in enumerate(descriptors):
        child = _fork()
        if child == 0:
            _become_rank(rank, descriptor, descriptors, settings, spec)
        os.close(descriptor)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return 0


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of numerical libraries, which hold no lock of Python's
        return os.fork()


def _become_rank(
    rank: int, descriptor: int, descriptors: list[int], settings: RankSettings, spec: ProgramSpec
) -> NoReturn:
    for other in descriptors[rank + 1 :]:
        os.close(other)
    if rank > 0:  # as under mpiexec, the first rank alone reads what is typed
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run_rank(Connection(descriptor), rank, settings, spec)


# ---- what is imported once for all


def _preload(spec: ProgramSpec) -> None:
    """Import what the program imports first, unless that would meet MPI, which ranks must do on their own."""
    sys.meta_path.insert(0, _ATTEMPTS)
    try:
        for name in _first_imports(spec):
            _import_once(name)
    finally:
        sys.meta_path.remove(_ATTEMPTS)


class _Attempts:
    """Notes when something looks for mpi4py."""

    seen = False

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == "mpi4py":
            self.seen = True
            raise ModuleNotFoundError(
                "mpi4py can be imported only by the simulated ranks, which do not run yet", name=name
            )


_ATTEMPTS = _Attempts()


def _import_once(name: str) -> None:
    """Import a module; forget it, and all that came with it, when it looked for MPI or failed."""
    before = set(sys.modules)
    _ATTEMPTS.seen = False
    failed = False
    try:
        importlib.import_module(name)
    except BaseException:  # it will fail again in the ranks, with a traceback
        failed = True
    if failed or _ATTEMPTS.seen:
        for made in set(sys.modules) - before:
            del sys.modules[made]


def _first_imports(spec: ProgramSpec) -> Iterator[str]:
    """Names of installed modules that the program's file imports at its top; those beside it are its own."""
    path = Path(spec.program)
    try:
        if spec.is_module:
            found = importlib.util.find_spec(spec.program)
            if found is not None and found.submodule_search_locations is not None:
                found = importlib.util.find_spec(f"{spec.program}.__main__")
            path = Path(str(found.origin)) if found is not None else path
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, ImportError):
        return
    beside = path.resolve().parent
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        else:
            continue
        for name in names:
            first = name.partition(".")[0]
            if not (beside / first).exists() and not (beside / f"{first}.py").exists():
                yield name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
