"""What is told about a message that came."""

from __future__ import annotations

from striate.simulate.mpi import constants
from striate.simulate.mpi.datatype import PREDEFINED, MpiDatatype
from striate.simulate.mpi.errors import refuse_unknown
from striate.simulate.mpi.link import all_outside
from striate.simulate.wire import ReceivedMessage


@all_outside
class Status:
    """Source, tag and size of a message."""

    def __init__(self, status: Status | None = None) -> None:
        self.source: int = constants.ANY_SOURCE if status is None else status.source
        self.tag: int = constants.ANY_TAG if status is None else status.tag
        self.error: int = 0 if status is None else status.error
        self.cancelled: bool = False if status is None else status.cancelled
        self._bytes: int = 0 if status is None else status._bytes

    __getattr__ = refuse_unknown("Status")

    def note(self, message: ReceivedMessage) -> None:
        """Take what is known of a message."""
        self.source, self.tag, self._bytes = message.source, message.tag, message.size

    @property
    def count(self) -> int:
        return self._bytes

    @count.setter
    def count(self, value: int) -> None:
        self._bytes = value

    def Get_source(self) -> int:
        return self.source

    def Set_source(self, source: int) -> None:
        self.source = source

    def Get_tag(self) -> int:
        return self.tag

    def Set_tag(self, tag: int) -> None:
        self.tag = tag

    def Get_error(self) -> int:
        return self.error

    def Set_error(self, error: int) -> None:
        self.error = error

    def Set_elements(self, datatype: MpiDatatype, count: int) -> None:
        self._bytes = count * datatype.size

    def Set_cancelled(self, flag: bool) -> None:
        self.cancelled = flag

    def Is_cancelled(self) -> bool:
        return self.cancelled

    def Get_count(self, datatype: MpiDatatype = PREDEFINED["BYTE"]) -> int:
        items, rest = divmod(self._bytes, datatype.size) if datatype.size else (0, 0)
        return constants.UNDEFINED if rest else items

    def Get_elements(self, datatype: MpiDatatype) -> int:
        size = datatype.dtype.itemsize if datatype.dtype is not None else datatype.size
        return self._bytes // size if size else 0


NOBODY = ReceivedMessage(constants.PROC_NULL, constants.ANY_TAG, 0, b"")
