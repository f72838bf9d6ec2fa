"""What commands that make a forecast share: its options, and where its parts go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import Command, refuse_overwrite, refuse_store, say, say_json, write_output

if TYPE_CHECKING:
    from striate.cluster.cluster import Cluster
    from striate.ladder.forecast import Forecast
    from striate.workload import Workload
    from striate.workload.flows import Flows


def timeline_options(function: Command) -> Command:
    """`--timeline`, `--timeline-memory` and `--timeline-steps`."""
    memory = click.option(
        "--timeline-memory",
        default="1 GiB",
        show_default=True,
        help="memory for the timeline; when this memory is full, later events are left out",
    )
    steps = click.option(
        "--timeline-steps", is_flag=True, help="also record the steps inside collective calls in the timeline"
    )
    timeline = click.option(
        "--timeline",
        type=click.Path(path_type=Path),
        help="write the simulated timeline of ranks, servers, links and disks to a .parquet file, which is a trace; "
        "the program is then simulated packet by packet (method fine)",
    )
    return timeline(memory(steps(function)))


def collective_option(function: Command) -> Command:
    """`--collective`."""
    return click.option(
        "--collective",
        "collectives",
        multiple=True,
        metavar="RULE",
        help="the algorithm of an MPI collective, such as bcast=pipelined, or allreduce=ring,bytes=1MiB..,ranks=8..64 "
        "for these sizes and numbers of ranks only; may be given several times",
    )(function)


def scale_of(text: str | None) -> float | Cluster:
    """`--cpu-scale`: a factor, or the machine that times of computing were taken on."""
    if text is None:
        return 1.0
    try:
        return float(text)
    except ValueError:
        from striate.cli.clusters import find_cluster

        return find_cluster(text)[0]


@dataclass(frozen=True, slots=True)
class ForecastOutputs:
    """Where a forecast goes."""

    output: Path | None
    timeline: Path | None
    store: Path | None
    as_json: bool
    force: bool

    def expect_writable(self) -> None:
        """Refuse, before long work, what could not be written."""
        if self.output is not None:
            if self.output.suffix not in (".json", ".html"):
                raise click.UsageError(
                    f"expected an output file ending in .json or .html, got {self.output.name!r}"
                )
            refuse_overwrite(self.output, force=self.force)
        if self.timeline is not None:
            if self.timeline.suffix != ".parquet":
                raise click.UsageError(
                    f"expected a timeline file ending in .parquet, got {self.timeline.name!r}"
                )
            refuse_overwrite(self.timeline, force=self.force)
        refuse_store(self.store)

    def _content(self, forecast: Forecast, percentiles: Sequence[float]) -> str:
        """What goes into the output: JSON, or a page."""
        if self.output is not None and self.output.suffix == ".html":
            from striate.pages.show import show

            return show(forecast)
        return forecast.to_json(percentiles)

    def deliver(
        self, forecast: Forecast, workload: Workload | Flows, percentiles: Sequence[float] = ()
    ) -> int:
        """Write and print the forecast; the exit status."""
        if self.timeline is not None:
            forecast.timeline.save(self.timeline)
        if self.store is not None:
            from striate.ladder.stored import entry_of
            from striate.results import append

            append(self.store, entry_of(forecast, workload))
        if self.output is not None:
            write_output(self.output, self._content(forecast, percentiles), force=self.force)
        if self.as_json:
            say_json(forecast.to_json(percentiles))
        else:
            from striate.cli.tables import forecast_text

            say(forecast_text(forecast, percentiles))
        return 0 if forecast.reached else 3
