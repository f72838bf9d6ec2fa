"""The results store: what goes in comes out, many writers at once, and other people's files."""

import json
import sqlite3
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cli.main import run
from striate.errors import ResultsError
from striate.interval import Interval
from striate.results import Entry, Filter, append, entries
from striate.results.changes import changes

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
TIMES = st.floats(0, 1e6)


@st.composite
def made_entries(draw):
    low, middle, high = sorted(draw(st.tuples(TIMES, TIMES, TIMES)))
    return Entry(
        draw(st.sampled_from(["predict", "probe", "validate", "tune"])),
        workload=draw(NAMES),
        cluster=draw(NAMES),
        layout=draw(NAMES),
        ranks=draw(st.none() | st.integers(1, 2**40)),
        seconds=draw(st.none() | st.just(Interval(low, middle, high))),
        measured=draw(st.none() | TIMES),
        setup=draw(st.dictionaries(NAMES, st.integers(-9, 9))),
        results=draw(st.recursive(st.none() | st.booleans() | NAMES, st.lists, max_leaves=5)),
    )


@given(st.lists(made_entries(), min_size=1, max_size=4))
def test_what_goes_in_comes_out(tmp_path_factory, found):
    store = tmp_path_factory.mktemp("store") / "results.db"
    append(store, *found)
    back = entries(store)

    assert [entry.number for entry in back] == list(range(1, len(found) + 1))
    for one, other in zip(found, back, strict=True):
        for name in Entry.__slots__:
            assert name == "number" or getattr(one, name) == getattr(other, name)


def test_filters_meet_every_condition(tmp_path):
    store = tmp_path / "results.db"
    append(
        store,
        Entry("predict", workload="mesh", ranks=4, made="2026-01-01T00:00:00.000+00:00"),
        Entry("predict", workload="mesh", ranks=8, made="2026-02-01T00:00:00.000+00:00"),
        Entry("probe", cluster="here", made="2026-03-01T00:00:00.000+00:00"),
    )

    def numbers(**conditions):
        return [entry.number for entry in entries(store, Filter(**conditions))]

    assert numbers(kind="predict") == [1, 2]
    assert numbers(workload="mesh", ranks=8) == [2]
    assert numbers(since="2026-02-01") == [2, 3]
    assert numbers(last=1) == [3]
    assert numbers(cluster="there") == []


def test_the_change_is_from_the_first_to_the_last(tmp_path):
    store = tmp_path / "results.db"
    for time in (2.0, 9.0, 3.0):
        append(store, Entry("predict", workload="mesh", seconds=Interval.exactly(time)))
    append(store, Entry("probe", cluster="here"))
    mesh, probe = changes(entries(store))

    assert (mesh.entries, mesh.median_seconds, mesh.share) == (3, 3.0, 0.5)
    assert (probe.entries, probe.median_seconds, probe.share) == (1, None, None)


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    store = tmp_path / "results.db"
    code = (
        "import sys; from striate.results import Entry, append\n"
        "for _ in range(20): append(sys.argv[1], Entry('tune', workload=sys.argv[2]))"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(store), name]) for name in "abc"]

    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert sorted(entry.workload for entry in entries(store)) == ["a"] * 20 + ["b"] * 20 + ["c"] * 20


def _not_sqlite(path):
    path.write_bytes(b"hello " * 1000)


def _anothers(path):
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE entry (number INTEGER)")
    base.commit()
    base.close()


def _later_schema(path):
    append(path, Entry("probe"))
    base = sqlite3.connect(path)
    base.execute("PRAGMA user_version = 99")
    base.close()


def _broken_json(path):
    append(path, Entry("probe"))
    base = sqlite3.connect(path)
    base.execute("UPDATE entry SET setup = '{'")
    base.commit()
    base.close()


def _cut_short(path):
    append(path, *[Entry("probe", workload="x" * 500) for _ in range(100)])
    path.write_bytes(path.read_bytes()[:9000])


@pytest.mark.parametrize("spoil", [_not_sqlite, _anothers, _later_schema, _broken_json, _cut_short])
def test_a_spoiled_store_is_one_line(tmp_path, capsys, spoil):
    store = tmp_path / "results.db"
    spoil(store)
    before = store.read_bytes()

    assert run(["results", str(store)]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("striate: ")
    assert shown.count("\n") == 1
    if spoil in (_not_sqlite, _anothers, _later_schema):
        with pytest.raises(ResultsError, match=r"results\.db"):
            append(store, Entry("probe"))
        assert store.read_bytes() == before


def test_a_missing_store_is_not_made_by_looking(tmp_path, capsys):
    assert run(["results", str(tmp_path / "none.db")]) == 1

    assert "no such results store" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused(tmp_path):
    with pytest.raises(ResultsError, match="expected a results entry of a kind among"):
        append(tmp_path / "results.db", Entry("guess"))


def test_forecasts_are_stored_listed_and_exported(tmp_path, capsys):
    store = tmp_path / "results.db"
    for _ in range(2):
        assert run(["predict", "checkpoint", "westmere", "--rung", "resource", "--store", str(store)]) == 0
    capsys.readouterr()

    assert run(["results", str(store)]) == 0
    assert capsys.readouterr().out.count("checkpoint  westmere") == 2
    assert run(["results", str(store), "--changes"]) == 0
    assert "+0.0%" in capsys.readouterr().out
    assert run(["results", str(store), "--json", "--last", "1"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["entries"]
    assert entry["results"]["schema"] == "striate.forecast/2"
    for suffix in ("parquet", "csv", "json"):
        assert run(["results", str(store), "-o", str(tmp_path / f"all.{suffix}")]) == 0
    table = pq.read_table(tmp_path / "all.parquet")
    assert table.num_rows == 2
    assert table["seconds"].to_pylist() == [entry["seconds"]["estimate"]] * 2
    assert (tmp_path / "all.csv").read_text().count("striate.forecast/2") == 2


@pytest.mark.parametrize(
    "words", [["probe", "--budget", "0.1 s"], ["validate", "laptop", "--quick"], ["tune", "SPEC", "laptop"]]
)
@pytest.mark.parametrize("place", ["none/results.db", "other.db"])
def test_a_store_that_cannot_be_used_is_refused_before_anything_is_measured(words, place, tmp_path, capsys):
    spec = tmp_path / "spec.toml"
    spec.write_text('app = "checkpoint"\n[vary]\nservers = [1, 2]\n')
    (tmp_path / "other.db").write_bytes(b"not SQLite at all" * 100)
    line = [str(spec) if word == "SPEC" else word for word in words]

    assert run([*line, "--store", str(tmp_path / place)]) == 1

    printed = capsys.readouterr()
    assert place.split("/")[-1] in printed.err
    assert "measuring" not in printed.err
    assert printed.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db", "spec.toml"]
