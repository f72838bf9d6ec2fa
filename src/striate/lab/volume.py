"""The parallel file system of a lab: one GlusterFS volume over all disks. Runs inside the head's namespaces."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from functools import partial

from striate.errors import LabError
from striate.lab.hosts import ON
from striate.lab.plan import PFS, Plan
from striate.lab.shell import call

VOLUME = "vol"
_PATIENCE_SECONDS = 90.0
_PAUSE_SECONDS = 0.2


def start_servers(plan: Plan) -> None:
    """A glusterd on every server's host, joined to one pool."""
    servers = plan.host_names()[: plan.servers]
    _together([[ON, name, "glusterd --log-level WARNING"] for name in servers])
    for name in servers[1:]:
        _until(partial(_gluster, f"peer probe {name}"))
    _until(lambda: _all_connected(plan))


def make_volume(plan: Plan, loops: list[int]) -> None:
    """One brick per disk, files dealt in shards, or whole."""
    bricks = [
        f"h{index}:/run/disk/{loops[position]}/brick"
        for index in range(plan.servers)
        for position in plan.disks_of(index)
    ]
    _gluster(f"volume create {VOLUME} transport tcp {' '.join(bricks)} force")
    if plan.shard_bytes:
        _gluster(f"volume set {VOLUME} features.shard on")
        _gluster(f"volume set {VOLUME} features.shard-block-size {plan.shard_bytes}")
    _gluster(f"volume start {VOLUME}")


def mount_everywhere(plan: Plan) -> None:
    """Mount the volume on every host and on the head."""
    command = f"mount -t glusterfs h0:/{VOLUME} {PFS}"
    places = [[ON, name] for name in plan.host_names()] + [[]]  # the head needs no words to reach it
    _together([[*place, *command.split()] for place in places])
    for place in places:
        _until(partial(call, [*place, "mountpoint", "-q", PFS]))


def _gluster(words: str, host: str = "h0") -> str:
    return call([ON, host, f"gluster --mode=script {words}"])


def _all_connected(plan: Plan) -> None:
    """Every server must see all others: the one that is asked for a volume has each of them prepare it."""
    for name in plan.host_names()[: plan.servers]:
        if _gluster("peer status", name).count("(Connected)") < plan.servers - 1:
            raise LabError(
                f"expected the GlusterFS server on {name} to find {plan.servers - 1} other servers, got fewer"
            )


def _together(commands: list[list[str]]) -> None:
    """Run commands at once and wait for all; daemons must not keep our pipes open."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(command, **quiet) for command in commands]  # type: ignore[call-overload]
    for command, process in zip(commands, running, strict=True):
        if status := process.wait(timeout=_PATIENCE_SECONDS):
            raise LabError(f"a command ended with exit status {status}: {' '.join(command)}")


def _until(attempt: Callable[[], object]) -> None:
    """Repeat an attempt until it does not refuse; after a minute and a half its refusal stands."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            attempt()
        except LabError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
