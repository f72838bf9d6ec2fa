"""`striate show A [B ...] -o run.html`: runs side by side, in a page that opens offline."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import output_option, progress, refuse_overwrite, write_output


@click.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="A [B ...]")
@click.option("--title", help="the heading of the page (default: the names of the inputs)")
@output_option("the page to write (default: run.html)")
def command(inputs: tuple[Path, ...], title: str | None, output: Path | None, force: bool) -> None:
    """Show what happened and what was predicted in one HTML file that opens offline.

    A, B, ... are traces (of striate, Darshan, dftracer, OTF2), simulated timelines (.parquet) or forecasts (.json);
    several of them are drawn on one axis of time.

    Example: striate show before.parquet after.parquet forecast.json -o run.html
    """
    from striate.show.show import show

    target = output or Path("run.html")
    refuse_overwrite(target, force=force)
    with progress("drawing"):
        text = show(*inputs, title=title)
    write_output(target, text, force=force)
    click.echo(f"wrote {target} ({len(text.encode()) / 1e6:.2f} MB); open it in a browser", err=True)
