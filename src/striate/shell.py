"""The one route to a shell: what becomes a command, an environment variable or a hint is checked and quoted here.

Names come from logs and advice that somebody else wrote. A name that does not follow the grammar is refused, and no
other module writes text that a shell or an MPI library executes.
"""

from __future__ import annotations

import re
import shlex

from striate.errors import TuningError
from striate.printable import one_line

# Variables that settings are given by. None of them names a library, a plug-in or a program: SLURM_CONF would.
_VARIABLE = re.compile(
    r"FORT_BUFFERED|FORT_BLOCKSIZE|SLURM_DISTRIBUTION|ROMIO_HINTS|MPICH_MPIIO_HINTS|STRIATE_RUNTIME"
    r"|MPIR_CVAR_[A-Z]+(_[A-Z]+)*_INTRA_ALGORITHM"
)
_HINT = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
_HINT_VALUE = re.compile(r"[A-Za-z0-9_.,:/*+-]{0,1024}")
_STRIPE = re.compile(
    r"lfs setstripe((?: -[SE] [0-9]{1,19}[KMG]?| -E -1| -[cC] [0-9]{1,19}| -o [0-9]{1,5}(?:,[0-9]{1,5})*)+) (\S.*)"
)


def path_word(name: str, *, otherwise: str) -> str:
    """The name of a file or folder as one word of a command; `otherwise` when it is empty or cannot be typed."""
    if not name or not name.isprintable():
        return otherwise
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def executable_line(command: str) -> str:
    """A line of a script for a command of an advice: `lfs setstripe` as it is, anything else as a comment.

    Raises TuningError for a command that does not stay on one line.
    """
    if not command.isprintable():
        raise TuningError(f"expected a command of one line, got {one_line(command)!r:.80}")
    return command if _is_stripe(command) else f"# {command}"


def _is_stripe(command: str) -> bool:
    """Whether it is `lfs setstripe` with numbers and one quoted path, and nothing else."""
    match = _STRIPE.fullmatch(command)
    if match is None:
        return False
    try:
        words = shlex.split(match[2])
    except ValueError:  # a quote without its partner
        return False
    return len(words) == 1 and path_word(words[0], otherwise="") == match[2]


def export_line(name: str, value: str) -> str:
    """A line that sets an environment variable. Raises TuningError for one that settings are not given by."""
    if _VARIABLE.fullmatch(name) is None:
        raise TuningError(
            f"expected the name of an environment variable for settings, got {one_line(name)!r:.80}"
        )
    if not value.isprintable():
        raise TuningError(f"expected a value of one line for {name}, got {one_line(value)!r:.80}")
    return f"export {name}={shlex.quote(value)}"


def checked_hint(key: str, value: str) -> tuple[str, str]:
    """A hint as ROMIO and MPICH understand it. Raises TuningError for other names and values."""
    if _HINT.fullmatch(key) is None or _HINT_VALUE.fullmatch(value) is None:
        raise TuningError(
            f"expected an MPI-IO hint without spaces, got {one_line(key)!r:.60} = {one_line(value)!r:.60}"
        )
    return key, value
