"""`striate predict dlio:FILE` and `striate workload show dlio:FILE`: training jobs."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import deliver


def show_job(program: str, ranks: int | None, *, as_json: bool, output: Path | None, force: bool) -> None:
    """Print what was understood of a DLIO workload."""
    from striate.importers.dlio import from_text
    from striate.training.terminal import job_text

    job = from_text(program, ranks=ranks)
    deliver(job, job_text(job), as_json=as_json, output=output, force=force)


def predict_job(
    program: str, cluster: str, ranks: int | None, *, as_json: bool, output: Path | None, force: bool
) -> int:
    """Print the forecast of a DLIO workload on a sheet or a cluster."""
    from striate.cli.clusters import find_system
    from striate.importers.dlio import from_text
    from striate.training.forecast import forecast_training
    from striate.training.terminal import training_text

    if output is not None and output.suffix != ".json":
        raise click.UsageError(
            f"expected an output file ending in .json for a training job, got {output.name!r}"
        )
    system, _ = find_system(cluster)
    job = from_text(program, ranks=ranks, hosts=system.hosts)
    forecast = forecast_training(job, system)
    as_json = as_json or output is not None
    deliver(forecast, training_text(forecast), as_json=as_json, output=output, force=force)
    return 0


def refuse_options(given: dict[str, object]) -> None:
    """Raise a usage error for options of `predict` that a training job does not take."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"the option {name} is not accepted for a training job (dlio:FILE)")
