"""Documents in JSON: how they are written, and read back with their schema checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from striate.decoders import json_mistake

if TYPE_CHECKING:
    from striate.errors import StriateError


class Document(Protocol):
    """What a document's class has: the name and version of its form."""

    @property
    def schema(self) -> str: ...


D = TypeVar("D", bound=Document)


def to_json(document: Any) -> str:
    """The document, indented, with a newline at its end."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def from_json(
    text: str | bytes, form: type[D], *, schema: str, name: str, kind: type[StriateError], source: str | None
) -> D:
    """Read what `to_json` wrote; raises `kind` ("not NAME: ..."), with the path of the mistake, on anything else."""
    import msgspec

    try:
        document = msgspec.json.decode(text, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
        message, at = json_mistake(error)
        raise kind(f"not {name}: {message}", at=at, source=source) from None
    if document.schema != schema:
        found = f"expected schema {schema!r}, got {document.schema!r:.60}"
        raise kind(found, at="$.schema", source=source)
    return document
