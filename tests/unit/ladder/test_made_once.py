"""What a prediction needs several times is made once: the placement, and the input of the engines."""

import pytest

import striate.cluster.cluster as cluster_module
import striate.engine.input as input_module
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as op
from toys import toy


def program(rank, ranks):
    yield op.compute("1 ms")
    yield op.write("data", offset=rank * 4096, size=4096)
    yield op.allreduce(1024)


@pytest.fixture
def counted(monkeypatch):
    """How often ranks are placed, and schedules and columns written."""
    calls = {"place": 0, "EngineInput": 0}

    def counting(module, name):
        original = getattr(module, name)

        def count(*given, **named):
            calls[name] += 1
            return original(*given, **named)

        monkeypatch.setattr(module, name, count)

    counting(cluster_module, "place")
    counting(input_module, "EngineInput")
    return calls


def test_a_prediction_places_its_ranks_once_and_builds_one_input(counted):
    forecast = predict(Workload.from_program(program, 4), toy(), within=1e-9)

    assert forecast.rung == "fine"
    assert {answer.rung for answer in forecast.answers} >= {"micro", "fine"}
    assert counted == {"place": 1, "EngineInput": 1}


def test_another_number_of_ranks_is_placed_anew(counted):
    machine = toy()

    assert [machine.place(ranks).ranks for ranks in (2, 3, 3, 2)] == [2, 3, 3, 2]
    assert counted["place"] == 3
