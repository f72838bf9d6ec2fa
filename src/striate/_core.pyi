"""Native engines of striate: columns in, columns out."""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

import striate.engine.input
import striate.plugins.hooks
import striate.rungs.ledger
import striate.workload.flow_columns


class WaitKind(enum.Enum):
    send = 0

    receive = 1

    collective_send = 2

    collective_receive = 3

    others = 4

    file = 5

    meeting = 6

    step = 7

class Reason(enum.Enum):
    deadlock = 0

    unreceived = 1

    truncated = 2

    server_full = 3

    no_server = 4

    no_route = 5

    unreachable = 6

    unknown_request = 7

    unknown_operation = 8

    no_schedule = 9

    nonblocking_collective = 10

    nonblocking_collective_io = 11

    files_as_fluid = 12

    too_few_servers = 13

    too_many_bytes = 14

    too_many_packets = 15

    too_many_passes = 16

    too_many_file_passes = 17

    too_many_offsets = 18

    job_too_long = 19

    run_too_long = 20

    blocks_ahead = 21

    too_many_disks = 22

    window_too_large = 23

    unknown_receiver = 24

    too_many_receivers = 25

    negative_time = 26

    no_aggregator = 27

    unknown_aggregator = 28

    empty_buffer = 29

    place_beyond = 30

    too_many_pieces = 31

    rate_out_of_range = 32

    transfer_too_large = 33

    instruction_rate = 34

    negative_latency = 35

    empty_unit = 36

    too_few_disks = 37

    idle_disk = 38

    burst_limits = 39

    no_cpu = 40

class RankRow:
    """Where a rank stands; row -1: it has ended."""

    @property
    def rank(self) -> int: ...

    @property
    def row(self) -> int: ...

class Wait:
    """
    Who waits for whom; of long lists the first few, and how many there are.
    """

    @property
    def kind(self) -> WaitKind: ...

    @property
    def places(self) -> list[RankRow]: ...

    @property
    def peers(self) -> list[int]: ...

    @property
    def tag(self) -> int: ...

    @property
    def file(self) -> int: ...

    @property
    def communicator(self) -> int: ...

    @property
    def all_places(self) -> int: ...

    @property
    def all_peers(self) -> int: ...

