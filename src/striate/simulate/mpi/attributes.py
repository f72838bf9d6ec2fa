"""Attributes: what programs keep with a communicator or a window, under keys that they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.link import all_outside

_keyvals: dict[int, Callable[..., Any] | None] = {}  # number -> what to call when an attribute goes


@all_outside
class Attributes:
    """Values by key; MPI knows some of its own."""

    _attributes: dict[int, Any]

    def _known_attribute(self, keyval: int) -> Any:
        """The value that MPI itself gives a key, or None."""

    def _forget_attributes(self) -> None:
        for keyval in list(self._attributes):
            self.Delete_attr(keyval)

    @classmethod
    def Create_keyval(cls, copy_fn: Any = None, delete_fn: Any = None, nopython: bool = False) -> int:
        number = 5000 + len(_keyvals)
        _keyvals[number] = delete_fn
        return number

    @classmethod
    def Free_keyval(cls, keyval: int) -> int:
        return constants.KEYVAL_INVALID

    def Get_attr(self, keyval: int) -> Any:
        known = self._known_attribute(keyval)
        return self._attributes.get(keyval) if known is None else known

    def Set_attr(self, keyval: int, attrval: Any) -> None:
        self.Delete_attr(keyval)
        self._attributes[keyval] = attrval

    def Delete_attr(self, keyval: int) -> None:
        if keyval in self._attributes:
            value, gone = self._attributes.pop(keyval), _keyvals.get(keyval)
            if gone is not None:
                gone(self, keyval, value)
