"""YAML of other tools, read as data alone: no tags, no aliases, no key twice, no number without end."""

from __future__ import annotations

from typing import Any

import yaml

from striate.decoders import yaml_mistake
from striate.errors import StriateError
from striate.units import about_size

LARGEST_TEXT = 2**18  # bytes: the loader takes 10 s for a megabyte
MOST_DIGITS = 40


class _Plain(yaml.SafeLoader):  # type: ignore[misc,unused-ignore]
    """SafeLoader without aliases, which could repeat a small text a million times, and without duplicate keys.

    Tags are refused: SafeLoader's constructors expect texts that have the form of their tag.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if isinstance(event, yaml.events.AliasEvent):
            raise _mistake("YAML aliases are not supported", event.start_mark)
        if getattr(event, "tag", None) is not None:
            raise _mistake("YAML tags are not supported", event.start_mark)
        return super().compose_node(parent, index)

    def construct_yaml_int(self, node: Any) -> Any:
        """A whole number; one of thousands of digits takes long to read, and cannot be shown."""
        if len(node.value) > MOST_DIGITS:
            raise _mistake(
                f"expected numbers of at most {MOST_DIGITS} digits, found a longer number", node.start_mark
            )
        return super().construct_yaml_int(node)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                if key_node.value in seen:
                    raise _mistake(f"the key {key_node.value!r:.60} appears twice", key_node.start_mark)
                seen.add(key_node.value)
        return super().construct_mapping(node, deep)


_Plain.add_constructor("tag:yaml.org,2002:int", _Plain.construct_yaml_int)


def _mistake(words: str, mark: Any) -> Exception:
    mistake: Exception = yaml.constructor.ConstructorError(None, None, words, mark)
    return mistake


def read_yaml(text: str, *, source: str, error: type[StriateError]) -> Any:
    """What the text holds; raises `error` in one line with the line and column of the mistake."""
    if len(text) > LARGEST_TEXT:
        raise error(
            f"expected a YAML file of at most {about_size(LARGEST_TEXT)}, found a larger file", source=source
        )
    try:
        return yaml.load(text, Loader=_Plain)  # a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as mistake:
        said, at = yaml_mistake(mistake)
        raise error(f"not YAML: {said}", at=at, source=source) from None
