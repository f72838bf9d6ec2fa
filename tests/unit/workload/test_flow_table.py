"""Tables of work-flow graphs: what is read, and what is refused with line and column."""

import pytest

from striate.errors import WorkloadError
from striate.ladder import predict
from striate.workload.flow_table import read_graphs
from striate.workload.flows import Graph

GOOD = """group,disk,receivers,local,compute,blocks
0,0,1 2,true,10 ms,1
0,1,,false,0,0.5
3,2,0,no,1.5 us,2
"""


def read(tmp_path, text, **changes):
    path = tmp_path / "blocks.csv"
    path.write_text(text)
    return read_graphs(path, **{"processors": 3, "disks_per_processor": 1, "block_bytes": 1000} | changes)


def test_a_table_is_the_graphs_it_lists(tmp_path):
    flows = read(tmp_path, GOOD)

    assert flows.listed == (
        (Graph(0, (1, 2), True, 10**10, 1.0), Graph(1, (), False, 0, 0.5)),
        (Graph(2, (0,), False, 1_500_000, 2.0),),
    )


def test_only_the_disk_is_needed_and_the_finest_rung_plays_it(tmp_path):
    flows = read(tmp_path, "disk\n0\n1\n1\n", block_bytes=250_000)

    assert flows.listed == ((Graph(0), Graph(1), Graph(1)),)
    assert predict(flows, "sp2", rung="fine").seconds.estimate == pytest.approx(0.2, rel=0.1)  # 2 x 0.1 s


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("", "expected a column `disk`", None),
        ("disk\n", "at least one row", None),
        ("disk,colour\n0,red\n", "expected a column `disk`", None),
        ("group\n0\n", "expected a column `disk`", None),
        ("disk\n3\n", "from 0 to 2", "line 2, disk"),
        ("disk\n-1\n", "from 0 to 2", "line 2, disk"),
        ("disk,receivers\n0,1 7\n", "from 0 to 2", "line 2, receivers"),
        ("disk,receivers\n0,1 1\n", "every receiver of a block once", "line 2, receivers"),
        ("disk,local\n0,perhaps\n", "true or false", "line 2, local"),
        ("disk,compute\n0,soon\n", "soon", "line 2, compute"),
        ("disk,blocks\n0,0\n", "above 0", "line 2, blocks"),
        ("disk,blocks\n0,nan\n", "above 0", "line 2, blocks"),
        ("disk,group\n0,1\n0,0\n", "rising group numbers", "line 3, group"),
        ("disk,group\n0\n", "2 values", "line 2"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line_with_its_place(tmp_path, text, message, at):
    with pytest.raises(WorkloadError, match=message) as refused:
        read(tmp_path, text)

    assert refused.value.at == at
    assert "\n" not in str(refused.value)


def test_no_disks_and_no_processors_are_refused_by_their_key(tmp_path):
    for key, path in (
        ("processors", "$.processors"),
        ("disks_per_processor", "$.disks_per_processor"),
        ("block_bytes", "$.block"),
    ):
        with pytest.raises(WorkloadError) as refused:
            read(tmp_path, GOOD, **{key: 0})
        assert refused.value.at == path


def test_a_missing_table_is_one_line(tmp_path):
    with pytest.raises(WorkloadError, match="no such file"):
        read_graphs(tmp_path / "none.csv", processors=1, disks_per_processor=1, block_bytes=1)
