"""Finds plug-ins: classes that a file lists, in Python or compiled, or that packages register as entry points."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from striate.collectives.registry import FAMILY, KINDS, names_of
from striate.errors import PluginError
from striate.plugins.collective import CheckedCollective, ReactiveAlgorithm
from striate.plugins.compiled import compiled_plugins, is_compiled
from striate.plugins.guard import LoadedPlugin, told
from striate.provenance import hash_file

GROUP = ".".join(("striate", "plugins"))  # of entry points; no import of the package of this name
COLLECTIVE = "collective"
# What a plug-in of each kind has to have.
METHODS: Mapping[str, tuple[str, ...]] = {
    COLLECTIVE: ("schedule",),
    "layout": ("strips",),
    "collective-io": ("plan",),
    "routing": ("route",),
    "scheduler": ("arrive", "next"),
    "disk": ("seconds",),
    "cache": ("added", "used", "victim"),
}
ONLY_FINE = ("collective-io", "routing", "scheduler", "disk", "cache")  # kinds that one rung alone asks
CALLS = sorted(KINDS - set(FAMILY))  # collective calls that an algorithm is for


@dataclass(frozen=True, eq=False)
class Plugins:
    """The plug-ins of a prediction: of every kind one at most, of collectives one per call."""

    loaded: tuple[LoadedPlugin, ...] = ()
    collectives: Mapping[tuple[str, str], Any] = field(default_factory=dict)  # algorithms by call and name

    @classmethod
    def of(cls, loaded: Iterable[LoadedPlugin]) -> Plugins:
        """Refuses two plug-ins for the same thing."""
        every = tuple(loaded)
        taken: dict[str, LoadedPlugin] = {}
        for one in every:
            what = f"{one.kind} of {one.make.call}" if one.kind == COLLECTIVE else one.kind  # type: ignore[attr-defined]
            if what in taken:
                other = taken[what]
                raise one.error(
                    f"expected one plug-in of the kind {what}, got two, this one and {other.name} of "
                    f"{other.source}; choose one with FILE:NAME"
                )
            taken[what] = one
        algorithms = {
            (str(one.make.call), one.name): (ReactiveAlgorithm if reacts(one) else CheckedCollective)(one)  # type: ignore[attr-defined]
            for one in every
            if one.kind == COLLECTIVE
        }
        return cls(every, algorithms)

    def of_kind(self, kind: str) -> LoadedPlugin | None:
        """The plug-in of a kind that has one at most."""
        return next((one for one in self.loaded if one.kind == kind), None)

    def hashes(self) -> dict[str, str]:
        """The hash of each plug-in file by its name, for provenance."""
        files = {Path(one.source) for one in self.loaded}
        return {path.name: hash_file(path) for path in sorted(files) if path.is_file()}

    @property
    def notes(self) -> tuple[str, ...]:
        """A line per plug-in, for a forecast."""
        return tuple(f"with the plug-in {one.name} ({one.kind}) of {one.source}" for one in self.loaded)

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules of `--collective` by which calls that name no algorithm take those of the plug-ins."""
        return tuple(f"{call}={name}" for call, name in self.collectives)

    @property
    def only_fine(self) -> tuple[LoadedPlugin, ...]:
        """Those that no rung but `fine` asks."""
        return tuple(one for one in self.loaded if one.kind in ONLY_FINE or reacts(one))


def reacts(plugin: LoadedPlugin) -> bool:
    """Whether it is a collective whose members decide as they go."""
    return plugin.kind == COLLECTIVE and hasattr(plugin.make, "member")


NO_PLUGINS = Plugins()


def load(sources: Iterable[str | Path | Plugins]) -> Plugins:
    """The plug-ins of files (`my.py` or `my.so`, or one of them: `my.py:NAME`) and of entry points (`NAME`).

    Runs their code. Raises PluginError for a file that is missing or fails, and for what is no plug-in.
    """
    found: list[LoadedPlugin] = []
    for source in sources:
        found += source.loaded if isinstance(source, Plugins) else load_one(str(source))
    return Plugins.of(found)


