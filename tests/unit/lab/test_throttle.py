"""Limits of disks: the lines written for both versions of the block controller, and where it is looked for."""

from pathlib import Path

from striate.lab.throttle import io_control, rules


def test_version_1_writes_one_file_for_each_limit():
    assert rules(1, 3, 20e6, 500) == [
        ("blkio.throttle.read_bps_device", "7:3 20000000"),
        ("blkio.throttle.read_iops_device", "7:3 500"),
        ("blkio.throttle.write_bps_device", "7:3 20000000"),
        ("blkio.throttle.write_iops_device", "7:3 500"),
    ]


def test_version_2_writes_one_line_and_calls_no_limit_max():
    assert rules(2, 3, 20e6, 0) == [("io.max", "7:3 rbps=20000000 riops=max wbps=20000000 wiops=max")]


def test_version_2_counts_only_when_it_controls_block_devices(tmp_path: Path):
    mounts = f"cgroup2 {tmp_path} cgroup2 rw 0 0\n"
    (tmp_path / "cgroup.controllers").write_text("cpu memory")
    without = io_control(mounts)
    (tmp_path / "cgroup.controllers").write_text("cpu io memory")
    found = io_control(mounts)

    assert without is None
    assert found is not None
    assert (found.mount, found.version) == (tmp_path, 2)
    assert found.group("a") == tmp_path / "striate-lab-a"


def test_version_1_is_found_by_its_option():
    found = io_control("cgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0\n")

    assert found is not None
    assert found.group("a") == Path("/sys/fs/cgroup/blkio")
