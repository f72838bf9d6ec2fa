"""The exception tree: every refusal says what was found, what was wanted, and where."""

from __future__ import annotations


class StriateError(Exception):
    """Base class of all errors of this package.

    `at` is the path of the mistake inside its document (`$.server[0].bandwidth`, `rank 3, operation 12`),
    `source` the document itself (a file name).
    """

    def __init__(self, message: str, *, at: str | None = None, source: str | None = None) -> None:
        self.message = message
        self.at = at
        self.source = source
        super().__init__(message, at, source)

    def __str__(self) -> str:
        where = f" - at {self.at}" if self.at else ""
        return self.message + where + (f" ({self.source})" if self.source else "")

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.message, self.at, self.source)

    def in_source(self, source: str) -> StriateError:
        """The same refusal, naming the document it was found in."""
        return type(self)(self.message, at=self.at, source=source)


def _again(kind: type[StriateError], message: str, at: str | None, source: str | None) -> StriateError:
    """Rebuild a refusal that came from another process."""
    return kind(message, at=at, source=source)


class Terminated(KeyboardInterrupt):
    """SIGTERM asked this process to end."""


class UnitError(StriateError, ValueError):
    """A size, rate or time that cannot be understood."""


class LayoutError(StriateError, ValueError):
    """A file layout that cannot exist, or bytes outside it."""


class TraceError(StriateError, ValueError):
    """A trace that cannot be read, or does not hold together."""


class ClusterError(StriateError, ValueError):
    """A cluster description that cannot be understood or built."""


class WorkloadError(StriateError, ValueError):
    """A program that no MPI library could run."""


class QueueingError(StriateError, ValueError):
    """Parameters or observations a queueing model cannot take."""


class PredictionError(StriateError, RuntimeError):
    """A prediction that cannot be made from this workload and cluster."""


class PluginError(StriateError, RuntimeError):
    """A plug-in that cannot be loaded, or that broke the rules of its kind; `at` is its kind and name."""


class TuningError(StriateError, ValueError):
    """A knob, a search or a tuning file that cannot be used."""


class ProbeError(StriateError, RuntimeError):
    """A machine that cannot be measured, or measurements that do not hold together."""


class NoiseError(StriateError, ValueError):
    """A table of repeated runs, or what was learnt from one, that cannot be used."""


class RatesError(StriateError, ValueError):
    """A table of measured rates that cannot be read, or says too little."""


class ResultsError(StriateError, ValueError):
    """A results store that cannot be read or written, or an entry it cannot hold."""


class DiskFullError(PredictionError):
    """A server whose disks have no room for what a program writes."""


class MessageTooLargeError(PredictionError):
    """A message that the memory of a node it leaves or reaches could not hold."""


class OutputError(StriateError, OSError):
    """A result that cannot be written where it was asked for."""

    def __str__(self) -> str:  # OSError's own __str__ would print the argument tuple
        return StriateError.__str__(self)


class DatasetError(StriateError, ValueError):
    """A dataset, or a request to one, that does not hold together."""


class DamageError(DatasetError):
    """A dataset whose bytes are not those that were written."""


class StorageError(StriateError, OSError):
    """Storage that refused: full, forbidden, missing. `errno` is the system's number, where there was one."""

    def __init__(
        self, message: str, number: int | None = None, *, at: str | None = None, source: str | None = None
    ) -> None:
        super().__init__(message, at=at, source=source)
        self.errno = number

    def __str__(self) -> str:  # OSError's own __str__ would print the argument tuple
        return StriateError.__str__(self)


class LabError(StriateError, RuntimeError):
    """A practice cluster that cannot be started, found or changed."""
