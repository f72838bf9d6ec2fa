"""Placement by hash: every strip whole on one server, servers even on average, names independent."""

import numpy as np
import pytest

from striate.errors import LayoutError
from striate.layout import Extents, HashStripe, parse


def test_a_strip_lies_on_the_server_of_its_place_in_the_round():
    layout = HashStripe(4, 100, 7)
    offsets = np.arange(0, 100 * 1024, 50)

    servers, _ = layout.locate(offsets)

    assert servers.tolist() == layout.order[offsets // 100].tolist()


def test_servers_are_loaded_evenly_on_average_and_unevenly_by_chance():
    counts = np.array([np.bincount(HashStripe(4, 1, name).order[:8], minlength=4) for name in range(2000)])

    assert counts.mean(axis=0) == pytest.approx([2, 2, 2, 2], rel=0.05)
    # The fullest of 4 servers after 8 throws: the mean of the multinomial's maximum is 3.54 (enumerated).
    assert counts.max(axis=1).mean() == pytest.approx(3.54, rel=0.03)


def test_the_same_name_places_alike_and_another_does_not():
    assert (HashStripe(8, 64, 3).order == HashStripe(8, 64, 3).order).all()
    assert (HashStripe(8, 64, 3).order != HashStripe(8, 64, 4).order).any()


def test_all_bytes_of_a_run_are_found_again():
    layout = HashStripe(3, 10, 1)

    pieces = layout.split(Extents([5], [200]))
    back = layout.logical(pieces.server, pieces.physical)

    assert back.tolist() == pieces.offset.tolist()
    assert int(pieces.size.sum()) == 200


def test_the_text_reads_back():
    assert parse("hash:8:4MiB:7") == HashStripe(8, 4 << 20, 7)
    assert str(parse("hash:8:4MiB")) == "hash:8:4MiB:0"
    with pytest.raises(LayoutError, match="whole number as the name"):
        parse("hash:8:4MiB:x")
