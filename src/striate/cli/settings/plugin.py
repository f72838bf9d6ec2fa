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
    """Create, check and list plug-ins: your own algorithms, which replace built-in algorithms in forecasts.

    `striate predict`, `simulate` and `tune` use the plug-ins that are given with --plugin. A plug-in is a Python file
    or a C++ shared object; its code runs with your rights as a user.
    """


@command.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option(
    "--language",
    type=click.Choice(["python", "c++"]),
    default="python",
    show_default=True,
    help="language of the plug-in; C++ is accepted for the kinds scheduler, disk and cache",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="the file to write (default: my_KIND.py, or my_KIND.cpp for C++)",
)
@click.option("--force", is_flag=True, help="overwrite an existing file")
def new(kind: str, language: str, output: Path | None, force: bool) -> None:
    """Write a simple plug-in, an algorithm that forecasts use, to a file, as a starting point for your own plug-in.

    The first argument is KIND, the kind of algorithm that the plug-in replaces.
    """
    from importlib.resources import files

    from striate.plugins.compiled import PARTS

    if language == "c++" and kind not in PARTS:
        raise click.UsageError(f"expected a plug-in kind among {', '.join(PARTS)} for C++, got {kind!r}")
    name, suffix = kind.replace("-", "_"), ".py" if language == "python" else ".cpp"
    path = output or Path(f"my_{name}{suffix}")
    text = files("striate.plugins.templates").joinpath(f"{name}{suffix}").read_text()
    text = text.replace("THIS_FILE", str(path)).replace("THIS_STEM", f"./{path.with_suffix('')}")
    write_output(path, text, force=force)
    then = (
        f"check it with `striate plugin check {path}`"
        if language == "python"
        else "its head says how to build it"
    )
    say(f"{path}: a plug-in of kind {kind}, {KINDS[kind]}; {then}")


@command.command()
def flags() -> None:
    """Print the compiler options for a plug-in, an algorithm of your own for forecasts, in C++.

    Example: c++ $(striate plugin flags) my.cpp -o my.so
    """
    from striate.plugins.compiled import compiler_flags

    say(" ".join(compiler_flags()))


@command.command()
@click.argument("plugins", nargs=-1, required=True, metavar="FILE[:NAME]...")
@click.option(
    "--cluster",
    default="westmere",
    show_default=True,
    help="the cluster, a .toml file or a bundled machine, on which the plug-in is tested",
)
@click.option("--plugin-traceback", is_flag=True, help="print the Python traceback of a plug-in that fails")
def check(plugins: tuple[str, ...], cluster: str, plugin_traceback: bool) -> None:
    """Run plug-ins on many small cases, and report the first rule that a plug-in breaks (exit status 1).

    A plug-in is an algorithm of your own, which replaces a built-in algorithm in forecasts; its results must follow
    rules, such as that a layout uses only servers of the cluster.
    """
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
    """List the kinds of plug-ins, and the plug-ins that installed packages register, without running a plug-in.

    A plug-in is an algorithm of your own, which replaces a built-in algorithm in forecasts.
    """
    from importlib.metadata import entry_points

    from striate.plugins.loading import GROUP
    from striate.printable import columns

    say(columns([("kind", "decides"), *KINDS.items()], numbers_from=2))
    for point in entry_points(group=GROUP):
        say(f"installed: {point.name} ({point.value})")
