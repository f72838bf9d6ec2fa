"""How often the coarse rungs over Titan's streams hold the finest one, also on heterogeneous and widened machines.

Usage: python verification/titan_streams.py [cases] [seed]. A rung counts where all validity tests pass.
"""

import sys

import msgspec
import numpy as np

from striate.apps import titan
from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.load import load_cluster
from striate.errors import StriateError
from striate.ladder.stream_subject import StreamSubject

RUNGS = ("macro-rr", "macro-queue", "micro")
WITHIN = 0.5  # how much of the shortest possible time an effect may take to pass a test


def machine(random: np.random.Generator) -> Cluster:
    """`sp2` as it is, with other links and switches, servers of two speeds, or too few nodes."""
    description = load_cluster("sp2").description
    assert description is not None
    node, network, server = description.node[0], description.network, description.server[0]
    if random.random() < 0.5:
        rate = float(random.choice([27e6, 100e6, 400e6]))
        link = msgspec.structs.replace(node.uplink, bandwidth=rate)
        node = msgspec.structs.replace(node, uplink=link)
    if random.random() < 0.5:
        switch = msgspec.structs.replace(network.switch, bandwidth=float(random.choice([60e6, 120e6, 2e9])))
        network = msgspec.structs.replace(network, switch=switch)
    if random.random() < 0.3:
        settings = msgspec.structs.replace(
            description.settings, protocol="interface", io_overlap=bool(random.random() < 0.5)
        )
        description = msgspec.structs.replace(description, settings=settings)
    node = msgspec.structs.replace(node, count=int(random.choice([4, 16, 64])))
    servers = [msgspec.structs.replace(server, count=min(12, node.count))]
    if random.random() < 0.4:
        slow = msgspec.structs.replace(server.disk, rate=float(random.choice([1e6, 1.8e6])))
        half = servers[0].count // 2
        servers = [
            msgspec.structs.replace(server, count=half),
            msgspec.structs.replace(server, count=servers[0].count - half, name="slow", disk=slow),
        ]
    return build(msgspec.structs.replace(description, node=(node,), network=network, server=tuple(servers)))


def stream(random: np.random.Generator) -> titan.BlockFlows:
    left, top = random.uniform(0, 0.6, 2)
    width, height = random.uniform(0.2, 0.4, 2)
    whole = random.random() < 0.5
    return titan.flows(
        volume=int(random.uniform(2e6, 4e7)),
        block=int(random.choice([32_000, 128_000])),
        mesh=[(2, 2), (4, 3), (4, 4), (6, 4)][int(random.integers(4))],
        disks_per_processor=int(random.integers(1, 5)),
        queries=int(random.integers(1, 4)),
        window=(0.0, 0.0, 1.0, 1.0) if whole else (left, top, left + width, top + height),
        reach=float(random.choice([0.0, 0.3])),
        compute_per_block=f"{random.choice([0.1, 2, 10, 40])} ms",
        seed=int(random.integers(100)),
    )


def main() -> int:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    held: dict[str, list[bool]] = {rung: [] for rung in RUNGS}
    widths: dict[str, list[float]] = {rung: [] for rung in RUNGS}
    floors, refused, trusted = 0, 0, 0
    for case in range(cases):
        flows, cluster = stream(random), machine(random)
        try:
            subject = StreamSubject(flows, cluster)
            fine = subject.ask("fine").interval.estimate
        except StriateError as error:
            refused += 1
            print(f"case {case}: {error}", file=sys.stderr)
            continue
        proved = subject.proved()
        assert proved is not None
        floors += bool(proved.broken_by(fine))
        checks = {check.name: check.passed for check in subject.checks(WITHIN)}
        if not checks["contention"] or not (checks["sequential I/O"] or checks["I/O scale"]):
            continue
        trusted += 1
        for rung in RUNGS:
            found = subject.ask(rung).interval
            held[rung].append(found.low * (1 - 1e-9) <= fine <= found.high * (1 + 1e-9))
            widths[rung].append(found.high / max(found.low, 1e-12))
            if not held[rung][-1]:
                print(f"case {case}: {rung} {found}, fine {fine:.4g}", file=sys.stderr)
    print(f"{cases} cases, {refused} refused, {trusted} pass their tests; proved ends broken in {floors}")
    good = floors == 0
    for rung in RUNGS:
        share = float(np.mean(held[rung])) if held[rung] else 1.0
        width = float(np.median(widths[rung])) if widths[rung] else float("nan")
        print(
            f"  {rung}: holds fine in {100 * share:.1f} % of {len(held[rung])}, median high / low {width:.2f}"
        )
        good &= share >= 0.95
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
