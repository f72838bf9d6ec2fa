"""The table of kinds: ranges for what a sheet does not say, each with what it was taken from.

`RESULTS` marks the numbers that were set by looking at published MLPerf Storage v1.0 results; `verification/mlperf.py`
sets them again without each submitter in turn and judges that submitter by the rest. Only runs that reached the
utilisation asked for are published, which is why several of them lie at the upper ends of their lists. All other ranges
are from data sheets and pages named here, or are the width that we think honest (`JUDGEMENT`).
"""

from __future__ import annotations

import math

from striate.training.uncertain import Uncertain

GB = 1e9
RESULTS = "set from MLPerf Storage v1.0 results"
JUDGEMENT = "no source: a wide assumption"
DATA_SHEETS = (
    "data sheets: Micron 9200 3.5 GB/s (PCIe 3), Samsung PM9A3 6.8 GB/s (PCIe 4), PM1743 14 GB/s (PCIe 5)"
)

DRIVES = {  # bytes per second that one drive reads in long requests
    "nvme": Uncertain("read rate of an NVMe drive", 3.5 * GB, 6.8 * GB, 14 * GB, DATA_SHEETS),
    "sas": Uncertain(
        "read rate of a SAS SSD",
        1.0 * GB,
        2.1 * GB,
        4.2 * GB,
        "data sheets: Samsung PM1643a 2.1, Kioxia PM7 4.2 GB/s",
    ),
    "sata": Uncertain(
        "read rate of a SATA SSD", 0.5 * GB, 0.54 * GB, 0.56 * GB, "SATA 6 Gb/s; Samsung PM893 0.55 GB/s"
    ),
    "hdd": Uncertain(
        "read rate of a hard disk",
        0.18 * GB,
        0.25 * GB,
        0.285 * GB,
        "data sheet: Seagate Exos X20 0.285 GB/s",
    ),
    "ssd": Uncertain("read rate of an SSD of unknown interface", 0.5 * GB, 3.5 * GB, 7 * GB, DATA_SHEETS),
}
TARGET, BRICK = "target", "brick"  # what file systems count in place of drives
DRIVES[TARGET] = Uncertain(
    "rate of a storage target (OST)",
    0.5 * GB,
    2.8 * GB,
    18 * GB,
    "OLCF Spider II 1 TB/s by 2,016 OSTs; docs.nersc.gov/filesystems: Cori over 700 GB/s by 248 OSTs, Perlmutter over "
    "5 TB/s by 274 servers",
)
DRIVES[BRICK] = Uncertain(
    "rate of a brick",
    0.18 * GB,
    0.54 * GB,
    6.8 * GB,
    "one hard disk to one NVMe drive of the data sheets above",
)
# least, usual, most: Cori has 248 "OSSs/OSTs" (docs.nersc.gov/filesystems/cori-scratch), Spider II 7 OSTs per OSS
TARGETS_PER_SERVER = (1, 2, 8)
DRIVE_COUNT = Uncertain("number of drives", 8, 24, 96, JUDGEMENT)
DRIVE_BYTES = Uncertain(
    "capacity of a drive", 3.84e12, 7.68e12, 15.36e12, "capacities of the data sheets above"
)
STATED_RATE = (0.9, 1.0, 1.2)  # a rate on a sheet is rounded, and of one request size
LINKS = {  # share of the line rate that file data get
    "rdma": Uncertain(
        "share of RDMA line rate",
        0.75,
        0.88,
        0.95,
        "InfiniBand with 4 KiB packets: 0.98 less file system's requests",
        most=1,
    ),
    "tcp": Uncertain(
        "share of TCP line rate",
        0.4,
        0.6,
        0.85,
        "NFS with nconnect=16: 70 of 100 Gb/s (E. Potyraj, 2020)",
        most=1,
    ),
}
CLIENT_LINK = Uncertain("line rate of a host", 3.1 * GB, 25 * GB, 50 * GB, "25 to 400 Gb/s")
SERVER_LINK = Uncertain(
    "line rate of a storage server", 12.5 * GB, 50 * GB, 100 * GB, "100 Gb/s to two of 400 Gb/s"
)
SERVER_COUNT = Uncertain("number of storage servers", 2, 4, 8, JUDGEMENT)
HOST_CORES = Uncertain("cores of a host", 32, 64, 128, "one and two sockets of 32 to 64 cores")

# The ten numbers that verification/mlperf_fit.py set from results: eight medians, two widths.
RATE_WIDTH, LOSS_WIDTH = 1.1, 2.0


def _around(name: str, middle: float, width: float, *, most: float = math.inf) -> Uncertain:
    return Uncertain(name, middle / width, middle, min(middle * width, most), RESULTS, most=most)


DELIVERED = {  # share of the drives' summed rate that leaves the storage system
    "local": _around("share of a local drive's rate", 1.0, RATE_WIDTH, most=1),
    "network": _around("share of the drives' rate that servers deliver", 0.85, RATE_WIDTH, most=1),
}
CORE_RATES = {  # bytes per second that one core of a host reads, checks and hands to the program
    "tfrecord": _around("TFRecord bytes that a core reads", 0.27 * GB, RATE_WIDTH),
    "npz": _around("npz bytes that a core reads", 1.5 * GB, RATE_WIDTH),
    "other": Uncertain("bytes that a core reads", 0.1 * GB, 0.4 * GB, 1.5 * GB, JUDGEMENT),
}
STREAM = Uncertain(
    "rate of one reading thread",
    0.5 * GB,
    1.2 * GB,
    2.5 * GB,
    "one NFS connection reads 2 GB/s (NGX, nconnect)",
)
OPEN_SECONDS = Uncertain("time to open a file", 0.1e-3, 0.3e-3, 1e-3, JUDGEMENT)
START_PER_FILE = _around("epoch start per file of the dataset", 3.2e-6, LOSS_WIDTH)
SMOOTHNESS = _around("sharpness of the bend where storage becomes the bottleneck", 20, RATE_WIDTH)
STEP_LOSS = _around("share of a step lost to jitter", 0.035, LOSS_WIDTH, most=1)
STEP_SECONDS = _around("time of the loop and the barrier per step", 0.8e-3, LOSS_WIDTH)
WRITE_SHARE = Uncertain(
    "rate of writes by that of reads", 0.2, 0.4, 0.8, "write and read rates of the data sheets above"
)
FLUSH_SECONDS = Uncertain("time of a flush and a rename", 1e-3, 5e-3, 30e-3, JUDGEMENT)


def core_rate(record_format: str) -> Uncertain:
    return CORE_RATES.get("npz" if record_format == "npy" else record_format, CORE_RATES["other"])
