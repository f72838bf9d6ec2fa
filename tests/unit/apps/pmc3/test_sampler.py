"""The sampler in one process: interruptions at any moment, checkpoints, and the coupling of chains."""

import io
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from failing_store import MemoryStore, PowerError
from reference.thesis_formulas import samples_written
from reference.thesis_formulas import tree_header as tree_header_bytes
from striate.apps.pmc3.checkpoint import CheckpointError, load, random_state, restored_random
from striate.apps.pmc3.coupling import Coupling
from striate.apps.pmc3.lines import (
    describe,
    parameter_header,
    parameter_line,
    sampled_generations,
    tree_header,
)
from striate.apps.pmc3.nexus import parse_nexus, random_matrix
from striate.apps.pmc3.parallel_file import ParallelFile
from striate.apps.pmc3.run import sample_all
from striate.apps.pmc3.sampler import Alone, Sampler, SamplerSettings
from striate.apps.pmc3.stores import hints
from striate.apps.pmc3.writers import MappedWriter, headers
from striate.errors import WorkloadError
from striate.layout import parse

MATRIX = parse_nexus(random_matrix(5, 12, seed=2))
SETTINGS = SamplerSettings(runs=2, chains=3, generations=30, sample_frequency=4, seed=9)


def run(content, path, *, writes=10**9, buffered=1, restart=False, given_settings=SETTINGS):
    sampler = Sampler(MATRIX, given_settings, Alone())
    fields = (given_settings.runs, given_settings.generations, given_settings.sample_frequency)
    described = describe(given_settings.model, MATRIX.names, *fields)
    heads = headers(MATRIX.names, given_settings)
    writer = MappedWriter(MemoryStore(content, writes), described, heads, Alone(), buffered)
    return sample_all(sampler, writer, path, every=7, restart=restart)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    content, folder = io.BytesIO(), tmp_path_factory.mktemp("undisturbed")
    run(content, folder / "c.ckp")
    (folder / "whole").write_bytes(content.getvalue())
    return folder / "whole"


@settings(max_examples=25)
@given(st.integers(10, 60), st.integers(1, 4))  # ten writes come before the first mark
def test_an_interruption_after_any_write_loses_nothing_that_was_marked(
    tmp_path_factory, undisturbed, writes, buffered
):
    content, path = io.BytesIO(), tmp_path_factory.mktemp("torn") / "c.ckp"
    try:
        run(content, path, writes=writes, buffered=buffered)
    except PowerError:
        marked = ParallelFile.open(content)
        for number in range(2):
            assert marked.run(number).samples == marked.samples
        run(content, path, buffered=buffered, restart=True)

    wanted = ParallelFile.open(io.BytesIO(undisturbed.read_bytes()))
    assert ParallelFile.open(content).samples == wanted.samples == 9
    for number in range(2):
        assert ParallelFile.open(content).run(number) == wanted.run(number)


def test_an_interruption_before_the_first_checkpoint_is_told(tmp_path):
    with pytest.raises(PowerError):
        run(io.BytesIO(), tmp_path / "c.ckp", writes=8)

    with pytest.raises(CheckpointError, match="expected a checkpoint to restart from, found none"):
        run(io.BytesIO(), tmp_path / "c.ckp", restart=True)


def test_a_checkpoint_of_other_settings_is_refused(tmp_path):
    path = tmp_path / "c.ckp"
    run(io.BytesIO(), path)
    other = SamplerSettings(runs=2, chains=3, generations=30, sample_frequency=4, seed=10)

    with pytest.raises(CheckpointError, match="the setting seed = 10 of this run, found seed = 9"):
        load(path, asdict(other), MATRIX.fingerprint)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"schema": 3}'])
def test_a_broken_checkpoint_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "c.ckp"
    path.write_bytes(content)

    with pytest.raises(CheckpointError) as refusal:
        load(path, {}, "")
    assert "\n" not in str(refusal.value)


@given(st.integers(0, 2**32), st.integers(0, 50))
def test_a_restored_stream_goes_on_where_the_saved_one_stopped(seed, drawn):
    random = np.random.default_rng(seed)
    random.random(drawn)
    again = restored_random(random_state(random))

    assert random.random(5).tolist() == again.random(5).tolist()
    assert random.integers(0, 7, 9).tolist() == again.integers(0, 7, 9).tolist()


def test_every_run_keeps_one_cold_chain_and_all_chains_get_their_turn():
    coupling = Coupling(3, 4, seed=1)
    cold = Counter()
    for _ in range(500):
        coupling.swap(np.zeros((3, 4)))  # equally probable states always swap
        assert (np.sort(coupling.order, axis=1) == np.arange(4)).all()
        cold.update((run, coupling.cold_chain(run)) for run in range(3))

    assert len(cold) == 12
    assert min(cold.values()) > 60


def test_a_better_heated_state_takes_the_cold_place_and_a_worse_one_does_not():
    coupling = Coupling(1, 2, seed=1)

    coupling.swap(np.array([[0.0, -1e9]]))
    assert coupling.cold_chain(0) == 0
    coupling.swap(np.array([[-1e9, 0.0]]))
    assert coupling.cold_chain(0) == 1


@given(st.integers(1, 300), st.integers(1, 40))
def test_samples_are_taken_when_mrbayes_takes_them(generations, frequency):
    assert len(sampled_generations(generations, frequency)) == samples_written(generations, frequency, "mb32")


@pytest.mark.parametrize("model", ["jc69", "gtr+g"])
def test_headers_and_lines_have_the_sizes_that_are_reserved(model):
    described = describe(model, MATRIX.names, 2, 10**6, 10)
    sampler = Sampler(MATRIX, SamplerSettings(1, 1, 10, model=model), Alone())

    assert len(tree_header(MATRIX.names, 7)) == tree_header_bytes(MATRIX.names) == described.tree_header
    assert len(parameter_header(model, 7)) == described.parameter_header
    assert len(parameter_line(10**6, sampler.states[0, 0])) <= described.parameter_line


def test_hints_name_what_the_file_system_is_asked_for():
    assert hints(parse("simple:8:64KiB")) == {"striping_factor": "8", "striping_unit": "65536"}
    assert hints(parse("varstrip:0:1K;1:2K")) == {"varstrip_dist:string:strips": "0:1024;1:2048"}
    assert hints(None) == hints(parse("basic")) == {}


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"sample_frequency": 0}, {"model": "wag"}])
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(WorkloadError, match="expected"):
        SamplerSettings(**({"runs": 1, "chains": 1, "generations": 1} | wrong))
