"""What programs did: traces recorded here or read from other tools' logs."""

from striate.trace.header import Communicator, File, Flag, Header
from striate.trace.trace import Trace

__all__ = ["Communicator", "File", "Flag", "Header", "Trace"]
