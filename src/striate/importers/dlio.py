"""DLIO: a workload's YAML as a training job, by the defaults of DLIO itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from striate.errors import WorkloadError
from striate.importers.dlio_keys import read_keys
from striate.importers.kinds import DLIO
from striate.importers.yaml_text import read_yaml
from striate.limits import read_small_text
from striate.training.job import CheckpointPlan, TrainingJob

_TIMES = re.compile(r"^(.*\S)\s+x\s+([0-9]{1,9})\s+(hosts?|accelerators?)$", re.DOTALL)


def from_text(text: str, *, ranks: int | None, hosts: int | None = None) -> TrainingJob:
    """The job of `dlio:FILE[ x H hosts][ x A accelerators]`, A of them on each host; `ranks` is all of them together.

    `hosts` is what the machine says, for a text that does not. Raises WorkloadError when the numbers are not said, or
    contradict each other.
    """
    name, said = _apart(text.removeprefix(DLIO))
    hosts = said.get("host", hosts or 1)
    each = said.get("accelerator")
    if each is None and ranks is None:
        raise WorkloadError(
            'the number of accelerators is missing; give --ranks N, or append " x N accelerators" to the file name',
            source=name,
        )
    accelerators = each * hosts if each is not None else ranks
    assert accelerators is not None
    if ranks not in (None, accelerators):
        raise WorkloadError(
            f"expected --ranks {accelerators} ({hosts} hosts x {each} accelerators), got --ranks {ranks}",
            source=name,
        )
    if accelerators < 1 or hosts < 1:
        found = f"{hosts!s:.20} hosts and {accelerators!s:.20} accelerators"
        raise WorkloadError(f"expected at least one host and one accelerator, got {found}", source=name)
    hosts = min(hosts, accelerators) if "host" not in said else hosts
    return from_file(Path(name), accelerators=accelerators, hosts=hosts)


def from_file(path: Path, *, accelerators: int, hosts: int) -> TrainingJob:
    """The job of a workload's YAML; raises WorkloadError with the path of the mistake."""
    text = read_small_text(path, kind=WorkloadError)
    keys = read_keys(read_yaml(text, source=str(path), error=WorkloadError), source=str(path))
    return job_of(keys, name=path.stem, accelerators=accelerators, hosts=hosts, source=str(path))


def job_of(keys: dict[str, Any], *, name: str, accelerators: int, hosts: int, source: str) -> TrainingJob:
    """The job of keys that were understood; defaults are those of DLIO's ConfigArguments."""
    if not keys.get("workflow.train", True):
        raise WorkloadError(
            "expected a DLIO workload that trains, got one with workflow.train false",
            at="workflow.train",
            source=source,
        )
    if keys.get("workflow.evaluation", False):
        raise WorkloadError("evaluation is not supported", at="workflow.evaluation", source=source)
    framework = keys.get("framework", "tensorflow")
    loader = keys.get("reader.data_loader", "tensorflow" if framework == "tensorflow" else "pytorch")
    shuffled = keys.get("reader.file_shuffle", False) or keys.get("reader.sample_shuffle", False)
    for path in (
        "dataset.num_files_train",
        "dataset.num_samples_per_file",
        "reader.batch_size",
        "train.epochs",
    ):
        if keys.get(path, 1) < 1:
            raise WorkloadError(
                f"expected the DLIO key {path} to be at least 1, got 0", at=path, source=source
            )
    compute, varies = keys.get("train.computation_time", (0.0, False))
    if not compute > 0:
        raise WorkloadError(
            f"expected a compute time per training step above 0, got {compute:g} s",
            at="train.computation_time",
            source=source,
        )
    return TrainingJob(
        name=keys.get("model.name", name),
        accelerators=accelerators,
        hosts=hosts,
        epochs=keys.get("train.epochs", 1),
        batch_size=keys.get("reader.batch_size", 1),
        compute_seconds=compute,
        files=keys.get("dataset.num_files_train", 8),
        samples_per_file=keys.get("dataset.num_samples_per_file", 1),
        sample_bytes=_sample_bytes(keys, source),
        record_format=keys.get("dataset.format", "tfrecord"),
        loader="dali" if loader == "native_dali" else loader,
        read_threads=keys.get("reader.read_threads", 1),
        prefetch_size=keys.get("reader.prefetch_size", 2),
        shuffled=bool(shuffled and keys.get("train.seed_change_epoch", True)),
        wanted_utilisation=keys.get("metric.au", 0.9),
        compute_varies=bool(varies or keys.get("train.computation_time_stdev", 0.0)),
        direct=keys.get("reader.odirect", False),
        checkpoints=_checkpoints(keys, source),
    )


def _sample_bytes(keys: dict[str, Any], source: str) -> float:
    if "dataset.record_dims" in keys:
        found = float(keys["dataset.record_dims"] * keys.get("dataset.record_element_bytes", 1))
    else:
        found = keys.get("dataset.record_length_bytes", keys.get("dataset.record_length", 64 * 1024.0))
    if not found > 0:
        raise WorkloadError(
            f"expected samples (records) of at least one byte, got {found:g} bytes",
            at="dataset.record_length",
            source=source,
        )
    return float(found)


def _checkpoints(keys: dict[str, Any], source: str) -> CheckpointPlan | None:
    if not keys.get("workflow.checkpoint", False):
        return None
    sizes = ("model.model_size_bytes", "model.model_size", "checkpoint.model_size")
    between = keys.get("checkpoint.epochs_between_checkpoints", 1)
    if between < 1:
        at = "checkpoint.epochs_between_checkpoints"
        raise WorkloadError("expected at least 1 epoch between checkpoints, got 0", at=at, source=source)
    return CheckpointPlan(
        model_bytes=int(next((keys[path] for path in sizes if path in keys), 10240)),
        sharded=keys.get("checkpoint.type", "rank_zero") == "all_ranks",
        fsync=keys.get("checkpoint.fsync", False),
        first_epoch=keys.get("checkpoint.checkpoint_after_epoch", 1),
        epochs_between=between,
        steps_between=keys.get("checkpoint.steps_between_checkpoints", 0),
        reads=keys.get("checkpoint.num_checkpoints_read", 0),
    )


def _apart(text: str) -> tuple[str, dict[str, int]]:
    """The file's name and the numbers after it."""
    said: dict[str, int] = {}
    while match := _TIMES.match(text):
        text, noun = match[1], match[3].rstrip("s")
        if noun in said:
            raise WorkloadError(
                f"expected the number of {noun}s once in the name of the job, got two numbers", source=text
            )
        said[noun] = int(match[2])
    return text, said
