"""Columns that the core reads: those of another type are converted, and kept for as long as they are read."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from striate import _core
from striate.workload.flows import BlockFlows, FlowCosts, Graph, ListedFlows, Window

COSTS = FlowCosts(1000, 100, overlap=True)


def _stream(graphs: int) -> ListedFlows:
    listed = tuple(
        Graph(disk=number % 4, receivers=((number + 1) % 4,), compute_picoseconds=7 * number)
        for number in range(graphs)
    )
    return ListedFlows("listed", 4, 1, 64, (listed,))


def test_columns_of_another_type_are_read_to_the_end() -> None:
    """Every converted column is 400 kB that its conversion alone owns: freed early, the next one takes its place."""
    flows = _stream(50_000)
    columns = flows.graph_columns(COSTS)
    narrow = replace(
        columns,
        **{
            field.name: np.repeat(getattr(columns, field.name), 2)[::2]  # not contiguous: to be copied
            for field in fields(columns)
        },
    )

    found = _core.listed_flows("micro", COSTS.machine(flows), narrow)

    assert found.ticks == flows.run("micro", COSTS).ticks
    assert found.processor_work.tolist() == flows.run("resource", COSTS).processor_work.tolist()


def test_a_column_outlives_the_answer_it_was_taken_from() -> None:
    flows = BlockFlows("window", 4, 1, 64, (Window(40, 40),), compute_picoseconds=10)

    reads = flows.run("resource", COSTS).disk_reads
    others = [flows.run("resource", COSTS).disk_work for _ in range(20)]

    assert reads.tolist() == [400] * 4
    assert {column[0] for column in others} == {400 * 1000}


def test_an_answer_is_read_only() -> None:
    found = _stream(8).run("macro-rr", COSTS)

    assert not found.disk_work.flags.writeable
