"""MPI.Win: how windows are made and ended, and what is known of them."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from striate.simulate.mpi import constants
from striate.simulate.mpi.buffers import Bytes, memory_of
from striate.simulate.mpi.collectives import CollectivePlan
from striate.simulate.mpi.comm import ERRORS_RETURN, Errhandler, Intracomm, alone
from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.group import MpiGroup
from striate.simulate.mpi.info import INFO_NULL, Info
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.windows.accesses import WindowAccesses
from striate.simulate.mpi.windows.epochs import WindowEpochs
from striate.simulate.mpi.windows.memory import Buffer, begin_sharing, shared_memory
from striate.simulate.mpi.windows.window import TOLD, ShownMemory


@all_outside
class Win(WindowAccesses, WindowEpochs, metaclass=Refusing):
    """Memory that the ranks of a communicator show each other."""

    __getattr__ = refuse_unknown("Win")

    # ---- making one

    @classmethod
    def Create(
        cls, memory: Any, disp_unit: int = 1, info: Info = INFO_NULL, comm: Intracomm | None = None
    ) -> Win:
        """A window on memory of the program's own."""
        nothing = memory is None or isinstance(memory, constants.InPlaceType)
        shown = np.empty(0, np.uint8) if nothing else memory_of(memory)[0]
        return cls()._made(comm, shown, disp_unit, constants.WIN_FLAVOR_CREATE, memory)

    @classmethod
    def Allocate(
        cls, size: int, disp_unit: int = 1, info: Info = INFO_NULL, comm: Intracomm | None = None
    ) -> Win:
        """A window on new memory."""
        return cls()._made(comm, Buffer.allocate(size), disp_unit, constants.WIN_FLAVOR_ALLOCATE)

    @classmethod
    def Allocate_shared(
        cls, size: int, disp_unit: int = 1, info: Info = INFO_NULL, comm: Intracomm | None = None
    ) -> Win:
        """A window on memory that the ranks, all of one node, read and write as their own; parts follow each other."""
        comm = alone() if comm is None else comm
        nodes = {link().settings.nodes[one] for one in comm._members}
        if len(nodes) > 1:
            raise failed("ERR_RMA_SHARED", f"ranks on {len(nodes)} nodes have no memory in common")
        told = comm._meet(CollectivePlan("allgather", struct.pack("<q", size), finish=list))
        sizes = [int.from_bytes(one, "little") for one in told]
        first = struct.pack("<ii", *begin_sharing(sum(sizes))) if comm._rank == 0 else None
        known = comm._meet(CollectivePlan("bcast", first, 0, lambda content: content))
        process, descriptor = struct.unpack("<ii", known)
        whole = shared_memory(process, descriptor, sum(sizes))
        ends = np.cumsum([0, *sizes])
        parts = [whole[ends[at] : ends[at + 1]] for at in range(len(sizes))]
        return cls()._made(comm, parts[comm._rank], disp_unit, constants.WIN_FLAVOR_SHARED, parts)

    @classmethod
    def Create_dynamic(cls, info: Info = INFO_NULL, comm: Intracomm | None = None) -> Win:
        raise failed("ERR_RMA_FLAVOR", "windows to which memory is attached later are not simulated")

    def _made(self, comm: Any, memory: Bytes, unit: int, flavor: int, kept: Any = None) -> Win:
        if unit < 1:
            raise failed("ERR_DISP", f"displacement unit {unit}")
        comm = alone() if comm is None else comm
        self._memory, self._kept, self._flavor = memory, kept, flavor
        self._comm = Intracomm._of(comm._make("window", 0, comm._rank))
        errand = link().new_handle()
        link().errands[errand] = self._serve
        told = self._comm._meet(
            CollectivePlan("allgather", TOLD.pack(len(memory), unit, errand), finish=list)
        )
        self._shown = [ShownMemory(*TOLD.unpack(one)) for one in told]
        return self

    def Free(self) -> None:
        """All ranks end the window together."""
        self._expect_window()
        self._meet("win_free")
        self._forget_attributes()
        del link().errands[self._mine.errand]
        self._comm, self._memory, self._kept = None, np.empty(0, np.uint8), None

    # ---- what is known of one

    def tomemory(self) -> Buffer:
        """The memory of this rank."""
        return self._memory.view(Buffer)

    def Shared_query(self, rank: int) -> tuple[Buffer, int]:
        """The memory of another rank of a shared window; PROC_NULL: of the first that has any."""
        if self._flavor != constants.WIN_FLAVOR_SHARED:
            raise failed("ERR_RMA_FLAVOR", "the window is not shared")
        if rank == constants.PROC_NULL:
            rank = next((at for at, one in enumerate(self._shown) if one.size), 0)
        return self._kept[rank].view(Buffer), self._shown[rank].unit

    @property
    def attrs(self) -> tuple[int, int, int]:
        return int(self._memory.ctypes.data), self._mine.size, self._mine.unit

    @property
    def flavor(self) -> int:
        return self._flavor

    model = constants.WIN_UNIFIED

    def _known_attribute(self, keyval: int) -> Any:
        base, size, unit = self.attrs
        return {
            constants.WIN_BASE: base,
            constants.WIN_SIZE: size,
            constants.WIN_DISP_UNIT: unit,
            constants.WIN_CREATE_FLAVOR: self._flavor,
            constants.WIN_MODEL: self.model,
        }.get(keyval)

    def Get_group(self) -> MpiGroup:
        self._expect_window()
        found: MpiGroup = self._comm.Get_group()
        return found

    group = property(Get_group)
    group_size = property(lambda self: self._comm.size)
    group_rank = property(lambda self: self._comm.rank)

    def Get_name(self) -> str:
        return self.name

    def Set_name(self, name: str) -> None:
        self.name = name

    def Get_info(self) -> Info:
        return Info()

    def Set_info(self, info: Info) -> None:
        """No hint changes what is simulated."""

    info = property(Get_info, Set_info)

    def Set_errhandler(self, errhandler: Errhandler) -> None:
        """Errors are exceptions, whatever the program asks for."""

    def Get_errhandler(self) -> Errhandler:
        return ERRORS_RETURN


WIN_NULL = Win()
