"""Pages that mkdocs makes while it builds: every command from its `--help`, every public name from its docstring.

A hook of mkdocs (see mkdocs.yml). Nothing is written into docs/, so that nothing there can be out of date.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

import striate
from striate.cli.main import COMMANDS
from striate.cli.main import striate as main

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

COMMANDS_PAGE = "reference/commands.md"
API_PAGE = "reference/api.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the two generated pages."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, COMMANDS_PAGE, content=commands_page()))
    files.append(File.generated(config, API_PAGE, content=api_page()))
    return files


def commands_page() -> str:
    """Every command and sub-command with the text of its `--help`."""
    lines = ["# Commands", "", "Each command's `--help`, as this version prints it.", ""]
    context = click.Context(main, info_name="striate")
    for name in sorted(COMMANDS):
        command = main.get_command(context, name)
        assert command is not None
        for title, text in _helps(command, f"striate {name}"):
            lines += [f"## {title}", "", "```text", text, "```", ""]
    return "\n".join(lines)


def _helps(command: click.Command, title: str) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=title, max_content_width=100)
    yield title, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _helps(child, f"{title} {name}")


def public_names() -> dict[str, list[str]]:
    """The public API: what `striate` and each of its packages lists in `__all__`, but for the command line."""
    names = {"striate": [name for name in striate.__all__ if name != "__version__"]}
    for package in pkgutil.iter_modules(striate.__path__):
        if package.ispkg and package.name != "cli":
            module = importlib.import_module(f"striate.{package.name}")
            if listed := getattr(module, "__all__", None):
                names[module.__name__] = sorted(listed)
    return names


def api_page() -> str:
    """A page that mkdocstrings fills from docstrings."""
    lines = [
        "# Python API",
        "",
        "What `__all__` of each package lists; anything else may change without notice.",
        "",
    ]
    told: set[int] = set()
    for module, names in public_names().items():
        home = importlib.import_module(module)
        lines += [f"## {module}", "", (home.__doc__ or "").strip(), ""]
        for name in names:
            value = getattr(home, name)
            owner = str(getattr(value, "__module__", ""))
            if id(value) in told or not owner.startswith("striate"):
                kind = "see above" if id(value) in told else f"stands for `{value}`"
                lines += [f"- `{name}`: {kind}", ""]
                continue
            told.add(id(value))
            where = f"{owner}.{value.__qualname__}"
            lines += [
                f"::: {where}",
                "    options:",
                "      heading_level: 3",
                "      show_root_heading: true",
                "",
            ]
    return "\n".join(lines)
