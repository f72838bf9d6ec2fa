"""What file systems say of themselves: words and attributes as their tools print them."""

from pathlib import Path

import pytest

from striate.probe.filesystem import (
    ask,
    beegfs_stripe,
    beegfs_targets,
    ceph_object,
    gluster_bricks,
    gluster_shard,
    lustre_stripe,
    lustre_targets,
    mounted,
)

PATHINFO = (
    "((<DISTRIBUTE:vol-dht> <POSIX(/run/disk/1/brick):h1:/run/disk/1/brick/> "
    "<POSIX(/run/disk/0/brick):h0:/run/disk/0/brick/>) (vol-dht-layout (vol-client-1 0 1431655764)))\0"
)
VOLUME = """
Volume Name: vol
Type: Distribute
Number of Bricks: 3
Options Reconfigured:
features.shard-block-size: 4194304
features.shard: on
nfs.disable: on
"""


def test_gluster_names_each_brick_with_its_host():
    assert gluster_bricks(PATHINFO) == [("h1", "/run/disk/1/brick"), ("h0", "/run/disk/0/brick")]
    assert gluster_bricks("") == []


def test_hosts_are_compared_without_their_domains():
    assert gluster_bricks("(<POSIX(/b):node7.cluster.example:/b/file>)") == [("node7", "/b")]
    assert gluster_bricks("(<POSIX(/b):10.0.0.7:/b/file>)") == [("10.0.0.7", "/b")]


@pytest.mark.parametrize(
    ("before", "after", "shard"),
    [
        ("", "", 4 << 20),
        ("4194304", "64MB", 64 << 20),
        ("features.shard: on", "features.shard: off", None),
        ("features.shard-block-size: 4194304\n", "", 64 << 20),  # GlusterFS's own default
    ],
)
def test_gluster_shards_count_only_when_on(before: str, after: str, shard: int | None):
    assert gluster_shard(VOLUME.replace(before, after) if before else VOLUME) == shard


def test_lustre_stripes_and_targets():
    assert lustre_stripe("stripe_count:  4 stripe_size:   1048576 pattern: raid0 stripe_offset: -1") == (
        4,
        1 << 20,
    )
    assert lustre_stripe("stripe_count:  -1 stripe_size:   1048576") == (None, 1 << 20)
    assert lustre_stripe("") == (None, None)
    assert (
        lustre_targets("OBDS:\n0: s-OST0000_UUID ACTIVE\n1: s-OST0001_UUID ACTIVE\n2: s-OST2_UUID INACTIVE\n")
        == 2
    )


def test_beegfs_chunks_and_targets():
    words = "+ Type: RAID0\n+ Chunksize: 512K\n+ Number of storage targets: desired: 4; actual: 4\n"

    assert beegfs_stripe(words) == (4, 512 << 10)
    assert beegfs_stripe("") == (None, None)
    assert beegfs_targets("TargetID   NodeID\n========   ======\n     101        1\n     102        2\n") == 2


def test_ceph_objects():
    assert ceph_object("stripe_unit=65536 stripe_count=2 object_size=4194304 pool=data") == 4 << 20
    assert ceph_object("") is None


def test_the_longest_mount_point_above_a_path_holds_it_and_later_mounts_cover_earlier_ones():
    mounts = "/dev/a / ext4 rw 0 0\nh0:/vol /data fuse.glusterfs rw 0 0\n"
    mounts += "server:/x /data\\040two nfs4 rw 0 0\nnone /data tmpfs rw 0 0\n"

    assert mounted(mounts, "/database").kind == "ext4"
    assert mounted(mounts, "/data/a").kind == "tmpfs"
    assert mounted(mounts, "/data two/a").networked
    assert mounted("h0:/vol /data fuse.glusterfs rw 0 0\n", "/data").source == "h0:/vol"


def test_a_local_directory_tells_its_kind_and_no_servers(tmp_path: Path):
    found = ask(tmp_path)

    assert found.kind != "unknown"
    assert not found.networked
    assert found.servers is None
