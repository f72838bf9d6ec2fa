"""`striate plugin`: begin, check and list plug-ins."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import plugin_tracebacks, say, write_output

KINDS = {
    "collective": "what the members of a group send to each other",
    "layout": "which server holds which bytes of a file",
    "collective-io": "who accesses which bytes in a collective read or write",
    "routing": "which links a message takes",
    "scheduler": "which request a server's disks serve next",
    "disk": "how long an access of a disk takes",
    "cache": "which page leaves a server's read cache",
}


@click.group()
def command() -> None:
    """Plug-ins: a user's own algorithms in place of the built-in ones, by `--plugin` of predict, simulate and tune.

    A plug-in is a Python file, which is run with your rights.
    """


@command.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="the file to write (default: my_KIND.py)"
)
@click.option("--force", is_flag=True, help="overwrite an existing file")
def new(kind: str, output: Path | None, force: bool) -> None:
    """Write a plug-in of KIND as a starting point."""
    from importlib.resources import files

    name = kind.replace("-", "_")
    path = output or Path(f"my_{name}.py")
    text = files("striate.plugins.templates").joinpath(f"{name}.py").read_text()
    write_output(path, text.replace("THIS_FILE", str(path)), force=force)
    say(f"{path}: a plug-in of kind {kind}, {KINDS[kind]}; check it with `striate plugin check {path}`")


@command.command()
@click.argument("plugins", nargs=-1, required=True, metavar="FILE[:NAME]...")
@click.option(
    "--cluster",
    default="westmere",
    show_default=True,
    help="the machine, a .toml or a bundled one, to try it on",
)
@click.option("--plugin-traceback", is_flag=True, help="print the Python traceback of a plug-in that fails")
def check(plugins: tuple[str, ...], cluster: str, plugin_traceback: bool) -> None:
    """Run plug-ins over many small cases; report the first rule that one breaks (exit status 1)."""
    from striate.cli.clusters import find_cluster
    from striate.plugins.loading import load_one
    from striate.plugins.trial import tried
    from striate.units import counted

    machine, _ = find_cluster(cluster)
    with plugin_tracebacks(plugin_traceback):
        for source in plugins:
            for plugin in load_one(source):
                cases = tried(plugin, machine)
                say(f"{plugin.source}: {plugin.kind} {plugin.name} passes {counted(cases, 'case')}")


@command.command(name="list")
def list_() -> None:
    """List the kinds of plug-ins, and the plug-ins that installed packages register; none of them is run."""
    from importlib.metadata import entry_points

    from striate.plugins.loading import GROUP
    from striate.printable import columns

    say(columns([("kind", "decides"), *KINDS.items()], numbers_from=2))
    for point in entry_points(group=GROUP):
        say(f"installed: {point.name} ({point.value})")
