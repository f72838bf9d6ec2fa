"""DLIO workloads as their YAML says them: understood, or refused with the path of the key."""

import json
import textwrap

import pytest

from striate.cli.main import run
from striate.errors import WorkloadError
from striate.importers.dlio import from_file, from_text

UNET3D = """
model:
  name: unet3d
  type: cnn
  model_size: 499153191
framework: pytorch
workflow: {generate_data: False, train: True, checkpoint: True}
dataset:
  data_folder: data/unet3d/
  format: npz
  num_files_train: 168
  num_samples_per_file: 1
  record_length_bytes: 146600628
  record_length_bytes_stdev: 68341808
  record_length_bytes_resize: 2097152
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed, sample_shuffle: seed}
train: {epochs: 5, computation_time: 0.323}
checkpoint: {checkpoint_folder: checkpoints/unet3d, checkpoint_after_epoch: 5, epochs_between_checkpoints: 2}
metric: {au: 0.90}
"""
RESULT = """
workload:
  model: resnet50
  framework: tensorflow
  workflow: {generate_data: false, train: true, profiling: false}
  dataset: {format: tfrecord, num_files_train: 1024, num_samples_per_file: 1251, record_length: 114660.07}
  reader: {data_loader: tensorflow, read_threads: 8, computation_threads: 8, batch_size: 400, dont_use_mmap: true}
  train: {epochs: 5, computation_time: 0.224}
  metric: {au: 0.9}
  storage: {storage_type: local_fs, storage_root: /lustre}
  profiling: {profiler: none}
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "unet3d_h100.yaml"
        path.write_text(textwrap.dedent(text))
        return path

    return write


def test_a_workload_of_dlio_is_understood(written):
    job = from_file(written(UNET3D), accelerators=4, hosts=2)

    assert (job.name, job.record_format, job.loader, job.read_threads) == ("unet3d", "npz", "pytorch", 4)
    assert job.steps == 168 // (7 * 4)
    assert job.dataset_bytes == 168 * 146600628
    assert job.pace == pytest.approx(4 * 7 / 0.323)
    assert job.shuffled
    assert (job.checkpoints.model_bytes, job.checkpoints.count(job.epochs, job.steps)) == (499153191, 1)


def test_the_configuration_beside_a_result_is_understood(written):
    job = from_file(written(RESULT), accelerators=10, hosts=1)

    assert (job.name, job.loader, job.prefetch_depth, job.checkpoints) == ("resnet50", "tensorflow", 3, None)
    assert job.steps == 1024 * 1251 // 4000
    assert not job.shuffled


@pytest.mark.parametrize(
    ("prefetch", "threads", "depth"), [(2, 4, 4), (0, 4, 8), (9, 4, 12), (2, 0, 0)]
)  # torch_data_loader.py: ceil(prefetch / threads) per worker, 2 for none
def test_the_depth_of_the_prefetch_is_dlios(written, prefetch, threads, depth):
    text = UNET3D.replace("read_threads: 4", f"read_threads: {threads}, prefetch_size: {prefetch}")

    assert from_file(written(text), accelerators=1, hosts=1).prefetch_depth == depth


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ("format: npz", "format: zarr", "$.dataset.format", "expected one of npz"),
        (
            "num_files_train",
            "num_file_train",
            "$.dataset.num_file_train",
            "did you mean dataset.num_files_train",
        ),
        ("epochs: 5", "epochs: five", "$.train.epochs", "expected a number, got 'five'"),
        ("epochs: 5", "epochs: -5", "$.train.epochs", "not negative"),
        ("epochs: 5", "epochs: 0", "train.epochs", "at least 1"),
        ("epochs: 5", "epochs: 1.5", "$.train.epochs", "a whole number"),
        ("epochs: 5", "epochs: .inf", "$.train.epochs", "a number"),
        ("epochs: 5", "epochs: [5]", "$.train.epochs", "got a list"),
        ("computation_time: 0.323", "computation_time: {stdev: 1}", "$.train.computation_time", "`mean`"),
        ("computation_time: 0.323", "seed: 1", "train.computation_time", "a compute time"),
        ("metric: {au: 0.90}", "metrics: {au: 0.90}", "$.metrics", "unknown key"),
        ("metric: {au: 0.90}", "metric: 0.9", "$.metric", "expected a mapping"),
        (
            "batch_size: 7",
            "batch_size: 7, preprocess_time: 0.2",
            "$.reader.preprocess_time",
            "time of preprocessing",
        ),
        ("batch_size: 7", "batch_size: 7, read_type: memory", "$.reader.read_type", "into memory first"),
        ("  format: npz", "  format: npz\n  compression: gzip", "$.dataset.compression", "compressed"),
        ("train: True", "train: False", "workflow.train", "expected a DLIO workload that trains"),
        ("checkpoint: True}", "checkpoint: True, evaluation: True}", "workflow.evaluation", "not supported"),
        ("type: cnn", "num_layers: 3", "$.model.num_layers", "give model_size"),
    ],
)
def test_what_is_not_supported_is_refused_with_its_path(written, old, new, at, words):
    assert old in UNET3D

    with pytest.raises(WorkloadError) as refused:
        from_file(written(UNET3D.replace(old, new)), accelerators=1, hosts=1)

    assert refused.value.at == at
    assert words in refused.value.message
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("train: {epochs: 5\n", "not YAML"),
        ("a: &x [1, 2]\nb: *x\n", "aliases"),
        ("train: {}\ntrain: {}\n", "appears twice"),
        ("!!python/object/apply:os.system ['true']", "not YAML"),
        ("", "expected a mapping"),
        ("- 1", "expected a mapping"),
        ("{1: 2}", "unknown key"),
        ("\x00", "not YAML"),
        ("2020-99-99: 1", "not YAML"),
        ("[" * 3000, "not YAML"),
    ],
)
def test_a_file_that_is_no_workload_is_refused_in_one_line(written, text, words):
    with pytest.raises(WorkloadError, match=words) as refused:
        from_file(written(text), accelerators=1, hosts=1)

    assert "\n" not in str(refused.value)


def test_hosts_and_accelerators_stand_after_the_file(written):
    path = written(UNET3D)

    both = from_text(f"dlio:{path} x 3 hosts x 8 accelerators", ranks=None)
    per_host = from_text(f"dlio:{path} x 8 accelerators", ranks=None, hosts=2)
    in_all = from_text(f"dlio:{path}", ranks=6, hosts=2)

    assert (both.hosts, both.accelerators) == (3, 24)
    assert (per_host.hosts, per_host.accelerators) == (2, 16)
    assert (in_all.hosts, in_all.accelerators) == (2, 6)


@pytest.mark.parametrize(
    ("after", "ranks", "words"),
    [
        ("", None, "give --ranks N"),
        (" x 0 hosts x 1 accelerator", None, "at least one host"),
        (" x 2 hosts x 2 accelerators", 5, "accelerators.*, got --ranks 5"),
        (" x 2 hosts x 3 hosts", 4, "got two numbers"),
    ],
)
def test_numbers_that_are_not_said_or_contradict_are_refused(written, after, ranks, words):
    with pytest.raises(WorkloadError, match=words):
        from_text(f"dlio:{written(UNET3D)}{after}", ranks=ranks)


def test_predict_and_show_take_a_workload(written, capsys):
    program = f"dlio:{written(UNET3D.replace('168', '16800'))} x 2 hosts x 4 accelerators"

    assert run(["workload", "show", program]) == 0
    assert "8 accelerators on 2 hosts" in capsys.readouterr().out
    assert run(["predict", program, "lustre-64", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)

    assert said["schema"] == "striate.training/1"
    assert said["utilisation"]["low"] <= said["utilisation"]["estimate"] <= 1


@pytest.mark.parametrize(
    ("words", "status"),
    [(["--rung", "fine"], 2), (["-o", "x.html"], 2), ([], 1)],
)
def test_what_a_training_job_does_not_take_is_refused(written, capsys, words, status):
    program = f"dlio:{written(UNET3D)}"

    assert run(["predict", program, "laptop", *words]) == status
    assert "Traceback" not in capsys.readouterr().err
