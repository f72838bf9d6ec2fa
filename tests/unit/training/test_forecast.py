"""Forecasts of training jobs: what binds, what is proved, what makes the range, and machines by their sheets."""

from dataclasses import replace

import numpy as np
import pytest

from striate.cluster import load_cluster
from striate.errors import PredictionError
from striate.training.as_cluster import cluster_of
from striate.training.checkpoints import checkpoint_of
from striate.training.forecast import forecast_training
from striate.training.job import CheckpointPlan
from striate.training.of_cluster import system_of
from striate.training.system import StorageSystem, rates_of
from striate.training.uncertain import Uncertain, normals
from training_jobs import UNET3D

JOB = replace(
    UNET3D,
    accelerators=16,
    hosts=2,
    files=56_000,
    checkpoints=CheckpointPlan(499_153_191, False, True, first_epoch=5, epochs_between=2),
)
SYSTEM = StorageSystem(
    name="box",
    hosts=2,
    host_memory=256e9,
    host_cores=64,
    host_link=50e9,
    drives=48,
    drive_kind="nvme",
    drive_rate=14e9,
    servers=3,
    server_link=200e9,
    rdma=True,
)


def test_a_large_system_lets_accelerators_compute():
    forecast = forecast_training(replace(JOB, accelerators=2, read_threads=64), SYSTEM)

    assert forecast.utilisation.low > 0.9
    assert forecast.binding[0] == ("accelerators", pytest.approx(1, abs=0.01))
    assert forecast.throughput.high <= forecast.pace
    assert forecast.seconds.low >= forecast.least_seconds


def test_a_slow_drive_binds_and_is_named():
    forecast = forecast_training(JOB, replace(SYSTEM, drives=1, drive_rate=1e9))

    assert forecast.binding[0][0] == "drives"
    assert forecast.bytes_per_second.high < 1.3e9
    assert forecast.chance == 0
    assert forecast.valid_throughput is None


def test_what_the_sheet_does_not_say_makes_the_range_wider():
    tight = replace(SYSTEM, drives=4)
    known, unknown = (forecast_training(JOB, one) for one in (tight, replace(tight, drive_rate=None)))

    assert unknown.throughput.width > known.throughput.width
    assert unknown.widths[0].name == "read rate of an NVMe drive"
    assert not unknown.widths[0].stated
    assert "read rate of a drive" in unknown.missing
    assert sum(one.share for one in unknown.widths) == pytest.approx(1)


def test_a_sheet_that_says_nothing_still_gives_a_wide_forecast():
    forecast = forecast_training(JOB, StorageSystem("unknown"))

    assert forecast.throughput.high > 1.5 * forecast.throughput.low
    assert forecast.ceilings == ()


def test_ceilings_of_the_sheet_are_its_line_rates_by_the_share_that_no_cache_can_hold():
    ceilings = dict(forecast_training(JOB, SYSTEM).ceilings)

    missed = 1 - 2 * 256e9 / JOB.dataset_bytes
    assert ceilings["links of the hosts"] == pytest.approx(2 * 50e9 / missed / JOB.sample_bytes)
    assert ceilings["drives"] == pytest.approx(48 * 14e9 / missed / JOB.sample_bytes)


def test_a_dataset_smaller_than_five_times_the_memory_is_noted():
    notes = forecast_training(replace(JOB, files=5_000), SYSTEM).notes

    assert any("MLPerf's rule requires 5 times" in note for note in notes)


def test_a_job_without_a_whole_step_is_refused():
    with pytest.raises(PredictionError, match="a batch of 7 samples for each of 16 accelerators"):
        forecast_training(replace(JOB, files=100), SYSTEM)


def test_a_shard_per_rank_is_written_at_once_and_one_file_by_one_writer():
    drawn = {name: np.ones(1) for name in ("open_seconds", "flush_seconds")}
    drawn |= {"stream": np.full(1, 1e9), "write_share": np.full(1, 0.5)}
    one = CheckpointPlan(16_000_000_000, False, True, 1, 1)

    alone = checkpoint_of(JOB, one, drawn, np.full(1, 20e9))
    sharded = checkpoint_of(JOB, replace(one, sharded=True), drawn, np.full(1, 20e9))

    assert alone.save[0] == pytest.approx(
        16e9 / 0.5e9 + 1 + 1
    )  # one stream at half of 1 GB/s, an open, a flush
    assert sharded.save[0] == pytest.approx(16e9 / 8e9 + 1 + 1)  # 16 streams at 0.5 GB/s
    assert sharded.restore[0] == pytest.approx(16e9 / 16e9 + 1)
    assert alone.restore[0] == pytest.approx(2 * 16e9 / 2e9 + 1)  # a copy per host, two streams


def test_the_draws_of_a_number_have_its_percentiles():
    number = Uncertain("x", 2.0, 3.0, 9.0, "here")

    values = number.at(normals(4096, 3)[:, 1])

    assert np.quantile(values, (0.1, 0.5, 0.9)) == pytest.approx([2, 3, 9], rel=0.02)


def test_a_sheet_becomes_a_cluster_with_ranges_that_hold_its_values():
    cluster = cluster_of(replace(SYSTEM, drive_rate=None))

    description = cluster.description
    assert cluster.nodes == 2
    assert {table.key for table in description.measured} >= {
        "server[0].disk.read_rate",
        "node[0].uplink.bandwidth",
    }
    assert "PM9A3" in description.measured[0].how
    assert description.server[0].count * len(description.server[0].all_disks()) == 48


@pytest.mark.parametrize("local", [True, False])
def test_every_sheet_makes_a_cluster_that_a_training_job_can_be_forecast_on(local):
    cluster = cluster_of(StorageSystem("box", local=local))

    assert forecast_training(JOB, system_of(cluster)).throughput.low > 0


def test_a_described_cluster_has_the_rates_of_its_description():
    system = system_of(load_cluster("lustre-64"))

    rates = rates_of(system, "npz")
    assert rates.drive_rate.low == rates.drive_rate.high == 1.2e9
    assert (system.servers, system.drives, system.hosts) == (16, 64, 1024)


def test_an_epoch_that_is_read_before_its_first_step_is_noted():
    short = forecast_training(replace(JOB, files=120), SYSTEM)

    assert any("an epoch has 1 step," in note and "requires 500 steps" in note for note in short.notes)
    assert not any("an epoch has" in note for note in forecast_training(JOB, SYSTEM).notes)
