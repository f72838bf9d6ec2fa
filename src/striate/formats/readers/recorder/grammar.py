"""Recorder's compression undone: a table of calls that differ, and rules that say in which order they were made."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError

START = -1  # the rule that stands for the whole run; numbers from 0 up are calls, below it rules
Int32s = NDArray[np.int32]
Rules = Mapping[int, Int32s]  # rule -> symbols and how often each, alternating
_INT = struct.Struct("<i")


@dataclass(frozen=True, slots=True)
class Signature:
    """A call with its arguments as text; `thread` is the system's number."""

    thread: int
    function: int
    depth: int
    arguments: tuple[str, ...]


def read_calls(content: bytes, *, counted: bool) -> tuple[dict[int, Signature], bool]:
    """Call number -> signature, and whether all was sound; `counted` tables carry a rank and a count an entry."""
    head = struct.Struct("<4i" if counted else "<2i")
    found: dict[int, Signature] = {}
    if len(content) < 4:
        return found, False
    (entries,) = _INT.unpack_from(content)
    at, whole = 4, True
    for _ in range(max(entries, 0)):
        if at + head.size > len(content):
            return found, False
        numbers = head.unpack_from(content, at)
        number, length = numbers[0], numbers[2 if counted else 1]
        at += head.size
        if length < 0 or at + length > len(content):
            return found, False
        signature = _signature(content[at : at + length])
        if signature is None or number < 0:
            whole = False
        else:
            found[number] = signature
        at += length
    return found, whole and entries >= 0


def _signature(key: bytes) -> Signature | None:
    """Function numbers have four bytes from version 3 on, one before; the lengths inside tell which."""
    for layout in (_WIDE, _NARROW):
        if len(key) < layout.size:
            continue
        thread, function, depth, count, length = layout.unpack_from(key)
        text = key[layout.size :]
        if length == len(text) and text.count(b" ") == count and (not count or text.endswith(b" ")):
            words = text[:-1].split(b" ") if count else []
            return Signature(
                thread, function, depth, tuple(word.decode("utf-8", "replace") for word in words)
            )
    return None


_WIDE, _NARROW = struct.Struct("<QiBBi"), struct.Struct("<QBBBi")


def read_rules(content: bytes) -> tuple[dict[int, Int32s], bool]:
    """Rule -> its symbols with exponents, and whether all was sound."""
    numbers = np.frombuffer(content, "<i4", len(content) // 4)
    rules: dict[int, Int32s] = {}
    if not len(numbers):
        return rules, False
    at = 1
    for _ in range(max(int(numbers[0]), 0)):
        if at + 2 > len(numbers):
            return rules, False
        rule, symbols = int(numbers[at]), int(numbers[at + 1])
        at += 2
        if symbols < 0 or at + 2 * symbols > len(numbers):
            return rules, False
        rules[rule] = numbers[at : at + 2 * symbols]
        at += 2 * symbols
    return rules, int(numbers[0]) >= 0


def expanded(rules: Rules, most: int) -> tuple[Int32s, bool]:
    """The numbers of all calls in order, at most `most`, and whether that was all of them.

    A rule is written out once; where it comes again, what was written is copied. Raises TraceError when the rules
    go round in a circle or one of them is missing.
    """
    lengths = _lengths(rules, most)
    out = np.empty(min(lengths[START], most), np.int32)
    written: dict[int, int] = {}
    stack = [
        (START, 0, 0, 0)
    ]  # rule, next symbol, where its text begins, how often the symbol was written already
    at = 0
    while stack and at < len(out):
        rule, symbol, begin, done = stack.pop()
        body = rules[rule]
        if symbol == len(body):
            written[rule] = begin
            continue
        value, times = int(body[symbol]), int(body[symbol + 1])
        if value >= 0:
            end = min(at + max(times, 0), len(out))
            out[at:end] = value
            at = end
        elif times > 0 and lengths[value]:
            if value not in written:
                stack += [(rule, symbol, begin, 1), (value, 0, at, 0)]
                continue
            end = min(at + lengths[value] * (times - done), len(out))
            text = out[written[value] : written[value] + lengths[value]]
            out[at:end] = np.resize(text, end - at)
            at = end
        stack.append((rule, symbol + 2, begin, 0))
    return out, lengths[START] <= most


def _lengths(rules: Rules, most: int) -> dict[int, int]:
    """How many calls each rule that is needed stands for; `most + 1` means more than `most`."""
    found: dict[int, int] = {}
    open_rules: set[int] = set()
    stack = [START]
    while stack:
        rule = stack[-1]
        if rule in found:
            stack.pop()
            continue
        if rule not in rules:
            raise TraceError(
                f"the grammar (compressed sequence) of the calls uses rule {rule}, which it does not define"
            )
        body = rules[rule]
        values, times = body[0::2], np.maximum(body[1::2], 0).astype(np.int64)
        inner = [int(value) for value in np.unique(values[(values < 0) & (times > 0)])]
        missing = [value for value in inner if value not in found]
        if not missing:
            open_rules.discard(rule)
            total = int(times[values >= 0].sum())
            nested = zip(values[values < 0].tolist(), times[values < 0].tolist(), strict=True)
            total += sum(count * found[value] for value, count in nested if count)
            found[rule] = min(total, most + 1)
            stack.pop()
        elif rule in open_rules:
            raise TraceError("the grammar has a cycle")
        else:
            open_rules.add(rule)
            stack += missing
    return found
