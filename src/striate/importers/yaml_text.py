"""YAML of other tools, read as data alone: no tags, no aliases, no key twice."""

from __future__ import annotations

from typing import Any

import yaml

from striate.decoders import yaml_mistake
from striate.errors import StriateError


class _Plain(yaml.SafeLoader):  # type: ignore[misc,unused-ignore]
    """SafeLoader without aliases, which could repeat a small text a million times, and without duplicate keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.constructor.ConstructorError(None, None, "aliases are not read", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                if key_node.value in seen:
                    found = f"the key {key_node.value!r:.60} is there twice"
                    raise yaml.constructor.ConstructorError(None, None, found, key_node.start_mark)
                seen.add(key_node.value)
        return super().construct_mapping(node, deep)


def read_yaml(text: str, *, source: str, error: type[StriateError]) -> Any:
    """What the text holds; raises `error` in one line with the line and column of the mistake."""
    try:
        return yaml.load(text, Loader=_Plain)  # a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as mistake:
        said, at = yaml_mistake(mistake)
        raise error(f"not YAML: {said}", at=at, source=source) from None
