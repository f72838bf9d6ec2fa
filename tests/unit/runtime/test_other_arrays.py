"""Arrays of other libraries: through the array interface or DLPack, or refused in one line."""

import numpy as np
import pytest

import striate.runtime as runtime
from striate.errors import DatasetError
from striate.runtime import Variable


class Tensor:
    """As a library without NumPy gives its arrays: DLPack alone."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **settings):
        if self.device[0] != 1:
            raise BufferError("the array lies on a device")
        return self.array.__dlpack__()


class OnDevice(Tensor):
    """As CuPy: it has an array interface that refuses."""

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


def test_records_and_indices_of_other_libraries_are_taken_as_they_are(tmp_path):
    with runtime.create(None, tmp_path / "d", (10,), "f8") as dataset:
        dataset.write_all(Tensor(np.array([3, 1])), Tensor(np.array([0.5, 2.5])))

        assert dataset.read_all(Tensor(np.array([1, 3, 0]))).tolist() == [2.5, 0.5, 0]


@pytest.mark.parametrize("cache", [runtime.LoopCache, runtime.WriteBehind])
def test_caches_take_and_refuse_what_the_dataset_does(tmp_path, cache):
    places = Tensor(np.array([3, 1]))
    with runtime.create(None, tmp_path / "d", (10,), "i4") as dataset:
        cached = cache(dataset)
        cached.write_all(places, Tensor(np.array([5, 6], "i4")))
        assert cached.read_all(places).tolist() == [5, 6]
        with pytest.raises(DatasetError, match="converts to int32 without loss, got float64"):
            cached.write_all(places, np.array([0.5, 2.5]))
        with pytest.raises(DatasetError, match="without a mask"):
            cached.write_all(places, np.ma.masked_equal(np.array([5, 6], "i4"), 5))
        with pytest.raises(DatasetError, match="without a mask"):
            dataset.write_all(np.ma.masked_equal([5, 6], 5), np.array([5, 6], "i4"))


def test_lists_of_other_libraries_are_taken_as_they_are(tmp_path):
    variables = {"near": Variable("i4", ("node",), ragged=True)}
    lists = [Tensor(np.array([7, 8], "i4")), Tensor(np.array([9], "i4"))]
    with runtime.create_group(None, tmp_path / "g", dimensions={"node": 2}, variables=variables) as group:
        group.write_all([0, 1], {"near": lists})
        assert group.read_all("near").values.tolist() == [7, 8, 9]
        counted = runtime.Ragged(Tensor(np.array([1, 2])), Tensor(np.array([4, 5, 6], "i4")))
        group.write_all([0, 1], {"near": counted})
        assert [part.tolist() for part in group.read_all("near")] == [[4], [5, 6]]


@pytest.mark.parametrize("kind", [Tensor, OnDevice])
def test_memory_of_a_device_is_refused_in_one_line(tmp_path, kind):
    with runtime.create(None, tmp_path / "d", (10,), "f8") as dataset:
        with pytest.raises(
            DatasetError, match=r"expected an array in the host's memory, got .*: copy it first"
        ) as caught:
            dataset.write_all([0, 1], kind(np.zeros(2), device=(2, 0)))
        assert "\n" not in str(caught.value)
        with pytest.raises(DatasetError, match="expected"):
            dataset.write_all([0], object())


def test_tensors_of_torch_are_taken(tmp_path):
    torch = pytest.importorskip("torch", reason="torch's tensors are written")
    with runtime.create(None, tmp_path / "d", (4,), "f4") as dataset:
        dataset.write_all(torch.arange(4), torch.ones(4))
        assert dataset.read_all(...).tolist() == [1, 1, 1, 1]
        with pytest.raises(DatasetError, match="expected an array"):
            dataset.write_all(torch.arange(4), torch.ones(4, requires_grad=True))
