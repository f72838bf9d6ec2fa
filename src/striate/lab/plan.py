"""`Plan`: what a practice cluster is made of, checked before anything is started."""

from __future__ import annotations

import os
import re

import msgspec

from striate.errors import LabError

PFS = "/run/pfs"  # where every node of a lab mounts the parallel file system
HEAD = "head"
MOST_HOSTS = 32
_SMALLEST_SHARD = 4 << 20  # GlusterFS takes no smaller ones
_SMALLEST_DISK = 64 << 20
_SLOWEST_LINK = 100_000
_ETHERNET, _TCP_IP = 14, 52  # bytes of headers
_FILE_RATE = 55e6  # bytes per second that GlusterFS moves per CPU; found with 4 hosts that kept 2 CPUs busy
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The truth about a lab, by construction; a rate of 0 means no limit, a shard of 0 whole files."""

    name: str
    hosts: int
    cores: int
    link_bytes_per_second: float
    link_burst_bytes: int
    switch_buffer_bytes: int
    mtu_bytes: int
    servers: int
    disks: int
    disk_bytes: int
    disk_bytes_per_second: float
    disk_requests_per_second: float
    shard_bytes: int

    def __post_init__(self) -> None:
        cpus = len(os.sched_getaffinity(0))
        if not _NAME.fullmatch(self.name):
            raise LabError(f"expected a name of letters, digits, - and _, got {self.name!r}", at="--name")
        _within(self.hosts, 1, MOST_HOSTS, "--hosts")
        _within(self.cores, 1, cpus, "--cores")
        _within(self.servers, 1, self.hosts, "--servers")
        _within(self.disks, 1, 8, "--disks")
        _at_least(self.link_bytes_per_second, _SLOWEST_LINK, "--link", "bytes per second")
        _at_least(self.link_burst_bytes, 1 << 12, "--link-burst", "bytes")
        _at_least(self.switch_buffer_bytes, 1 << 14, "--switch-buffer", "bytes")
        _within(self.mtu_bytes, 576, 65_535, "--mtu")
        _at_least(self.disk_bytes, _SMALLEST_DISK, "--disk-size", "bytes")
        if self.shard_bytes:
            _at_least(self.shard_bytes, _SMALLEST_SHARD, "--shard", "bytes, or 0 for whole files")

    def host_names(self) -> list[str]:
        return [f"h{index}" for index in range(self.hosts)]

    def host(self, name: str) -> int:
        """The index of a host; raises LabError when there is none of that name."""
        if name not in self.host_names():
            raise LabError(
                f"expected a host of the practice cluster (lab) from h0 to h{self.hosts - 1}, got {name!r}"
            )
        return int(name[1:])

    def cpus(self, host: int) -> list[int]:
        """The CPUs of a host: assigned round-robin, so that hosts share CPUs only when there are too few."""
        usable = sorted(os.sched_getaffinity(0))
        return sorted({usable[(host * self.cores + core) % len(usable)] for core in range(self.cores)})

    def address(self, host: int) -> str:
        return f"10.77.0.{host + 1}"

    @property
    def goodput(self) -> float:
        """Payload bytes per second of a link: frames carry headers of Ethernet, IP and TCP with timestamps."""
        return self.link_bytes_per_second * (self.mtu_bytes - _TCP_IP) / (self.mtu_bytes + _ETHERNET)

    @property
    def file_rate(self) -> float:
        """Bytes of files per second that the CPUs of all hosts together can move, about."""
        return _FILE_RATE * min(len(os.sched_getaffinity(0)), self.hosts * self.cores)

    @property
    def outruns_cpus(self) -> bool:
        """Whether links in use together pass more than the CPUs can move: times of files are then the CPUs'."""
        return self.hosts * self.goodput > self.file_rate

    def head_address(self) -> str:
        return "10.77.0.254"

    def disks_of(self, host: int) -> range:
        """The positions of a host's disks among all disks of the lab."""
        return range(host * self.disks, (host + 1) * self.disks) if host < self.servers else range(0)


def _within(value: int, least: int, most: int, option: str) -> None:
    if not least <= value <= most:
        raise LabError(f"expected a number from {least} to {most}, got {value}", at=option)


def _at_least(value: float, least: float, option: str, unit: str) -> None:
    if not value >= least:
        raise LabError(f"expected at least {least:g} {unit}, got {value:g}", at=option)
