"""`striate predict PROGRAM CLUSTER`: forecast a program's time on a cluster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.forecast.options import ForecastOutputs, collective_option, scale_of, timeline_options
from striate.cli.output import (
    allow_code_option,
    json_option,
    memory_option,
    output_option,
    percentile_option,
    plugin_options,
    plugin_tracebacks,
    progress,
    store_option,
)

if TYPE_CHECKING:
    from striate.workload import Workload
    from striate.workload.flows import Flows


class ShareType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A precision: 20% or 0.2."""

    name = "share"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from striate import units
        from striate.errors import UnitError

        try:
            units.share(str(value))
        except UnitError as error:
            self.fail(error.message, param, ctx)
        return str(value)


class FileChoice(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A file's name and what is chosen for it: data=simple:4:1MiB."""

    name = "file=choice"

    def __init__(self, example: str) -> None:
        self.example = example

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        file, equals, choice = str(value).rpartition("=")
        if not equals:
            self.fail(f"expected FILE=CHOICE such as {self.example}, got {value!r}", param, ctx)
        return file, choice


@click.command()
@click.argument("program")
@click.argument("cluster")
@click.option("--ranks", type=click.IntRange(min=1), help="number of MPI ranks of the program")
@click.option(
    "--rung",
    help="use this forecasting method, such as resource (sums of work per resource) or fine (packet-level simulation), "
    "instead of the cheapest method that reaches the precision",
)
@click.option(
    "--within",
    type=ShareType(),
    help="required precision: with 20%, the upper end of the forecast range is at most 1.2 times its lower end",
)
@click.option(
    "--budget",
    help="CPU time that the forecast may take (default: 60 s; with --rung no limit)",
)
@click.option(
    "--layout",
    "layouts",
    type=FileChoice("data=simple:4:1MiB"),
    multiple=True,
    metavar="FILE=LAYOUT",
    help="the layout of a file of the program, such as data=simple:4:1MiB, which stripes the file data over 4 servers "
    "in units of 1 MiB; may be given several times",
)
@click.option(
    "--collective-io",
    "methods",
    type=FileChoice("data=two-phase:nodes:16MiB"),
    multiple=True,
    metavar="FILE=METHOD",
    help="how collective MPI-IO calls access a file of the program: direct, two-phase or pipelined; the last two may "
    "be followed by :AGGREGATORS or :AGGREGATORS:BUFFER, such as data=pipelined:4:1MiB",
)
@collective_option
@timeline_options
@click.option(
    "--cpu-scale",
    metavar="FACTOR|CLUSTER",
    help="factor for the compute times of a trace, such as 0.5 for CPUs twice as fast; or the cluster on which the "
    "trace was recorded, so that the factor is computed from the node speeds of both clusters",
)
@click.option(
    "--noise",
    metavar="NOISE",
    help="also print the time on a usual day (median) and on a bad day (95th percentile) of a shared machine; NOISE is "
    "a file that `striate noise learn` wrote, or tokio, a bundled table of slowdowns",
)
@click.option(
    "--self-check",
    is_flag=True,
    help="afterwards simulate the program packet by packet, and report every bound of the forecast that the "
    "simulation contradicts",
)
@percentile_option("print the time that P percent of the runs")
@click.option(
    "--exact", is_flag=True, help="for --rung fine: forecast only the simulated time, without a range"
)
@plugin_options
@allow_code_option
@memory_option
@store_option
@json_option
@output_option("write the forecast to a .json file, or a page to a .html file")
def command(
    program: str,
    cluster: str,
    ranks: int | None,
    rung: str | None,
    within: str | None,
    budget: str | None,
    layouts: tuple[tuple[str, str], ...],
    methods: tuple[tuple[str, str], ...],
    collectives: tuple[str, ...],
    timeline: Path | None,
    timeline_memory: str,
    timeline_steps: bool,
    cpu_scale: str | None,
    noise: str | None,
    self_check: bool,
    percentiles: tuple[float, ...],
    exact: bool,
    plugins: tuple[str, ...],
    plugin_traceback: bool,
    allow_code: bool,
    store: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> int:
    """Forecast how long PROGRAM takes on CLUSTER: the median, and the range in which 80 % of the runs lie.

    PROGRAM is a built-in program (checkpoint, jacobi, mesh) or kernel (such as kernel:pingpong,size=1MiB,repeat=10), a
    trace, the log of another tool such as Darshan, a saved workload (operations of all ranks, .parquet), an application
    description (.toml), or a Python file that defines `program(rank, ranks)` or `workload` (the file is run).

    PROGRAM can also be a command line of a benchmark (IOR, mdtest, FIO), such as "ior -a MPIIO -c -t 1m -b 16m", a
    benchmark's own input file (fio:JOB.fio, h5bench:FILE.json, io500:FILE.ini), or a training job of the benchmark
    DLIO, such as "dlio:unet3d_h100.yaml x 4 hosts x 8 accelerators".

    CLUSTER is a cluster description (.toml), the name of a bundled machine, a system description of MLPerf Storage
    (mlperf:SYSTEM.json), or the saved output of commands of the machine (lustre:FILE, beegfs:FILE, gluster:FILE,
    slurm:FILE, lstopo:FILE; several are joined by " + ").

    The exit status is 3 when the required precision was not reached, the answer is not reliable, or the packet-level
    simulation contradicts a bound of the forecast.
    """
    from striate.cli.clusters import find_cluster
    from striate.cli.forecast.training import predict_job, refuse_options
    from striate.cli.programs import find_workload
    from striate.importers.kinds import is_dlio
    from striate.ladder import predict
    from striate.noise.model import load_noise
    from striate.plugins.loading import load

    results = ForecastOutputs(output, timeline, store, as_json, force)
    results.expect_writable()
    if is_dlio(program):
        others: dict[str, object] = {"--rung": rung, "--within": within, "--noise": noise, "--store": store}
        others |= {"--budget": budget}
        others |= {"--layout": layouts, "--collective-io": methods, "--collective": collectives}
        others |= {"--timeline": timeline, "--cpu-scale": cpu_scale, "--percentile": percentiles}
        others |= {"--self-check": self_check, "--exact": exact, "--plugin": plugins}
        refuse_options(others)
        return predict_job(program, cluster, ranks, as_json=as_json, output=output, force=force)
    with progress("reading"):
        learnt = load_noise(noise) if noise is not None else None
        machine, machine_hash = find_cluster(cluster)
        workload, program_hash = find_workload(program, ranks=ranks, allow_code=allow_code)
        if layouts or methods:
            workload = _with_choices(workload, dict(layouts), dict(methods))
    with progress("predicting"), plugin_tracebacks(plugin_traceback):
        own = load(plugins)
        forecast = predict(
            workload,
            machine,
            within=within,
            rung=rung,
            budget=budget,
            collectives=collectives,
            timeline=timeline is not None,
            timeline_memory=timeline_memory,
            timeline_steps=timeline_steps,
            inputs=program_hash | machine_hash | own.hashes(),
            self_check=self_check,
            exact=exact,
            cpu_scale=scale_of(cpu_scale),
            plugins=[own],
        )
    if learnt is not None:
        forecast = replace(forecast, days=learnt.days(forecast.seconds))
    return results.deliver(forecast, workload, percentiles)


def _with_choices(workload: Workload | Flows, layouts: dict[str, str], methods: dict[str, str]) -> Workload:
    from striate.errors import WorkloadError
    from striate.workload import Workload

    if not isinstance(workload, Workload):
        raise WorkloadError(
            "--layout and --collective-io are not accepted for a program that describes a stream of data blocks: "
            "it has no files"
        )
    return workload.with_layouts(layouts).with_collective(methods)
