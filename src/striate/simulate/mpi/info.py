"""Hints: MPI.Info as an ordered set of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.link import all_outside


@all_outside
class Info(metaclass=Refusing):
    """Keys and values."""

    def __init__(self, items: Mapping[str, str] | None = None) -> None:
        self._items: dict[str, str] = dict(items or {})

    __getattr__ = refuse_unknown("Info")

    @classmethod
    def Create(cls, items: Mapping[str, str] | None = None) -> Info:
        return cls(items)

    def Free(self) -> None:
        self._items = {}

    def Dup(self) -> Info:
        return Info(self._items)

    def copy(self) -> Info:
        return Info(self._items)

    def Set(self, key: str, value: str) -> None:
        self._items[str(key)] = str(value)

    def Get(self, key: str) -> str | None:
        return self._items.get(key)

    def Delete(self, key: str) -> None:
        if key not in self._items:
            raise failed("ERR_INFO_KEY", f"no key {key!r}")
        del self._items[key]

    def Get_nkeys(self) -> int:
        return len(self._items)

    def Get_nthkey(self, n: int) -> str:
        return list(self._items)[n]

    def get(self, key: str, default: str | None = None) -> str | None:
        return self._items.get(key, default)

    def keys(self) -> list[str]:
        return list(self._items)

    def values(self) -> list[str]:
        return list(self._items.values())

    def items(self) -> list[tuple[str, str]]:
        return list(self._items.items())

    def update(self, items: Mapping[str, str]) -> None:
        for key, value in dict(items).items():
            self.Set(key, value)

    def clear(self) -> None:
        self._items.clear()

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return self is not INFO_NULL

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __getitem__(self, key: str) -> str:
        return self._items[key]

    def __setitem__(self, key: str, value: str) -> None:
        self.Set(key, value)

    def __delitem__(self, key: str) -> None:
        del self._items[key]


INFO_NULL = Info()
INFO_ENV = Info()
