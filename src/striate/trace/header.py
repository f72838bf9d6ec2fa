"""What a trace says beside its rows: hosts, files, communicators, hints, and what it cannot tell."""

from __future__ import annotations

import msgspec

SCHEMA = "striate.trace/1"
MOST_RANKS = 2**21
COLLECTIVE_HINT = "striate_collective"  # of a simulated trace: how collective calls accessed the file
SIMULATED = "simulated"  # how the source of a trace begins whose times were made by a model


class TracedFile(msgspec.Struct, frozen=True):
    """A file the program touched; `hints` are what the MPI library said it used, `layout` where its bytes live."""

    name: str
    filesystem: str | None = None
    layout: str | None = None
    hints: dict[str, str] = {}


class TracedCommunicator(msgspec.Struct, frozen=True):
    """World ranks in the order of their ranks in the communicator; None: all ranks in order."""

    name: str
    members: tuple[int, ...] | None = None


class TracedProcess(msgspec.Struct, frozen=True):
    """A process of a program without MPI; numbers are the system's, `launch_rank` that of torchrun or Slurm, or -1."""

    number: int
    parent: int
    program: str  # its command line
    role: str  # "program", "worker" (forked, or started by multiprocessing), "launcher", or "rank" of a launcher
    ranks: tuple[int, ...]  # of its threads
    launch_rank: int = -1


class Flag(msgspec.Struct, frozen=True):
    """A caveat about the data: a short code for programs, a sentence for people."""

    code: str
    message: str


class Header(msgspec.Struct, frozen=True):
    """The head of a trace; everything in it is small compared with the rows."""

    ranks: int
    source: str = "striate"  # the tool that recorded, with its version
    program: str = ""
    started: int = 0  # nanoseconds since 1970 of the moment all times count from
    duration: int = 0  # nanoseconds the program ran, 0: not known
    hosts: tuple[str, ...] = ()
    host_of_rank: tuple[int, ...] = ()  # empty: not known
    files: tuple[TracedFile, ...] = ()
    communicators: tuple[TracedCommunicator, ...] = (TracedCommunicator("world"),)
    regions: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()  # servers, links, interfaces and disks that rows refer to
    levels: tuple[str, ...] = ()  # levels the recorder watched: none of their operations means none happened
    hints: dict[str, str] = {}  # hints for all files
    flags: tuple[Flag, ...] = ()
    clock_offsets: tuple[int, ...] = ()  # nanoseconds added to each rank's clock
    versions: dict[str, str] = {}
    job: str = ""  # number of the batch job
    mounts: dict[str, str] = {}  # path -> type of the file systems there were
    inputs: dict[str, str] = {}  # name -> "sha256:..."
    processes: tuple[TracedProcess, ...] = ()  # whose threads the ranks are, where there was no MPI

    def flagged(self, *flags: Flag) -> Header:
        """The same with more flags; a code already there is kept once."""
        known = {flag.code for flag in self.flags}
        return msgspec.structs.replace(
            self, flags=(*self.flags, *[flag for flag in flags if flag.code not in known])
        )
