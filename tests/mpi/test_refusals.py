"""What goes wrong on one rank is told to all, in the same words, and the old dataset stays."""

import pytest


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("full", "StorageError: rank 2: file too large"),
        ("full_by_messages", "StorageError: rank 2: no space left on device"),
        ("full_in_the_background", "StorageError: rank 2: no space left on device"),
        ("full_compressed", "StorageError: rank 2: no space left on device"),
        (
            "missing_directory",
            "StorageError: rank 2: there is no such directory for the sub-files of a server",
        ),
        ("directory_vanishes", "StorageError: rank 2: no such file or directory"),
        ("forbidden", "StorageError: rank 2: too many open files"),
        ("wrong_index", "DatasetError: rank 2: expected indices from 0 to 99999, got 100000 - at indices[0]"),
        ("wrong_shape", "DatasetError: rank 2: expected records of shape (2,), got (3,)"),
        (
            "wrong_settings",
            "DatasetError: rank 2: expected a group factor (pieces per rank's part of the array) from 1 to 3",
        ),
        ("other_shape", "DatasetError: expected the same shape on all ranks"),
        ("other_buffer", "DatasetError: expected the same buffer on all ranks"),
        ("other_sharing", "DatasetError: expected the same share_memory on all ranks"),
        ("other_combine", "DatasetError: expected the same call"),
        ("other_way", "DatasetError: expected the same call"),
        ("other_method", "DatasetError: expected the same call"),
        ("masked", "DatasetError: rank 2: expected an array without a mask"),
        ("wrong_entries", "DatasetError: rank 2: expected a one-dimensional array of changed positions"),
        ("wrong_out", "DatasetError: rank 2: expected `out` to be a contiguous, writable array"),
        ("nothing_there", "StorageError: rank 0: no Striate dataset here"),
        ("damaged", "DamageError: rank 0: the data is damaged"),
    ],
)
def test_every_rank_raises_the_same_named_error(run_ranks, tmp_path, way, said):
    printed = run_ranks(3, "refusals.py", tmp_path, way, timeout=30)

    assert printed.startswith("1 " + said)


def test_what_was_made_for_a_communicator_is_freed_with_it(run_ranks, tmp_path):
    assert "all freed" in run_ranks(2, "many_communicators.py", tmp_path)
