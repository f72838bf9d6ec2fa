"""Hypothesis strategies for layouts, small enough to walk byte by byte or as large as 63 bits allow."""

from hypothesis import strategies as st

from striate.layout import Basic, GroupedBlocks, SimpleStripe, TwoDStripe, VarStrip

LARGEST = 2**63 - 1


@st.composite
def varstrips(draw, largest=50):
    servers = draw(st.integers(1, 6))
    extra = draw(st.lists(st.integers(0, servers - 1), max_size=6))
    order = draw(st.permutations([*range(servers), *extra]))
    return VarStrip([(server, draw(st.integers(1, largest))) for server in order])


@st.composite
def two_d_stripes(draw, largest=50):
    servers = draw(st.integers(1, 9))
    groups = draw(st.integers(1, servers))
    return TwoDStripe(servers, draw(st.integers(1, largest)), groups, draw(st.integers(1, 5)))


@st.composite
def grouped_blocks(draw, largest=50):
    servers = draw(st.integers(1, 6))
    domain = draw(st.integers(1, largest))
    factor = draw(st.integers(1, min(servers, domain)))
    return GroupedBlocks(servers, domain, factor, draw(st.sampled_from([1, 2, 4, 16])))


def simple_stripes(largest=50):
    return st.builds(SimpleStripe, st.integers(1, 9), st.integers(1, largest))


def dense_layouts(largest=50):
    """Layouts without padding."""
    return st.one_of(
        st.just(Basic()), simple_stripes(largest), varstrips(largest=largest), two_d_stripes(largest=largest)
    )


def layouts(largest=50):
    return st.one_of(dense_layouts(largest), grouped_blocks(largest=largest))
