"""A job of MLPerf Storage that the tests of training share."""

from striate.training.job import TrainingJob

UNET3D = TrainingJob(
    name="unet3d",
    accelerators=4,
    hosts=1,
    epochs=5,
    batch_size=7,
    compute_seconds=0.323,
    files=28_000,
    samples_per_file=1,
    sample_bytes=146_600_628.0,
    record_format="npz",
    loader="pytorch",
    read_threads=8,
    prefetch_size=2,
    shuffled=True,
    wanted_utilisation=0.9,
)
