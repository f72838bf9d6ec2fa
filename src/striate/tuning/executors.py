"""Who answers: this process, processes here, the ranks of an MPI job, or the workers of a Dask cluster."""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

from striate.errors import TuningError

NAMES = ("processes", "serial", "mpi", "dask")


class SerialExecutor(Executor):
    """Runs everything at once, here."""

    def submit(self, function: Callable[..., Any], /, *values: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*values, **named))
        except Exception as error:  # as any executor does: it is raised when the result is asked for
            future.set_exception(error)
        return future


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

        context = multiprocessing.get_context("spawn")  # a fork would copy threads' locks in an unknown state
        others = set(multiprocessing.active_children())
        processes = ProcessPoolExecutor(
            workers or os.cpu_count() or 1, mp_context=context, initializer=_leave_interrupts_to_the_caller
        )
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


def _end(pool: ProcessPoolExecutor, workers: list[BaseProcess]) -> None:
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
        raise TuningError("the executor dask needs distributed: pip install striate[dask]") from None
    if address:
        with distributed.Client(address) as client:
            yield client.get_executor()
        return
    with (
        distributed.LocalCluster(
            n_workers=workers or os.cpu_count() or 1, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()
