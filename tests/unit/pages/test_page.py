"""A page: one file, nothing from outside, no script but its own, every name as data."""

import base64
import hashlib
import json
import re

import pytest

import striate
import striate.pages.page as page_module
from striate.pages.bundle import bundle
from striate.pages.page import View, page
from unit.pages.runs import small

HOSTILE = [
    "<script>alert('x')</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><svg onload=alert(1)>",
    "evil\u202ecod.exe",
    "&lt;b&gt;",
    "x" * 10_000,
]


def script_of(text: str) -> str:
    return re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)[1]


def test_the_policy_allows_this_script_and_style_alone():
    text = page("title", [View("timeline", "Timeline", {})], shared={"runs": []})
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]

    assert policy.startswith("default-src 'none'; ")
    for content in (script_of(text), style):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "connect-src 'none'" in policy


def test_nothing_comes_from_outside():
    text = striate.show(small())

    assert not re.findall(r'(?:src|href)\s*=\s*["\']?(?!#)(?:https?:|//)', text)
    assert "url(" not in text


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_data(name):
    text = striate.show(small(program=name, files=(name,), regions=(name,)))
    without = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)

    assert text.count("<script") == 3 + text.count('id="columns-') - 1
    assert "<img" not in text
    assert "<svg" not in text
    assert "alert" not in re.sub(r"<title>.*?</title>", "", without)
    document = json.loads(
        re.search(r'id="document" type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    )
    timeline = next(view for view in document["views"] if view["name"] == "timeline")
    (shown,) = timeline["data"]["runs"][0]["files"]
    assert shown == name.replace("\u202e", "\\u202e") or (
        len(shown) <= 300 and shown.startswith("xxx") and "9,740 characters" in shown
    )


def test_the_same_runs_give_the_same_bytes():
    assert striate.show(small()) == striate.show(small())


def test_modules_are_bundled_in_the_order_of_imports():
    files = {
        "views/a.js": 'import { one, two as other } from "../lib/b.js";\nexport const sum = one + other;\n',
        "lib/b.js": "export const one = 1;\nexport const two = 2;\n",
    }
    script = bundle(["views/a.js"], read=files.__getitem__)

    assert script.index('modules["lib/b.js"]') < script.index('modules["views/a.js"]')
    assert 'const { one, two: other } = modules["lib/b.js"];' in script
    assert "return {sum};" in script


@pytest.mark.parametrize(
    "code",
    ["export default 1;", 'import x from "./y.js";', "const a = '</script>';", 'export * from "./a.js";'],
)
def test_a_module_in_another_form_is_refused(code):
    with pytest.raises(AssertionError):
        bundle(["a.js"], read=lambda name: code)


def test_columns_are_packed_once(monkeypatch):
    packed = []
    original = page_module.pack
    monkeypatch.setattr(
        page_module, "pack", lambda columns, rough: packed.append(1) or original(columns, rough)
    )

    text = striate.show(small())

    assert len(packed) == text.count('<script id="columns-')
