"""NEXUS matrices of DNA: read strictly, held as sets of states, and made by lot for tests."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from striate.errors import TraceError
from striate.limits import read_bounded

# Each letter as the set of states it may stand for: bit 0 A, 1 C, 2 G, 3 T.
STATES = {
    "A": 1,
    "C": 2,
    "G": 4,
    "T": 8,
    "U": 8,
    "M": 3,
    "R": 5,
    "W": 9,
    "S": 6,
    "Y": 10,
    "K": 12,
    "V": 7,
    "H": 11,
    "D": 13,
    "B": 14,
    "N": 15,
    "X": 15,
    "?": 15,
}
MOST_CELLS = 2**31
MOST_BYTES = 2**31


class NexusError(TraceError):
    """A NEXUS file that cannot be understood."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Aligned sequences: `states[t, s]` is the set of states taxon t may have at site s."""

    names: tuple[str, ...]
    states: npt.NDArray[np.uint8]

    @property
    def taxa(self) -> int:
        return len(self.names)

    @property
    def sites(self) -> int:
        return int(self.states.shape[1])

    @property
    def fingerprint(self) -> str:
        """A number for names and sequences: another matrix has another one."""
        content = "\n".join(self.names).encode() + b"\n\n" + self.states.tobytes()
        return hashlib.sha256(content).hexdigest()

    def patterns(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
        """The distinct columns and how often each occurs: sites with one column have one likelihood."""
        columns, counts = np.unique(self.states, axis=1, return_counts=True)
        return np.ascontiguousarray(columns), counts.astype(np.float64)


def read_nexus(path: str | Path) -> Matrix:
    """The data matrix of a NEXUS file; refuses what is not DNA, ragged, or not as large as it says."""
    source = str(path)
    try:
        return parse_nexus(read_bounded(path, MOST_BYTES, kind=NexusError).decode("utf-8", "replace"))
    except NexusError as error:
        raise NexusError(error.message, at=error.at, source=source) from None


def _without_comments(text: str) -> str:
    """The text between comments in brackets, in one pass; a bracket that nothing closes is no comment."""
    kept, at = [], 0
    while (begin := text.find("[", at)) >= 0 and (end := text.find("]", begin)) >= 0:
        kept.append(text[at:begin])
        at = end + 1
    return "".join([*kept, text[at:]])


def parse_nexus(text: str) -> Matrix:
    """The data matrix of a NEXUS text."""
    bare = _without_comments(text)
    if not re.match(r"\s*#NEXUS\b", bare, re.IGNORECASE):
        raise NexusError("expected a file that begins with #NEXUS, found other text")
    begin = re.search(r"begin\s{1,99}(?:data|characters)\s{0,99};", bare, re.IGNORECASE)
    end = re.search(r"\bend(?:block)?\s{0,99};", bare[begin.end() :], re.IGNORECASE) if begin else None
    if begin is None or end is None:
        raise NexusError("expected a complete block of data from 'begin data;' to 'end;', found none")
    block = bare[begin.end() :][: end.start()]
    taxa, sites = _dimension(block, "ntax"), _dimension(block, "nchar")
    if taxa * sites > MOST_CELLS:
        raise NexusError(
            f"expected a matrix of at most {MOST_CELLS:,} cells, got {taxa} taxa x {sites} sites"
        )
    kind = re.search(r"datatype\s{0,99}=\s{0,99}(\w+)", block, re.IGNORECASE)
    if kind is None or kind[1].lower() not in ("dna", "rna", "nucleotide"):
        raise NexusError(f"expected datatype DNA, got {kind[1] if kind else 'none'}")
    rows = re.search(r"\bmatrix\b([^;]*);", block, re.IGNORECASE | re.DOTALL)
    if rows is None:
        raise NexusError("expected a matrix that ends with a semicolon, found none")
    return _matrix(rows[1], taxa, sites, _letters(block))


def _dimension(block: str, name: str) -> int:
    found = re.search(rf"\b{name}\s*=\s*([0-9]{{1,9}})\b", block, re.IGNORECASE)
    if found is None or int(found[1]) < 1:
        raise NexusError(f"expected {name}=NUMBER in the dimensions of the data block, found none")
    return int(found[1])


def _letters(block: str) -> dict[str, int]:
    """What each letter means here: IUPAC, and the file's own signs for gaps and missing data."""
    letters = dict(STATES)
    for name in ("missing", "gap"):
        sign = re.search(rf"\b{name}\s*=\s*(\S)", block, re.IGNORECASE)
        letters[(sign[1] if sign else "-").upper()] = 15
    return letters


def _matrix(rows: str, taxa: int, sites: int, letters: dict[str, int]) -> Matrix:
    """Rows of "name letters"; a name that comes again goes on with its sequence (interleaved files)."""
    sequences: dict[str, list[str]] = {}
    for line in rows.splitlines():
        name, _, sequence = (
            line.strip().partition(" ") if " " in line.strip() else line.strip().partition("\t")
        )
        if name:
            sequences.setdefault(name.strip("'"), []).append(re.sub(r"\s", "", sequence).upper())
    if len(sequences) != taxa:
        raise NexusError(f"expected {taxa} taxa, found {len(sequences)}", at="matrix")
    states = np.empty((taxa, sites), np.uint8)
    for row, (name, parts) in enumerate(sequences.items()):
        sequence = "".join(parts)
        if len(sequence) != sites:
            raise NexusError(f"expected {sites} characters, found {len(sequence)}", at=f"taxon {name[:40]}")
        unknown = set(sequence) - set(letters)
        if unknown:
            raise NexusError(f"expected characters of DNA, found {min(unknown)!r}", at=f"taxon {name[:40]}")
        states[row] = [letters[letter] for letter in sequence]
    return Matrix(tuple(sequences), states)


def random_matrix(taxa: int, sites: int, seed: int, prefix: str = "t") -> str:
    """A NEXUS text of unrelated sequences, as the thesis' gtaxa made them: its size matters, not its history."""
    letters = np.array(list("ACGT"))[np.random.default_rng(seed).integers(0, 4, (taxa, sites))]
    width = len(f"{prefix}{taxa}")
    rows = [f"{prefix}{row + 1:<{width - len(prefix)}} {''.join(letters[row])}" for row in range(taxa)]
    head = f"#NEXUS\nbegin data;\n  dimensions ntax={taxa} nchar={sites};\n"
    return head + "  format datatype=DNA missing=n gap=-;\n  matrix\n" + "\n".join(rows) + "\n;\nend;\n"
