"""Small programs that measure one thing each: messages, collectives, file access, a solver (paper 001, section 5).

>>> from striate.apps import kernels
>>> workload = kernels.workload("pingpong", ranks=2, size="1 MiB", repeat=100)
"""

from striate.apps.kernels.registry import KERNELS, parse, workload

__all__ = ["KERNELS", "parse", "workload"]
