"""File layouts of a user: rounds of strips, put in place of the layouts of a program's files before it is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from striate.cluster.cluster import Cluster
from striate.errors import LayoutError
from striate.layout.distributions.varstrip import VarStrip
from striate.plugins.guard import LoadedPlugin
from striate.plugins.protocols import FileRequest
from striate.workload.application import Application
from striate.workload.workload import Workload

MOST_STRIPS = 1 << 16  # of a round


def laid_out(workload: Workload, cluster: Cluster) -> Workload:
    """The same programs with the layouts that the cluster's plug-in gives to their files; as they are without one."""
    plugin = cluster.plugins.of_kind("layout") if cluster.plugins is not None else None
    if plugin is None or not cluster.servers:
        return workload
    applications = tuple(_placed(plugin, application, cluster) for application in workload.applications)
    return replace(workload, applications=applications)


def _placed(plugin: LoadedPlugin, application: Application, cluster: Cluster) -> Application:
    rule = plugin.made()
    files = []
    for file in application.files:
        layout = strips_of(plugin, rule, FileRequest(file.name, file.first, file.count, cluster))
        files.append(file if layout is None else replace(file, layout=str(layout)))
    return replace(application, files=tuple(files))


def strips_of(plugin: LoadedPlugin, rule: Any, file: FileRequest) -> VarStrip | None:
    """The layout of a file; refuses strips of no bytes, on no server, and too many of them."""
    strips = plugin.call("strips", rule.strips, file)
    if strips is None:
        return None
    where, servers = f"for file {file.name!r:.60}", len(file.machine.servers)
    if not isinstance(strips, Sequence) or isinstance(strips, str) or not 0 < len(strips) <= MOST_STRIPS:
        raise plugin.error(
            f"expected 1 to {MOST_STRIPS} strips (server number, bytes), got {strips!r:.60} {where}"
        )
    pairs = []
    for number, strip in enumerate(strips):
        try:
            server, size = (int(value) for value in strip)
        except (TypeError, ValueError):
            raise plugin.error(
                f"expected a server number and a number of bytes, got {strip!r:.60} as strip {number} {where}"
            ) from None
        if not 0 <= server < servers:
            raise plugin.error(
                f"expected a server from 0 to {servers - 1}, got {server} in strip {number} {where}"
            )
        if size < 1:
            raise plugin.error(
                f"expected at least 1 byte in each strip, got {size} in strip {number} {where}"
            )
        pairs.append((server, size))
    try:
        return VarStrip(pairs)
    except LayoutError as error:
        raise plugin.error(f"{error.message} {where}") from None
