"""Every published scenario of PIOsimHD, played on the packet engine, class by class."""

from reference.check_piosimhd import LIMITS, check, summarise
from reference.piosimhd_exceptions import TIES


def test_every_class_of_scenarios_is_met(data, capsys):
    status = check(data / "reference" / "piosimhd_scenarios.json")

    lines = capsys.readouterr().out.splitlines()
    print("\n".join(lines[-len(LIMITS) :]))
    assert status == 0, lines[-len(LIMITS) :]
    assert [line for line in lines if "not explained" in line] == []
    assert {line.split(":")[0] for line in lines if "(ties" in line} <= set(TIES)


def test_a_class_that_misses_its_share_is_told(capsys):
    found = {name: [0.0] * 9 for name in LIMITS} | {"I/O": [0.0] * 8 + [0.5] * 2}

    assert summarise(found) == 1
    assert "I/O: 8 of 10 within 2.0% (at least 90%), median 0.0000%, NOT met" in capsys.readouterr().out
