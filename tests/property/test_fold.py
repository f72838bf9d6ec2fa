"""Folding never changes what a program says: unfolding gives the same operations again, rank by rank."""

from hypothesis import given
from hypothesis import strategies as st

from retold import retold, told
from striate.workload import Workload
from striate.workload.operations import (
    allreduce,
    alltoallv,
    bcast,
    compute,
    irecv,
    isend,
    read,
    recv,
    region_begin,
    region_end,
    send,
    sendrecv,
    wait,
    waitall,
    write,
    write_all,
)

small = st.integers(0, 3)
steps = st.sampled_from([0, 0, 1, 2, 4096, -1])
leaf = st.tuples(st.just("leaf"), st.integers(0, 12), small, steps, steps, steps, st.booleans())
loop = lambda inner: st.tuples(st.just("loop"), st.integers(0, 5), st.lists(inner, max_size=3))  # noqa: E731
branch = lambda inner: st.tuples(st.just("odd"), st.lists(inner, max_size=2))  # noqa: E731
plans = st.lists(st.recursive(leaf, lambda inner: loop(inner) | branch(inner), max_leaves=8), max_size=5)


def operations_of(plan, rank, ranks, indices=()):
    """The plan spelt out: leaves move with the two innermost passes and with the rank."""
    for node in plan:
        if node[0] == "loop":
            for index in range(node[1]):
                yield from operations_of(node[2], rank, ranks, (*indices, index))
        elif node[0] == "odd":
            if rank % 2:
                yield from operations_of(node[1], rank, ranks, indices)
        else:
            yield from leaf_operations(node, rank, ranks, indices)


def leaf_operations(node, rank, ranks, indices):
    _, verb, base, inner, outer, by_rank, pending = node
    near, far = indices[-1] if indices else 0, indices[-2] if len(indices) > 1 else 0
    moved = 10_000_000 + base + inner * near + outer * far + by_rank * rank
    if verb == 0:
        yield compute(base, instructions=base * rank)
    elif verb == 1:
        yield send((rank + 1) % ranks, base, tag=moved)
    elif verb == 2:
        yield recv(rank - 1, base, tag=moved)
    elif verb == 3:
        yield write(f"file {moved % 7}", offset=moved, size=base)
    elif verb == 4:
        yield read("one", offset=moved, size=base, count=inner * near + 1, stride=base)
    elif verb == 5:
        yield write_all("one", extents=([0, moved], [base, 1]), blocking=not pending)
        yield from [waitall()] if pending else []
    elif verb == 6:
        first, second = isend(0, base, tag=moved), irecv(0, base)
        yield from (first, second, wait(second, first) if pending else waitall())
    elif verb == 7:
        yield sendrecv(0, base, source=rank, tag=moved, source_tag=base)
    elif verb == 8:
        yield allreduce(base)
    elif verb == 9:
        yield bcast(base, root=near % ranks, comm="pairs")
    elif verb == 10:
        yield alltoallv([base, near % 2][:ranks])
    elif verb == 11:
        yield from (region_begin(f"r{base}"), compute("1 us"), region_end(f"r{base}"))
    else:
        yield from (compute("1 us"), compute("1 us"), write("two", offset=moved, size=1))


@given(plans, st.integers(1, 4))
def test_unfolding_gives_back_what_was_yielded(plan, ranks):
    workload = Workload.from_program(
        lambda rank, ranks: operations_of(plan, rank, ranks),
        ranks,
        communicators={"pairs": [rank // 2 for rank in range(ranks)]},
    )

    for rank in range(ranks):
        said = list(operations_of(plan, rank, ranks))
        assert comparable(retold(workload.applications[0], rank), ranks) == comparable(told(said), ranks)


def comparable(words, ranks):
    """The sizes of alltoallv are filled up with zeros."""
    for _, _, said in words:
        if "counts" in said:
            said["counts"] = (said["counts"] + [0] * ranks)[:ranks]
    return words


@given(plans, st.integers(0, 2))
def test_more_passes_never_cost_more_than_a_longer_text(plan, extra):
    """A loop around any program: ten passes and ten thousand fold into tables of the same number of rows."""

    def program(passes):
        def run(rank, ranks):
            for _ in range(passes):
                yield compute("1 ms")
                yield from operations_of(plan, rank, ranks)

        return run

    pairs = {"pairs": [0, 0]}
    tables = [
        Workload.from_program(program(n), 2, communicators=pairs).applications[0].programs
        for n in (20 + extra, 40 + extra)
    ]
    rows = [programs.rows for programs in tables]

    assert rows[0] == rows[1]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=40))
def test_any_sequence_of_offsets_is_kept(sequence):
    """Runs that almost continue a loop: 0 1 1, 0 1 2 4, 0 1 0 1 0 0."""
    program = [write(f"file {file}", offset=offset, size=8) for file, offset in sequence]
    application = Workload.from_program(lambda rank, ranks: program, 1).applications[0]

    assert retold(application, 0) == told(program)
