"""The answer of `striate size` as text for a terminal."""

from __future__ import annotations

from striate.printable import columns, one_line
from striate.training.sizing import SizedSystem, Sizing, Target
from striate.units import about_seconds, counted

SHOWN = 12


def sizing_text(sizing: Sizing) -> str:
    """The smallest system first, what binds in it, then systems that are smaller in another way."""
    parts = [_head(sizing), _binding(sizing)]
    if sizing.best is not None:
        parts += [_one_less(sizing), _alternatives(sizing)]
    return "\n\n".join(part for part in parts if part)


def target_text(target: Target) -> str:
    """The target in words."""
    if target.name == "au":
        return f"utilisation of at least {target.value:.0%}"
    if target.name == "throughput":
        return f"at least {target.value:,.6g} samples/s"
    return f"at most {about_seconds(target.value)}"


def system_text(one: SizedSystem) -> str:
    """A system in words."""
    words = [f"{one.servers:,.0f} server{'' if one.servers == 1 else 's'}"]
    if one.drives:
        words.append(f"{one.drives:,.4g} drives each")
    if one.links:
        words.append(f"{one.links:,.4g} Gb/s each")
    hosts = f", hosts with {one.host_links:,.4g} Gb/s" if one.host_links else ""
    return " with ".join((words[0], " and ".join(words[1:]))) + hosts if len(words) > 1 else words[0] + hosts


def _head(sizing: Sizing) -> str:
    forecast, target = sizing.forecast, sizing.target
    where = f"{counted(forecast.accelerators, 'accelerator')} on {counted(forecast.hosts, 'host')}"
    who = f"{one_line(sizing.job)}, {where}"
    wanted = f"{target_text(target)} with a certainty of {target.certainty:.0%}"
    if sizing.best is None:
        return f"{who}: no system of those tried reaches {wanted}{_hint(sizing)}"
    cost = f", costs {sizing.best.cost:,.6g}" if sizing.best.cost is not None else ""
    return f"{who}: {system_text(sizing.best)} reach {wanted} ({sizing.best.certainty:.1%}{cost})"


def _hint(sizing: Sizing) -> str:
    """What binds in the largest system, and whether it could be varied."""
    part = next((name for name, _ in sizing.forecast.binding if name != "accelerators"), "")
    if part == "links of the hosts" and "host-links" not in sizing.varied:
        return "; links of the hosts bind: vary host-links too"
    return f"; in the largest {part} bind" if part else ""


def _binding(sizing: Sizing) -> str:
    rows = [("what binds", "share of the draws")]
    rows += [(name, f"{share:.0%}") for name, share in sizing.forecast.binding if share >= 0.005]
    return columns(rows, numbers_from=1)


def _one_less(sizing: Sizing) -> str:
    if not sizing.one_less:
        return ""
    rows = [("one step less of", "certainty")]
    rows += [(name, f"{sure:.1%}") for name, sure in sizing.one_less]
    return columns(rows, numbers_from=1)


def _alternatives(sizing: Sizing) -> str:
    rows = [table_head(sizing), *(table_row(sizing, one) for one in sizing.alternatives[:SHOWN])]
    left = len(sizing.alternatives) - SHOWN
    more = f"\n... and {left:,} more" if left > 0 else ""
    head = "systems that reach it, none larger than another in every way:\n"
    return head + columns(rows, numbers_from=0) + more


def table_head(sizing: Sizing) -> tuple[str, ...]:
    """Names of the columns of a table of systems."""
    hosts = ("Gb/s of a host",) if "host-links" in sizing.varied else ()
    cost = ("cost",) if sizing.best is not None and sizing.best.cost is not None else ()
    return ("servers", "Gb/s each", "drives each", *hosts, "certainty", *cost)


def table_row(sizing: Sizing, one: SizedSystem) -> tuple[str, ...]:
    """A system as a row of that table."""
    hosts = (f"{one.host_links:,.4g}",) if "host-links" in sizing.varied else ()
    cost = (f"{one.cost:,.6g}",) if one.cost is not None else ()
    sizes = (f"{one.servers:,.0f}", f"{one.links:,.4g}", f"{one.drives:,.4g}")
    return (*sizes, *hosts, f"{one.certainty:.1%}", *cost)
