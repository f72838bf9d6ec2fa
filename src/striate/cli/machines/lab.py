"""`striate lab`: a practice cluster on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from striate.cli.output import json_option, output_option, print_json, say, write_output

if TYPE_CHECKING:
    from striate.lab.faults import LabStatus
    from striate.lab.plan import Plan

_PASSED_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}
name_option = click.option(
    "--name", default="lab", show_default=True, help="name of the lab; several labs may run at once"
)


@click.group()
def command() -> None:
    """Build, use and break a lab, that is a practice cluster inside this Linux machine.

    The hosts of a lab are namespaces, the rates of its links and disks are limited, and its parallel file system is
    GlusterFS. The command needs root. A lab changes nothing else on the machine, and nothing of the lab remains after
    its end, even if its processes are killed.
    """


@command.command()
@click.option("--hosts", default=4, show_default=True, help="number of compute hosts, named h0, h1, ...")
@click.option(
    "--cores",
    default=1,
    show_default=True,
    help="number of CPUs per host; hosts share CPUs if the machine has too few",
)
@click.option(
    "--link",
    default="400 Mbit/s",
    show_default=True,
    help="rate of each host's network link, in each direction",
)
@click.option(
    "--switch-buffer",
    default="10 MiB",
    show_default=True,
    help="buffer size of each port of the network switch",
)
@click.option(
    "--link-burst",
    default="16 KiB",
    show_default=True,
    help="bytes that a link transmits at memory speed before its rate limit applies",
)
@click.option(
    "--mtu",
    default="9000 B",
    show_default=True,
    help="MTU of the links; smaller packets take more CPU time per byte",
)
@click.option(
    "--servers", type=int, help="number of hosts, from h0 on, that are also file servers (default: all hosts)"
)
@click.option("--disks", default=1, show_default=True, help="number of disks of each file server")
@click.option("--disk-size", default="2 GiB", show_default=True, help="capacity of each disk")
@click.option(
    "--disk-rate",
    default="40 MB/s",
    show_default=True,
    help="rate limit of each disk, for reads and for writes; 0 means no limit",
)
@click.option(
    "--disk-requests",
    default="0",
    show_default=True,
    help="limit of the requests per second of each disk; 0 means no limit",
)
@click.option(
    "--shard",
    default="4 MiB",
    show_default=True,
    help="size of the shards into which GlusterFS divides files; 0 means that files are not divided",
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/var/tmp"),
    show_default=True,
    help="directory in which the images of the lab's disks are created, as unlinked files; its file system needs "
    "free space for them",
)
@name_option
def up(directory: Path, **options: Any) -> None:
    """Start a lab, a practice cluster inside this machine that runs until `striate lab down`."""
    from striate import units
    from striate.lab.plan import PFS
    from striate.lab.up import up as start

    plan = planned(**options)
    start(plan, directory, lambda step: say(step, error=True))
    say(f"lab {plan.name!r}: {units.counted(plan.hosts, 'host')}; {PFS} is on each of them and on the head")
    if plan.outruns_cpus:
        say(
            f"note: file access by all hosts at once is limited by this machine's CPUs, to about "
            f"{units.about_rate(plan.file_rate)} in all; for times that links and disks determine, use links below "
            f"{units.about_rate(plan.file_rate / plan.hosts)}",
            error=True,
        )


def planned(hosts: int, cores: int, servers: int | None, disks: int, name: str, **quantities: str) -> Plan:
    """The lab that options of `up` ask for."""
    from striate import units
    from striate.lab.plan import Plan

    return Plan(
        name=name,
        hosts=hosts,
        cores=cores,
        link_bytes_per_second=units.rate(quantities["link"]),
        link_burst_bytes=units.size(quantities["link_burst"]),
        switch_buffer_bytes=units.size(quantities["switch_buffer"]),
        mtu_bytes=units.size(quantities["mtu"]),
        servers=hosts if servers is None else servers,
        disks=disks,
        disk_bytes=units.size(quantities["disk_size"]),
        disk_bytes_per_second=units.rate(quantities["disk_rate"]),
        disk_requests_per_second=units.count(quantities["disk_requests"]),
        shard_bytes=units.size(quantities["shard"]),
    )


@command.command(context_settings=_PASSED_ON)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM...")
@click.option("--ranks", type=click.IntRange(min=1), help="number of MPI ranks to start on the hosts")
@click.option(
    "--per-host",
    type=click.IntRange(min=1),
    help="number of ranks on each host (default: the ranks are spread evenly)",
)
@name_option
def run(program: tuple[str, ...], ranks: int | None, per_host: int | None, name: str) -> None:
    """Run PROGRAM in a lab, a practice cluster inside this machine: as MPI ranks (--ranks), else once on its head node.

    PROGRAM starts in the current directory, which all hosts of the lab see. The lab's parallel file system is mounted
    at /run/pfs. If PROGRAM calls `mpiexec` on the head node, the ranks are started on the hosts.
    """
    from striate.lab.door import state
    from striate.lab.enter import become, on_head, with_ranks

    if per_host is not None and ranks is None:
        raise click.UsageError("--per-host needs --ranks N, the number of MPI ranks to start")
    found = state(name)
    command = list(program) if ranks is None else with_ranks(found, list(program), ranks, per_host)
    become(on_head(found, command, str(Path.cwd())))


@command.command()
@click.argument("host")
@name_option
def shell(host: str, name: str) -> None:
    """Open a shell on HOST (h0, h1, ... or `head`, the head node) of a lab, a practice cluster inside this machine."""
    from striate.lab.door import state
    from striate.lab.enter import become, on_head, on_host
    from striate.lab.plan import HEAD

    found, program = state(name), [os.environ.get("SHELL", "/bin/sh")]
    become(on_head(found, program) if host == HEAD else on_host(found, host, program))


@command.command()
@json_option
def status(as_json: bool) -> None:
    """List the labs, which are practice clusters inside this machine, and the state of their hosts."""
    from striate.errors import LabError
    from striate.lab.door import names, state
    from striate.lab.faults import look
    from striate.lab.throttle import sweep

    sweep()
    found = []
    for name in names():
        try:
            found.append(look(state(name)))
        except LabError as error:  # one lab that is not ready must not hide the others
            say(f"striate: {error}", error=True)
    if as_json:
        print_json({"schema": "striate.lab/1", "labs": found})
    else:
        say("\n\n".join(map(_status_text, found)) or "no lab is running")


def _status_text(lab: LabStatus) -> str:
    from striate.printable import columns
    from striate.units import about_rate, about_size

    plan = lab.plan
    disk = about_rate(plan.disk_bytes_per_second) if plan.disk_bytes_per_second else "no limit"
    shard = about_size(plan.shard_bytes) if plan.shard_bytes else "none"
    head = f"{plan.name}: links {about_rate(plan.link_bytes_per_second)}; disks {disk}; shards {shard}"
    rows: list[tuple[str, ...]] = [("host", "state", "link", "servers")]
    rows += [
        (one.host, "up" if one.up else "down", "up" if one.link_up else "cut", str(one.servers))
        for one in lab.hosts
    ]
    return head + "\n" + columns(rows, numbers_from=3)


@command.command()
@output_option("write the description to this .toml file instead of standard output")
@name_option
def describe(output: Path | None, force: bool, name: str) -> None:
    """Print a lab, a practice cluster inside this machine, as a cluster description.

    The description contains the rates and sizes with which the lab was started. `striate probe`, run inside the lab,
    should measure these values.
    """
    from striate.cluster.description.dump import cluster_to_toml
    from striate.lab.describe import describe as described
    from striate.lab.door import state

    text = cluster_to_toml(described(state(name).plan))
    if output is None:
        say(text, newline=False)
    else:
        write_output(output, text, force=force)


@command.command("break")
@click.argument("what", type=click.Choice(["server", "host", "link", "disk"]))
@click.argument("host")
@click.option("--mend", is_flag=True, help="for `break link`: restore the network link of HOST")
@click.option(
    "--rate",
    default="0",
    help="for `break disk`: new rate limit of each disk of HOST, such as 5MB/s; 0 means no limit",
)
@click.option(
    "--requests",
    default="0",
    help="for `break disk`: new limit of the requests per second of each disk of HOST; 0 means no limit",
)
@name_option
def break_(what: str, host: str, mend: bool, rate: str, requests: str, name: str) -> None:
    """Make a host of a lab, a practice cluster inside this machine, fail: kill it, disconnect it, or slow its disks.

    The first argument is the kind of failure: server kills the file servers of HOST, host kills all its processes,
    link disconnects HOST from the network, and disk sets new limits for its disks.
    """
    from striate import units
    from striate.lab import faults
    from striate.lab.door import state

    _refuse_options(what, mend=(mend, "link"), rate=(rate != "0", "disk"), requests=(requests != "0", "disk"))
    found = state(name)
    if what == "server":
        faults.kill_servers(found, host)
    elif what == "host":
        faults.kill_host(found, host)
    elif what == "link":
        faults.set_link(found, host, up=mend)
    else:
        faults.set_disks(found, host, units.rate(rate), units.count(requests))


def _refuse_options(what: str, **given: Any) -> None:
    for option, (is_given, wanted) in given.items():
        if is_given and what != wanted:
            raise click.UsageError(
                f"--{option} is accepted by `striate lab break {wanted}` only, got `striate lab break {what}`"
            )


@command.command()
@click.option("--all", "everything", is_flag=True, help="end all labs that run on this machine")
@name_option
def down(everything: bool, name: str) -> None:
    """End a lab, a practice cluster inside this machine; the command returns when its processes and files are gone."""
    from striate.lab.door import names, take_down
    from striate.lab.throttle import sweep

    sweep()
    for one in names() if everything else [name]:
        take_down(one)
