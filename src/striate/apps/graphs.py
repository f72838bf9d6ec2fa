"""Any stream of work-flow graphs, from a table of them."""

from __future__ import annotations

from pathlib import Path

from striate import units
from striate.apps.app import App
from striate.cluster.description.quantities import PieceBytes
from striate.errors import WorkloadError
from striate.workload.flow_table import read_graphs
from striate.workload.flows import ListedFlows, read_at


def flows(
    *,
    table: str = "",
    processors: int = 1,
    disks_per_processor: int = 1,
    block: units.Quantity = "128 KB",
    sequential: bool = True,
) -> ListedFlows:
    """The graphs of a CSV `table` (see `read_graphs`), its path as seen from where the command runs."""
    if not isinstance(table, str) or not table:
        raise WorkloadError(
            f"expected `table` to be the path of a CSV table, got {table!r:.60}", at="$.table"
        )
    return read_graphs(
        Path(table),
        processors=processors,
        disks_per_processor=disks_per_processor,
        block_bytes=read_at("$.block", PieceBytes.read, block),
        sequential=sequential,
    )


class Graphs(App):
    """Blocks listed one by one: read from a disk, sent to receivers, computed on."""

    name = "graphs"
    workload = staticmethod(flows)
