"""Copies between the page cache and memory that is used in turn, or one buffer again and again."""

import pytest

from striate.probe.files import measure_files
from striate.probe.page_cache.copies import (
    CACHED_BUFFER,
    REUSED_READ,
    REUSED_WRITE,
    CachedFile,
    largest_in_cache,
)

KIB, MIB = 1024, 1024**2


# 10 s are a quarter of what 16 s are more than 8 s.
@pytest.mark.parametrize(
    ("seconds", "largest"),
    [
        ((8, 9, 10, 16), 4 * MIB),
        ((8, 9, 11, 16), MIB),
        ((8, 12, 9, 16), 256 * KIB),  # beyond what is slow nothing counts
        ((8, 8, 8, 8), 4 * MIB),  # all alike: the rates are, too
        ((8, 15, 15, 15), 256 * KIB),
    ],
)
def test_the_largest_buffer_in_a_cache_is_the_last_that_is_fast(seconds, largest):
    assert largest_in_cache((256 * KIB, MIB, 4 * MIB), seconds) == largest


def test_a_reused_buffer_is_used_from_its_beginning_for_every_access(tmp_path):
    memory = memoryview(bytes(range(4)))
    for buffer, found in ((memory[:2], [0, 1] * 4), (memory, [0, 1, 2, 3] * 2)):
        with (tmp_path / "file").open("w+b", buffering=0) as opened:
            CachedFile(opened.fileno(), 8).writes(buffer, 2, 0.0, [])
        assert list((tmp_path / "file").read_bytes()) == found


def test_files_are_measured_with_both_kinds_of_memory(tmp_path):
    found = measure_files(tmp_path, 0.2)

    names = {one.name: one for one in found.measurements}
    assert {f"{REUSED_WRITE}: rate", f"{REUSED_READ}: rate", "cached write: rate"} <= set(names)
    assert names[CACHED_BUFFER].value.estimate in (256 * KIB, MIB, 4 * MIB)
