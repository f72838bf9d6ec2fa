"""Pages that mkdocs makes while it builds: commands from their `--help`, public names from docstrings, notebooks.

A hook of mkdocs (see mkdocs.yml). Nothing is written into docs/, so that nothing there can be out of date.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
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
NOTEBOOKS_PAGE = "notebooks.md"
GALLERY_PAGE = "gallery.md"
ACCURACY_PAGE = "reference/accuracy.md"
ROOT = Path(__file__).resolve().parent.parent

# Modules below the packages that the guides use; all their public names are part of the API.
GUIDED = (
    "striate.apps.kernels",
    "striate.apps.timing",
    "striate.cluster.builders",
    "striate.cluster.routes",
    "striate.cluster.storage",
    "striate.layout.buffering",
    "striate.layout.measure",
    "striate.layout.metrics",
    "striate.layout.patterns",
    "striate.probe.microbenchmarks",
    "striate.record.launch",
    "striate.record.merge",
    "striate.runtime.hints",
    "striate.units",
    "striate.workload.operations",
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    sys.path.insert(0, str(ROOT / "tools"))
    import accuracy
    import gallery

    pages = {
        COMMANDS_PAGE: commands_page(),
        API_PAGE: api_page(),
        NOTEBOOKS_PAGE: notebooks_page(),
        GALLERY_PAGE: gallery.markdown(),
        ACCURACY_PAGE: accuracy.markdown(),
    }
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def notebooks_page() -> str:
    """The notebooks of examples/notebooks, one after the other: text as it is, code in blocks."""
    lines = ["# Notebooks", "", "Open them with Jupyter; the tests run them.", ""]
    for path in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        lines += [f"## {path.relative_to(ROOT)}", ""]
        for cell in json.loads(path.read_text())["cells"]:
            text = "".join(cell["source"])
            is_code = cell["cell_type"] == "code"
            lines += ["```python", text, "```", ""] if is_code else [text.replace("# ", "### ", 1), ""]
    return "\n".join(lines)


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
    """The public API: what `striate` and its packages (but not the command line) list in `__all__`, and GUIDED."""
    names = {"striate": [name for name in striate.__all__ if name != "__version__"]}
    for package in pkgutil.iter_modules(striate.__path__):
        if package.ispkg and package.name != "cli":
            module = importlib.import_module(f"striate.{package.name}")
            if listed := getattr(module, "__all__", None):
                names[module.__name__] = sorted(listed)
    for name in GUIDED:
        names[name] = _names_of(importlib.import_module(name))
    return names


def _names_of(module: ModuleType) -> list[str]:
    """What a module lists in `__all__`, else the classes and functions that it defines."""
    listed = getattr(module, "__all__", None)
    return sorted(
        listed or (name for name, value in vars(module).items() if _is_defined_by(module, name, value))
    )


def _is_defined_by(module: ModuleType, name: str, value: object) -> bool:
    own = getattr(value, "__module__", None) == module.__name__
    return own and not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value))


def api_page() -> str:
    """A page that mkdocstrings fills from docstrings."""
    lines = [
        "# Python API",
        "",
        "What `__all__` of each package lists, and modules that the guides use. Anything else may change.",
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
            if "<locals>" in value.__qualname__:  # made by a factory, which a reader of the source cannot see
                lines += [
                    f"### {name}",
                    "",
                    f"    {name}{inspect.signature(value)}",
                    "",
                    inspect.getdoc(value),
                    "",
                ]
                continue
            where = f"{owner}.{value.__qualname__}"
            lines += [
                f"::: {where}",
                "    options:",
                "      heading_level: 3",
                "      show_root_heading: true",
                "",
            ]
    return "\n".join(lines)
