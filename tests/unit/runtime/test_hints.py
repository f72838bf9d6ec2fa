"""Hints for MPI-IO: what a layout or a wish becomes."""

import pytest

from striate.apps.pmc3.stores import hints as pmc3_hints
from striate.errors import DatasetError
from striate.layout import GroupedBlocks, SimpleStripe, VarStrip
from striate.runtime.hints import directory_attributes, hints


def test_a_simple_stripe_is_unit_and_factor():
    assert hints(layout=SimpleStripe(8, 65536)) == {"striping_unit": "65536", "striping_factor": "8"}


def test_variable_strips_have_one_hint_whoever_asks():
    layout = VarStrip([(0, 200_000), (1, 4_000_000)])

    assert hints(layout=layout) == {"varstrip_dist:string:strips": "0:200000;1:4000000"}
    assert pmc3_hints(layout) == hints(layout=layout)


def test_orangefs_takes_a_layout_as_attributes_of_a_directory():
    strips = directory_attributes(VarStrip([(0, 200_000), (1, 4_000_000)]))

    assert strips["user.pvfs2.dist_name"] == "varstrip_dist"
    assert strips["user.pvfs2.dist_params"] == "strips:0:200000;1:4000000;"
    assert directory_attributes(SimpleStripe(8, 65536)) == {
        "user.pvfs2.dist_name": "simple_stripe",
        "user.pvfs2.dist_params": "strip_size:65536",
        "user.pvfs2.num_dfiles": "8",
    }
    with pytest.raises(DatasetError, match="a layout simple or varstrip for a directory"):
        directory_attributes(GroupedBlocks(4, 100, 2))


def test_aggregators_bring_the_list_without_which_mpich_ignores_them():
    found = hints(aggregators=4, aggregator_buffer="16 MiB", data_sieving=False)

    assert found["cb_nodes"] == "4"
    assert found["cb_config_list"] == "*:*"
    assert found["cb_buffer_size"] == str(16 * 2**20)
    assert found["romio_ds_write"] == "disable"


def test_what_no_file_system_takes_is_refused():
    with pytest.raises(DatasetError):
        hints(layout=GroupedBlocks(4, 100, 2))
    with pytest.raises(DatasetError):
        hints(aggregators=0)
