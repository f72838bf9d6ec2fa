"""Whatever is typed, a layout text is read or refused in one line; nothing else escapes."""

from hypothesis import example, given
from hypothesis import strategies as st

from striate.errors import LayoutError
from striate.layout import VarStrip, parse, parse_strips

alphabet = st.characters(codec="utf-8")
near_strips = st.text(alphabet="0123456789:;kKmMgGiBx. -+_\n\t٣", max_size=40)
near_layouts = st.builds(
    "{}{}".format,
    st.sampled_from(["simple:", "varstrip:", "twod:", "grouped:", "basic", "basic:", "simple", ""]),
    near_strips,
)


def attempt(read, text):
    """What was read, or the words of the refusal; any other exception passes through and fails the test."""
    try:
        return read(text), None
    except LayoutError as error:
        return None, str(error)


def is_one_clear_line(refusal):
    return "\n" not in refusal and "expected" in refusal and len(refusal) < 400


@given(st.one_of(st.text(alphabet, max_size=80), near_strips))
@example("0:" + "9" * 5000)
@example("0" * 5000 + ":1")
@example(";" * 5000)
def test_any_text_is_strips_or_a_refusal(text):
    strips, refusal = attempt(parse_strips, text)

    if refusal is None:
        assert strips
        assert all(strip.server >= 0 and 1 <= strip.size < 2**63 for strip in strips)
    else:
        assert is_one_clear_line(refusal)


@given(st.one_of(st.text(alphabet, max_size=80), near_layouts))
@example("varstrip:0:1;99999999999999999:1")
@example("twod:9:9EiB:9:9")
@example("grouped:4:9EiB:1:8EiB")
@example("simple:" + "9" * 5000 + ":1")
def test_any_text_is_a_layout_or_a_refusal(text):
    layout, refusal = attempt(parse, text)

    if refusal is None:
        assert parse(str(layout)) == layout
    else:
        assert is_one_clear_line(refusal)


@given(st.lists(st.tuples(st.integers(-3, 5), st.integers(-3, 10)), max_size=6))
def test_any_list_of_strips_is_a_layout_or_a_refusal(pairs):
    numbers = {server for server, _ in pairs}
    right = bool(pairs) and numbers == set(range(len(numbers))) and all(size > 0 for _, size in pairs)
    layout, refusal = attempt(VarStrip, pairs)

    assert (refusal is None) == right
    assert not right or list(layout.strips) == pairs
