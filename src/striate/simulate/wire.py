"""What a simulated rank and the coordinator tell each other: calls one way, answers the other.

A rank runs until it makes a call that needs an answer. Calls that need none (a short send, the start of a receive) are
kept and go with the next one that does, each with the computing before it.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    Channel = Connection[Any, Any]  # between the coordinator and one rank
else:
    Channel = Connection

GroupId = tuple[str, int]  # the family of communicators that one call made, and the colour within it
WORLD_GROUP: GroupId = ("world", 0)
SELF = "self"

BLOCKING = -1  # the handle of a call that returns when it is complete
ANY, ANY_TAG, PROC_NULL = -2, -1, -1  # the numbers of MPICH
NO_ROOT = -99
CANCELLED = "cancelled"  # the result of a receive that was taken back


class RankCall(NamedTuple):
    """One call of a rank: what computing came before it, where in the program it stands, and its arguments."""

    name: str
    seconds: float
    place: str
    arguments: tuple[Any, ...] = ()


class ReceivedMessage(NamedTuple):
    """A message as a receive or a probe gets it; a probe has no content."""

    source: int  # in the communicator
    tag: int
    size: int
    content: bytes


class Errand(NamedTuple):
    """Asks a rank, while it waits, to work for others: to reduce what they gave, or to reach into its memory."""

    number: int  # under which the rank offered to do it
    arguments: tuple[Any, ...]


class Reach(NamedTuple):
    """What an access does to the memory of its target."""

    kind: str  # put, get, accumulate, get_accumulate, compare_and_swap
    where: Any  # the bytes: a slice, or their places
    size: int
    content: bytes = b""
    operation: str = ""  # of an accumulate: the name of a predefined one
    dtype: Any = None  # of its elements
    compared: bytes = b""

    @property
    def returns(self) -> bool:
        """Whether the origin gets what was there."""
        return self.kind not in ("put", "accumulate")


class RankSettings(NamedTuple):
    """What every rank is told before it begins."""

    ranks: int
    eager_bytes: int
    nodes: tuple[int, ...]  # of each rank
    node_names: tuple[str, ...]  # of each rank
    compute_seconds: float | None  # None: measured
    cpu_scale: float
    call_seconds: float  # what the estimate takes for a call that needs no answer
    latency: float


def put(connection: Channel, thing: Any) -> None:
    """Send anything; the pickler of `Connection.send` takes three times as long for a small one."""
    connection.send_bytes(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))


def take(connection: Channel) -> Any:
    """Wait for what `put` sent; raises EOFError when the other side is gone."""
    return pickle.loads(connection.recv_bytes())