def load_one(source: str) -> tuple[LoadedPlugin, ...]:
    """All plug-ins of one source; see `load`."""
    if is_compiled(source):
        path, _, name = source.rpartition(":") if not source.endswith(".so") else (source, "", "")
        return _chosen(compiled_plugins(Path(path), name), name, path)
    if source.endswith(".py") or ".py:" in source:
        path, _, name = source.rpartition(":") if not source.endswith(".py") else (source, "", "")
        return _chosen(_of_file(Path(path)), name, path)
    from importlib.metadata import entry_points

    points = entry_points(group=GROUP)
    for point in points:
        if point.name == source:
            try:
                listed = point.load()
            except Exception as error:  # another package's own mistake
                raise PluginError(
                    f"the entry point {point.value:.100} cannot be loaded: {told(error, '')}", source=source
                ) from error
            return _checked(listed if isinstance(listed, list | tuple) else [listed], f"entry point {source}")
    known = ", ".join(sorted(point.name for point in points)) or "none is installed"
    raise PluginError(
        f"expected a Python file, a shared object or an entry point of {GROUP} ({known}), got {source!r:.60}"
    )


def _chosen(loaded: tuple[LoadedPlugin, ...], name: str, source: str) -> tuple[LoadedPlugin, ...]:
    if not name:
        return loaded
    chosen = tuple(one for one in loaded if one.name == name)
    if not chosen:
        known = ", ".join(one.name for one in loaded)
        raise PluginError(
            f"there is no plug-in {name!r:.60}; plug-ins of the file are {known}", source=source
        )
    return chosen


def _of_file(path: Path) -> tuple[LoadedPlugin, ...]:
    if not path.is_file():
        raise PluginError("no such file", source=str(path))
    try:
        module = _executed(path)
    except (Exception, SystemExit) as error:
        raise PluginError(told(error, str(path)), source=str(path)) from error
    listed = getattr(module, "plugins", None)
    if not isinstance(listed, list | tuple) or not listed:
        raise PluginError(
            "expected the file to list its classes as `plugins = [...]`, found no such list", source=str(path)
        )
    return _checked(listed, str(path))


def _executed(path: Path) -> ModuleType:
    """The module of the file; it stays known by a name of its own, as dataclasses want it."""
    name = f"striate_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, str(path))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _checked(listed: Iterable[Any], source: str) -> tuple[LoadedPlugin, ...]:
    return tuple(_plugin(one, source) for one in listed)


def _plugin(made: Any, source: str) -> LoadedPlugin:
    """The class as a plug-in; refuses what does not say its kind and name, or lacks a method of its kind."""
    if not isinstance(made, type):
        raise PluginError(f"expected classes in the list `plugins`, got {made!r:.60}", source=source)
    kind, name = getattr(made, "kind", None), getattr(made, "name", None)
    if kind not in METHODS:
        kinds = ", ".join(METHODS)
        raise PluginError(
            f"expected a plug-in kind among {kinds}, got {kind!r:.60}", at=made.__name__, source=source
        )
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise PluginError(
            f"expected a plug-in name of small letters, digits and dashes, got {name!r:.60}",
            at=made.__name__,
            source=source,
        )
    plugin = LoadedPlugin(source, str(kind), name, made)
    for method in ("member",) if reacts(plugin) else METHODS[plugin.kind]:
        if not callable(getattr(made, method, None)):
            raise plugin.error(f"expected a plug-in with a method `{method}`, got none")
    if kind == COLLECTIVE:
        _expect_call(plugin, getattr(made, "call", None))
    return plugin


def _expect_call(plugin: LoadedPlugin, call: object) -> None:
    if call not in CALLS:
        raise plugin.error(f"expected the attribute `call` to be one of {', '.join(CALLS)}, got {call!r:.60}")
    if plugin.name in names_of(str(call)):
        raise plugin.error(
            f"expected a new name, got {plugin.name!r}, which is a built-in algorithm for {call}"
        )
