"""`striate size dlio:JOB [MACHINE] --target au=0.9 --vary servers,links,drives`: what to buy for a training job."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import deliver, json_option, output_option, refuse_overwrite, write_output


@click.command()
@click.argument("program")
@click.argument("machine", required=False)
@click.option(
    "--target",
    required=True,
    metavar="NAME=VALUE",
    help="the accelerator utilisation (au=0.9), samples per second (throughput=1000) or duration of the job "
    "(seconds=3600) to reach",
)
@click.option(
    "--certainty",
    type=click.FloatRange(0.5, 0.999),
    default=0.9,
    help="probability with which the target must be reached (default: 0.9)",
)
@click.option(
    "--vary",
    help="quantities to vary, the most expensive first, among servers, links (Gb/s per server), drives (per server) "
    "and host-links (Gb/s per host); default: servers,links,drives, and without MACHINE also host-links",
)
@click.option(
    "--price",
    multiple=True,
    metavar="NAME=VALUE",
    help="price of a server (servers=9000), of a drive (drives=500), or of 1 Gb/s of a server's links (links=20); the "
    "answer is then the cheapest system",
)
@click.option("--ranks", type=click.IntRange(min=1), help="number of accelerators of the training job")
@json_option
@output_option("write a page with all systems on the Pareto front (.html), or the answer (.json)")
def command(
    program: str,
    machine: str | None,
    target: str,
    certainty: float,
    vary: str | None,
    price: tuple[str, ...],
    ranks: int | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> int:
    """Find the smallest storage system with which PROGRAM, a training job of the benchmark DLIO, reaches a target.

    MACHINE, a system description of MLPerf Storage (mlperf:FILE) or a cluster, gives the values of the quantities that
    are not varied. Without MACHINE, the drives are assumed to be NVMe, and each other quantity that --vary does not
    name is unknown: the forecast allows for a wide range of its values.

    Example: striate size "dlio:unet3d.yaml x 64 hosts x 8 accelerators" --target au=0.9 -o size.html
    """
    from striate.cli.clusters import find_system
    from striate.errors import WorkloadError
    from striate.importers.dlio import from_text
    from striate.importers.kinds import is_dlio
    from striate.pages.sizing import sizing_page
    from striate.training.sizing import TARGETS, Target, smallest_system
    from striate.training.sizing_text import sizing_text
    from striate.training.system import StorageSystem

    if not is_dlio(program):
        raise WorkloadError("expected a training job, dlio:FILE.yaml", source=program[:60])
    if output is not None:
        if output.suffix not in (".html", ".json"):
            raise click.UsageError(f"expected an output file ending in .html or .json, got {output.name!r}")
        refuse_overwrite(output, force=force)
    name, value = _named(target, "--target", tuple(TARGETS))
    system = find_system(machine)[0] if machine else StorageSystem("any system", drive_kind="nvme")
    job = from_text(program, ranks=ranks, hosts=system.hosts)
    prices = dict(_named(one, "--price", ("servers", "links", "drives")) for one in price)
    chosen = vary if vary is not None else "servers,links,drives" + (",host-links" if machine is None else "")
    varied = [word.strip() for word in chosen.split(",") if word.strip()]
    sizing = smallest_system(job, system, Target(name, value, certainty), vary=varied, prices=prices)
    if output is not None and output.suffix == ".html":
        write_output(output, sizing_page(sizing), force=force)
        output = None
    deliver(sizing, sizing_text(sizing), as_json=as_json or output is not None, output=output, force=force)
    return 0 if sizing.best is not None else 3


def _named(text: str, option: str, known: tuple[str, ...]) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if name not in known or not 0 < number < 1e300:
        wanted = ", ".join(f"{one}=NUMBER" for one in known)
        raise click.UsageError(f"expected the option {option} with a value among {wanted}, got {text!r:.60}")
    return name, number
