"""What a lab's guard answers, read with care."""

import pytest

from striate.errors import LabError
from striate.lab import door


def test_a_lab_of_another_version_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(door, "_ask", lambda name, request, seconds: b'{"ready": true, "plan": {"hosts": 3}}')

    with pytest.raises(LabError, match="another version of striate"):
        door.state("old")
