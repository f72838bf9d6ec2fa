"""The MPI libraries that can be found here, and how to run programs under them."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "mpi" / "programs"


@dataclass(frozen=True)
class Mpi:
    """One MPI: how it launches programs, its library, and the compiler's options for it."""

    name: str
    launcher: tuple[str, ...]
    library: str
    compile_options: tuple[str, ...]

    def environment(self):
        return os.environ | {
            "MPI4PY_LIBMPI": self.library,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        }

    def command(self, ranks, *program):
        return [*self.launcher, "-n", str(ranks), *map(str, program)]


def _mpich(prefix, *, abi=False):
    launcher, library = prefix / "bin" / "mpiexec.hydra", prefix / "lib" / "libmpi.so.12"
    library = prefix / "lib" / "libmpi_abi.so.1" if abi else library
    if not launcher.exists() or not library.exists():
        return None
    options = (
        f"-I{prefix}/include",
        *(("-DMPI_ABI",) if abi else ()),
        str(library),
        f"-Wl,-rpath,{prefix}/lib",
    )
    return Mpi("mpich-abi" if abi else "mpich", (str(launcher),), str(library), options)


def _openmpi(prefix):
    launcher, library = prefix / "bin" / "mpiexec", prefix / "lib" / "libmpi.so.40"
    if not (prefix / "bin" / "prterun").exists() or not library.exists():
        return None
    options = (f"-I{prefix}/include", str(library), f"-Wl,-rpath,{prefix}/lib")
    return Mpi("openmpi", (str(launcher), "--oversubscribe"), str(library), options)


def _debian():
    launcher = shutil.which("mpiexec.openmpi")
    library = Path("/usr/lib/x86_64-linux-gnu/libmpi.so.40")
    include = Path("/usr/lib/x86_64-linux-gnu/openmpi/include")
    if launcher is None or not library.exists() or not include.is_dir():
        return None
    return Mpi("debian-openmpi", (launcher, "--oversubscribe"), str(library), (f"-I{include}", str(library)))


def found():
    prefix = Path(sys.prefix)
    return {
        "mpich": _mpich(prefix),
        "mpich-abi": _mpich(prefix, abi=True),
        "openmpi": _openmpi(prefix.with_name(f"{prefix.name}-openmpi")),
        "debian-openmpi": _debian(),
    }


MPIS = found()
