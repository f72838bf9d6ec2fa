"""MLPerf Storage's sheet of a system (systems/NAME.json of a submission) as a StorageSystem.

The schema is that of MLPerf Storage v1.0. Sheets of real submissions depart from it: units, lists of all nodes under
`benchmark_hosts`, storage nodes that are left out, commas too many. What can only have meant one thing is read so, with
a note; what makes no sense is refused with its path. The shorter form that the submission guidelines of v0.5 and v1.0
recommend (`host_node`, `storage_system`, `host_to_storage_interconnect`) is read, too.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from striate.errors import ClusterError
from striate.importers.sheet_values import GIB, SheetReader
from striate.importers.system_name import from_name
from striate.importers.yaml_text import read_yaml
from striate.limits import read_small_text
from striate.training.system import StorageSystem

_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(\s*[}\]])')  # a text without end is passed over at once
_MEMORY_OPTION = re.compile(r"\bmem=([0-9]{1,6})G\b", re.ASCII)
_OTHER_USE = re.compile(r"\bOS\b|operating system|\bboot|\blog\b|\bmetadata\b", re.IGNORECASE)
_DATA_USE = re.compile(r"(?<!meta)data|under test|capacity|storage|cache", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Drives:
    """The drives of one node that hold data."""

    count: int = 0
    kind: str | None = None
    rate: float | None = None
    write_rate: float | None = None
    capacity: float = 0.0
    said: bool = False  # the sheet says that they hold data


@dataclass(frozen=True, slots=True)
class NodeKind:
    """A kind of node as the sheet describes it."""

    name: str
    cores: int | None
    memory: float | None
    link: float | None
    protocols: str
    accelerators: bool
    drives: Drives


def from_file(path: Path, *, lenient: bool = False) -> StorageSystem:
    """The system of a sheet, JSON or YAML; raises ClusterError with the path of the mistake.

    `lenient`: numbers that make no sense are left open, with a note, where the rest of the sheet can be read.
    """
    text = read_small_text(path, kind=ClusterError, other_bytes="replace")
    reader = SheetReader(str(path), lenient=lenient)
    if path.suffix.lower() in (".yaml", ".yml"):
        document = read_yaml(text, source=str(path), error=ClusterError)
    else:
        document = _json(text, reader)
    return from_document(document, reader, name=path.stem)


def from_document(document: Any, reader: SheetReader, *, name: str) -> StorageSystem:
    """The system that a decoded sheet describes; what it leaves out and its name tells is taken from the name."""
    sheet = reader.mapping(document, "$")
    if "nodes" not in sheet and "host_node" in sheet:
        return _recommended(sheet, reader, name=name)
    if "nodes" not in sheet:
        raise reader.refuse(
            "expected a system description of MLPerf Storage v1.0 with the key `nodes`, found no such key",
            "$",
        )
    networks = {
        reader.text(one, "network_name", at): (one, at) for one, at in reader.items(sheet, "networks", "$")
    }
    nodes = [_node(reader, *one, networks) for one in reader.items(sheet, "nodes", "$")]
    if not nodes:
        raise reader.refuse("expected at least one node", "$.nodes")
    used = Counter(
        reader.text(one, "node_type_name", at).lower()
        for one, at in reader.items(sheet, "benchmark_hosts", "$")
    )
    hosts = _hosts(nodes, used)
    storage = reader.mapping(sheet.get("storage_system") or {}, "$.storage_system")
    servers = [node for node in nodes if node not in hosts]
    raw = reader.capacity(storage, "$.storage_system", "raw_capacity")
    count = sum(used[node.name.lower()] for node in hosts)
    own = _holds_the_data(hosts[0], servers, count, raw)
    local = own and (count <= 1 or not hosts[0].link)
    if own and not local:
        servers = [*servers, hosts[0]]
    found = StorageSystem(
        name=name,
        hosts=count or None,
        host_memory=hosts[0].memory,
        host_cores=hosts[0].cores,
        host_link=hosts[0].link,
        raw_capacity=raw,
        local=local,
        rdma=None if local else _is_rdma(hosts[0].protocols),
    )
    found = (
        _with_drives(found, hosts[0].drives, 1)
        if local
        else _with_servers(found, servers, used, reader, storage)
    )
    return _with_name(found, reader)


def _with_name(found: StorageSystem, reader: SheetReader) -> StorageSystem:
    """The system with what its name tells and the sheet does not."""
    named = from_name(found.name)
    told: tuple[str, ...] = () if found.local else ("drives", "drive_kind", "servers", "server_link")
    if found.server_link is not None or found.servers is not None:
        told = tuple(field for field in told if field not in ("servers", "server_link"))
    extra = {field: getattr(named, field) for field in told if getattr(found, field) is None}
    said = [field.replace("_", " ") for field, value in extra.items() if value is not None]
    if said:
        reader.notes.append(f"{', '.join(said)}: from the name of the sheet")
    return replace(found, **extra, notes=tuple(reader.notes))


def _recommended(sheet: dict[str, Any], reader: SheetReader, *, name: str) -> StorageSystem:
    """The system of a sheet as the guidelines recommend it: totals of the storage system, and one kind of host."""
    host = reader.mapping(sheet["host_node"], "$.host_node")
    storage = reader.mapping(sheet.get("storage_system") or {}, "$.storage_system")
    links = reader.items(sheet, "host_to_storage_interconnect", "$")
    said = " ".join(str(link.get("interconnect_type", "")) for link, _ in links).lower()
    local = bool(re.search("local", str(storage.get("type", "")), re.IGNORECASE) or "pcie" in said)
    rates = [reader.bit_rate(link, "link_speed_gigabits_per_second", at) for link, at in links]
    memory = reader.number(host, "memory_capacity_gigabytes", "$.host_node")
    rdma = " ".join(str(link.get("rdma_enabled", "")) for link, _ in links).lower()
    found = StorageSystem(
        name=name,
        hosts=reader.count(host, "node_count", "$.host_node") or None,
        host_memory=memory[0] * 1e9 if memory and memory[0] else None,
        host_cores=reader.count(host, "cpu_core_count", "$.host_node") or None,
        host_link=None if local else sum(rate or 0.0 for rate in rates) or None,
        raw_capacity=reader.capacity(storage, "$.storage_system", "total_storage_capacity"),
        local=local,
        rdma=None if local or not rdma.strip() else bool(re.search("yes|true", rdma)),
    )
    return _with_name(_with_hardware(found, reader, storage), reader)


def _with_hardware(system: StorageSystem, reader: SheetReader, storage: dict[str, Any]) -> StorageSystem:
    """The system with its drives; the rate of one is its share of what the whole system is said to read or write."""
    count, kind = 0, ""
    for part, at in reader.items(storage, "hardware", "$.storage_system"):
        if (key := next((one for one in ("Count", "count") if one in part), None)) is not None:
            count += reader.count(part, key, at) or 0
            kind = kind or _kind({"interface": part.get("protocol", ""), "drive_type": part.get("type", "")})
    if not count:
        return system
    whole = [
        reader.number(storage, f"total_{direction}_bandwidth_sequential_GB_per_sec", "$.storage_system")
        for direction in ("read", "write")
    ]
    each = [one[0] * 1e9 / count if one and one[0] else None for one in whole]
    return replace(system, drives=count, drive_kind=kind, drive_rate=each[0], drive_write_rate=each[1])


def _json(text: str, reader: SheetReader) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as first:
        without = _COMMA.sub(lambda match: match[1] or match[2], text)
        try:
            document = json.loads(without)
        except (ValueError, RecursionError):
            at = (
                f"line {first.lineno}, column {first.colno}"
                if isinstance(first, json.JSONDecodeError)
                else None
            )
            deep = "nested too deeply" if isinstance(first, RecursionError) else "a number of too many digits"
            said = first.msg if isinstance(first, json.JSONDecodeError) else deep
            raise ClusterError(f"not JSON: {said}", at=at, source=reader.source) from None
        reader.notes.append("trailing commas were ignored")
        return document


def _holds_the_data(host: NodeKind, servers: list[NodeKind], count: int, raw: float | None) -> bool:
    """Whether the data are on the drives of the hosts: nobody else has any, and they are not far too small.

    Drives of a host with links are taken for its own (operating system, scratch) unless their purpose says otherwise.
    """
    if not host.drives.count or any(node.drives.count for node in servers):
        return False
    if host.link and not host.drives.said:
        return False
    return not raw or not host.drives.capacity or max(count, 1) * host.drives.capacity > raw / 2


Networks = dict[str, tuple[dict[str, Any], str]]  # by name: what the sheet says of it, and where


def _node(reader: SheetReader, node: dict[str, Any], at: str, networks: Networks) -> NodeKind:
    name = reader.text(node, "node_type_name", at)
    if not name:
        reader.leave_open("expected the name of this type of node", f"{at}.node_type_name")
    cpu = reader.mapping(node.get("CPU") or {}, f"{at}.CPU")
    each = reader.count(cpu, "cores_per_socket", f"{at}.CPU")
    sockets = reader.count(cpu, "socket_count", f"{at}.CPU", default=1) or 1
    memory = reader.memory(reader.mapping(node.get("DRAM") or {}, f"{at}.DRAM"), f"{at}.DRAM")
    limit = _MEMORY_OPTION.search(str(node.get("config_options") or ""))
    if limit:
        memory = min(memory or math.inf, int(limit[1]) * GIB) or None
    return NodeKind(
        name=name,
        cores=each * sockets if each else None,
        memory=memory,
        link=_link(reader, node, at, networks),
        protocols=_protocols(reader, node, at, networks),
        accelerators=bool(reader.items(node, "accelerators", at)),
        drives=_drives(reader, node, at),
    )


def _link(reader: SheetReader, node: dict[str, Any], at: str, networks: Networks) -> float | None:
    """Bytes per second of all ports but those for management; a port without a rate has that of its network."""
    total = 0.0
    for port, where in reader.items(node, "nic_ports", at):
        name = reader.text(port, "network_name", where)
        if re.search("manag|ipmi|bmc", name, re.IGNORECASE):
            continue
        rate = reader.bit_rate(port, "bitrate", where)
        if rate is None and name in networks:
            network, place = networks[name]
            rate = reader.bit_rate(network, "bitrate", place)
        total += (rate or 0.0) * (reader.count(port, "count_of_this_type", where, default=1) or 0)
    return total or None


def _protocols(reader: SheetReader, node: dict[str, Any], at: str, networks: Networks) -> str:
    """What is spoken on the ports of a node, in one text; where ports do not say it, what their networks say."""
    ports = [port for port, _ in reader.items(node, "nic_ports", at)]
    said = [port["protocols"] for port in ports if port.get("protocols")]
    if not said:
        on = [networks[name][0] for port in ports if (name := str(port.get("network_name"))) in networks]
        said = [[network.get("protocols"), network.get("network_type")] for network in on]
    return json.dumps(said).lower()


def _drives(reader: SheetReader, node: dict[str, Any], at: str) -> Drives:
    """The largest set of drives that hold data."""
    found = Drives()
    for drive, where in reader.items(node, "drives", at):
        purpose = drive.get("purpose")
        use = " ".join(map(str, purpose if isinstance(purpose, list) else [purpose or "data"]))
        if _OTHER_USE.search(use) and not _DATA_USE.search(use):
            continue
        count = reader.count(drive, "count_of_this_type", where, default=1) or 0
        size = count * (reader.capacity(drive, where) or 0.0)
        if count and size >= found.capacity:
            performance = reader.mapping(drive.get("performance") or {}, f"{where}.performance")
            rates = [
                _peak(reader, performance, f"{direction}_bandwidth", f"{where}.performance")
                for direction in ("read", "write")
            ]
            found = Drives(
                count, _kind(drive), rates[0], rates[1], size, bool(_DATA_USE.search(use) and purpose)
            )
    return found


def _peak(reader: SheetReader, performance: dict[str, Any], key: str, at: str) -> float | None:
    inner = reader.mapping(performance.get(key) or {}, f"{at}.{key}")
    return reader.drive_rate(inner, "peak_bandwidth", f"{at}.{key}")


def _kind(drive: dict[str, Any]) -> str:
    said = " ".join(str(drive.get(key, "")) for key in ("interface", "drive_type")).lower()
    if re.search("hdd|hard disk", said):
        return "hdd"
    kinds = {"nvme": "nvme", "pcie": "nvme", "sata": "sata", "sas": "sas"}
    return next((kind for word, kind in kinds.items() if word in said), "ssd")


def _hosts(nodes: list[NodeKind], used: Counter[str]) -> list[NodeKind]:
    """The kind of node that runs the benchmark: of those listed, one with accelerators, else without data drives."""
    listed = [node for node in nodes if used[node.name.lower()]] or nodes
    with_accelerators = [node for node in listed if node.accelerators]
    if with_accelerators:
        return with_accelerators[:1]
    named = [node for node in listed if re.search("client|host", node.name, re.IGNORECASE)]
    plain = [node for node in listed if not node.drives.count]
    return (named or plain or listed)[:1]


def _is_rdma(protocols: str) -> bool | None:
    if re.search(r"rdma|infiniband|\bib\b|roce|dpdk|weka|lustre|o2ib", protocols):
        return True
    return False if re.search(r"tcp|nfs|smb|nvme-of|iscsi|http|s3|ip", protocols) else None


def _with_drives(system: StorageSystem, drives: Drives, nodes: int) -> StorageSystem:
    if not drives.count:
        return system
    return replace(
        system,
        drives=drives.count * nodes,
        drive_kind=drives.kind,
        drive_rate=drives.rate,
        drive_write_rate=drives.write_rate,
    )


def _with_servers(
    system: StorageSystem,
    servers: list[NodeKind],
    used: Counter[str],
    reader: SheetReader,
    storage: dict[str, Any],
) -> StorageSystem:
    """The system with its storage nodes: those with data drives, else those with links that software runs on."""
    holders = [node for node in servers if node.drives.count] or [node for node in servers if node.link]
    counts = _counts(holders, used, system.raw_capacity, _running(reader, storage))
    number = sum(counts)
    if holders and number:
        total = sum(count * (node.link or 0.0) for node, count in zip(holders, counts, strict=True))
        system = replace(system, servers=number, server_link=total / number or None)
        drives = [node.drives for node in holders if node.drives.count]
        if drives:
            whole = sum(count * node.drives.count for node, count in zip(holders, counts, strict=True))
            system = replace(_with_drives(system, drives[0], 1), drives=whole)
    return _with_components(system, reader, storage)


def _counts(
    holders: list[NodeKind], used: Counter[str], raw_capacity: float | None, running: Counter[str]
) -> list[int]:
    """How many nodes of each kind: as listed, else as the raw capacity wants, else as software is said to run on."""
    listed = [used[node.name.lower()] for node in holders]
    if any(listed):
        return listed
    capacity = sum(node.drives.capacity for node in holders)
    if capacity and raw_capacity:
        return [max(1, round(raw_capacity / capacity))] * len(holders)
    return [max(1, running[node.name.lower()]) for node in holders]


def _running(reader: SheetReader, storage: dict[str, Any]) -> Counter[str]:
    """How many components of the storage software run on each kind of node."""
    found: Counter[str] = Counter()
    for component, _ in reader.items(storage, "software_components", "$.storage_system"):
        kinds = component.get("runnable_node_type_name")
        found.update(str(kind).lower() for kind in (kinds if isinstance(kinds, list) else []))
    return found


def _with_components(system: StorageSystem, reader: SheetReader, storage: dict[str, Any]) -> StorageSystem:
    """Drives that the sheet lists as components of an appliance."""
    for part, at in reader.items(storage, "hardware_components", "$.storage_system"):
        name = f"{part.get('component_name', '')} {part.get('type', '')}".lower()
        if system.drives is None and re.search("drive|ssd|disk", name):
            kind = "nvme" if "nvme" in str(part.get("protocol", "")).lower() else None
            system = replace(system, drives=reader.count(part, "count", at) or None, drive_kind=kind)
    return system
