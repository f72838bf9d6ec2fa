"""How programs of the tests begin, what a recorded one does, and how long that takes."""

import striate
from striate.workload.transforms.unfold import unfold

HEADER = (
    "import numpy as np\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\nrank, size = comm.rank, comm.size\n"
)


def seconds(workload, cluster):
    return striate.predict(workload, cluster, rung="fine", exact=True).seconds.estimate


def kinds(workload, rank):
    return [step.kind.label for step in unfold(workload.applications[0], rank)]
