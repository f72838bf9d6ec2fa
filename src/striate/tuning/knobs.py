"""The knobs that any program and machine have: how files are cut, who aggregates, where ranks run.

A program that takes a knob of the same name as a parameter of its own gets the value instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast, get_args

import msgspec

from striate import units
from striate.cluster.cluster import Cluster, DomainKind, PlacementKind
from striate.cluster.description.quantities import PieceBytes
from striate.collectives.choice import Rule
from striate.collectives.registry import NO_MAKERS, Makers
from striate.errors import TuningError, WorkloadError
from striate.layout import GroupedBlocks, Layout, SimpleStripe, VarStrip, parse
from striate.tuning.space import Value
from striate.workload.collective_io import NODES, CollectiveMethod, parse_aggregators
from striate.workload.kinds import ACCESSES
from striate.workload.walk import lines
from striate.workload.workload import Workload

KNOBS = {
    "servers": "how many I/O servers a file is spread over",
    "unit": "the striping unit",
    "layout": 'a layout, such as "simple:4:1MiB"',
    "strips": 'variable strips, such as "0:200KB;1:4MB"',
    "group_factor": "number of blocks that each rank's part of a file is divided into",
    "aggregators": 'ranks that do the I/O of a collective call, evenly spread; "stripes x 4": 4 per stripe',
    "buffer": "bytes an aggregator handles in one round",
    "domains": '"contiguous", "cyclic" or "equal": each aggregator has a contiguous part of the file aligned to '
    "stripes, stripes round-robin, or an equal part",
    "placement": '"block" or "round-robin": how ranks are placed on nodes',
    "collectives": 'rules for collectives, such as "alltoall=bruck", joined by semicolons',
}
_LAYOUTS = ("layout", "strips", "group_factor")
_AGGREGATION = ("aggregators", "buffer", "domains")


def turn(settings: Mapping[str, Value], workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster]:
    """Program and machine with the knobs turned; raises TuningError at a value that a knob does not have."""
    given = dict(settings)
    if "placement" in given:
        cluster = _placed(cluster, given["placement"])
    chosen = _layout(given, workload, cluster)
    if isinstance(chosen, int):
        cluster = _with_settings(cluster, stripe_unit=PieceBytes.read(chosen))
    elif chosen is not None:
        names = {file.name for application in workload.applications for file in application.files}
        workload = workload.with_layouts(dict.fromkeys(names, chosen))
    if any(name in given for name in _AGGREGATION):
        workload = _aggregated(given, workload)
    return workload, cluster


def collective_rules(settings: Mapping[str, Value], more: Makers = NO_MAKERS) -> list[Rule]:
    """What the knob `collectives` says; raises PredictionError at an algorithm that is none, of `more` neither."""
    text = str(settings.get("collectives", ""))
    return [Rule.parse(part, more) for part in text.split(";") if part.strip()]


def _layout(given: Mapping[str, Value], workload: Workload, cluster: Cluster) -> Layout | int | None:
    """The layout that the knobs ask for; a number is another unit of the cluster's own stripe."""
    named = [name for name in _LAYOUTS if name in given]
    if len(named) > 1:
        raise TuningError(
            f"expected only one layout setting among {', '.join(_LAYOUTS)}, got several: {' and '.join(named)}"
        )
    servers = _servers(given.get("servers", len(cluster.servers)), cluster)
    unit = units.size(given.get("unit", int(cluster.settings.stripe_unit)))
    if "layout" in given:
        return parse(str(given["layout"]))
    if "strips" in given:
        return VarStrip(str(given["strips"]))
    if "group_factor" in given:
        return GroupedBlocks(servers, _domain(workload), _whole(given["group_factor"], "group_factor"))
    if "servers" in given and servers < len(cluster.servers):
        return SimpleStripe(servers, unit)
    return unit if "unit" in given else None


def _servers(value: Value, cluster: Cluster) -> int:
    servers = _whole(value, "servers")
    if not 1 <= servers <= len(cluster.servers):
        raise TuningError(
            f"expected 1 to {len(cluster.servers)} (servers of the cluster) as the setting servers, got {servers}"
        )
    return servers


def _whole(value: Value, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TuningError(f"expected a whole number as the setting {name}, got {value!r:.60}")
    return value


def _domain(workload: Workload) -> int:
    """The largest part of a file that a rank accesses in one call: what a group factor cuts."""
    largest = 0
    for application in workload.applications:
        for line in lines(application, kinds=ACCESSES):
            largest = max(largest, int((line.column("bytes") * line.column("count")).max()))
    return max(largest, 1)


def _placed(cluster: Cluster, value: Value) -> Cluster:
    known = [kind for kind in get_args(PlacementKind) if kind != "explicit"]
    if value not in known:
        raise TuningError(f"expected a placement of ranks among {', '.join(known)}, got {value!r:.60}")
    return replace(cluster, placement=cast(PlacementKind, value))


def _with_settings(cluster: Cluster, **changes: Any) -> Cluster:
    return replace(cluster, settings=msgspec.structs.replace(cluster.settings, **changes))


def _aggregated(given: Mapping[str, Value], workload: Workload) -> Workload:
    """Collective access to all files in two phases: one aggregator per node, unless told otherwise."""
    count, per_stripe = _aggregators(given["aggregators"]) if "aggregators" in given else (NODES, 0)
    buffer = units.size(given["buffer"]) if "buffer" in given else None
    domains = given.get("domains")
    if domains is not None and domains not in get_args(DomainKind):
        raise TuningError(
            f"expected the setting domains to be one of {', '.join(get_args(DomainKind))}, got {domains!r:.60}"
        )
    method = str(CollectiveMethod("two-phase", count, buffer, per_stripe, cast(DomainKind | None, domains)))
    names = {file.name for application in workload.applications for file in application.files}
    return workload.with_collective(dict.fromkeys(names, method))


def _aggregators(value: Value) -> tuple[int, int]:
    """A number of ranks, or how many per stripe of a file."""
    if isinstance(value, str):
        try:
            return parse_aggregators(value)
        except WorkloadError as error:
            raise TuningError(error.message) from None
    if (count := _whole(value, "aggregators")) < 1:
        raise TuningError(f"expected at least 1 aggregator, got {count}")
    return count, 0
