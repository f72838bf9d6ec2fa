# Spack recipe. The url and checksum are those of the release that is packaged: `spack checksum py-striate`.
from spack.package import *


class PyStriate(PythonPackage):
    """Trace, predict, tune, run and show parallel I/O on clusters."""

    pypi = "striate/striate-0.1.0.tar.gz"
    license("Apache-2.0")

    version("0.1.0")
    variant("mpi", default=True, description="the collective-I/O runtime under MPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.10:", type="build")
    depends_on("py-nanobind@2.4:", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-click@8.1:", type=("build", "run"))
    depends_on("py-msgspec@0.18:", type=("build", "run"))
    depends_on("py-numcodecs@0.13:", type=("build", "run"))
    depends_on("py-numpy@1.26:", type=("build", "run"))
    depends_on("py-pyarrow@15:+parquet", type=("build", "run"))
    depends_on("py-pyyaml@6:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-scipy@1.11:", type=("build", "run"))
    depends_on("py-tomli-w@1.0:", type=("build", "run"))
    depends_on("py-xxhash@3.4:", type=("build", "run"))
    depends_on("py-mpi4py@4:", when="+mpi", type=("build", "run"))
