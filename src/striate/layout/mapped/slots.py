"""Lines in slots: how they are padded, and how they come out again.

The thesis froze the size of the first generation's lines; a real line grows by a digit at generation 10, by a
sign when a number turns negative. So a slot has headroom, spaces before the newline fill it, and a line that
does not fit is refused at once.
"""

from __future__ import annotations

from striate.errors import LayoutError
from striate.layout.mapped.record_map import Slot

PADDING = b" "


def digits(number: int) -> int:
    """Decimal digits of a number from 0: 1 for 0."""
    if number < 0:
        raise LayoutError(f"expected a number of 0 or more, got {number}")
    return len(str(number))


def fill(slot: Slot, line: bytes, *, at: str | None = None) -> bytes:
    """The line as exactly the slot's bytes, spaces before its newline; refuses a line that does not fit.

    A slot that is not padded takes only a record of its own size: padding after a header line makes readers
    of MrBayes files reject it.
    """
    if len(line) > slot.size or (len(line) < slot.size and not slot.padded):
        wanted = f"at most {slot.size}" if slot.padded else f"exactly {slot.size}"
        raise LayoutError(
            f"expected {wanted} bytes for the slot (room for one record) {slot.name!r}, got {len(line)}",
            at=at,
        )
    if slot.padded and not (line.endswith(b"\n") and line.count(b"\n") == 1 and b"\0" not in line):
        raise LayoutError(
            f"expected one line that ends in a newline for the slot (room for one record) {slot.name!r}, "
            f"got {line[:40]!r}",
            at=at,
        )
    if not slot.padded:
        return line
    return line[:-1] + PADDING * (slot.size - len(line)) + b"\n"


def strip(slot: Slot, content: bytes, *, at: str | None = None) -> bytes:
    """The line that `fill` was given, without the padding; refuses a slot that was not wholly written."""
    if len(content) != slot.size:
        raise LayoutError(
            f"expected {slot.size} bytes of the slot (room for one record) {slot.name!r}, got {len(content)}",
            at=at,
        )
    if b"\0" in content:
        raise LayoutError(
            f"expected all bytes of the slot (room for one record) {slot.name!r} to be written, "
            "found NUL bytes where nothing was written",
            at=at,
        )
    if not slot.padded:
        return content
    if not content.endswith(b"\n"):
        raise LayoutError(
            f"expected a newline at the end of the slot (room for one record) {slot.name!r}, "
            f"got {content[-20:]!r}",
            at=at,
        )
    return content[:-1].rstrip(PADDING) + b"\n"
