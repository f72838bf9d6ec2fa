"""Commands inside a lab: the words that run a program on its head or on a host, with an MPI that knows the hosts."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from striate.lab.hosts import HOST_FILE, ON
from striate.lab.messages import LabState
from striate.lab.needs import environment
from striate.lab.shell import call

# Launchers start ranks through `on`; messages go over TCP, as UCX would find shared memory across hosts; ranks that
# wait sleep, or more hosts than CPUs would measure the scheduler.
_MPICH = {
    "HYDRA_LAUNCHER": "rsh",
    "HYDRA_LAUNCHER_EXEC": ON,
    "HYDRA_HOST_FILE": HOST_FILE,
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "FI_PROVIDER": "tcp",
}
_OPEN_MPI = {
    "PRTE_MCA_plm_ssh_agent": ON,
    "PRTE_MCA_prte_default_hostfile": HOST_FILE,
    "OMPI_MCA_plm_rsh_agent": ON,
    "OMPI_MCA_plm_rsh_no_tree_spawn": "1",  # hosts cannot start processes on each other
    "OMPI_MCA_orte_default_hostfile": HOST_FILE,
    "PRTE_MCA_rmaps_default_mapping_policy": "node",
    "OMPI_MCA_rmaps_base_mapping_policy": "node",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "^openib,uct,ofi",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def lab_environment() -> dict[str, str]:
    """The caller's environment, in which `mpiexec` means the MPI of this Python and the hosts of the lab."""
    found = environment() | _MPICH | _OPEN_MPI
    return found | {"PATH": f"{Path(sys.executable).parent}:{found['PATH']}"}


def on_head(state: LabState, command: list[str], directory: str = "/") -> list[str]:
    """The words that run `command` on the head, in `directory`."""
    spaces = ["nsenter", "-t", str(state.head), "-m", "-u", "-n", "-i", "-p", "--"]
    return [*spaces, "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", directory, *command]


def on_host(state: LabState, host: str, command: list[str], directory: str = "/") -> list[str]:
    """The words that run `command` on a host, in `directory`; raises LabError when there is no such host."""
    state.plan.host(host)
    return on_head(state, [ON, host, f"cd {shlex.quote(directory)} && exec {shlex.join(command)}"])


def with_ranks(state: LabState, command: list[str], ranks: int, per_host: int | None) -> list[str]:
    """`mpiexec` with so many ranks, spread evenly unless told otherwise."""
    each = per_host or -(-ranks // state.plan.hosts)
    return ["mpiexec", "-n", str(ranks), "-ppn", str(each), *command]


def ask_head(state: LabState, command: list[str]) -> str:
    """What `command` prints on the head; raises LabError when it fails."""
    return call(on_head(state, command))


def become(command: list[str]) -> None:
    """Replace this process, so that signals and the exit status are the command's own."""
    os.execvpe(command[0], command, lab_environment())
