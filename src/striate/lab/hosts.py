"""The hosts of a lab: namespaces with a name, a link, disks and a glusterd each. Runs inside the head's namespaces."""

from __future__ import annotations

import subprocess
from pathlib import Path

from striate.errors import LabError
from striate.lab.plan import HEAD, PFS, Plan
from striate.lab.shell import call

ON = "/run/lab/on"  # runs a command on a host, as rsh would; what launchers use
HOST_FILE = "/run/lab/hosts"
_PRIVATE = ("/dev/shm", "/var/lib/glusterd", "/var/log/glusterfs")  # a tmpfs each, on every node
_BURST_SECONDS = 0.25e-3  # of a link's rate may pass at once, or the kernel's timers cannot keep it

# A launcher's daemon on a host looks for the same `on`, though it never uses it.
_FIRST = r"""
set -e
hostname "$1"
mount -t tmpfs -o mode=755 none /run
mkdir -p /run/lock /run/gluster /run/lab {pfs}
printf '#!/bin/sh\necho "on: hosts are reached from the head" >&2; exit 1\n' >{on}; chmod +x {on}
for place in {private}; do mount -t tmpfs none $place; done
shift
for loop in "$@"; do
    mkdir -p /run/disk/$loop; mount -o noinit_itable /dev/loop$loop /run/disk/$loop; mkdir /run/disk/$loop/brick
done
ip link set lo up
echo ready
exec env --ignore-signal=CHLD sleep infinity </dev/null >/dev/null 2>&1
"""

_ON = """#!/bin/sh
# on HOST COMMAND...: run a command on a host of this lab, as rsh would; options before HOST are ignored
while :; do case $1 in -*) shift ;; *) break ;; esac; done
case $1 in
{cases}
*) echo "on: no host '$1' in this lab" >&2; exit 1 ;;
esac
shift
exec taskset -c "$cpus" nsenter -t "$pid" -m -u -n -i -p -- sh -c "$*"
"""


def make_head(plan: Plan) -> None:
    """Give the head its name, its private directories, the names of all hosts, and the switch."""
    call(["hostname", HEAD])
    call(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/run"])
    for place in _PRIVATE:
        call(["mount", "-t", "tmpfs", "none", place])
    for place in ("/run/lock", "/run/gluster", "/run/lab", PFS):
        Path(place).mkdir(parents=True, exist_ok=True)
    addresses = [f"{plan.address(index)} {name}" for index, name in enumerate(plan.host_names())]
    lines = ["127.0.0.1 localhost", f"{plan.head_address()} {HEAD}", *addresses]
    Path("/run/lab/etc-hosts").write_text("\n".join(lines) + "\n")
    call(["mount", "--bind", "/run/lab/etc-hosts", "/etc/hosts"])
    Path(HOST_FILE).write_text("".join(f"{name}\n" for name in plan.host_names()))
    switch = ("link set lo up", "link add br0 type bridge", f"addr add {plan.head_address()}/24 dev br0")
    call(["ip", "-batch", "-"], text="\n".join([*switch, "link set br0 up"]) + "\n")


def start_hosts(plan: Plan, loops: list[int]) -> None:
    """Start every host's first process, join it to the switch, and write the script that reaches it."""
    script = _FIRST.format(pfs=PFS, on=ON, private=" ".join(_PRIVATE))
    started = [_first_process(plan, index, loops, script) for index in range(plan.hosts)]
    processes = [_ready(process) for process in started]
    cases = [
        f"{name}) pid={process} cpus={','.join(map(str, plan.cpus(index)))} ;;"
        for index, (name, process) in enumerate(zip(plan.host_names(), processes, strict=True))
    ]
    Path(ON).write_text(_ON.format(cases="\n".join(cases)))
    Path(ON).chmod(0o755)
    for index, process in enumerate(processes):
        _join(plan, index, process)


def _first_process(plan: Plan, index: int, loops: list[int], script: str) -> subprocess.Popen[str]:
    cpus = ",".join(map(str, plan.cpus(index)))
    spaces = ("--pid", "--mount", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc")
    mine = [str(loops[position]) for position in plan.disks_of(index)]
    return subprocess.Popen(
        ["taskset", "-c", cpus, "unshare", *spaces, "--", "sh", "-c", script, "sh", f"h{index}", *mine],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _ready(process: subprocess.Popen[str]) -> int:
    """The number of a host's first process, as the head sees it, once its mounts are there."""
    assert process.stdout is not None
    said = ""
    for said in process.stdout:
        if said == "ready\n":
            return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
    raise LabError(
        f"a host of the practice cluster (lab) did not start: {said.strip() or 'its first process ended'}"
    )


def _join(plan: Plan, index: int, process: int) -> None:
    """A pair of interfaces between a host and the switch, with the link's rate in both directions."""
    port, limit = f"port{index}", link_limit(plan)
    mtu = ["mtu", str(plan.mtu_bytes)]
    peer = ["peer", "name", "eth0", *mtu, "netns", str(process)]
    call(["ip", "link", "add", port, *mtu, "type", "veth", *peer])
    call(["ip", "link", "set", port, "master", "br0", "up"])
    call(["tc", "qdisc", "add", "dev", port, "root", *limit])
    inside = ["nsenter", "-t", str(process), "-n", "--"]
    addresses = f"addr add {plan.address(index)}/24 dev eth0\nlink set eth0 up\n"
    call([*inside, "ip", "-batch", "-"], text=addresses)
    call([*inside, "tc", "qdisc", "add", "dev", "eth0", "root", *limit])


def link_limit(plan: Plan) -> list[str]:
    """`tc` words for one direction of a link: its rate, a small burst, and the buffer of a switch's port."""
    rate = round(plan.link_bytes_per_second)
    burst = max(plan.link_burst_bytes, round(rate * _BURST_SECONDS), plan.mtu_bytes + 100)
    return f"tbf rate {rate}bps burst {burst} limit {max(plan.switch_buffer_bytes, burst)}".split()