class Refusal:
    """What the core refuses; numbers that the reason does not name are -1."""

    @property
    def reason(self) -> Reason: ...

    @property
    def waits(self) -> list[Wait]: ...

    @property
    def rank(self) -> int: ...

    @property
    def row(self) -> int: ...

    @property
    def peer(self) -> int: ...

    @property
    def tag(self) -> int: ...

    @property
    def request(self) -> int: ...

    @property
    def server(self) -> int: ...

    @property
    def file(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def to(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def room(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def rate(self) -> float: ...

class RefusalError(Exception):
    """What the core throws when it refuses its input; everything else that it throws is a bug."""

    refusal: Refusal

def sort_runs(arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Runs by offset, stable."""

def merge_runs(arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """The same bytes as the fewest runs, in order."""

def subtract_runs(arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg3: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Bytes of the first merged list that the second lacks."""

class SimpleStripe:
    def __init__(self, arg0: int, arg1: int, /) -> None: ...

    def locate(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill servers and physical; false when some offset has no place."""

    def logical(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill offsets; false when some place holds no byte."""

    def run_length(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when some offset is below zero."""

    def strip_number(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill numbers; false when some offset is below zero."""

    def physical_size(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when a server does not exist."""

    def split(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Columns run, server, physical, offset, size of the pieces."""

class TwoDStripe:
    def __init__(self, arg0: int, arg1: int, arg2: int, arg3: int, /) -> None: ...

    def locate(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill servers and physical; false when some offset has no place."""

    def logical(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill offsets; false when some place holds no byte."""

    def run_length(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when some offset is below zero."""

    def strip_number(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill numbers; false when some offset is below zero."""

    def physical_size(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when a server does not exist."""

    def split(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Columns run, server, physical, offset, size of the pieces."""

class GroupedBlocks:
    def __init__(self, arg0: int, arg1: int, arg2: int, arg3: int, /) -> None: ...

    def locate(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill servers and physical; false when some offset has no place."""

    def logical(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill offsets; false when some place holds no byte."""

    def run_length(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when some offset is below zero."""

    def strip_number(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill numbers; false when some offset is below zero."""

    def physical_size(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when a server does not exist."""

    def split(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Columns run, server, physical, offset, size of the pieces."""

    @property
    def block_bytes(self) -> int: ...

class VarStrip:
    def __init__(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def locate(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill servers and physical; false when some offset has no place."""

    def logical(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill offsets; false when some place holds no byte."""

    def run_length(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when some offset is below zero."""

    def strip_number(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill numbers; false when some offset is below zero."""

    def physical_size(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when a server does not exist."""

    def split(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Columns run, server, physical, offset, size of the pieces."""

class Progressive:
    def __init__(self, arg0: int, arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg3: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg4: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def locate(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill servers and physical; false when some offset has no place."""

    def logical(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill offsets; false when some place holds no byte."""

    def run_length(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when some offset is below zero."""

    def strip_number(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill numbers; false when some offset is below zero."""

    def physical_size(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], /) -> bool:
        """Fill lengths; false when a server does not exist."""

    def split(self, arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Columns run, server, physical, offset, size of the pieces."""

class AccessPlan:
    """
    Request i goes to `server[i]`, in order of the servers; its runs are `first_run[i]` to
    `first_run[i + 1]`. Runs keep the order of the access; those that are neighbours on their server are
    one. `offset` is where the first byte of a run lies in the file accessed.
    """

    @property
    def server(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def request_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def first_run(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def physical(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def size(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def offset(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

@overload
def access_plan(arg0: SimpleStripe, arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> AccessPlan: ...

@overload
def access_plan(arg0: TwoDStripe, arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> AccessPlan: ...

@overload
def access_plan(arg0: GroupedBlocks, arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> AccessPlan: ...

@overload
def access_plan(arg0: VarStrip, arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> AccessPlan: ...

@overload
def access_plan(arg0: Progressive, arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> AccessPlan:
    """Columns of the requests, one per server, and of their runs."""

def bus_times(population: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], delay: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bus: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], disk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Mean cycle time of the BUS-AIO network at every point of every row."""

def bus_split(population: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], delay: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bus: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], disk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The same cycle as (computation, I/O)."""

def clustered_split(population: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clusters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], delay: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bus: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], disk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """(computation, I/O) of the CLU-AIO network, exactly."""

def linearizer_split(population: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], clusters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], delay: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bus: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], disk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """(computation, I/O) of the CLU-AIO network, by Linearizer."""

def fork_join(population: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], delay: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bus: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loops: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exact: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Mean time of the SIO computation burst."""

def fixed_loops(population: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], delay: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bus: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], apart: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, most_visits: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    (mean, standard error) of the SIO computation burst with a fixed number of loops.
    """

def cycle_samples(population: int, disks: int, delay: float, bus: float, disk: float, loops: float, fixed: bool, together: bool, samples: int, most_visits: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Times of single cycles: of all jobs together (SIO), or of each on its own.
    """

def polynomial_sum(places: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], passes: int) -> float:
    """Sum of a polynomial over places, passes times over."""

def route_summary(bandwidth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_bandwidth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_latency: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], from_components: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], to_components: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Hops (-1: no route), latency in ticks and bottleneck bandwidth of every pair.
    """

class PluginFaultError(Exception):
    pass

def compiled_plugins(path: str) -> list[tuple[str, str]]:
    """Kinds and names of the plug-ins of a shared object, whose code is run."""

class CompiledScheduler:
    """Schedulers of all servers."""

    def __init__(self, path: str, name: str, servers: Sequence[tuple[str, int, int]], io_request: int) -> None: ...

    def arrive(self, arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, arg5: int, arg6: bool, arg7: int, /) -> None: ...

    def next(self, arg0: int, arg1: int, /) -> list[int]: ...

class CompiledDisk:
    """Models of all disks."""

    def __init__(self, path: str, name: str, servers: Sequence[tuple[str, int, int]], io_request: int) -> None: ...

    def ticks(self, arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, arg5: bool, arg6: int, /) -> int: ...

class CompiledReplacement:
    """Replacement policies of all servers."""

    def __init__(self, path: str, name: str, servers: Sequence[tuple[str, int, int]], io_request: int) -> None: ...

    def added(self, arg0: int, arg1: int, arg2: int, /) -> None: ...

    def used(self, arg0: int, arg1: int, arg2: int, /) -> None: ...

    def victim(self, arg: int, /) -> tuple[int, int]: ...

class DiskLog:
    """One row per job of a disk; times in picoseconds."""

    @property
    def server(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def file(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def offset(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def write(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def end(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class OccupancyCurve:
    """
    Occupancy of a server over time, in slices of `width` picoseconds: time integrals and maxima of
    bytes on their way to the disks, bytes in its read cache, and requests that wait.
    """

    @property
    def width(self) -> int: ...

    @property
    def covered(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def sums(self, amount: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def most(self, amount: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class RecordedRows:
    """Rows of a timeline, in chunks; `dropped` had no room."""

    @property
    def bar_chunks(self) -> list[Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]: ...

    @property
    def transfer_chunks(self) -> list[Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]: ...

    @property
    def occupancy(self) -> list[OccupancyCurve]:
        """One curve per I/O server that was asked for anything."""

    @property
    def dropped(self) -> int: ...

class PacketRun:
    """
    What a run took; times in picoseconds, `waited` and queues in seconds.

    Columns go by rank, node, station (components, edges, interfaces, links out, links in),
    I/O server (disks, caches, queues) and metadata server.
    """

    @property
    def rank_end(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def node_busy(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def station_waited(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def station_busy(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def station_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def disk_operations(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def disk_sequential(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def disk_near_seeks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def disk_bytes_read(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def disk_bytes_written(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def cache_hit_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def cache_miss_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def server_busy(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def longest_queue(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def queue_seconds(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def most_dirty_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def burst_bytes_written(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def burst_bytes_read(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def burst_busy(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def metadata_operations(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def metadata_busy(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def metadata_waited(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def metadata_longest_queue(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def forwarder_messages(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def forwarder_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def forwarder_most_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def messages(self) -> int: ...

    @property
    def events(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def disk_log(self) -> DiskLog:
        """One row per job of a disk, where asked for."""

    @property
    def recorded(self) -> RecordedRows | None:
        """The timeline, where asked for."""

class ScheduleRun:
    """Times of every step of a schedule, in picoseconds."""

    @property
    def start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def sent(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def delivered(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def station_waited(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def events(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def end(self) -> int: ...

def simulate_schedule(network: object, interfaces: object, steps: object, *, packet_bytes: int, compat_clock: bool = False, round_robin: bool = False, warp: bool = True, flows: bool = False) -> ScheduleRun:
    """
    Play a schedule of messages packet by packet, or with `flows` as fluids.
    """

def run_programs(given: striate.engine.input.EngineInput, hooks: striate.plugins.hooks.Hooks | None | None, *, compat_clock: bool, heap_ties: bool, warp: bool, flows: bool, log_disks: bool, timeline_bytes: int, collective_steps: bool) -> PacketRun:
    """Play the programs of an EngineInput packet by packet."""

class FlowRun:
    """
    What a rung over a stream gave to each resource, in picoseconds.

    `ticks` is the end, `floor` what no order of events ends before; columns go by
    disk, processor or shared component.
    """

    @property
    def ticks(self) -> int: ...

    @property
    def floor(self) -> int: ...

    @property
    def graphs(self) -> int: ...

    @property
    def sends(self) -> int: ...

    @property
    def most_fan_out(self) -> int: ...

    @property
    def most_partners(self) -> int: ...

    @property
    def station_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def disk_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def disk_reads(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def processor_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def communication_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

def mesh_queries(rung: str, machine: striate.workload.flow_columns.FlowMachine, queries: striate.workload.flow_columns.MeshColumns) -> FlowRun:
    """
    Run a rung over windows of a grid of blocks, mapped onto a mesh of processors.
    """

def mesh_graphs(machine: striate.workload.flow_columns.FlowMachine, queries: striate.workload.flow_columns.MeshColumns) -> striate.workload.flow_columns.GraphColumns:
    """The graphs of such windows one by one."""

def listed_flows(rung: str, machine: striate.workload.flow_columns.FlowMachine, graphs: striate.workload.flow_columns.GraphColumns) -> FlowRun:
    """Run a rung over graphs given one by one."""

class FoldedRows:
    """A folded program as rows in order."""

    @property
    def shape(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def count(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def pair(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

    @property
    def free(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def first_stride(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def stride(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

class Folder:
    """Folds a stream of operations back into loops as it arrives."""

    def __init__(self, folds: bool) -> None: ...

    def add(self, shape: int, free: Sequence[int]) -> None: ...

    def extend(self, shapes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], widths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], free: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add operations in order; operation i has widths[i] of the free values."""

    def add_loop(self, shapes: Sequence[int], widths: Sequence[int], first: Sequence[int], second: Sequence[int], count: int) -> None:
        """Add `count` passes at once, given the first two of them."""

    def rows(self) -> FoldedRows: ...

class ProgramFlowRun:
    """
    What a rung over graphs gave to each resource, in picoseconds.

    `ticks` is the end of the last rank; columns go by rank, station or I/O server.
    """

    @property
    def ticks(self) -> int: ...

    @property
    def graphs(self) -> int: ...

    @property
    def messages(self) -> int: ...

    @property
    def network_work(self) -> int: ...

    @property
    def delays(self) -> int: ...

    @property
    def compute_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def communication_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def station_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def disk_work(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def written(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def disk_jobs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def calls(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

def program_flows(rung: str, given: striate.engine.input.EngineInput) -> ProgramFlowRun:
    """
    Run a rung over the operations of an EngineInput, each a work-flow graph.
    """

class Ledger:
    """Sums of work of one application, per rank and per server."""

    @property
    def compute_seconds(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def instructions(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def communication_seconds(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def computes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def exchanges(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def sent_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def received_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def sent_messages(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def received_messages(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def blocking_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def blocking_messages(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def accesses(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def read_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def written_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def server_read(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def server_written(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def server_reads(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def server_writes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def barriers(self) -> int: ...

    @property
    def heard_kind(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def heard_file(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def heard_calls(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def heard_creates(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def sum_up(given: striate.rungs.ledger.LedgerInput) -> Ledger:
    """Sums of work per rank and per server over one application."""

kinds: int = 44

def count_marked(bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def unmarked_records(bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, end: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def mark_records(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_records(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def resolve_records(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, live: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def resolve_records(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, live: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def bucket_records(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kept: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, records: int, domain: int, window: int, segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def bucket_records(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kept: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, records: int, domain: int, window: int, segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def marked_entries(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def marked_entries(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def splice_moves(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dropped: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], added: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], added_place: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

@overload
def splice_moves(order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dropped: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], added: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], added_place: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def resolve_into_buckets(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], live: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], each_once: bool, records: int, domain: int, window: int, segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def resolve_into_buckets(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], live: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], each_once: bool, records: int, domain: int, window: int, segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def sort_into_buckets(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], live: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], records: int, domain: int, window: int, segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def sort_into_buckets(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], live: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], records: int, domain: int, window: int, segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def move_records(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], to: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, source: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], from_: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: int, size: int) -> None: ...

@overload
def move_records(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], to: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, source: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], from_: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: int, size: int) -> None: ...

class PageLostError(OSError):
    pass

class MappedFile:
    def __init__(self, descriptor: int, bytes: int) -> None: ...

@overload
def gather_chunks(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], files: Sequence[MappedFile], file: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], records: int, size: int) -> None: ...

@overload
def gather_chunks(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], files: Sequence[MappedFile], file: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], records: int, size: int) -> None:
    """
    target[k] = record indices[k] of an array whose chunks lie in mapped files.
    """

def reserve_shared(descriptor: int, bytes: int) -> None:
    """
    Give an open file of the memory file system so many bytes, in large pages where they can be had.
    """

def map_shared(descriptor: int, bytes: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """The first bytes of an open file as memory that all who map it see."""

@overload
def move_rows(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], to: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sources: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], sizes: Sequence[int], from_: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: int) -> None: ...

@overload
def move_rows(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], to: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sources: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], sizes: Sequence[int], from_: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: int) -> None:
    """
    Row to[k] of the target becomes record from_[k] of every source, one behind another.
    """

def split_rows(target: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Sequence[int]) -> None:
    """
    All records of the first part of the rows, then all of the second, and so on.
    """
