"""Who answers: this process, processes here, the ranks of an MPI job, or the workers of a Dask cluster."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

from striate.errors import TuningError

NAMES = ("processes", "serial", "mpi", "dask")
_QUIET = "ignore:resource_tracker"  # it removes the semaphores of a command that was interrupted, without a warning
MOST_LOST = 2  # times in a row that processes are lost before any of them has replied


class SerialExecutor(Executor):
    """Runs everything at once, here."""

    def submit(self, function: Callable[..., Any], /, *values: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*values, **named))
        except Exception as error:  # as any executor does: it is raised when the result is asked for
            future.set_exception(error)
        return future


class RestartingPool(Executor):
    """Processes of which some may be killed: new ones take over what had no reply yet.

    When they are lost several times with no reply in between, it is the work that kills them: BrokenProcessPool.
    """

    def __init__(self, start: Callable[[], ProcessPoolExecutor]) -> None:
        self._start = start
        self._pool = start()
        self._lock = threading.Lock()
        self._replies = 0  # since the processes were started
        self._lost = 0  # times in a row, without a reply
        self._closed = False

    def submit(self, function: Callable[..., Any], /, *values: Any, **named: Any) -> Future[Any]:
        reply: Future[Any] = Future()
        self._send(reply, lambda pool: pool.submit(function, *values, **named))
        return reply

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _send(self, reply: Future[Any], submit: Callable[[ProcessPoolExecutor], Future[Any]]) -> None:
        while True:
            pool = self._pool
            try:
                task = submit(pool)  # without our lock: a pool that breaks calls back while it holds its own
                break
            except BrokenProcessPool as error:
                if not self._restarted(pool):
                    reply.set_exception(error)
                    return

        def over(done: Future[Any]) -> None:
            if done.cancelled() or reply.cancelled():
                reply.cancel()
                return
            error = done.exception()
            with self._lock:
                self._replies += error is None
            if isinstance(error, BrokenProcessPool) and self._restarted(pool):
                self._send(reply, submit)
            else:
                _pass_on(done, reply)

        reply.add_done_callback(lambda one: task.cancel() if one.cancelled() else None)
        task.add_done_callback(over)

    def _restarted(self, lost: ProcessPoolExecutor) -> bool:
        """Whether others have taken the place of the lost processes."""
        with self._lock:
            if self._pool is not lost:
                return not self._closed
            self._lost = 0 if self._replies else self._lost + 1
            if self._closed or self._lost >= MOST_LOST:
                return False
            self._replies = 0
            self._pool = self._start()
            return True


def _pass_on(done: Future[Any], reply: Future[Any]) -> None:
    error = done.exception()
    try:
        if error is None:
            reply.set_result(done.result())
        else:
            reply.set_exception(error)
    except InvalidStateError:  # nobody waits for it any more
        pass


@contextmanager
def executor_called(name: str, *, workers: int | None = None) -> Iterator[Executor]:
    """The executor of that name: one of NAMES, or `dask:tcp://HOST:PORT` for a scheduler that runs already.

    `mpi` takes the ranks that `mpiexec -n N python -m mpi4py.futures` started. Raises TuningError for other names
    and for what is not installed.
    """
    kind, _, address = name.partition(":")
    if kind not in NAMES or (address and kind != "dask"):
        raise TuningError(f"expected an executor among {', '.join(NAMES)}, got {name!r:.60}")
    if kind == "serial":
        yield SerialExecutor()
    elif kind == "processes":
        import multiprocessing

        others = set(multiprocessing.active_children())
        processes = RestartingPool(lambda: _processes(workers))
        try:
            yield processes
        finally:
            _end(processes, [one for one in multiprocessing.active_children() if one not in others])
    elif kind == "mpi":
        with _mpi_pool(workers) as pool:
            yield pool
    else:
        with _dask_pool(address, workers) as pool:
            yield pool


def _processes(workers: int | None) -> ProcessPoolExecutor:
    import multiprocessing

    context = multiprocessing.get_context("spawn")  # a fork would copy threads' locks in an unknown state
    if _QUIET not in sys.warnoptions:  # Python's resource tracker is started with these
        sys.warnoptions.append(_QUIET)
    return ProcessPoolExecutor(
        workers or os.cpu_count() or 1, mp_context=context, initializer=_leave_interrupts_to_the_caller
    )


def _end(pool: Executor, workers: list[BaseProcess]) -> None:
    """End the workers, also those that are still at work: nobody waits for their replies."""
    pool.shutdown(wait=False, cancel_futures=True)
    end = time.monotonic() + 0.2
    for worker in workers:
        worker.join(max(0.0, end - time.monotonic()))
        if worker.is_alive():
            worker.kill()


def _leave_interrupts_to_the_caller() -> None:
    """A terminal's Ctrl-C reaches every process; the caller alone says so, and ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _mpi_pool(workers: int | None) -> Any:
    try:
        from mpi4py.futures import MPIPoolExecutor
    except ImportError:
        raise TuningError("the executor mpi needs mpi4py: pip install striate[mpi]") from None
    return MPIPoolExecutor(workers)


@contextmanager
def _dask_pool(address: str, workers: int | None) -> Iterator[Executor]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise TuningError(
            "the executor dask needs the package distributed: pip install striate[dask]"
        ) from None
    if address:
        with distributed.Client(address) as client:
            yield client.get_executor()
        return
    with (
        distributed.LocalCluster(
            n_workers=workers or os.cpu_count() or 1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()
