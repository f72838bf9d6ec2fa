"""`striate demo`: the whole path on built-in data, in seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from striate.cli.output import refuse_overwrite, say, write_output


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="demo",
    help="directory for report.html and forecast.json (default: demo)",
)
@click.option("--force", is_flag=True, help="overwrite existing files")
def command(output: Path, force: bool) -> None:
    """Forecast the built-in checkpointing program on the bundled cluster westmere, and write an HTML page about it."""
    from striate.apps import checkpoint
    from striate.cli.tables import forecast_text
    from striate.cluster import load_cluster
    from striate.ladder import predict
    from striate.pages.show import show

    workload = checkpoint.workload(ranks=16)
    cluster = load_cluster("westmere")
    forecast = predict(workload, cluster, within=None)
    played = predict(workload, cluster, within=None, timeline=True)
    report = show(replace(forecast, timeline=played.timeline))
    output.mkdir(parents=True, exist_ok=True)
    for name in ("forecast.json", "report.html"):
        refuse_overwrite(output / name, force=force)
    write_output(output / "forecast.json", forecast.to_json(), force=force)
    write_output(output / "report.html", report, force=force)
    say(forecast_text(forecast))
    say(f"\nwrote {output / 'report.html'} (open it in a browser) and {output / 'forecast.json'}", error=True)
