"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from striate.errors import OutputError, StriateError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what becomes the file `path` when the block ends well, and is gone when it does not.

    A link is followed. A device or a pipe holds nothing to keep and must stay what it is: it is written to itself.
    Raises OutputError when the system refuses.
    """
    if path.exists() and not path.is_file():
        place = target = path
    else:
        target = path.resolve()
        place = target.with_name(f".{target.name}.part-{os.getpid()}")
    try:
        yield place
        if place is not target:
            place.replace(target)
    except StriateError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"cannot write: {reason}", at=str(path)) from error
    finally:
        if place is not target:
            place.unlink(missing_ok=True)
