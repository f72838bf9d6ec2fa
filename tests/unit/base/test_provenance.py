"""Provenance: versions, hashes and cost."""

import hashlib
import platform
import time
from importlib import metadata

import pytest

from striate.provenance import Cost, Provenance, hash_bytes, hash_file, metered, versions

ABC = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1


def test_versions_name_python_and_the_libraries_numbers_pass_through():
    found = versions()

    assert found["python"] == platform.python_version()
    assert found["numpy"] == metadata.version("numpy")
    assert {"striate", "pyarrow"} <= set(found)


def test_hashes_are_sha256(tmp_path):
    path = tmp_path / "abc"
    path.write_bytes(b"abc")

    assert hash_bytes(b"abc") == ABC
    assert hash_file(path) == ABC
    assert hash_bytes(b"") == "sha256:" + hashlib.sha256().hexdigest()


def test_a_large_file_hashes_like_its_bytes(tmp_path):
    content = bytes(range(256)) * 5000
    path = tmp_path / "large"
    path.write_bytes(content)

    assert hash_file(path) == hash_bytes(content)


def test_the_provenance_of_a_result_holds_its_inputs_and_seed():
    inputs = {"cluster.toml": ABC}
    provenance = Provenance.of(inputs, seed=7)
    inputs["later"] = "sha256:0"

    assert provenance.inputs == {"cluster.toml": ABC}
    assert provenance.seed == 7
    assert Provenance.of().seed is None


def test_a_block_is_metered():
    with metered() as meter:
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass

    assert meter.cost.cpu_seconds >= 0.02
    assert meter.cost.wall_seconds >= 0.019
    assert 2**20 < meter.cost.peak_memory_bytes < 2**40


def test_sleeping_costs_wall_time_and_hardly_any_cpu():
    with metered() as meter:
        time.sleep(0.05)

    assert meter.cost.wall_seconds >= 0.05
    assert meter.cost.cpu_seconds < 0.04


def test_a_block_that_fails_is_metered_too():
    with pytest.raises(KeyError), metered() as meter:
        raise KeyError

    assert meter.cost.wall_seconds > 0
    assert Cost() == Cost(0.0, 0.0, 0)
