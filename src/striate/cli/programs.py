"""Finds the program a command is about: an application, a Python file, or a saved workload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from striate.errors import WorkloadError
from striate.importers.kinds import described, from_command_line, is_command_line, is_dlio
from striate.provenance import hash_bytes, hash_file
from striate.workload.workload import Workload

if TYPE_CHECKING:
    from striate.apps.app import App
    from striate.workload.flows import Flows

KERNEL = "kernel:"


def find_workload(
    name: str, *, ranks: int | None, allow_code: bool = False
) -> tuple[Workload | Flows, dict[str, str]]:
    """The workload called `name` and the hashes of what it was made from.

    A Python file defines `program(rank, ranks)`, a generator of operations, `workload`, a Workload, an Spmd or a
    function of the number of ranks, or `app`, an App; it is run as the program it is. A TOML file names an application,
    of a file beside it, or of any with `allow_code`;
    any other file or folder is a saved workload, a trace or another tool's log; `kernel:pingpong,size=1MiB` is a
    built-in kernel; `ior -a MPIIO -t 1m -b 16m`, with a launcher before it or not, is a command line of IOR, mdtest,
    FIO, h5bench or IO500, and `fio:FILE`, `h5bench:FILE` and `io500:FILE` are their files. Raises WorkloadError
    when none of that is there.
    """
    if is_dlio(name):
        raise WorkloadError(
            "a training job (dlio:FILE) is accepted only by `striate predict`, `striate size` and "
            "`striate workload show`",
            source=name,
        )
    if name.startswith(KERNEL):
        return _kernel(name.removeprefix(KERNEL), ranks), {name: _hash_text(name)}
    if (found := described(name)) is not None:
        file, read = found
        workload = read(file, ranks)
        return workload, {file.name: hash_file(file)}
    if is_command_line(name):
        return from_command_line(name, ranks), {name: _hash_text(name)}
    path = Path(name)
    if not path.is_file() and (registered := _registered(name, needed=not path.exists())):
        return _of_app(registered, ranks)
    if path.suffix == ".py":
        return _from_python(path, ranks), {path.name: hash_file(path)}
    saved = _described(path, allow_code=allow_code) if path.suffix == ".toml" else _saved(path)
    if ranks is not None:
        raise WorkloadError(
            f"--ranks {ranks} is not accepted: the program has its own number of ranks", source=name
        )
    return saved, {path.name: _hash(path)}


def _hash_text(name: str) -> str:
    """The hash of a program that is its own description; refuses bytes that are no text."""
    try:
        return hash_bytes(name.encode())
    except UnicodeEncodeError:
        raise WorkloadError("expected text in UTF-8", source=name) from None


def _registered(name: str, *, needed: bool) -> App | None:
    """The application of this name; None where there is none, unless it is needed."""
    from striate.apps import registry

    if name in registry.names():
        return registry.find(name)
    if needed:
        known = f"{', '.join(registry.names())}, or a kernel such as {KERNEL}pingpong"
        raise WorkloadError(
            f"found no file and no built-in program of this name; built in are {known}", source=name
        )
    return None


def _described(path: Path, *, allow_code: bool) -> Workload | Flows:
    """The workload of an application's description."""
    from striate.apps import spec

    return spec.load_workload(path, allow_code=allow_code)


def _of_app(app: App, ranks: int | None) -> tuple[Workload | Flows, dict[str, str]]:
    """The application's workload with its defaults, and the hash of the function that made it."""
    import inspect

    if ranks is not None and "ranks" not in inspect.signature(app.workload).parameters:
        raise WorkloadError(
            f"--ranks {ranks} is not accepted: the program has its own number of ranks", source=app.name
        )
    return app.workload(**_ranks(ranks)), {app.name: hash_bytes(inspect.getsource(app.workload).encode())}


def _kernel(text: str, ranks: int | None) -> Workload:
    from striate.apps import kernels

    name, options = kernels.parse(text)
    if "ranks" in options:
        raise WorkloadError(
            "expected the number of ranks as --ranks N, got ranks=N among the options of the kernel",
            at=f"{KERNEL}{name}",
        )
    return kernels.workload(name, ranks=ranks, **options)


def _hash(path: Path) -> str:
    """The hash of a file, or of all files of a log that is a folder."""
    if not path.is_dir():
        return hash_file(path)
    files = sorted(one for one in path.rglob("*") if one.is_file())
    return hash_bytes("".join(f"{one.relative_to(path)} {hash_file(one)}\n" for one in files).encode())


def _saved(path: Path) -> Workload:
    """A saved workload, or what a trace or another tool's log shows."""
    from striate.formats.read import read_trace
    from striate.trace.load import is_trace

    if path.suffix == ".parquet" and not is_trace(path):
        return Workload.load(path)
    return Workload.from_trace(read_trace(path))


def _ranks(ranks: int | None) -> dict[str, int]:
    return {} if ranks is None else {"ranks": ranks}


def _from_python(path: Path, ranks: int | None) -> Workload | Flows:
    from striate.apps import registry
    from striate.apps.user_file import guarded, names_of
    from striate.workload.spmd import Spmd

    names = names_of(path)
    if "app" in names:
        app = registry.app_in(path, names)
        return guarded(path, lambda: _of_app(app, ranks)[0])
    if "workload" in names:
        made = names["workload"]
        if callable(made):
            made = guarded(path, lambda: names["workload"](**_ranks(ranks)))
        elif ranks is not None:
            raise WorkloadError(
                f"--ranks {ranks} is not accepted: `workload` in the Python file has its own number of ranks",
                source=str(path),
            )
        made = guarded(path, made.workload) if isinstance(made, Spmd) else made
        if not isinstance(made, Workload):
            raise WorkloadError(
                f"expected `workload` in the Python file to be a Workload, got an object of type {type(made).__name__}",
                source=str(path),
            )
        return made
    if callable(names.get("program")):
        if ranks is None:
            raise WorkloadError(
                "the number of ranks is missing; program(rank, ranks) in a Python file needs --ranks N",
                source=str(path),
            )
        run = names["program"]
        folded: Workload = guarded(path, lambda: Workload.from_program(run, ranks, name=path.stem))
        return folded
    raise WorkloadError(
        "expected a Python file that defines `program(rank, ranks)`, `workload` or `app`, found none of them",
        source=str(path),
    )
