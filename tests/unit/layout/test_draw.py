"""Pictures of layouts: well-formed, true to the layout, and those of the guide up to date."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from property.layouts import layouts
from striate.cli.main import run
from striate.layout import parse
from striate.layout.draw import draw
from striate.layout.picture import MOST_STRIPS, shown_strips

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/guides/where-does-my-byte-go.md").read_text()
SVG = "{http://www.w3.org/2000/svg}"


@given(layouts(largest=2**40), st.none() | st.integers(0, 2**50))
def test_every_strip_shown_is_a_whole_strip_of_the_layout(layout, byte):
    strips = shown_strips(layout, byte)

    assert 1 <= len(strips) <= MOST_STRIPS + 1
    assert byte is None or any(strip.offset <= byte < strip.end for strip in strips)
    for strip in strips:
        assert layout.locate(strip.offset) == (strip.server, strip.physical)
        assert int(layout.strip_number(strip.offset)) == strip.number
        assert strip.offset == 0 or int(layout.strip_number(strip.offset - 1)) == strip.number - 1
        assert strip.end == strip.offset + min(int(layout.run_length(strip.offset)), 2**63 - 1 - strip.offset)


@given(layouts(), st.none() | st.integers(0, 10**6))
def test_a_picture_is_well_formed_and_stays_inside_its_frame(layout, byte):
    picture = ElementTree.fromstring(draw(layout, byte))
    width, height = float(picture.get("width")), float(picture.get("height"))

    for box in picture.iter(f"{SVG}rect"):
        x, y = float(box.get("x", 0)), float(box.get("y", 0))
        assert x + float(box.get("width")) <= width + 0.2
        assert y + float(box.get("height")) <= height
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert "file" in words
    assert (byte is None) or f"byte {byte:,}" in words


def test_every_shown_strip_is_drawn_once_in_the_file_and_once_on_its_server():
    picture = ElementTree.fromstring(draw(parse("simple:3:100")))
    numbers = [text.text for text in picture.iter(f"{SVG}text") if re.match(r"\d+: 100 B", text.text)]

    assert numbers == [f"{n}: 100 B" for n in (0, 1, 2, 3, 4, 5, 0, 3, 1, 4, 2, 5)]


def test_many_servers_are_counted_and_the_bytes_own_is_shown():
    picture = draw(parse("simple:1000:1MiB"), 999 * 2**20)

    assert "… and 988 more servers" in picture
    assert "server 999" in picture


def guide_script():
    spec = importlib.util.spec_from_file_location("draw_layouts", ROOT / "tools/draw_layouts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_group_of_a_thousand_million_servers_is_drawn_by_its_first_strips():
    strips = shown_strips(parse("twod:2147483648:1KiB:2:2"), 5)

    assert [strip.server for strip in strips] == list(range(MOST_STRIPS))


def test_the_pictures_of_the_guide_are_what_the_script_draws():
    for name, svg in guide_script().pictures().items():
        assert (ROOT / "docs/images" / name).read_text() == svg, f"run tools/draw_layouts.py: {name} is stale"
        assert f"../images/{name}" in GUIDE


def test_the_commands_of_the_guide_print_what_it_shows(capsys):
    shown = re.findall(r"```console\n\$ striate ([^\n]*)\n(.*?)```", GUIDE, re.S)
    assert shown

    for arguments, output in shown:
        assert run(arguments.split()) == 0
        assert capsys.readouterr().out == output


def test_the_python_of_the_guide_prints_what_it_shows():
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.S)
    (output,) = re.findall(r"```text\n(.*?)```", GUIDE, re.S)

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert printed.stdout == output


@pytest.mark.parametrize("name", re.findall(r"images/(layout-[a-z0-9-]+\.svg)", GUIDE))
def test_the_marked_byte_of_a_picture_is_the_one_the_text_follows(name):
    layout, byte = guide_script().PICTURES[name.removesuffix(".svg")]
    if byte is not None:
        position = f"{int(parse(layout).locate(byte)[1]):,}"
        assert f"byte {position}" in (ROOT / "docs/images" / name).read_text()
