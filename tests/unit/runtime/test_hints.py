"""Hints for MPI-IO: what a layout or a wish becomes."""

import pytest

from striate.errors import DatasetError
from striate.layout import GroupedBlocks, SimpleStripe, VarStrip
from striate.runtime.hints import hints


def test_a_simple_stripe_is_unit_and_factor():
    assert hints(layout=SimpleStripe(8, 65536)) == {"striping_unit": "65536", "striping_factor": "8"}


def test_variable_strips_are_pvfs2s_own_text():
    found = hints(layout=VarStrip([(0, 200_000), (1, 4_000_000)]))

    assert found == {"dist_name": "varstrip_dist", "dist_params": "strips:0:200000;1:4000000;"}


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
