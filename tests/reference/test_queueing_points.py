"""The published points of the queueing models, and the studies printed in the paper."""

import json

import pytest

from paper_000 import table_4
from reference.check_queueing import check
from striate.queueing import Model, Power, SpmdParameters


def btio() -> SpmdParameters:
    """BTIO class A on the SP-2, every input as paper 000 prints it (section 5.1 and Table 2)."""
    data_seconds = {9: 18 * 64e3 / 27e6, 64: 48 * 18e3 / 27e6}  # messages x size / rate
    return SpmdParameters(
        parallel_seconds="6.9 s",
        serial_seconds="80 ms",
        message_startup_seconds="150 us",
        messages=Power(1 / 2, factor=6),
        transfer_seconds=1,
        scale=data_seconds,
        io_transfer_seconds="1 s",
        bursts_per_io=5,
        contention=0.23,
    )


def test_every_published_point_is_met(data):
    assert check(data / "reference" / "queueing_points.json") == 0


def test_a_wrong_value_is_found(data, tmp_path, capsys):
    document = json.loads((data / "reference" / "queueing_points.json").read_text())
    document["points"][5]["T"] = str(float(document["points"][5]["T"]) * (1 + 1e-9))
    (tmp_path / "wrong.json").write_text(json.dumps(document))

    assert check(tmp_path / "wrong.json") == 1
    assert capsys.readouterr().out.count("MISSED") == 1


def test_an_empty_file_meets_nothing(tmp_path):
    (tmp_path / "empty.json").write_text("{}")

    assert check(tmp_path / "empty.json") == 1


@pytest.mark.parametrize(("processors", "seconds"), [(9, 12.95), (64, 6.20)])
def test_table_3_from_the_printed_inputs(processors, seconds):
    # z = 6.9/9 + 0.08 + 18 * 150 us + 0.77 * 0.042667 = 0.88222 s, x = 0.23 * 0.042667 = 9.813 ms at p = 9
    assert Model(btio(), "sio").time(processors, 3) == pytest.approx(seconds, abs=0.005)


def test_the_limit_of_qcrd_is_one_over_w_transfer():
    assert Model(table_4()).speedup(512, 1) == pytest.approx(1 / (0.19 * 0.41), rel=1e-4)
