"""Probe labs of known rates and lay what was found beside what was built; four labs take about ten minutes.

    python verification/lab_probe.py [BUDGET [LAB...]]

Prints one row per lab and fact, with the machine's load when it was measured: on a busy machine rates come out low.
A link's payload is at most 1448 of every 1514 bytes that its limit counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from striate.cluster import load_cluster

# Where the machine is busy, a link with short bursts loses rate whenever its timer is late; see the guide.
LABS = {
    "slow": ("--hosts=3", "--link=160 Mbit/s", "--disk-rate=10 MB/s"),
    "usual": ("--hosts=4", "--link=400 Mbit/s", "--disk-rate=20 MB/s"),
    "usual, long bursts": ("--hosts=4", "--link=400 Mbit/s", "--link-burst=256 KiB", "--disk-rate=20 MB/s"),
    "few servers": ("--hosts=4", "--servers=2", "--link=240 Mbit/s", "--disk-rate=16 MB/s", "--shard=8 MiB"),
}


def striate(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "striate", *words], check=True, stdout=subprocess.DEVNULL)


def facts(path: Path) -> dict[str, float]:
    """What is compared, of a description."""
    found = load_cluster(path).description
    assert found is not None
    (node,), (server,) = found.node, found.server
    assert node.uplink is not None
    return {
        "hosts": node.count,
        "link, B/s": float(node.uplink.bandwidth),
        "servers": server.count,
        "disk, B/s": float(server.disk.rate),  # type: ignore[union-attr]
        "shard, B": found.settings.stripe_unit,
    }


def compare(options: tuple[str, ...], budget: str, place: Path) -> dict[str, tuple[float, float]]:
    """(built, found) of every fact of one lab."""
    name = f"probe-{os.getpid()}"
    hosts = options[0].partition("=")[2]
    striate("lab", "up", "--name", name, *options)
    try:
        striate("lab", "describe", "--name", name, "-o", str(place / "built.toml"), "--force")
        probe = (
            "probe",
            "--budget",
            budget,
            "--directory",
            "/run/pfs",
            "-o",
            str(place / "found.toml"),
            "--force",
        )
        launcher = ("mpiexec", "-n", hosts, "-ppn", "1")
        striate("lab", "run", "--name", name, "--", sys.executable, "-m", "striate", *probe, "--", *launcher)
    finally:
        striate("lab", "down", "--name", name)
    built, found = facts(place / "built.toml"), facts(place / "found.toml")
    return {key: (built[key], found[key]) for key in built}


def main() -> int:
    budget = sys.argv[1] if len(sys.argv) > 1 else "30 s"
    worst = 0.0
    print("lab, fact, built, found, error, load")
    with tempfile.TemporaryDirectory() as place:
        for lab, options in ((lab, LABS[lab]) for lab in sys.argv[2:] or LABS):
            for fact, (built, found) in compare(options, budget, Path(place)).items():
                error = found / built - 1
                worst = max(worst, abs(error))
                print(
                    f"{lab}, {fact}, {built:.6g}, {found:.6g}, {error:+.1%}, {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
    print(f"largest error {worst:.1%}")
    return 0 if worst <= 0.10 else 3


if __name__ == "__main__":
    sys.exit(main())
