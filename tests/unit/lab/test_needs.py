"""What is missing for a lab is said in one line, all of it at once."""

import os

from striate.cli.main import run
from striate.lab.needs import missing


def test_without_root_one_line_says_so_and_nothing_is_started(monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 65534)

    assert run(["lab", "up"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert told.err.startswith("striate: a lab needs root")


def test_a_machine_without_the_programs_is_told_the_packages(monkeypatch):
    monkeypatch.setattr("striate.lab.needs.SYSTEM_PATH", "/nowhere")

    assert {"Debian's iproute2", "Debian's glusterfs-server", "Debian's e2fsprogs"} <= set(missing())


def test_a_plan_that_cannot_be_is_refused_in_one_line(capsys):
    assert run(["lab", "up", "--hosts", "2", "--servers", "3"]) == 1
    assert capsys.readouterr().err == "striate: expected a number from 1 to 2, got 3 - at --servers\n"
    assert run(["lab", "up", "--link", "fast"]) == 1
    assert "expected a rate" in capsys.readouterr().err
