"""What a workload file looks like: its columns, and what each application says of itself; see `docs/data-model.md`.

Rows whose `kind` is null carry arrays: who runs which program, values by rank, colours, byte runs, counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from striate.workload.application import File
from striate.workload.kinds import OPERANDS

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "striate.workload/1"
NAMES = tuple(dict.fromkeys(name for names in OPERANDS.values() for name in names))

LATER = ("algorithm", "last", "least", "most", "local", "exclusive")  # operands that older files do not have


class WorkloadHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one application says about itself beside its rows."""

    name: str
    ranks: int
    programs: int
    communicators: list[str]
    files: list[File]
    regions: list[str]
    counts: int
    start_picoseconds: int
    algorithms: list[str] = []
    reused_buffer: int | None = None


def schema() -> pa.Schema:
    import pyarrow as pa

    varies = pa.list_(
        pa.struct(
            [
                ("operand", pa.string()),
                ("per_rank", pa.int64()),
                ("table", pa.int32()),
                ("strides", pa.list_(pa.int64())),
            ]
        )
    )
    plain = [
        ("application", pa.int32()),
        ("program", pa.int32()),
        ("kind", pa.string()),
        ("communicator", pa.int32()),
    ]
    operands = [(name, pa.int64()) for name in NAMES]
    return pa.schema(
        [*plain, *operands, ("varies", varies), ("array", pa.string()), ("values", pa.list_(pa.int64()))]
    )
