"""Messages in flight: which receive takes which message, by MPI's rules and the estimated times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from striate.simulate.coordinator.ranks import PendingCall
from striate.simulate.wire import ANY, ANY_TAG, GroupId, ReceivedMessage
from striate.workload.kinds import TAGS_OF_CALLS

Key = tuple[GroupId, int]  # communicator and receiver, its rank in there


@dataclass(slots=True, eq=False)
class Message:
    """A message that was sent; `send` is told when a long one has been taken."""

    source: int
    tag: int
    content: bytes
    send: PendingCall | None  # None: it went at once

    def fits(self, source: int, tag: int) -> bool:
        if tag == ANY_TAG and self.tag in TAGS_OF_CALLS:
            return False
        return source in (ANY, self.source) and tag in (ANY_TAG, self.tag)

    def seen(self) -> ReceivedMessage:
        return ReceivedMessage(self.source, self.tag, len(self.content), b"")

    def taken(self) -> ReceivedMessage:
        return ReceivedMessage(self.source, self.tag, len(self.content), self.content)


@dataclass(slots=True, eq=False)
class PostedReceive:
    """A receive, or with `probes` a look at what would be received."""

    source: int
    tag: int
    pending: PendingCall
    probes: bool = False


@dataclass(slots=True, eq=False)
class MailBox:
    """What has come for one rank of a communicator, and what it waits for; both in order."""

    arrived: list[Message] = field(default_factory=list)
    posted: list[PostedReceive] = field(default_factory=list)


class Matching:
    """The mail boxes of all ranks; `met` is called with every pair of a message and a receive."""

    def __init__(self, met: Callable[[Message, PostedReceive], None]) -> None:
        self._boxes: dict[Key, MailBox] = {}
        self._met = met

    def _box(self, key: Key) -> MailBox:
        return self._boxes.setdefault(key, MailBox())

    def arrive(self, key: Key, message: Message) -> None:
        """A message has come: probes that wait for it see it, the first receive that fits takes it."""
        box = self._box(key)
        for receive in [one for one in box.posted if message.fits(one.source, one.tag)]:
            box.posted.remove(receive)
            self._met(message, receive)
            if not receive.probes:
                return
        box.arrived.append(message)

    def post(self, key: Key, receive: PostedReceive) -> None:
        """A receive is there: it takes the first message that fits, or waits."""
        message = self.look(key, receive.source, receive.tag)
        if message is None:
            self._box(key).posted.append(receive)
            return
        if not receive.probes:
            self._box(key).arrived.remove(message)
        self._met(message, receive)

    def withdraw(self, pending: PendingCall) -> bool:
        """Take a receive back; says whether it was still waiting for a message."""
        for box in self._boxes.values():
            for receive in box.posted:
                if receive.pending is pending:
                    box.posted.remove(receive)
                    return True
        return False

    def look(self, key: Key, source: int, tag: int) -> Message | None:
        """The first message that would be received."""
        return next((one for one in self._box(key).arrived if one.fits(source, tag)), None)

    def left(self) -> list[tuple[Key, Message]]:
        """Messages that nobody received."""
        return [(key, message) for key, box in self._boxes.items() for message in box.arrived]
