"""The `striate` command as the system starts it: signals first, then the rest.

Ctrl-C and SIGTERM end every command with one line, and no file is left that is not whole. Python sees a signal only
between its own steps: where the core is busy for longer, a thread removes what is unfinished and ends the process.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from striate.errors import Terminated

GRACE_SECONDS = 0.6  # for blocks to end by themselves
_came: list[int] = []  # signals
WORDS = {int(signal.SIGINT): "interrupted", int(signal.SIGTERM): "terminated"}


def main() -> None:
    """Run the command line of this process, and exit with its status."""
    gc.set_threshold(50_000, 20, 50)  # importing and reading make many objects and hardly any garbage
    if sys.stderr is None:  # closed by whoever started us; print would write messages among the results
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    try:
        _listen()
        from striate.cli.main import run

        status = run()
    except BaseException:  # while modules are imported, some make an error of their own of an interruption
        if not _came:
            raise
        status = _told(_came[0])
    for number in WORDS:  # all is done: what comes now does not change how it ended
        signal.signal(number, signal.SIG_IGN)
    if status - 128 in WORDS:
        _end_at_once(status)
    gc.freeze()  # the interpreter would look for garbage once more before it ends
    sys.exit(status)


def _end_at_once(status: int) -> None:
    """End without the interpreter's own farewell, which would wait for threads and raise the signal again."""
    _end_children()
    sys.stdout.flush()
    os._exit(status)


def _listen() -> None:
    """From now on a signal raises KeyboardInterrupt in the main thread, and after some grace ends the process."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for number in WORDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    sys.unraisablehook = _say_unless_stopped
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), daemon=True).start()


def _stop(number: int, frame: FrameType | None) -> None:
    _came.append(number)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _say_unless_stopped(what: Any) -> None:
    """An interruption inside a callback of the interpreter reaches nobody; the thread below ends the process then."""
    if not _came:
        sys.__unraisablehook__(what)


def _watch(reading: int) -> None:
    """Wait for a signal; end the process when it does not end by itself."""
    while (number := os.read(reading, 1)[0]) not in WORDS:
        pass
    threading.Event().wait(GRACE_SECONDS)
    _end_children()
    if "striate.whole_file" in sys.modules:
        sys.modules["striate.whole_file"].remove_unfinished()
    os._exit(_told(number))


def _end_children() -> None:
    """Processes of a pool would work on without us."""
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()


def _told(number: int) -> int:
    print(f"striate: {WORDS[number]}", file=sys.stderr, flush=True)
    return 128 + number
