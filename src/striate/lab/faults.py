"""Faults: end a server or a host, cut or mend a link, change a disk's limits - and look at what is left."""

from __future__ import annotations

import msgspec

from striate.errors import LabError
from striate.lab.enter import ask_head, on_host
from striate.lab.hosts import ON
from striate.lab.messages import LabState
from striate.lab.plan import Plan
from striate.lab.shell import call
from striate.lab.throttle import io_control, limit

_LOOK = f"""
for host in "$@"; do
    up=no; servers=0; link=cut
    if {ON} $host true 2>/dev/null; then up=yes; servers=$({ON} $host 'pgrep -cx glusterfsd' 2>/dev/null); fi
    ip link show up dev port${{host#h}} 2>/dev/null | grep -q port && link=up
    echo $host $up ${{servers:-0}} $link
done
"""


class HostStatus(msgspec.Struct, frozen=True):
    """One host as it is now: `servers` counts running bricks, one per disk."""

    host: str
    up: bool
    servers: int
    link_up: bool


class LabStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One lab as it is now."""

    plan: Plan
    head: int
    hosts: list[HostStatus]


def look(state: LabState) -> LabStatus:
    """Ask every host of a lab how it is."""
    lines = ask_head(state, ["sh", "-c", _LOOK, "sh", *state.plan.host_names()]).splitlines()
    hosts = [
        HostStatus(host, up == "yes", int(servers), link == "up")
        for host, up, servers, link in map(str.split, lines)
    ]
    return LabStatus(plan=state.plan, head=state.head, hosts=hosts)


def kill_servers(state: LabState, host: str) -> None:
    """End the file servers of a host, as a crash would."""
    _require_server(state, host)
    call(on_host(state, host, ["pkill", "-9", "-x", "glusterfsd"]))


def kill_host(state: LabState, host: str) -> None:
    """End a host with everything on it."""
    state.plan.host(host)
    ask_head(state, ["sh", "-c", f'eval "$(grep "^$1)" {ON} | cut -d" " -f2)"; kill -9 "$pid"', "sh", host])


def set_link(state: LabState, host: str, *, up: bool) -> None:
    """Cut the link between a host and the switch, or mend it."""
    index = state.plan.host(host)
    ask_head(state, ["ip", "link", "set", "dev", f"port{index}", "up" if up else "down"])


def set_disks(state: LabState, host: str, bytes_per_second: float, requests_per_second: float) -> None:
    """New limits for the disks of a host, in force at once; 0 is no limit."""
    _require_server(state, host)
    control = io_control()
    assert control is not None, "a lab runs, so there is a controller"
    for position in state.plan.disks_of(state.plan.host(host)):
        limit(control, state.plan.name, state.loops[position], bytes_per_second, requests_per_second)


def _require_server(state: LabState, host: str) -> None:
    if not state.plan.disks_of(state.plan.host(host)):
        raise LabError(
            f"the practice cluster's host {host} has no disks and no file server; "
            f"hosts with them are h0 to h{state.plan.servers - 1}"
        )
