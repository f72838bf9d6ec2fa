"""Darshan logs, log formats 2.00 to 2.06 and 3.00 to 3.41: Darshan 2.0 to 3.5."""

from striate.formats.readers.darshan.reader import read, recognises

__all__ = ["read", "recognises"]
