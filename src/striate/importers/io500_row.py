"""A row of the IO500 list (a CSV file of io500.org) as a StorageSystem: clients, data servers, links and drives."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from striate.csv_table import CsvLine, read_csv
from striate.errors import ClusterError
from striate.importers.sheet_values import SheetReader
from striate.training.system import StorageSystem

_PREFIX = re.compile("information__?")


def from_file(path: Path, name: str = "") -> StorageSystem:
    """The system of the row whose name, institution or id holds `name`, or of the only one; raises ClusterError."""
    header, lines = read_csv(path, kind=ClusterError)
    if not any(_PREFIX.match(column) for column in header):
        raise ClusterError(
            "expected a table with columns of the IO500 list, such as information_ds_nodes, found no such column",
            source=str(path),
        )
    rows = [
        (line, {_PREFIX.sub("", key, count=1): cell for key, cell in line.cells.items()}) for line in lines
    ]
    fitting = [(line, row) for line, row in rows if name.lower() in _names(row).lower()]
    if len(fitting) != 1:
        known = "; ".join(_names(row) for _, row in (fitting or rows)[:4])
        found = f"{name!r:.60} for {len(fitting)} rows" if name else f"no NAME for {len(rows)} rows"
        raise ClusterError(
            f"expected io500:FILE#NAME with a NAME that selects one row, got {found}: {known:.200}",
            source=str(path),
        )
    return _system(*fitting[0], str(path))


def _names(row: dict[str, str]) -> str:
    found = (row.get(key, "") for key in ("system", "institution", "filesystem_name", "id"))
    return " ".join(one for one in found if one)


def _system(line: CsvLine, row: dict[str, str], source: str) -> StorageSystem:
    reader, at = SheetReader(source), line.at
    each, sockets = (reader.count(row, f"client_{key}", at) for key in ("cores_per_socket", "sockets"))
    servers = reader.count(row, "ds_nodes", at) or None
    drives, of_media = _drives(reader, row, at)
    columns = [
        f"ds_{media}_{what}" for media in ("media_primary", "storage") for what in ("interface", "type")
    ]
    system = StorageSystem(
        name=row.get("system") or "IO500",
        hosts=reader.count(row, "client_nodes", at) or None,
        host_memory=_memory(reader, row, at),
        host_cores=each * (sockets or 1) if each else None,
        host_link=_link(reader, row, "client", at),
        drives=drives * servers if drives and servers else None,
        drive_kind=_kind(" ".join(row.get(column, "") for column in columns).lower()),
        servers=servers,
        server_link=_link(reader, row, "ds", at),
        local=False,
        rdma=_rdma(row),
    )
    notes = [f"{line.at} of the IO500 list"]
    if drives and not of_media:
        notes.append("ds_storage_devices was read as those of one server")
    return replace(system, notes=(*notes, *reader.notes))


def _drives(reader: SheetReader, row: dict[str, str], at: str) -> tuple[int | None, bool]:
    """Drives of one server, and whether the newer column says so."""
    newer = reader.count(row, "ds_media_primary_count", at)
    return (newer, True) if newer else (reader.count(row, "ds_storage_devices", at), False)


def _memory(reader: SheetReader, row: dict[str, str], at: str) -> float | None:
    """The list writes a number and its unit; without one it is GiB."""
    return reader.capacity({"capacity_GiB": row.get("client_volatile_memory_capacity")}, at)


def _link(reader: SheetReader, row: dict[str, str], side: str, at: str) -> float | None:
    key = f"{side}_interconnect_bandwidth"
    text = row.get(key, "")
    if re.search(r"[0-9]\s*[GM]i?B(/s|ps)?$", text):  # bytes, where the case of B says so
        rate = reader.drive_rate(row, key, at)
    else:
        rate = reader.bit_rate(row, key, at)
    links = reader.count(row, f"{side}_interconnect_links", at, default=1) or 1
    return rate * links if rate else None


def _rdma(row: dict[str, str]) -> bool | None:
    said = row.get("client_interconnect_rdma", "").lower()
    kind = f"{row.get('client_interconnect_type', '')} {row.get('ds_network', '')}".lower()
    if said in ("1", "true", "yes") or re.search("infiniband|omni|slingshot|roce|hdr|edr|ndr", kind):
        return True
    return False if said in ("0", "false", "no") and "ethernet" in kind else None


def _kind(said: str) -> str | None:
    kinds = {
        "nvme": "nvme",
        "pcie": "nvme",
        "hdd": "hdd",
        "sata": "sata",
        "sas": "sas",
        "ssd": "ssd",
        "flash": "ssd",
    }
    return next((kind for word, kind in kinds.items() if word in said), None)
