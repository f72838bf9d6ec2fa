"""Damage and hostile files are seen by readers and by `striate verify`."""

import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

import striate.runtime as runtime
from striate.cli.main import run
from striate.errors import DamageError, DatasetError, StorageError, StriateError
from striate.runtime.check import verify
from striate.runtime.move import mapped
from striate.runtime.store.files import load
from striate.runtime.store.metadata import encode

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def corrupt():
    spec = importlib.util.spec_from_file_location("corrupt", ROOT / "verification" / "corrupt_dataset.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "dataset"
    with runtime.create(None, path, (1000,), "f8", chunk="1 KiB") as made:
        made.write_all(np.arange(1000), np.arange(1000.0))
    return path


def test_two_hundred_random_corruptions_are_all_seen(corrupt, capsys):
    assert corrupt.main(["200"]) == 0

    assert "0 undetected, 0 crashes" in capsys.readouterr().out


def gather_after(monkeypatch, change):
    """Let `change` happen between the check of the chunks and the taking of the records."""
    gather = mapped._core.gather_chunks

    def changed(*arguments):
        change()
        gather(*arguments)

    monkeypatch.setattr(mapped._core, "gather_chunks", changed)


@pytest.mark.parametrize(
    "left_bytes", [0, 4096, 28 * 1024 + 10]
)  # a page that is cut reads as zeros to its end
def test_a_sub_file_that_is_cut_after_it_was_checked_is_an_error(dataset, monkeypatch, left_bytes):
    victim = next(dataset.glob("*.blocks"))
    gather_after(monkeypatch, lambda: os.truncate(victim, left_bytes))

    with (
        runtime.open(None, dataset) as opened,
        pytest.raises(DamageError, match="the sub-file was truncated"),
    ):
        opened.read_all(slice(None))


def test_a_sub_file_that_is_written_after_it_was_checked_is_checked_again(dataset, monkeypatch):
    victim = next(dataset.glob("*.blocks"))

    bytes_to_come = [victim.read_bytes()[:1], b"x"]

    def write():
        with victim.open("r+b") as file:
            file.write(bytes_to_come.pop(0))
        os.utime(victim, ns=(1, len(bytes_to_come)))  # clocks of file systems are coarse: it shall differ

    gather_after(monkeypatch, write)
    with runtime.open(None, dataset) as opened:
        assert np.array_equal(opened.read_all(slice(None)), np.arange(1000.0))

        with pytest.raises(DamageError, match="checksum"):
            opened.read_all(slice(None))


def test_a_sound_dataset_is_called_sound(dataset, capsys):
    assert run(["verify", str(dataset)]) == 0

    assert "sound; 8 chunks of float64 (1000,), 32 KiB checked" in capsys.readouterr().out


def test_a_damaged_one_is_not_and_the_chunk_is_named(dataset, capsys):
    victim = next(dataset.glob("*.blocks"))
    content = bytearray(victim.read_bytes())
    content[5000] ^= 1  # slots of 4096 bytes: chunk 1
    victim.write_bytes(content)

    assert run(["verify", str(dataset), "--json"]) == 3
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert len(verdict["findings"]) == 1
    assert "chunk 1" in verdict["findings"][0]


@pytest.mark.parametrize("name", ["nothing", "."])
def test_what_is_no_dataset_is_refused_in_one_line(tmp_path, name, capsys):
    assert run(["verify", str(tmp_path / name)]) == 1

    assert "no Striate dataset here" in capsys.readouterr().err


def test_a_missing_sub_file_is_named(dataset):
    victim = next(dataset.glob("*.blocks"))
    victim.unlink()

    with pytest.raises(StorageError, match=victim.name):
        runtime.open_serial(dataset)[...]
    assert verify(dataset).findings


def test_a_sub_file_that_is_a_link_out_of_the_dataset_is_refused(dataset, tmp_path):
    victim = next(dataset.glob("*.blocks"))
    outside = tmp_path / "outside"
    victim.rename(outside)
    victim.symlink_to(outside)

    with pytest.raises(StriateError):
        runtime.open_serial(dataset)[...]


def test_a_pipe_in_place_of_a_sub_file_does_not_hang(dataset):
    victim = next(dataset.glob("*.blocks"))
    victim.unlink()
    os.mkfifo(victim)

    with pytest.raises(StriateError):
        runtime.open_serial(dataset)[...]


def test_an_absurd_shape_of_nothing_costs_no_memory(dataset):
    import msgspec

    metadata = load(dataset)
    columns = type(metadata.chunks)([-1], [0], [0], [0])
    huge = msgspec.structs.replace(metadata, shape=[2**59], chunk_shape=[2**59], chunks=columns, subfiles=[])
    (dataset / "metadata.json").write_bytes(encode(huge))

    with pytest.raises((StriateError, MemoryError)):
        runtime.open_serial(dataset)[:10]


def test_a_foreign_directory_is_not_overwritten(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")

    with pytest.raises(DatasetError, match=r"thesis\.tex"):
        runtime.create(None, tmp_path, (3,), "f8")
