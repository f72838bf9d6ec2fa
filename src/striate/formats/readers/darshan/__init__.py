"""Darshan logs, formats 3.10 to 3.41."""

from striate.formats.readers.darshan.reader import read, recognises

__all__ = ["read", "recognises"]
