"""Small machines for tests: a star of a few nodes, with numbers that are easy to work with."""

from hypothesis import strategies as st

from striate.cluster import Cluster
from striate.cluster.builders import star

NIC = {"bandwidth": "1 GB/s", "link": {"bandwidth": "800 MB/s", "latency": "1 us"}}
SIMPLE = {"kind": "simple", "rate": "50 MB/s", "access": "3 ms"}
HARD = {
    "kind": "hard",
    "rate": "80 MB/s",
    "average_seek": "9 ms",
    "track_seek": "1 ms",
    "revolutions_per_minute": 7200,
    "near": "1 MB",
}
FLASH = {
    "kind": "flash",
    "read_rate": "3 GB/s",
    "write_rate": "2 GB/s",
    "read_latency": "80 us",
    "write_latency": "24 us",
    "channels": 8,
}


def toy(nodes=2, sockets=1, cpus=2, servers=2, placement="round-robin", disk=SIMPLE, **options) -> Cluster:
    """Nodes of `sockets` x `cpus` CPUs of 1 G instructions/s; servers on the first nodes, stripes of 16 bytes."""
    node = {
        "count": nodes,
        "sockets": sockets,
        "cpus_per_socket": cpus,
        "instructions_per_second": "1 G",
        "memory": "1 GB",
        "nic": NIC,
        "socket": {"bandwidth": "700 MB/s"},
        "uplink": {"bandwidth": "100 MB/s", "latency": "20 us"},
    }
    if sockets > 1:
        node["hub"] = {"bandwidth": "650 MB/s", "link": {"bandwidth": "600 MB/s", "latency": "2 us"}}
    cache = {"policy": options.pop("cache", "none"), "memory": options.pop("cache_memory", None)}
    disks = options.pop("disks", 1)
    server = {"count": servers, "on": "nodes", "per_node": -(-servers // nodes), "disk": disk, "disks": disks}
    return star(
        name="toy",
        node=node,
        switch={"bandwidth": "10 GB/s"},
        server=[server | {"cache": {k: v for k, v in cache.items() if v is not None}}] if servers else [],
        settings={"stripe_unit": 16} | options,
        placement={"kind": placement},
    )


toys = st.builds(
    toy,
    nodes=st.integers(1, 3),
    sockets=st.integers(1, 2),
    cpus=st.integers(1, 2),
    servers=st.integers(1, 4),
    placement=st.sampled_from(["round-robin", "block"]),
    disk=st.sampled_from([SIMPLE, HARD, FLASH]),
    disks=st.integers(1, 3),
    cache=st.sampled_from(["none", "write-behind"]),
    cache_memory=st.sampled_from([None, 64, 1000]),
    stripe_unit=st.sampled_from([1, 16, 37]),
    io_cpu=st.sampled_from(["0 s", "5 us"]),
    io_variation=st.sampled_from(["0 s", "7 us"]),
)
