"""What a fit to a table says in the words of a cluster description, and what the description has no number for."""

from __future__ import annotations

from collections.abc import Callable

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.description.measured import value_at
from striate.cluster.description.tables import Description
from striate.cluster.storage import FlashDisk
from striate.errors import ClusterError
from striate.interval import Interval
from striate.probe.refine import Refined, Refinement, with_refinement
from striate.rates.fit import FittedNumber, RateFit
from striate.rates.terms import GIB

Key = tuple[str, float]  # a path in the description, and the share of the rate that stands there


def described(cluster: Cluster, fit: RateFit) -> Refined:
    """The description with the numbers that the table determines; raises ClusterError for a machine without one."""
    if cluster.description is None:
        raise ClusterError(
            "this cluster was not loaded from a description, so a table of rates cannot refine its numbers"
        )
    description, refinements, undetermined = cluster.description, list[Refinement](), list[str]()
    for number in fit.found():
        place = _PLACES.get(number.prior.name)
        key = place(description) if place is not None else None
        if not number.determined:
            undetermined.append(f"{number.prior.name} ({number.prior.what}): the table does not narrow it")
        elif place is not None and key is None:
            undetermined.append(f"{number.prior.name}: the description has no number for it")
        elif key is not None:
            refinements.append(_refinement(description, number, *key, samples=len(fit.rows)))
            description = with_refinement(description, refinements[-1])
    return Refined(build(description), tuple(refinements), tuple(undetermined), ())


def _process(description: Description) -> Key:
    return "node[0].nic.bandwidth", 1.0


def _client(description: Description) -> Key | None:
    """The forwarder on every node, which is its Lustre client; what comes in goes out through the same interface."""
    if not description.forwarder:
        return None
    client, nodes = description.forwarder[0], sum(table.count for table in description.node)
    everywhere = client.on == "nodes" and client.count == nodes and client.nic is not None
    return ("forwarder[0].nic.bandwidth", 2.0) if everywhere else None


def _target(description: Description) -> Key | None:
    """The write rate of one of the disks of one server."""
    if not description.server:
        return None
    server = description.server[0]
    disk = "server[0].disk[0]" if isinstance(server.disk, tuple) else "server[0].disk"
    name = "write_rate" if isinstance(server.all_disks()[0], FlashDisk) else "rate"
    return f"{disk}.{name}", 1 / max(len(server.all_disks()) - (server.raid == 5), 1)


_PLACES: dict[str, Callable[[Description], Key | None]] = {
    "process_rate": _process,
    "client_rate": _client,
    "target_rate": _target,
}


def _refinement(
    description: Description, number: FittedNumber, key: str, share: float, *, samples: int
) -> Refinement:
    ends = (end * GIB * share for end in (number.value.low, number.value.estimate, number.value.high))
    how = f"a table of rates: the rate {number.prior.what}"
    return Refinement(key, float(value_at(description, key)), Interval(*ends), samples, how)
