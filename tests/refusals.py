"""The first refusal of a program, word for word."""

import pytest

from striate.errors import WorkloadError
from striate.workload import Spmd, Workload


def refusal_of(program, ranks=2, **options) -> str:
    """What is said against `program`, called "app"; fails when nothing is."""
    with pytest.raises(WorkloadError) as refusal:
        Workload.from_program(program, ranks, name="app", **options).check()
    return str(refusal.value)


def refusal_of_body(write, ranks=4, **options) -> str:
    """The same for a program in the SPMD form, which `write(body)` writes."""
    with pytest.raises(WorkloadError) as refusal:
        written(write, ranks, **options).check()
    return str(refusal.value)


def written(write, ranks=4, **options) -> Workload:
    body = Spmd(ranks, name="app", **options)
    write(body)
    return body.workload()


def accepted(program, ranks=2, **options) -> Workload:
    workload = Workload.from_program(program, ranks, name="app", **options)
    workload.check()
    return workload
