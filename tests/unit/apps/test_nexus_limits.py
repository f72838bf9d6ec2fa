"""NEXUS texts that took quadratic time."""

import time

import pytest

from striate.apps.pmc3.nexus import NexusError, parse_nexus


@pytest.mark.parametrize(
    "text", ["[" * 400_000, "begin " * 60_000, "begin data;" * 60_000, "begin" + " " * 300_000]
)
def test_texts_that_never_close_are_refused_in_one_pass(text):
    begun = time.process_time()
    with pytest.raises(NexusError):
        parse_nexus("#NEXUS\n" + text)

    assert time.process_time() - begun < 2  # 80 kB of open brackets took 4.5 s
