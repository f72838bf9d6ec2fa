"""Every refusal is ours and Python's, and says where."""

import copy
import inspect
import pickle

import pytest

from striate import errors
from striate.errors import OutputError, PredictionError, StriateError, WorkloadError

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, StriateError) and kind is not StriateError
]


def test_there_are_kinds_to_test():
    assert len(KINDS) >= 8


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_ours_and_a_built_in_one(kind):
    built_in = [base for base in kind.__mro__ if base.__module__ == "builtins"]

    assert issubclass(kind, StriateError)
    assert set(built_in) & {ValueError, RuntimeError, OSError}


@pytest.mark.parametrize("kind", [StriateError, *KINDS])
def test_an_error_prints_message_path_and_source(kind):
    assert str(kind("no such thing")) == "no such thing"
    assert str(kind("no", at="$.a[0]")) == "no - at $.a[0]"
    assert str(kind("no", source="a.toml")) == "no (a.toml)"
    assert str(kind("no", at="$.a[0]", source="a.toml")) == "no - at $.a[0] (a.toml)"


@pytest.mark.parametrize("kind", [StriateError, *KINDS])
def test_naming_the_document_keeps_kind_message_and_path(kind):
    error = kind("no", at="$.a").in_source("a.toml")

    assert type(error) is kind
    assert (error.message, error.at, error.source) == ("no", "$.a", "a.toml")


@pytest.mark.parametrize("kind", [StriateError, *KINDS])
def test_an_error_travels_between_processes(kind):
    error = kind("no", at="$.a", source="a.toml")

    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert str(again) == str(error)


def test_built_in_handlers_catch_them():
    for kind, built_in in (
        (WorkloadError, ValueError),
        (PredictionError, RuntimeError),
        (OutputError, OSError),
    ):
        with pytest.raises(built_in):
            raise kind("no")
