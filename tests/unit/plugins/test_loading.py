"""Plug-ins are found in files and entry points; what is none is refused in one line."""

import pytest

from plugin_files import EXAMPLES, TEMPLATES, WESTMERE, written
from striate.errors import PluginError
from striate.plugins import load
from striate.plugins.loading import METHODS, load_one
from striate.plugins.trial import tried

ALL = sorted({*EXAMPLES.glob("*.py")} - {EXAMPLES / "reread.py"}) + sorted(
    {*TEMPLATES.glob("*.py")} - {TEMPLATES / "__init__.py"}
)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_examples_and_templates_pass_their_own_check(path):
    (plugin,) = load_one(str(path))

    assert tried(plugin, WESTMERE) > 0


def test_every_kind_has_a_template_and_an_example():
    for folder in (TEMPLATES, EXAMPLES):
        assert {one.kind for path in ALL if path.parent == folder for one in load_one(str(path))} == set(
            METHODS
        )


LISTED = (
    "class A:\n    kind, name, call = {!r}, {!r}, {!r}\n    def schedule(self, request): ...\nplugins = [A]\n"
)
WRONG = {
    "expected the file to list its classes as `plugins = [...]`": "plugin = 1",
    "expected classes in the list `plugins`, got 7": "plugins = [7]",
    "expected a plug-in kind among collective, layout": LISTED.format("colective", "a", "bcast"),
    "expected a plug-in name of small letters, digits and dashes, got 'My Own'": LISTED.format(
        "collective", "My Own", "bcast"
    ),
    "expected the attribute `call` to be one of allgather, allreduce": LISTED.format(
        "collective", "a", "broadcast"
    ),
    "expected a new name, got 'pipelined', which is a built-in algorithm for bcast": LISTED.format(
        "collective", "pipelined", "bcast"
    ),
    "expected a plug-in with a method `victim`, got none": (
        "class A:\n    kind, name = 'cache', 'a'\n    added = used = print\nplugins = [A]"
    ),
    "NameError: name 'oops' is not defined (line 4)": "oops",
    "SyntaxError": "def",
    "SystemExit: 3": "raise SystemExit(3)",
}


@pytest.mark.parametrize("words", sorted(WRONG))
def test_what_is_no_plugin_is_refused(tmp_path, words):
    source = written(tmp_path, WRONG[words])

    with pytest.raises(PluginError) as refused:
        load([source])
    assert words in str(refused.value)
    assert source in str(refused.value)


def test_missing_files_and_unknown_names_are_refused(tmp_path):
    with pytest.raises(PluginError, match="no such file"):
        load([tmp_path / "none.py"])
    with pytest.raises(
        PluginError, match=r"an entry point of striate.plugins \(none is installed\), got 'lru'"
    ):
        load(["lru"])
    with pytest.raises(PluginError, match="there is no plug-in 'tree'; plug-ins of the file are node-tree"):
        load([f"{EXAMPLES / 'node_tree.py'}:tree"])


def test_two_of_a_kind_are_refused_and_one_is_chosen_by_name(tmp_path):
    both = written(
        tmp_path,
        """
        class A:
            kind, name = "layout", "first"
            def strips(self, file): return None
        class B(A):
            name = "second"
        plugins = [A, B]
        """,
    )
    with pytest.raises(
        PluginError, match="expected one plug-in of the kind layout, got two, this one and first of"
    ):
        load([both])

    assert [one.name for one in load([f"{both}:second"]).loaded] == ["second"]


def test_an_entry_point_is_found_by_its_name(monkeypatch):
    from importlib.metadata import EntryPoint, EntryPoints

    from striate.plugins import loading

    point = EntryPoint("lru", "striate.plugins.templates.cache:plugins", loading.GROUP)
    wrong = EntryPoint("wrong", "striate.plugins.templates.cache:absent", loading.GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: EntryPoints([point, wrong]))

    assert [one.kind for one in load(["lru"]).loaded] == ["cache"]
    with pytest.raises(PluginError, match=r"the entry point .* cannot be loaded: AttributeError"):
        load(["wrong"])
