"""`striate simulate PROGRAM CLUSTER -- ARGUMENTS`: run an mpi4py program on simulated ranks."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from striate.cli.forecast.options import ForecastOutputs, collective_option, scale_of, timeline_options
from striate.cli.output import (
    json_option,
    output_option,
    plugin_options,
    plugin_tracebacks,
    progress,
    refuse_overwrite,
    store_option,
)


class TimeType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A time: "10 us", or 0."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from striate import units
        from striate.errors import UnitError

        try:
            return units.seconds(str(value) if str(value) != "0" else 0)
        except UnitError as error:
            self.fail(error.message, param, ctx)


@click.command()
@click.argument("program")
@click.argument("cluster")
@click.argument("arguments", nargs=-1)
@click.option("--ranks", type=click.IntRange(min=1), required=True, help="number of simulated MPI ranks")
@click.option("-m", "--module", "is_module", is_flag=True, help="PROGRAM is a module, as after `python -m`")
@click.option(
    "--compute",
    type=TimeType(),
    metavar="TIME",
    help="compute time between two MPI calls, such as 10us or 0 (default: the CPU time measured on this machine)",
)
@click.option(
    "--cpu-scale",
    metavar="FACTOR|CLUSTER",
    help="factor for the measured compute times, such as 0.5 for CPUs twice as fast; or the cluster description of "
    "this machine, so that the factor is computed from the node speeds of both clusters",
)
@collective_option
@timeline_options
@click.option(
    "--workload",
    "workload_path",
    type=click.Path(path_type=Path),
    help="write the recorded operations to a .parquet file, which `striate predict` and `striate tune` accept as a "
    "program",
)
@plugin_options
@store_option
@json_option
@output_option("write the forecast to a .json file, or a page to a .html file")
def command(
    program: str,
    cluster: str,
    arguments: tuple[str, ...],
    ranks: int,
    is_module: bool,
    compute: float | None,
    cpu_scale: str | None,
    collectives: tuple[str, ...],
    timeline: Path | None,
    timeline_memory: str,
    timeline_steps: bool,
    workload_path: Path | None,
    plugins: tuple[str, ...],
    plugin_traceback: bool,
    store: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> int:
    """Run PROGRAM, an unmodified mpi4py program, on simulated ranks, and report how long it would take on CLUSTER.

    PROGRAM is a Python file, or with -m a module. The program really runs on this machine, with your user rights: its
    code computes, its messages move data, and its files are written. When the program has ended, its messages and file
    accesses are simulated packet by packet. ARGUMENTS are passed to the program; put -- before arguments that begin
    with a dash. The program's own output goes to standard output, or to standard error if --json is given.
    """
    from striate.cli.clusters import find_cluster
    from striate.cluster.cluster import Cluster
    from striate.ladder import predict
    from striate.plugins.loading import load
    from striate.provenance import hash_file
    from striate.simulate.record import record_program
    from striate.simulate.shares import shares_words, time_shares

    results = ForecastOutputs(output, timeline, store, as_json, force)
    results.expect_writable()
    if workload_path is not None:
        if workload_path.suffix != ".parquet":
            raise click.UsageError(f"expected a workload file ending in .parquet, got {workload_path.name!r}")
        refuse_overwrite(workload_path, force=force)
    machine, machine_hash = find_cluster(cluster)
    scale = scale_of(cpu_scale)
    with plugin_tracebacks(plugin_traceback):
        own = load(plugins)
    sys.stdout.flush()
    workload = record_program(
        program,
        machine,
        ranks=ranks,
        arguments=arguments,
        is_module=is_module,
        compute=compute,
        cpu_scale=1.0 if isinstance(scale, Cluster) else scale,
        output=sys.stderr.fileno() if as_json else None,
    )
    if workload_path is not None:
        workload.save(workload_path)
    with progress("playing"), plugin_tracebacks(plugin_traceback):
        forecast = predict(
            workload,
            machine,
            rung="fine",
            exact=True,
            collectives=collectives,
            timeline=True,
            timeline_memory=timeline_memory,
            timeline_steps=timeline_steps,
            inputs=({} if is_module else {Path(program).name: hash_file(Path(program))})
            | machine_hash
            | own.hashes(),
            cpu_scale=scale,
            plugins=[own],
        )
    if all(flag.code != "truncated" for flag in forecast.timeline.header.flags):
        shares = shares_words(time_shares(forecast.timeline))
        forecast = replace(forecast, notes=(shares, *forecast.notes))
    return results.deliver(forecast, workload)
