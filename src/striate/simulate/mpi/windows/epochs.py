"""Epochs: when accesses may begin, and when they are complete."""

from __future__ import annotations

from striate.simulate.mpi import constants
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.group import MpiGroup
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.windows.window import ALL, MemoryWindow


@all_outside
class WindowEpochs(MemoryWindow):
    """Fences of all ranks, locks of one rank alone, and post, start, complete, wait of some."""

    def _meet(self, kind: str) -> None:
        self._bring(link().ask("fence", self._comm._id, kind))

    def Fence(self, assertion: int = 0) -> None:
        self._expect_window()
        self._meet("fence")
        self._fenced = not assertion & constants.MODE_NOSUCCEED

    def Lock(self, rank: int, lock_type: int = constants.LOCK_EXCLUSIVE, assertion: int = 0) -> None:
        self._expect_window()
        if rank in self._locked or ALL in self._locked:
            raise failed("ERR_RMA_SYNC", f"the memory of rank {rank} is locked already")
        if lock_type not in (constants.LOCK_EXCLUSIVE, constants.LOCK_SHARED):
            raise failed("ERR_LOCKTYPE", f"lock type {lock_type}")
        self._fenced = False
        if rank == constants.PROC_NULL:
            self._locked[rank] = False
            return
        if not 0 <= rank < len(self._shown):
            raise failed("ERR_RANK", f"rank {rank} of a window of {len(self._shown)}")
        self._locked[rank] = not assertion & constants.MODE_NOCHECK
        if self._locked[rank]:
            exclusive = lock_type == constants.LOCK_EXCLUSIVE
            link().ask("win_lock", self._comm._id, rank, exclusive)

    def Unlock(self, rank: int) -> None:
        if rank not in self._locked:
            raise failed("ERR_RMA_SYNC", f"the memory of rank {rank} is not locked")
        asked = self._locked.pop(rank)
        if asked:
            self._bring(link().ask("win_unlock", self._comm._id, rank))
        elif rank != constants.PROC_NULL:
            self._flush(rank, local=False)

    def Lock_all(self, assertion: int = 0) -> None:
        self._expect_window()
        if self._locked:
            raise failed("ERR_RMA_SYNC", "memory of the window is locked already")
        self._fenced = False
        self._locked[ALL] = not assertion & constants.MODE_NOCHECK
        if self._locked[ALL]:
            link().ask("win_lock_all", self._comm._id)

    def Unlock_all(self) -> None:
        if ALL not in self._locked:
            raise failed("ERR_RMA_SYNC", "the window is not locked")
        if self._locked.pop(ALL):
            self._bring(link().ask("win_unlock_all", self._comm._id))
        else:
            self._flush(None, local=False)

    def _flush(self, rank: int | None, *, local: bool) -> None:
        self._expect_window()
        if rank != constants.PROC_NULL:
            self._bring(link().ask("win_flush", self._comm._id, rank, local))

    def Flush(self, rank: int) -> None:
        self._flush(rank, local=False)

    def Flush_all(self) -> None:
        self._flush(None, local=False)

    def Flush_local(self, rank: int) -> None:
        self._flush(rank, local=True)

    def Flush_local_all(self) -> None:
        self._flush(None, local=True)

    def Sync(self) -> None:
        self._expect_window()
        link().ask("win_sync")

    # ---- of some ranks

    def _ranks(self, group: MpiGroup) -> list[int]:
        """The members of a group, by their ranks in the window."""
        found = group.Translate_ranks(None, self._comm.Get_group())
        if constants.UNDEFINED in found:
            raise failed("ERR_GROUP", "the group has ranks that the window has not")
        return found

    def Post(self, group: MpiGroup, assertion: int = 0) -> None:
        self._expect_window()
        if self._posted is not None:
            raise failed("ERR_RMA_SYNC", "the window is posted already")
        self._posted = self._ranks(group)
        link().tell("win_post", self._comm._id, self._posted)

    def Start(self, group: MpiGroup, assertion: int = 0) -> None:
        self._expect_window()
        if self._started is not None:
            raise failed("ERR_RMA_SYNC", "an epoch is started already")
        self._fenced, self._started = False, self._ranks(group)
        link().ask("win_start", self._comm._id, self._started)

    def Complete(self) -> None:
        if self._started is None:
            raise failed("ERR_RMA_SYNC", "no epoch is started")
        targets, self._started = self._started, None
        self._bring(link().ask("win_complete", self._comm._id, targets))

    def Wait(self) -> bool:
        if self._posted is None:
            raise failed("ERR_RMA_SYNC", "the window is not posted")
        origins, self._posted = self._posted, None
        link().ask("win_wait", self._comm._id, origins)
        return True

    def Test(self) -> bool:
        if self._posted is None:
            raise failed("ERR_RMA_SYNC", "the window is not posted")
        if not link().ask("win_test", self._comm._id, self._posted):
            return False
        self._posted = None
        return True
