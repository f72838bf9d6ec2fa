"""One rank: runs the program with the stand-in in place of mpi4py, and says how it ended."""

from __future__ import annotations

import atexit
import os
import runpy
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from striate.record import region as regions
from striate.simulate import plain_files
from striate.simulate.mpi import module
from striate.simulate.mpi.errors import NotSimulatedError, NotSimulatedModuleError
from striate.simulate.mpi.link import RankLink, link, outside, set_link
from striate.simulate.wire import Channel, RankSettings


class ProgramSpec(NamedTuple):
    """What to run: a file, or a module as after `python -m`, with the arguments of its command line."""

    program: str
    is_module: bool
    arguments: tuple[str, ...]


def run_rank(connection: Channel, rank: int, settings: RankSettings, spec: ProgramSpec) -> NoReturn:
    """Run the program as rank `rank` and end this process."""
    made = RankLink(connection, rank, settings)
    set_link(made)
    made.leave_program()
    made.ask("begin")
    module.install()
    plain_files.install()
    _simulate_time()
    sys.argv = [spec.program, *spec.arguments]
    made.enter_program()
    try:
        _run(spec)
        made.leave_program()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        made.ask("end")
    except EOFError:
        pass
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _run(spec: ProgramSpec) -> None:
    try:
        if spec.is_module:
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(spec.program, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(spec.program).resolve().parent))
            runpy.run_path(spec.program, run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            words = "the program ended with status 1"
            if isinstance(error.code, int):
                words = f"the program ended with status {error.code}"
            elif error.code:
                words = f"the program ended: {error.code}"
            _say_failed(words, "")
    except BaseException as error:
        _report(error)


def _report(error: BaseException) -> None:
    """Tell the coordinator the program's own traceback, and one line."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not _is_own(one.filename)]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    if isinstance(error, NotSimulatedError | NotSimulatedModuleError):
        _say_failed(str(error), place)
    head, last = (
        f"rank {link().rank}: Traceback (most recent call last):\n",
        traceback.format_exception_only(error),
    )
    trace = "".join([head, *traceback.format_list(frames), *last])
    _say_failed(f"the program raised {last[-1].strip()}", place, trace)


def _is_own(filename: str) -> bool:
    here = str(Path(__file__).parent)
    return filename.startswith((here, "<frozen runpy", "<frozen importlib"))


def _say_failed(words: str, place: str, trace: str = "") -> None:
    link().leave_program()
    link().ask("failed", words, place, trace)


def _simulate_time() -> None:
    """Sleeping takes simulated time, and regions are written down."""

    @outside
    def sleep(secs: float) -> None:
        if secs < 0:
            raise ValueError("sleep length must be non-negative")
        link().tell("sleep", float(secs))

    time.sleep = sleep

    def mark(begins: bool) -> Any:
        return outside(lambda name: link().tell("region", begins, name.decode()))

    regions.mark_with(mark(True), mark(False))
