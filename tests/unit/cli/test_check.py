"""`striate check` prints what it understood, as a table and as JSON, and draws it."""

import json
import re
import sys
from xml.etree import ElementTree

import pytest

from peers import peer
from striate.cli.main import run
from striate.cluster import bundled, cluster_to_toml, load_cluster


def test_the_table_shows_every_part_of_the_machine(capsys):
    assert run(["check", "westmere", "--ranks", "5"]) == 0

    text = capsys.readouterr().out
    for words in (
        "10 with 20 sockets, 120 CPUs",
        "2.66 G instructions/s",
        "75.4 MB/s, 19.982 us",
        "star",
        "aggregation-reorder",
        "seek 9 ms, 1 ms nearby, 7200 rpm",
        "64 KiB",
        "rank 4",
        "194.5 ns",
        "41.558 us",
        "Where the numbers come from",
    ):
        assert words in text


def test_every_setting_that_is_not_the_default_is_told(tmp_path, capsys):
    path = tmp_path / "machine.toml"
    settings = {
        "write_window": '"1 MiB"',
        "lock_move": '"2 ms"',
        "distribution": '"hash"',
        "collective_algorithms": '["bcast=binomial"]',
        "file_domains": '"cyclic"',
        "sync_alone": "true",
    }
    given = "".join(f"{key} = {value}\n" for key, value in settings.items())
    path.write_text(cluster_to_toml(load_cluster("laptop")).replace("[settings]\n", f"[settings]\n{given}"))

    assert run(["check", str(path)]) == 0
    text = capsys.readouterr().out
    assert run(["check", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["settings"]

    for key, words in zip(
        settings, ("1 MiB", "2 ms", "hash", "bcast=binomial", "cyclic", "yes"), strict=True
    ):
        assert re.search(rf"^  {key.replace('_', ' ')} +{words}$", text, re.M)
    assert (told["write_window_bytes"], told["lock_move_seconds"]) == (2**20, 0.002)
    assert told["collective_algorithms"] == ["bcast=binomial"]


@pytest.mark.parametrize("name", bundled())
def test_json_carries_a_schema_and_base_units(name, capsys):
    assert run(["check", name, "--json", "--ranks", "3"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "striate.cluster/1"
    assert document["name"] == name
    assert len(document["placement"]["cpu"]) == 3
    assert document["derived"]["routes"]["same socket"]["bytes_per_second"] > 1e6


@pytest.mark.parametrize("name", bundled())
def test_the_drawing_is_well_formed_and_inside_its_frame(name, tmp_path, capsys):
    path = tmp_path / "topology.svg"

    assert run(["check", name, "-o", str(path)]) == 0

    root = ElementTree.fromstring(path.read_text())
    width, height = float(root.get("width")), float(root.get("height"))
    for shape in root.iter("{http://www.w3.org/2000/svg}rect"):
        left, top = float(shape.get("x", 0)), float(shape.get("y", 0))
        assert 0 <= left <= left + float(shape.get("width")) <= width
        assert 0 <= top <= top + float(shape.get("height")) <= height
    assert name in "".join(root.itertext())


def test_png_is_drawn_by_cairosvg(tmp_path):
    peer("cairosvg")
    path = tmp_path / "topology.png"

    assert run(["check", "westmere", "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_png_without_cairosvg_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cairosvg", None)

    assert run(["check", "westmere", "-o", str(tmp_path / "topology.png")]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "striate[png]" in err
    assert list(tmp_path.iterdir()) == []


def test_a_drawing_is_not_overwritten_without_force(tmp_path, capsys):
    path = tmp_path / "topology.svg"
    path.write_text("mine")

    assert run(["check", "westmere", "-o", str(path)]) == 1
    assert path.read_text() == "mine"
    assert run(["check", "westmere", "-o", str(path), "--force"]) == 0
    assert path.read_text().startswith("<svg")


def test_a_drawing_of_another_kind_is_refused(tmp_path, capsys):
    assert run(["check", "westmere", "-o", str(tmp_path / "topology.gif")]) == 1
    assert ".svg or .png" in capsys.readouterr().err


@pytest.mark.parametrize("ranks", ["0", "-3", "many"])
def test_ranks_must_be_a_positive_number(ranks, capsys):
    assert run(["check", "westmere", "--ranks", ranks]) == 2


def test_control_characters_of_a_source_do_not_reach_the_terminal(tmp_path, capsys):
    from striate.cluster import cluster_to_toml, load_cluster

    text = cluster_to_toml(load_cluster("laptop"))
    path = tmp_path / "odd.toml"
    path.write_text(text.replace('source = """\n', 'source = """\n\\u001b[31mred '))

    assert run(["check", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out
