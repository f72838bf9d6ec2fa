"""`striate completion SHELL`: print the script that completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the tab-completion script for bash, zsh or fish; bash loads it with `eval "$(striate completion bash)"`."""
    from striate.cli.main import striate

    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(striate, {}, "striate", "_STRIATE_COMPLETE").source())
