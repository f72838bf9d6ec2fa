"""What programs did: traces recorded here or read from other tools' logs."""

from striate.trace.header import Flag, Header, TracedCommunicator, TracedFile
from striate.trace.trace import Trace

__all__ = ["Flag", "Header", "Trace", "TracedCommunicator", "TracedFile"]
