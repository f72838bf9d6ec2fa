"""The keys of a DLIO workload: each understood, without effect on what is read and when, or refused by its path."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from striate.errors import WorkloadError

LARGEST = 2**62
FORMATS = ("npz", "npy", "tfrecord", "hdf5", "csv", "jpeg", "png", "mmap_indexed_binary", "indexed_binary")
LOADERS = ("pytorch", "tensorflow", "dali", "native_dali")
Kind = Callable[[Any], Any]


class _MismatchError(ValueError):
    """A value of the wrong kind; the message says what was wanted."""


def count(value: Any) -> int:
    number = amount(value)
    if number != int(number):
        raise _MismatchError("expected a whole number")
    return int(number)


def amount(value: Any) -> float:
    """A number, also one that YAML takes for a word, such as 1e-3."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise _MismatchError("expected a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _MismatchError("expected a number")
    if not 0 <= value <= LARGEST:  # nor NaN
        raise _MismatchError("expected a number that is not negative and at most 4.6e18")
    return float(value)


def steps(value: Any) -> int:
    """A number of steps or times, of which -1 means none."""
    return 0 if value in (-1, "-1") else count(value)


def truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _MismatchError("expected true or false")
    return value


def word(value: Any) -> str:
    if not isinstance(value, str):
        raise _MismatchError("expected a word")
    return value


def mean(value: Any) -> float:
    """A time, or a distribution with its mean."""
    if isinstance(value, dict):
        if "mean" not in value:
            raise _MismatchError("expected a number of seconds or a mapping with the key `mean`")
        value = value["mean"]
    return amount(value)


def spread(value: Any) -> tuple[float, bool]:
    """The mean of a time, and whether it varies around it."""
    varies = isinstance(value, dict) and any(value.get(key) for key in value if key not in ("mean", "type"))
    return mean(value), varies


def one_of(*words: str) -> Kind:
    def kind(value: Any) -> str:
        text = word(value).lower()
        if text not in words:
            raise _MismatchError(f"expected one of {', '.join(words)}")
        return text

    return kind


def shuffle(value: Any) -> bool:
    """True for an order that changes; YAML reads `off` as false."""
    return value is not False and one_of("off", "seed", "random")(value) != "off"


def dimensions(value: Any) -> int:
    """The elements of a record: the product of its dimensions."""
    if not isinstance(value, list) or not value:
        raise _MismatchError("expected a list of dimensions")
    elements = 1
    for one in map(count, value):  # a product of all of them could be as long as the file
        elements *= one
        if elements > LARGEST:
            raise _MismatchError("expected dimensions of a record of at most 4.6e18 elements")
    return elements


