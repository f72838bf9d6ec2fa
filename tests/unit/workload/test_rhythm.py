"""The rhythm of a program: stretches of single operations count as their operations one by one do."""

from hypothesis import given
from hypothesis import strategies as st

from striate.workload.kinds import KINDS, Kind
from striate.workload.rhythm import ACCESS, COMMUNICATE, COMPUTE, Rhythm

kinds = st.lists(st.sampled_from([kind for kind in KINDS if kind not in (Kind.LOOP, Kind.END)]))


@given(kinds)
def test_a_stretch_has_the_runs_of_its_operations_put_together(stretch):
    one_by_one = Rhythm()
    for kind in stretch:
        one_by_one = one_by_one.then(Rhythm.of(kind))

    assert Rhythm.of_stretch(stretch) == one_by_one


def test_equal_activities_side_by_side_are_one_run():
    stretch = [Kind.COMPUTE, Kind.WRITE, Kind.CLOSE, Kind.READ, Kind.SEND, Kind.COMPUTE, Kind.COMPUTE]

    found = Rhythm.of_stretch(stretch)

    assert found == Rhythm(COMPUTE, COMPUTE, (2, 1, 1))
    assert (found.runs[COMMUNICATE], found.io_bursts) == (1, found.runs[ACCESS])
