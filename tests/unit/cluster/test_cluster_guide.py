"""The guide on clusters is true: its examples run, and it names every key there is."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

from striate.cluster.description.tables import Description
from striate.cluster.load import bundled, cluster_from_toml

GUIDE = (Path(__file__).resolve().parents[3] / "docs/guides/model-your-own-cluster.md").read_text()


@pytest.mark.parametrize(
    "text", re.findall(r"```toml\n(.*?)```", GUIDE, re.S), ids=["office", "two rooms", "burst"]
)
def test_the_examples_of_the_guide_are_good_machines(text):
    assert cluster_from_toml(text).nodes in (16, 4, 8)


def test_the_python_example_of_the_guide_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.S)

    exec(compile(code, "guide", "exec"), {})

    # 512 routers with 6 neighbours and an uplink each, every cable two edges
    assert capsys.readouterr().out == f"512 16384 {512 * 6 + 512 * 2}\n[0 1 2 3]\n"


def test_the_guide_names_every_key_and_every_bundled_machine():
    missing = [
        key for key in sorted(keys_of(inspect.type_info(Description))) if not re.search(rf"\b{key}\b", GUIDE)
    ]

    assert missing == []
    assert all(f"`{name}`" in GUIDE for name in bundled())


def keys_of(kind: Any) -> set[str]:
    """Every key of every table inside."""
    if isinstance(kind, inspect.StructType):
        return {field.encode_name for field in kind.fields}.union(
            *(keys_of(field.type) for field in kind.fields)
        )
    inner = [*getattr(kind, "types", ()), *([kind.item_type] if hasattr(kind, "item_type") else [])]
    return set().union(*(keys_of(member) for member in inner))
