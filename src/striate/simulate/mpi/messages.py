"""Point-to-point calls of a communicator: buffers under capital letters, pickled objects under small ones."""

from __future__ import annotations

import pickle
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.buffers import Part, whole_part
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.request import MpiRequest, PersistentRequest
from striate.simulate.mpi.status import NOBODY, Status
from striate.simulate.wire import BLOCKING, GroupId, ReceivedMessage

ANY_SOURCE, ANY_TAG, PROC_NULL = constants.ANY_SOURCE, constants.ANY_TAG, constants.PROC_NULL


def dumped(thing: Any) -> bytes:
    return pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)


def _object(message: ReceivedMessage) -> Any:
    return pickle.loads(message.content) if message.content else None


def _note(status: Status | None, message: ReceivedMessage) -> None:
    if status is not None:
        status.note(message)


@all_outside
class MpiMessages:
    """What two ranks of a communicator do with each other."""

    _id: GroupId
    _members: tuple[int, ...]

    # ---- the calls

    def _expect_peer(self, peer: int, tag: int, *, receives: bool) -> None:
        if not 0 <= peer < len(self._members) and not (receives and peer == ANY_SOURCE):
            raise failed("ERR_RANK", f"rank {peer} of a communicator of {len(self._members)}")
        if not 0 <= tag <= constants.LARGEST_TAG and not (receives and tag == ANY_TAG):
            raise failed("ERR_TAG", f"tag {tag}")

    def _send(self, content: bytes, dest: int, tag: int, *, synchronous: bool = False) -> None:
        if dest == PROC_NULL:
            return
        self._expect_peer(dest, tag, receives=False)
        arguments = (self._id, dest, tag, content, synchronous, BLOCKING)
        if synchronous or len(content) > link().settings.eager_bytes:
            link().ask("send", *arguments)
        else:
            link().tell("send", *arguments, size=len(content))

    def _start_send(self, content: bytes, dest: int, tag: int, *, synchronous: bool = False) -> MpiRequest:
        if dest == PROC_NULL:
            return MpiRequest(-link().new_handle())
        self._expect_peer(dest, tag, receives=False)
        handle = link().new_handle()
        link().tell("send", self._id, dest, tag, content, synchronous, handle, size=len(content))
        return MpiRequest(handle)

    def _receive(self, source: int, tag: int, room: int) -> ReceivedMessage:
        if source == PROC_NULL:
            return NOBODY
        self._expect_peer(source, tag, receives=True)
        found: ReceivedMessage = link().ask("recv", self._id, source, tag, room, BLOCKING)
        return found

    def _start_receive(self, source: int, tag: int, room: int, finish: Any) -> MpiRequest:
        if source == PROC_NULL:
            return MpiRequest(-link().new_handle(), finish)
        self._expect_peer(source, tag, receives=True)
        handle = link().new_handle()
        link().tell("recv", self._id, source, tag, room, handle)
        return MpiRequest(handle, finish)

    def _exchange(
        self, content: bytes, dest: int, tag: int, source: int, source_tag: int, room: int
    ) -> ReceivedMessage:
        if dest == PROC_NULL:
            return self._receive(source, source_tag, room)
        if source == PROC_NULL:
            self._send(content, dest, tag)
            return NOBODY
        self._expect_peer(dest, tag, receives=False)
        self._expect_peer(source, source_tag, receives=True)
        found: ReceivedMessage = link().ask(
            "sendrecv", self._id, dest, tag, content, source, source_tag, room
        )
        return found

    # ---- buffers

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        self._send(whole_part(buf).content(), dest, tag)

    def Ssend(self, buf: Any, dest: int, tag: int = 0) -> None:
        self._send(whole_part(buf).content(), dest, tag, synchronous=True)

    def Rsend(self, buf: Any, dest: int, tag: int = 0) -> None:
        self.Send(buf, dest, tag)

    def Bsend(self, buf: Any, dest: int, tag: int = 0) -> None:
        self._start_send(whole_part(buf).content(), dest, tag)

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self._start_send(whole_part(buf).content(), dest, tag)

    def Issend(self, buf: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self._start_send(whole_part(buf).content(), dest, tag, synchronous=True)

    def Irsend(self, buf: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self.Isend(buf, dest, tag)

    def Ibsend(self, buf: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self.Isend(buf, dest, tag)

    def Recv(
        self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> None:
        part = whole_part(buf)
        message = self._receive(source, tag, part.size)
        part.fill(message.content)
        _note(status, message)

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> MpiRequest:
        part = whole_part(buf)
        return self._start_receive(source, tag, part.size, lambda message: part.fill(message.content))

    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> PersistentRequest:
        return PersistentRequest(lambda: self.Isend(buf, dest, tag))

    def Ssend_init(self, buf: Any, dest: int, tag: int = 0) -> PersistentRequest:
        return PersistentRequest(lambda: self.Issend(buf, dest, tag))

    def Rsend_init(self, buf: Any, dest: int, tag: int = 0) -> PersistentRequest:
        return self.Send_init(buf, dest, tag)

    def Bsend_init(self, buf: Any, dest: int, tag: int = 0) -> PersistentRequest:
        return self.Send_init(buf, dest, tag)

    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> PersistentRequest:
        return PersistentRequest(lambda: self.Irecv(buf, source, tag))

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        part = whole_part(recvbuf)
        content = whole_part(sendbuf).content()
        message = self._exchange(content, dest, sendtag, source, recvtag, part.size)
        part.fill(message.content)
        _note(status, message)

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        part: Part = whole_part(buf)
        message = self._exchange(part.content(), dest, sendtag, source, recvtag, part.size)
        part.fill(message.content)
        _note(status, message)

    # ---- objects

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        self._send(dumped(obj), dest, tag)

    def ssend(self, obj: Any, dest: int, tag: int = 0) -> None:
        self._send(dumped(obj), dest, tag, synchronous=True)

    def bsend(self, obj: Any, dest: int, tag: int = 0) -> None:
        self._start_send(dumped(obj), dest, tag)

    def isend(self, obj: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self._start_send(dumped(obj), dest, tag)

    def issend(self, obj: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self._start_send(dumped(obj), dest, tag, synchronous=True)

    def ibsend(self, obj: Any, dest: int, tag: int = 0) -> MpiRequest:
        return self._start_send(dumped(obj), dest, tag)

    def recv(
        self,
        buf: Any = None,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        message = self._receive(source, tag, 0)
        _note(status, message)
        return _object(message)

    def irecv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> MpiRequest:
        return self._start_receive(source, tag, 0, _object)

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        message = self._exchange(dumped(sendobj), dest, sendtag, source, recvtag, 0)
        _note(status, message)
        return _object(message)

    # ---- probes

    def _probe(self, source: int, tag: int, status: Status | None, *, waits: bool) -> bool:
        if source == PROC_NULL:
            _note(status, NOBODY)
            return True
        self._expect_peer(source, tag, receives=True)
        found: ReceivedMessage | None = link().ask("probe", self._id, source, tag, waits)
        if found is None:
            return False
        _note(status, found)
        return True

    def Probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        return self._probe(source, tag, status, waits=True)

    def Iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        return self._probe(source, tag, status, waits=False)

    def probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        return self._probe(source, tag, status, waits=True)

    def iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        return self._probe(source, tag, status, waits=False)
