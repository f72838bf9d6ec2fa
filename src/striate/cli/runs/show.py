"""`striate show A [B ...] -o run.html`: runs side by side, in a page that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import (
    memory_option,
    output_option,
    progress,
    refuse_ending,
    refuse_overwrite,
    say,
    write_output,
)

if TYPE_CHECKING:
    from striate.pages.serve import PageServer


@click.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="A [B ...]")
@click.option("--title", help="the heading of the page (default: the names of the inputs)")
@click.option(
    "--serve",
    "served",
    is_flag=True,
    help="instead of writing a file, serve the page on 127.0.0.1, where zooming loads more detail",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="for --serve: the port (default: a free port)"
)
@click.option(
    "--text",
    "as_text",
    is_flag=True,
    help="instead of writing a page, print to the terminal a summary, bars (where the time went) and a map of I/O over "
    "time and ranks",
)
@memory_option
@output_option("the HTML page to write (default: run.html)")
def command(
    inputs: tuple[Path, ...],
    title: str | None,
    served: bool,
    port: int,
    as_text: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Show observed and predicted runs in one HTML file that opens offline.

    The inputs A, B, ... are traces (of Striate, Darshan, dftracer, Recorder, OTF2), simulated timelines (.parquet),
    forecasts and advice (.json) or cluster descriptions (.toml). Several runs are drawn on one common time axis.

    Example: striate show before.parquet after.parquet forecast.json -o run.html
    """
    from striate.pages.show import serve, show

    if as_text:
        from striate.pages.run import runs_of
        from striate.pages.terminal import text_of

        if served or output is not None:
            raise click.UsageError("--text prints to the terminal and cannot be used with --serve or -o")
        with progress("reading"):
            text = text_of(runs_of(inputs))
        say(text)
        return
    if served:
        if output is not None:
            raise click.UsageError("expected either --serve or -o, got both")
        with progress("drawing"):
            server = serve(*inputs, title=title, port=port)
        _run(server)
        return
    target = output or Path("run.html")
    refuse_ending(target, ".html")
    refuse_overwrite(target, force=force)
    with progress("drawing"):
        text = show(*inputs, title=title)
    write_output(target, text, force=force)
    say(f"wrote {target} ({len(text.encode()) / 1e6:.2f} MB); open it in a browser", error=True)


def _run(server: PageServer) -> None:
    """Until it is interrupted; the address is the result, hence on standard output."""
    say(server.address)
    say("open it in a browser on this machine; Ctrl-C ends it", error=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("ended", error=True)
    finally:
        server.server_close()
