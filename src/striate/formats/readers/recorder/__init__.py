"""Recorder's traces, versions 2.3 to 3: a folder of files, or one recorder.dat."""

from striate.formats.readers.recorder.reader import read, recognises

__all__ = ["read", "recognises"]
