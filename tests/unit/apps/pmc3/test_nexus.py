"""NEXUS matrices: real and synthetic ones read, broken ones refused in one line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.apps.pmc3.nexus import NexusError, parse_nexus, random_matrix, read_nexus

HEAD = "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat datatype=dna gap=- missing=?;\nmatrix\n"


def test_the_primates_are_twelve_with_898_sites(data):
    matrix = read_nexus(data / "mrbayes" / "primates4" / "primates.nex")

    assert (matrix.taxa, matrix.sites) == (12, 898)
    assert matrix.names[0] == "Tarsius_syrichta"
    patterns, counts = matrix.patterns()
    assert counts.sum() == 898
    assert patterns.shape[1] < 898


@given(st.integers(1, 12), st.integers(1, 30), st.integers(0, 2**32))
def test_a_random_matrix_reads_back_with_its_size(taxa, sites, seed):
    matrix = parse_nexus(random_matrix(taxa, sites, seed))

    assert matrix.states.shape == (taxa, sites)
    assert set(np.unique(matrix.states)) <= {1, 2, 4, 8}
    assert random_matrix(taxa, sites, seed) == random_matrix(taxa, sites, seed)


def test_interleaved_rows_gaps_and_ambiguous_letters_are_understood():
    matrix = parse_nexus(HEAD + "a AC\nb R-\n\na [a note] GT\nb ?n\n;\nend;")

    assert matrix.states.tolist() == [[1, 2, 4, 8], [5, 15, 15, 15]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "begins with #NEXUS"),
        ("#NEXUS\nbegin trees;\nend;", "a complete block of data"),
        ("#NEXUS\nbegin data;\nmatrix\n;\nend;", "ntax=NUMBER"),
        ("#NEXUS\nbegin data;\ndimensions ntax=2 nchar=0;\nend;", "nchar=NUMBER"),
        ("#NEXUS\nbegin data;\ndimensions ntax=999999 nchar=999999;\nend;", "at most"),
        ("#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat datatype=protein;\nend;", "got protein"),
        (HEAD + "end;", "a matrix that ends"),
        (HEAD + "a ACGT\n;\nend;", "expected 2 taxa, found 1"),
        (HEAD + "a ACGT\nb ACG\n;\nend;", "expected 4 characters, found 3 - at taxon b"),
        (HEAD + "a ACGT\nb AC!T\n;\nend;", "expected characters of DNA, found '!' - at taxon b"),
    ],
)
def test_a_broken_matrix_is_refused_in_one_line(text, words):
    with pytest.raises(NexusError) as refusal:
        parse_nexus(text)

    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@given(st.text(max_size=100))
def test_any_text_is_a_matrix_or_a_refusal(text):
    for candidate in (text, HEAD + text, HEAD + text + "\n;\nend;"):
        refusal = refusal_of(candidate)
        assert refusal is None or refusal.startswith("expected")


def refusal_of(text):
    """The words of the refusal, or None when it was read; any other exception fails the test."""
    try:
        parse_nexus(text)
    except NexusError as error:
        return str(error)
    return None
