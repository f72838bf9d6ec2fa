"""The `striate` command: finds the command asked for, and turns refusals into one line and an exit status.

Exit status: 0 done, 1 bad input, 2 usage, 3 done but the asked precision was not reached or a check found something.
"""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any

import click

from striate.errors import StriateError, Terminated
from striate.loader import lacks_memory
from striate.printable import one_line, printable

# package under striate.cli -> (heading, commands with their line of help); a module is imported when its command runs.
SECTIONS = {
    "runs": (
        "Runs",
        {
            "trace": "run a program, with MPI or without, and record what it does",
            "info": "summarise a trace, another tool's log, or a dataset",
            "show": "draw traces, timelines and forecasts in a page that opens offline",
            "advise": "say what to change in a traced program, and how much time that saves",
            "compare": "compare a forecast with the trace of a real run",
            "convert": "write a trace or a dataset for other tools",
        },
    ),
    "forecast": (
        "Forecasts",
        {
            "predict": "forecast a program's time on a cluster",
            "simulate": "run an unmodified mpi4py program on simulated ranks of a cluster",
            "workload": "show how a program is understood",
            "model": "speedup surfaces of queueing models, and their fit to observations",
            "size": "find the smallest storage that a training job needs",
            "demo": "forecast a built-in program on a built-in cluster, and write a report",
        },
    ),
    "settings": (
        "Settings",
        {
            "tune": "find the settings with which a program takes the least time",
            "apply": "write tuned settings as hints, environment and configuration; run again",
            "layout": "draw a file layout, locate bytes in it, or recommend one",
            "plugin": "create, check and list plug-ins: your own algorithms in simulations",
        },
    ),
    "machines": (
        "Machines",
        {
            "check": "check a cluster description, print and draw it",
            "probe": "measure this machine and describe it as a cluster",
            "fit": "refine a cluster description from traces, or a table of rates, of real runs",
            "noise": "learn how much a shared machine slows a job down",
            "validate": "run small programs here and compare them with their forecasts",
            "lab": "a practice cluster on this machine: build, use, break it",
        },
    ),
    "stored": (
        "Stored data",
        {
            "verify": "check every stored byte of a dataset",
            "repair": "remove what interrupted writes left in a dataset",
            "results": "list, filter and export stored results",
        },
    ),
    "installation": (
        "This installation",
        {
            "selftest": "check that this installation works",
            "completion": "print the shell completion script",
        },
    ),
}
COMMANDS = {name: line for _, commands in SECTIONS.values() for name, line in commands.items()}

BUG = (
    "This is a bug of striate, not a mistake of yours: please report it in the project's issue tracker,\n"
    "with the lines above and the command that led to them."
)


class _StoppedError(Exception):
    """A signal ended the command."""

    def __init__(self, terminated: bool) -> None:
        self.terminated = terminated


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        package = next((package for package, (_, names) in SECTIONS.items() if cmd_name in names), None)
        if package is None:
            return None
        command = importlib.import_module(f"striate.cli.{package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interruption passes by click, which would print a line of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            raise _StoppedError(isinstance(stopped, Terminated)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for heading, commands in SECTIONS.values():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="striate", message="striate %(version)s")
def striate() -> None:
    """Trace, predict, tune, run and show parallel I/O.

    Results go to standard output, progress and messages to standard error.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run one command line and exit with its status."""
    sys.meta_path.insert(0, _WithoutPandas())
    sys.exit(run(arguments))


class _WithoutPandas:
    """Hides pandas from pyarrow, which loads it, half a second, to ask whether an array is one of its own."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("striate's commands do without pandas", name=name)


def run(arguments: list[str] | None = None) -> int:
    """Run one command line and return its exit status; a refusal prints one line, a bug its traceback."""
    try:
        result: Any = striate.main(args=arguments, prog_name="striate", standalone_mode=False)
    except click.exceptions.Abort:
        return _say("interrupted", 130)
    except _StoppedError as stopped:
        return _say("terminated", 143) if stopped.terminated else _say("interrupted", 130)
    except click.ClickException as error:
        words = io.StringIO()
        error.show(words)
        sys.stderr.write(printable(words.getvalue()))
        return error.exit_code
    except StriateError as error:
        return _say(str(error), 1)
    except SystemExit:  # click's word for a reader of our output that left: not worth one of ours
        return 0
    except OSError as error:
        name = f" - at {error.filename}" if error.filename else ""
        return _say(f"{error.strerror or error}{name}", 1)
    except MemoryError:
        return _say(_out_of_memory(), 1)
    except Exception as error:
        if isinstance(error, ImportError) and lacks_memory(error):
            return _say(_out_of_memory(), 1)
        error.add_note(BUG)
        raise
    return result if isinstance(result, int) else 0


def _out_of_memory() -> str:
    from striate.limits import memory_limit
    from striate.units import about_size

    limit = memory_limit()
    return "out of memory" + (
        f": it takes more than the limit of {about_size(limit)}" if limit is not None else ""
    )


def _say(message: str, status: int) -> int:
    print(f"striate: {one_line(' '.join(message.splitlines()))}", file=sys.stderr)
    return status
