"""Routes over a network's columns, as Python sees them."""

import time

import numpy as np
import pytest

from striate import _core


def star(nodes: int) -> dict[str, np.ndarray]:
    """Sockets 0..n-1, each behind its node's hub n..2n-1, all hubs on the switch 2n; a cable is two edges."""
    socket, hub = np.arange(nodes), np.arange(nodes) + nodes
    switch = np.full(nodes, 2 * nodes)
    source = np.concatenate([socket, hub, hub, switch]).astype(np.int32)
    target = np.concatenate([hub, socket, switch, hub]).astype(np.int32)
    return {
        "bandwidth": np.full(2 * nodes + 1, 50.0),
        "edge_source": source,
        "edge_target": target,
        "edge_bandwidth": np.repeat([40.0, 10.0], 2 * nodes),
        "edge_latency": np.repeat(np.array([3, 20], dtype=np.int64), 2 * nodes),
    }


def pairs(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def test_two_nodes_of_a_star_are_four_cables_apart():
    hops, latency, bottleneck = _core.route_summary(
        **star(4), from_components=pairs(0, 0, 2), to_components=pairs(3, 4, 2)
    )

    assert hops.tolist() == [4, 1, 0]
    assert latency.tolist() == [3 + 20 + 20 + 3, 3, 0]
    assert bottleneck.tolist() == [10.0, 40.0, 50.0]


def test_an_unknown_component_is_refused():
    with pytest.raises(ValueError, match="component 9 of a network of 9"):
        _core.route_summary(**star(4), from_components=pairs(9), to_components=pairs(0))


def test_a_million_pairs_over_sixteen_thousand_nodes_take_less_than_a_second():
    random = np.random.default_rng(1)
    ends = random.integers(0, 16_384, size=(2, 1_000_000), dtype=np.int32)
    start = time.process_time()
    hops, _, _ = _core.route_summary(**star(16_384), from_components=ends[0], to_components=ends[1])
    seconds = time.process_time() - start

    assert np.array_equal(hops == 0, ends[0] == ends[1])
    assert seconds < 1
