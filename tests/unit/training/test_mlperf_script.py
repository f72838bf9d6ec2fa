"""verification/mlperf.py on folders as submitters lay them out: read, or named by path and left out."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "verification"
CONFIG = """workload:
  model: {name: unet3d, type: cnn}
  framework: pytorch
  workflow: {generate_data: false, train: true, checkpoint: false}
  dataset: {format: npz, num_files_train: 4000, num_samples_per_file: 1, record_length_bytes: 146600628}
  reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed, sample_shuffle: seed}
  train: {epochs: 5, computation_time: 0.323}
  metric: {au: 0.9}
"""
SUMMARY = {
    "num_accelerators": 4,
    "num_hosts": 1,
    "metric": {"train_au_mean_percentage": 95.0, "train_throughput_mean_samples_per_second": 80.0},
}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("mlperf_verification", FOLDER / "mlperf.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FOLDER))
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


def submitted(
    folder, *, run="Acme/results/box/unet3d-h100/run1", config="configs/config.yaml", summary=SUMMARY
):
    """One run of a submission below a folder."""
    place = folder / run
    (place / config).parent.mkdir(parents=True, exist_ok=True)
    (place / config).write_text(CONFIG)
    (place / "summary.json").write_text(summary if isinstance(summary, str) else json.dumps(summary))
    return place


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ("Acme/results/box/unet3d-h100/run1", "box/unet3d-h100"),
        ("Closed/Acme/results/box/unet3d_h100/runs/run_3/c1", "box/unet3d_h100"),
        ("Acme/results/box/unet3d/h100/2024-08-29-09-29-27", "box/unet3d/h100"),
        ("Acme/Results/box/run-1", "box"),
        ("Acme/results/box", "box"),
        ("Acme/results/run1", "Acme"),
        ("Acme/results", "Acme"),
    ],
)
def test_a_result_has_the_name_of_what_holds_its_runs(tmp_path, script, run, name):
    submitted(tmp_path, run=run)

    (result,), refused = script.results_in(tmp_path)

    assert (result.submitter, result.name, result.throughput) == ("Acme", name, 80.0)
    assert refused == []
    assert "there is no sheet of this name" in result.system.notes


@pytest.mark.parametrize(
    "config",
    [
        "configs/config.yaml",
        ".hydra/config.yaml",
        "config.yaml",
        "../configs/config.yaml",
        "../../config.yaml",
    ],
)
def test_the_nearest_configuration_counts(tmp_path, script, config):
    submitted(tmp_path, config=config)

    (result,), _ = script.results_in(tmp_path)

    assert result.job.files == 4000


def test_runs_of_one_configuration_are_one_result(tmp_path, script):
    for run, rate in ((1, 80.0), (2, 90.0)):
        metric = SUMMARY["metric"] | {"train_throughput_mean_samples_per_second": rate}
        submitted(tmp_path, run=f"Acme/results/box/run{run}", summary=SUMMARY | {"metric": metric})

    (result,), _ = script.results_in(tmp_path)

    assert (result.runs, result.throughput) == (2, 85.0)


def test_epochs_without_their_mean_are_averaged(tmp_path, script):
    metric = {"train_au_percentage": [90.0, 96.0], "train_throughput_samples_per_second": ["70", 90.0]}
    submitted(tmp_path, summary=SUMMARY | {"metric": metric})

    (result,), _ = script.results_in(tmp_path)

    assert (result.throughput, result.utilisation) == (80.0, pytest.approx(0.93))


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        ("{", "Expecting property name"),
        ("[]", "got None - at $.num_accelerators"),
        ("[" * 100_000, "recursion"),
        (SUMMARY | {"num_accelerators": 0}, "expected a number from 1, got 0 - at $.num_accelerators"),
        (SUMMARY | {"num_hosts": "many"}, "got 'many' - at $.num_hosts"),
        (SUMMARY | {"metric": {}}, "got None - at $.metric.train_throughput_mean_samples_per_second"),
        (SUMMARY | {"metric": [1]}, "at $.metric.train_throughput_mean_samples_per_second"),
        (
            SUMMARY
            | {"metric": SUMMARY["metric"] | {"train_throughput_mean_samples_per_second": float("nan")}},
            "got nan - at $.metric.train_throughput_mean_samples_per_second",
        ),
        (
            SUMMARY | {"metric": SUMMARY["metric"] | {"train_au_mean_percentage": 0}},
            "got 0 - at $.metric.train_au_mean_percentage",
        ),
    ],
)
def test_a_summary_that_cannot_be_read_is_named_with_the_path_of_the_mistake(
    tmp_path, script, summary, words
):
    submitted(tmp_path, summary=summary)

    results, (line,) = script.results_in(tmp_path)

    assert results == []
    assert line.startswith("Acme/results/box/unet3d-h100/run1/summary.json: ")
    assert words in line
    assert "\n" not in line


def test_a_run_without_configuration_or_with_checkpoints_alone_is_named(tmp_path, script):
    submitted(tmp_path, run="Acme/results/a/run1", config="other.yaml")
    place = submitted(tmp_path, run="Acme/results/b/run1")
    (place / "configs/config.yaml").write_text(CONFIG.replace("train: true", "train: false"))

    results, lines = script.results_in(tmp_path)

    assert results == []
    assert "no DLIO configuration beside it or above" in lines[0]
    assert "workflow.train false" in lines[1]


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["box.json", "other.json"], "box.json"),
        (["BOX.JSON", "schema.json"], "BOX.JSON"),
        (["box.yaml", "boxes.json"], "box.yaml"),
        (["anything.json"], "anything.json"),
        (["red.json", "blue.json"], None),
    ],
)
def test_a_sheet_is_chosen_by_its_name(tmp_path, script, names, chosen):
    for name in names:
        (tmp_path / name).write_text("{}")

    found = script.chosen_sheet(tmp_path, "box/unet3d-h100")

    assert (found and found.name) == chosen