# What is understood, and what it must be.
UNDERSTOOD: dict[str, Kind] = {
    "framework": one_of("pytorch", "tensorflow"),
    "model.name": word,
    "model.model_size": amount,
    "model.model_size_bytes": amount,
    "workflow.train": truth,
    "workflow.checkpoint": truth,
    "workflow.evaluation": truth,
    "dataset.format": one_of(*FORMATS),
    "dataset.num_files_train": count,
    "dataset.num_samples_per_file": count,
    "dataset.record_length": amount,
    "dataset.record_length_bytes": amount,
    "dataset.record_dims": dimensions,
    "dataset.record_element_bytes": count,
    "reader.data_loader": one_of(*LOADERS),
    "reader.batch_size": count,
    "reader.read_threads": count,
    "reader.prefetch_size": count,
    "reader.file_shuffle": shuffle,
    "reader.sample_shuffle": shuffle,
    "reader.odirect": truth,
    "train.epochs": count,
    "train.computation_time": spread,
    "train.computation_time_stdev": amount,
    "train.seed_change_epoch": truth,
    "checkpoint.checkpoint_after_epoch": count,
    "checkpoint.epochs_between_checkpoints": count,
    "checkpoint.steps_between_checkpoints": steps,
    "checkpoint.model_size": amount,
    "checkpoint.type": one_of("rank_zero", "all_ranks"),
    "checkpoint.fsync": truth,
    "checkpoint.num_checkpoints_read": steps,
    "metric.au": amount,
}
# Keys that change neither which bytes are read nor when.
WITHOUT_EFFECT = {
    *("model.type", "model.model_datatype", "model.optimizer_datatype", "model.exchange_rate"),
    *("workflow.generate_data", "workflow.profiling", "workflow.debug"),
    *(
        "dataset.data_folder",
        "dataset.num_files_eval",
        "dataset.num_subfolders_train",
        "dataset.num_subfolders_eval",
    ),
    *("dataset.record_length_stdev", "dataset.record_length_bytes_stdev"),  # totals are those of the mean
    *("dataset.record_length_resize", "dataset.record_length_bytes_resize", "dataset.record_element_type"),
    *(
        "dataset.file_prefix",
        "dataset.keep_files",
        "dataset.generation_buffer_size",
        "dataset.compression_level",
    ),
    *("dataset.enable_chunking", "dataset.chunk_size", "dataset.hdf5"),
    *("reader.computation_threads", "reader.batch_size_eval", "reader.dont_use_mmap", "reader.pin_memory"),
    *("reader.shuffle_size", "reader.transfer_size", "reader.multiprocessing_context"),
    *("reader.data_loader_sampler", "reader.file_access"),
    "train.seed",
    *(
        "checkpoint.checkpoint_folder",
        "checkpoint.mode",
        "checkpoint.rank_sync",
        "checkpoint.randomize_tensor",
    ),
    *("checkpoint.time_between_checkpoints", "checkpoint.recovery_rank_shift", "checkpoint.ksm"),
    *("output", "profiling", "storage.storage_root", "storage.storage_options", "evaluation"),
}
# Keys that are refused unless they hold one of these, which are the defaults and ask for nothing.
ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "dataset.compression": (("none", None), "compressed records"),
    "reader.read_type": (("on_demand",), "a dataset that is loaded into memory first"),
    "reader.preprocess_time": ((0, 0.0), "time of preprocessing"),
    "reader.preprocess_time_stdev": ((0, 0.0), "time of preprocessing"),
    "reader.data_loader_classname": ((None,), "a custom data loader"),
    "reader.reader_classname": ((None,), "a custom reader"),
    "train.total_training_steps": ((-1, 0), "an epoch that stops early"),
    "checkpoint.num_checkpoints_write": ((-1,), "a run with checkpoints only"),
    "checkpoint.checkpoint_mechanism_classname": ((None,), "a custom checkpoint mechanism"),
    "storage.storage_type": (("local_fs", "parallel_fs"), "storage that is not a file system"),
}
REFUSED = {
    "model.num_layers": "a model by its layers; give model_size",
    "model.layer_parameters": "a model by its layers; give model_size",
    "model.optimization_groups": "a model by its layers; give model_size",
    "model.parallelism": "tensor and pipeline parallelism",
    "model.transformer": "a model by its layers; give model_size",
    "checkpoint.layer_parameters": "a model by its layers; give model_size",
    "checkpoint.optimization_groups": "a model by its layers; give model_size",
    "checkpoint.num_layers": "a model by its layers; give model_size",
}
SECTIONS = sorted({path.partition(".")[0] for path in [*UNDERSTOOD, *ONLY, *REFUSED] if "." in path})
KNOWN = (*UNDERSTOOD, *WITHOUT_EFFECT, *ONLY, *REFUSED)


def read_keys(document: Any, *, source: str) -> dict[str, Any]:
    """The value at every path that is understood; raises WorkloadError with the path of the first that is not."""
    root = "$"
    if isinstance(document, dict) and set(document) == {"workload"}:
        document, root = document["workload"], "$.workload"
    if not isinstance(document, dict) or not document:
        raise WorkloadError(
            f"expected a mapping with the keys of a DLIO workload, got {_shown(document)}",
            at=root,
            source=source,
        )
    found: dict[str, Any] = {}
    for key, value in document.items():
        name = {"data_reader": "reader"}.get(key, key)
        at = f"{root}.{key}"
        if name == "model" and isinstance(value, str):
            found["model.name"] = value
        elif name in SECTIONS:
            if not isinstance(value, dict):
                raise WorkloadError(f"expected a mapping, got {_shown(value)}", at=at, source=source)
            for inner, content in value.items():
                _take(found, f"{name}.{inner}", content, f"{at}.{inner}", source)
        else:
            _take(found, str(name), value, at, source)
    return found


def _take(found: dict[str, Any], path: str, value: Any, at: str, source: str) -> None:
    if path in REFUSED:
        raise WorkloadError(f"it is not supported: {REFUSED[path]}", at=at, source=source)
    if path in ONLY:
        allowed, what = ONLY[path]
        if not any(value == one and type(value) is type(one) for one in allowed):
            raise WorkloadError(f"{_shown(value)} is not supported: {what}", at=at, source=source)
        return
    if path in WITHOUT_EFFECT:
        return
    if path not in UNDERSTOOD:
        close = difflib.get_close_matches(path, KNOWN, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise WorkloadError(f"unknown key{hint}", at=at[:120], source=source)
    try:
        found[path] = UNDERSTOOD[path](value)
    except _MismatchError as mismatch:
        raise WorkloadError(f"{mismatch}, got {_shown(value)}", at=at, source=source) from None


def _shown(value: Any) -> str:
    """What was found, short: containers by their kind alone."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return "nothing" if value is None else repr(value)[:60]
