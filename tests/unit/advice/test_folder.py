"""Advice on a folder of logs: ranked, told as JSON, and resumed."""

import json

from darshan_logs import MIB, Log, posix
from striate.advice.folder import advise_log
from striate.cli.main import run


def folder_of_logs(tmp_path):
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    good = Log(ranks=4, seconds=40)
    for rank in range(4):
        good.add("POSIX", f"/scratch/{rank}", rank, **posix("write", 64, 16 * MIB, 8.0))
    good.save(folder / "good.darshan")
    bad = Log(ranks=4, seconds=100).add(
        "POSIX", "/scratch/a", 0, **posix("write", 9000, 1024, 90.0, fsyncs=9000)
    )
    bad.save(folder / "deep" / "bad.darshan")
    return folder


def test_the_log_with_most_to_save_comes_first(tmp_path, capsys):
    folder = folder_of_logs(tmp_path)
    assert run(["advise", str(folder), "--json", "--jobs", "2"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert told["schema"] == "striate.advice-folder/1"
    assert [log["path"].rsplit("/", 1)[-1] for log in told["logs"]] == ["bad.darshan", "good.darshan"]
    assert "sync per write" in {item["rule"] for item in told["logs"][0]["advice"]["items"]}


def test_what_was_done_is_not_done_again(tmp_path, capsys, monkeypatch):
    folder, output = folder_of_logs(tmp_path), tmp_path / "advice.jsonl"
    assert run(["advise", str(folder), "-o", str(output), "--jobs", "1"]) == 0
    first = capsys.readouterr().out
    output.write_bytes(output.read_bytes() + b'{"path": "cut')  # stopped in the middle of a line
    looked = []
    monkeypatch.setattr(
        "striate.advice.folder.advise_log", lambda path: looked.append(path) or advise_log(path)
    )

    assert run(["advise", str(folder), "-o", str(output), "--jobs", "1"]) == 0
    assert capsys.readouterr().out == first
    assert looked == []
    (folder / "good.darshan").touch()
    assert run(["advise", str(folder), "-o", str(output), "--jobs", "1"]) == 0
    assert [path.name for path in looked] == ["good.darshan"]


def test_a_broken_log_is_told_and_the_others_are_advised(tmp_path, capsys):
    folder = folder_of_logs(tmp_path)
    (folder / "broken.darshan").write_bytes(b"nothing")

    assert run(["advise", str(folder), "--jobs", "1"]) == 3
    assert "broken.darshan: not read" in capsys.readouterr().out
