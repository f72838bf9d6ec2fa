"""Plans of accesses: every byte asked for, each once, at its place."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from property.layouts import layouts
from striate.layout import Extents, SimpleStripe
from striate.layout.access_plan import plan_access

runs = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 90)), max_size=6).map(Extents.of)


def bytes_of(extents):
    return [
        at + byte for at, size in zip(extents.offsets, extents.sizes, strict=True) for byte in range(size)
    ]


def test_a_striped_access_is_one_run_a_server():
    plan = plan_access(SimpleStripe(2, 64), Extents([32], [192]))

    assert plan.server.tolist() == [0, 1]
    assert plan.physical.tolist() == [32, 0]  # [32, 64) + [128, 192) and [64, 128) + [192, 224)
    assert plan.request_bytes.tolist() == [96, 96]


@given(layouts(), runs)
def test_requests_hold_every_byte_where_the_layout_puts_it(layout, extents):
    plan = plan_access(layout, extents)
    owners = np.repeat(plan.server, np.diff(plan.first_run))
    planned = Counter(
        (int(server), int(at) + byte)
        for server, at, size in zip(owners, plan.physical, plan.size, strict=True)
        for byte in range(size)
    )
    servers, physical = layout.locate(np.array(bytes_of(extents), dtype=np.int64))

    assert planned == Counter(zip(servers.tolist(), physical.tolist(), strict=True))


@given(layouts(), runs)
def test_no_server_gets_two_requests(layout, extents):
    plan = plan_access(layout, extents)

    assert len(set(plan.server.tolist())) == len(plan.server)
    assert sum(plan.request_bytes.tolist()) == sum(extents.sizes.tolist())
