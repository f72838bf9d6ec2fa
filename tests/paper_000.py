"""Programs as paper 000 prints them."""

from striate.queueing import SpmdParameters


def table_4() -> SpmdParameters:
    """QCRD stage 2, in units of the time on one processor and one disk; g(p) = 1/p, c = 1."""
    return SpmdParameters(
        parallel_seconds=0.71,
        message_startup_seconds=0.049,
        transfer_seconds=0.41,
        io_transfer_seconds=0.001,
        contention=0.19,
        scale="inverse",
        reference_seconds=1,
    )
