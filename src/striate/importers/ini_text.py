"""INI files of other tools: sections of keys and values in their order, with the line of each."""

from __future__ import annotations

from dataclasses import dataclass

from striate.errors import WorkloadError


@dataclass(frozen=True, slots=True)
class Section:
    """A section, and its keys with their values; a key alone has the value None."""

    name: str
    keys: tuple[tuple[str, str | None], ...]


def read_sections(text: str, *, source: str, marks: tuple[str, ...]) -> tuple[Section, ...]:
    """The sections of a text; lines that begin with one of `marks` are comments.

    Raises WorkloadError with the line of what is neither a section, a key nor a comment.
    """
    found: list[tuple[str, list[tuple[str, str | None]]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith(marks):
            continue
        if line.startswith("["):
            if not line.endswith("]") or len(line) < 3:
                raise WorkloadError(
                    f"expected [section], got {line!r:.60}", at=f"line {number}", source=source
                )
            found.append((line[1:-1].strip(), []))
            continue
        if not found:
            raise WorkloadError(f"expected a section before {line!r:.60}", at=f"line {number}", source=source)
        key, equals, value = line.partition("=")
        if not key.strip():
            raise WorkloadError(f"expected a key, got {line!r:.60}", at=f"line {number}", source=source)
        found[-1][1].append((key.strip(), value.strip() if equals else None))
    return tuple(Section(name, tuple(keys)) for name, keys in found)
