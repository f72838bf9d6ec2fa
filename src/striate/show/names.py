"""Names as pages carry them: cut in the middle when they are longer than anybody reads."""

from __future__ import annotations

MOST_CHARACTERS = 300


def shown_name(name: str, most: int = MOST_CHARACTERS) -> str:
    """The name, or its two ends with the number of characters left out; always text that can be written."""
    clean = name.encode(errors="replace").decode()
    if len(clean) <= most:
        return clean
    half = (most - 40) // 2
    return f"{clean[:half]}[... {len(clean) - 2 * half:,} characters ...]{clean[-half:]}"
