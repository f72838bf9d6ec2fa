"""`StorageSystem`: hosts, links, servers and drives as far as a sheet says them, and ranges for the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

from striate.training import kinds
from striate.training.uncertain import Uncertain, exactly


@dataclass(frozen=True, slots=True)
class StorageSystem:
    """What reads pass: drives, servers' links, hosts' links, hosts' cores. None: the sheet does not say it.

    Rates are bytes per second at the line or as the drives' maker states them. `notes` say what was read in a way that
    the sheet's own schema does not foresee, such as MB/s where it wants GiB/s.
    """

    name: str
    hosts: int | None = None
    host_memory: float | None = None
    host_cores: int | None = None
    host_link: float | None = None  # of one host, all ports together
    drives: int | None = None
    drive_kind: str | None = None  # a key of kinds.DRIVES
    drive_rate: float | None = None
    drive_write_rate: float | None = None
    raw_capacity: float | None = None
    servers: int | None = None
    server_link: float | None = None  # of one server, all ports together
    local: bool = False  # the drives are in the hosts themselves
    rdma: bool | None = None
    described: bool = False  # rates are those that programs get, as a cluster description gives them
    notes: tuple[str, ...] = ()

    def missing(self) -> tuple[str, ...]:
        """What a forecast wants and the sheet does not say."""
        wanted = {
            "host_memory": "memory of a host",
            "host_cores": "cores of a host",
            "drive_rate": "read rate of a drive",
        }
        if not self.local:
            wanted |= {
                "host_link": "link of a host",
                "server_link": "links of the storage servers",
                "servers": "number of storage servers",
                "drives": "number of drives",
                "rdma": "protocol between hosts and servers",
            }
        return tuple(name for field, name in wanted.items() if getattr(self, field) is None)


@dataclass(frozen=True, slots=True)
class Rates:
    """Every number that the time of a job hangs on, as a range; those that do not bind are None."""

    drive_rate: Uncertain
    drive_count: Uncertain
    delivered: Uncertain
    core_rate: Uncertain
    cores: Uncertain
    stream: Uncertain
    open_seconds: Uncertain
    start_per_file: Uncertain
    smoothness: Uncertain
    step_loss: Uncertain
    step_seconds: Uncertain
    write_share: Uncertain
    flush_seconds: Uncertain
    host_link: Uncertain | None
    link_share: Uncertain | None
    server_link: Uncertain | None
    servers: Uncertain | None

    def listed(self) -> list[tuple[str, Uncertain]]:
        """The field of every number that is there, and the number."""
        pairs = ((name, getattr(self, name)) for name in self.__slots__)
        return [(name, number) for name, number in pairs if number is not None]


def rates_of(system: StorageSystem, record_format: str) -> Rates:
    """Ranges for all numbers: what the sheet states, and the table of kinds for the rest."""
    remote = not system.local
    return Rates(
        drive_rate=_drive_rate(system),
        drive_count=_drive_count(system),
        delivered=_delivered(system),
        core_rate=kinds.core_rate(record_format),
        cores=_stated(system.host_cores, "cores of a host", kinds.HOST_CORES),
        stream=kinds.STREAM,
        open_seconds=kinds.OPEN_SECONDS,
        start_per_file=kinds.START_PER_FILE,
        smoothness=kinds.SMOOTHNESS,
        step_loss=kinds.STEP_LOSS,
        step_seconds=kinds.STEP_SECONDS,
        write_share=kinds.WRITE_SHARE,
        flush_seconds=kinds.FLUSH_SECONDS,
        host_link=_stated(system.host_link, "line rate of a host", kinds.CLIENT_LINK) if remote else None,
        link_share=_link_share(system) if remote else None,
        server_link=_stated(system.server_link, "line rate of a storage server", kinds.SERVER_LINK)
        if remote
        else None,
        servers=_stated(system.servers, "number of storage servers", _server_count(system))
        if remote
        else None,
    )


def _server_count(system: StorageSystem) -> Uncertain:
    """Where targets are counted and servers are not, so many targets stand behind one."""
    if system.drive_kind != kinds.TARGET or system.drives is None:
        return kinds.SERVER_COUNT
    least, usual, most = (max(1.0, system.drives / each) for each in reversed(kinds.TARGETS_PER_SERVER))
    return Uncertain(
        "number of storage servers", least, usual, most, "1 to 8 targets on a server (Cori, Spider II)"
    )


def _stated(value: float | None, name: str, kind: Uncertain) -> Uncertain:
    return exactly(name, value, "the sheet") if value is not None else kind


def _drive_rate(system: StorageSystem) -> Uncertain:
    if system.drive_rate is None:
        return kinds.DRIVES[system.drive_kind or "nvme"]
    if system.described:
        return exactly("read rate of a drive", system.drive_rate, "the description")
    low, middle, high = (factor * system.drive_rate for factor in kinds.STATED_RATE)
    return Uncertain("read rate of a drive", low, middle, high, "the sheet, rounded", stated=True)


def _drive_count(system: StorageSystem) -> Uncertain:
    if system.drives is not None:
        return exactly("number of drives", system.drives, "the sheet")
    if system.raw_capacity is None:
        return kinds.DRIVE_COUNT
    sizes = kinds.DRIVE_BYTES
    low, middle, high = (max(1.0, system.raw_capacity / one) for one in (sizes.high, sizes.middle, sizes.low))
    return Uncertain("number of drives", low, middle, high, "raw capacity divided by the capacity of a drive")


def _delivered(system: StorageSystem) -> Uncertain:
    if system.described:
        return exactly("share of the drives' rate that servers deliver", 1, "the description")
    return kinds.DELIVERED["local" if system.local else "network"]


def _link_share(system: StorageSystem) -> Uncertain:
    if system.described:
        return exactly("share of the line rate", 1, "the description")
    if system.rdma is not None:
        return kinds.LINKS["rdma" if system.rdma else "tcp"]
    low, high = kinds.LINKS["tcp"], kinds.LINKS["rdma"]
    middle = (low.middle * high.middle) ** 0.5
    return replace(
        high, name="share of the line rate", low=low.low, middle=middle, source=f"{low.source}; {high.source}"
    )
