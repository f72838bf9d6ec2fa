"""The module `mpi4py.MPI` as programs see it, put together from the stand-in's parts."""

from __future__ import annotations

import pickle as python_pickle
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from striate.simulate.mpi import (
    cart,
    comm,
    constants,
    datatype,
    errors,
    file,
    graph,
    group,
    info,
    op,
    request,
    status,
    topology,
)
from striate.simulate.mpi.link import link, outside
from striate.simulate.mpi.windows import win
from striate.simulate.mpi.windows.memory import Buffer

VERSION = "4.0.0"  # of mpi4py, whose names and arguments these are


class Pickle:
    """MPI.pickle."""

    PROTOCOL = python_pickle.HIGHEST_PROTOCOL
    dumps = staticmethod(python_pickle.dumps)
    loads = staticmethod(python_pickle.loads)


class Rc:
    """mpi4py.rc: settings of a start that is over."""

    initialize = finalize = threads = True
    thread_level = "multiple"
    recv_mprobe = True

    def __call__(self, **settings: Any) -> None:
        for name, value in settings.items():
            setattr(self, name, value)


class _MpiModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise errors.NotSimulatedError(f"MPI.{name} is not simulated")


_state = {"finalized": False}


@outside
def _finalize() -> None:
    _state["finalized"] = True


def _functions() -> dict[str, Any]:
    def dims(nnodes: int, dims: Any) -> list[int]:
        return list(cart.compute_dims(nnodes, dims))

    return {
        "Wtime": outside(lambda: link().wtime()),
        "Wtick": lambda: 1e-9,
        "Init": lambda: None,
        "Init_thread": lambda required=3: constants.THREAD_SERIALIZED,
        "Finalize": _finalize,
        "Is_initialized": lambda: True,
        "Is_finalized": lambda: _state["finalized"],
        "Query_thread": lambda: constants.THREAD_SERIALIZED,
        "Is_thread_main": lambda: True,
        "Get_version": lambda: (constants.VERSION, constants.SUBVERSION),
        "Get_abi_version": lambda: (-1, -1),
        "Get_library_version": lambda: "striate simulate",
        "Get_processor_name": lambda: link().settings.node_names[link().rank],
        "Get_error_string": lambda code: str(errors.MpiError(code)),
        "Get_error_class": lambda code: code,
        "Compute_dims": dims,
        "Pcontrol": lambda level: None,
        "Alloc_mem": lambda size, info=None: Buffer.allocate(size),
        "Free_mem": lambda mem: None,
        "Attach_buffer": lambda buf: None,
        "Detach_buffer": lambda: None,
        "get_vendor": lambda: ("striate", (0, 1, 0)),
    }


def _names() -> dict[str, Any]:
    names: dict[str, Any] = {name: getattr(constants, name) for name in constants.EXPORTED}
    names |= datatype.PREDEFINED | op.PREDEFINED | errors.CLASSES | _functions()
    names["SUCCESS"] = errors.SUCCESS
    names["pickle"] = Pickle
    names["Aint"] = int
    names |= _classes()
    for part, listed in (
        (comm, ("COMM_NULL", "ERRORS_RETURN", "ERRORS_ARE_FATAL", "ERRORS_ABORT", "ERRHANDLER_NULL")),
        (group, ("GROUP_NULL", "GROUP_EMPTY")),
        (info, ("INFO_NULL", "INFO_ENV")),
        (request, ("REQUEST_NULL",)),
        (file, ("FILE_NULL",)),
        (win, ("WIN_NULL",)),
    ):
        names |= {name: getattr(part, name) for name in listed}
    names["_typedict"] = {
        np.dtype(code).char: datatype.PREDEFINED[name] for name, code in datatype.NUMBERS.items()
    }
    return names


def _classes() -> dict[str, Any]:
    """The classes, which bear the names of mpi4py from now on."""
    kinds: dict[str, Any] = {
        "Comm": comm.Comm,
        "Intracomm": comm.Intracomm,
        "Errhandler": comm.Errhandler,
        "Topocomm": topology.Topocomm,
        "Cartcomm": cart.Cartcomm,
        "Graphcomm": graph.Graphcomm,
        "Distgraphcomm": graph.Distgraphcomm,
        "Group": group.MpiGroup,
        "Datatype": datatype.MpiDatatype,
        "Op": op.Op,
        "Request": request.MpiRequest,
        "Prequest": request.PersistentRequest,
        "Status": status.Status,
        "Info": info.Info,
        "File": file.MpiFile,
        "Win": win.Win,
        "buffer": Buffer,
        "memory": Buffer,
        "Exception": errors.MpiError,
        "InPlaceType": constants.InPlaceType,
    }
    for name, kind in kinds.items():
        kind.__name__ = kind.__qualname__ = name
    return kinds


class _Refused:
    """A finder that refuses the parts of mpi4py that are not simulated."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.startswith("mpi4py."):
            raise errors.NotSimulatedModuleError(f"{name} is not simulated", name=name)


def install() -> None:
    """From now on `from mpi4py import MPI` gives the stand-in; the link must be there."""
    package, mpi = ModuleType("mpi4py", "striate's stand-in for mpi4py."), _MpiModule("mpi4py.MPI")
    vars(mpi).update(_names())
    vars(mpi).update(COMM_WORLD=comm.world(), COMM_SELF=comm.alone())
    vars(package).update(MPI=mpi, rc=Rc(), __version__=VERSION, __path__=[], get_config=dict)
    package.__spec__, mpi.__spec__ = (
        ModuleSpec("mpi4py", None, is_package=True),
        ModuleSpec("mpi4py.MPI", None),
    )
    sys.modules["mpi4py"], sys.modules["mpi4py.MPI"] = package, mpi
    sys.meta_path.insert(0, _Refused())
