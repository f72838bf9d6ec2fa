"""Plug-ins in C++: the same time as their twins in Python, to the picosecond, and one line for a broken one."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plugin_files import EXAMPLES, MIXED, TEMPLATES, machine, with_plugins
from striate import _core
from striate.cli.main import run
from striate.errors import PluginError
from striate.plugins import load
from striate.plugins.compiled import PARTS, TRIED, compiler_flags
from striate.plugins.trial import tried
from striate.rungs.fine import play

HEAD = """
#include <striate_plugin.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
using namespace striate_plugin;
struct Fifo {
    static constexpr const char* name = "broken";
    explicit Fifo(const Server&) {}
    void arrive(const Request& request) { all.push_back(request.number); }
    std::vector<std::int64_t> all;
};
struct Disk {
    static constexpr const char* name = "broken";
    Disk(const Server&, int) {}
};
struct Cache {
    static constexpr const char* name = "broken";
    Cache(const Server&, std::int64_t) {}
    void added(Page page) { all.push_back(page); }
    void used(Page) {}
    std::vector<Page> all;
};
"""
NEXT = "std::vector<std::int64_t> next(double)"
BROKEN = [
    ("scheduler", "Fifo", NEXT + " { return {}; }", "requests wait: `next` returned no request"),
    (
        "scheduler",
        "Fifo",
        NEXT + " { return {all[0]}; }",
        "`next` returned request 0, which is not a waiting request",
    ),
    (
        "scheduler",
        "Fifo",
        NEXT + " { std::vector<std::int64_t> both(all.rbegin(), all.rend()); all.clear(); return both; }",
        "which does not continue the request before it",
    ),
    (
        "scheduler",
        "Fifo",
        NEXT + ' { throw std::runtime_error("two\\nlines"); }',
        "`next` raises two lines - at scheduler broken-",
    ),
    ("scheduler", "Fifo", NEXT + " { throw 5; }", "`next` raises an exception that is no std::exception"),
    (
        "disk",
        "Disk",
        "double seconds(const DiskAccess&) { return -1; }",
        "expected `seconds` to return 0 to 1e+07 s, got -1",
    ),
    ("disk", "Disk", 'double seconds(const DiskAccess&) { return std::nan(""); }', "s, got nan"),
    (
        "cache",
        "Cache",
        "Page victim() { return {0, 99}; }",
        "`victim` returned page 99 of file 0, which is not in memory",
    ),
    ("cache", "Cache", "Page victim() { return all[0]; }", "which is not in memory"),
]


HANGS = (
    "disk",
    "Disk",
    "double seconds(const DiskAccess&) { for (volatile int at = 0;;) at = 1; }",
    "never ends",
)
CRASHES = (
    "disk",
    "Disk",
    "double seconds(const DiskAccess&) { volatile int* at = nullptr; *at = 1; return 0; }",
    "crashes when tried out (SIGSEGV)",
)
TRIED_OUT = [BROKEN[1], HANGS, CRASHES]
EVERY = [*BROKEN, HANGS, CRASHES]


def built(code: str, path: Path) -> str:
    """The shared object of some code, compiled once and as quickly as can be."""
    path.write_text(code)
    made = path.with_suffix(".so")
    subprocess.run(["c++", *compiler_flags(), "-O0", str(path), "-o", str(made)], check=True)
    return str(made)


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """The example and the templates in one shared object."""
    files = [EXAMPLES / "elevator.cpp", *(TEMPLATES / f"{kind}.cpp" for kind in PARTS)]
    code = "#include <striate_plugin.hpp>\n#undef STRIATE_PLUGINS\n#define STRIATE_PLUGINS(...)\n"
    code += "".join(f'#include "{path}"\n' for path in files)
    code += """
using namespace striate_plugin;
extern "C" const Entry* striate_plugins(std::int64_t* count) {
    static const Entry entries[] = {scheduler<Elevator>(), scheduler<MyScheduler>(), disk<MyDisk>(), cache<MyCache>()};
    *count = 4;
    return entries;
}
"""
    return built(code, tmp_path_factory.mktemp("compiled") / "twins.cpp")


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """All that are broken in one shared object, by their numbers."""
    code, listed = HEAD, []
    for number, (kind, base, method, _) in enumerate(EVERY):
        named = f'static constexpr const char* name = "broken-{number}";'
        code += f"struct Broken{number} : {base} {{ using {base}::{base}; {named} {method} }};\n"
        listed.append(f"{kind}<Broken{number}>()")
    code += f"STRIATE_PLUGINS({', '.join(listed)})\n"
    return built(code, tmp_path_factory.mktemp("compiled") / "broken.cpp")


@pytest.mark.parametrize("name", ["elevator", "my-scheduler", "my-disk", "my-cache"])
@pytest.mark.parametrize("text", ["", '[settings]\nlock_move = "1 ms"'], ids=["plain", "extent locks"])
def test_a_compiled_plugin_does_what_its_twin_in_python_does(twins, name, text, monkeypatch):
    monkeypatch.setenv(TRIED, "1")
    twin = EXAMPLES / "elevator.py" if name == "elevator" else TEMPLATES / f"{name.removeprefix('my-')}.py"
    small = machine(text, policy="server-directed")
    first, second = (play(MIXED, with_plugins(small, source)) for source in (f"{twins}:{name}", str(twin)))

    for column in ("rank_end", "disk_operations", "disk_bytes_read", "server_busy", "cache_hit_bytes"):
        np.testing.assert_array_equal(getattr(first, column), getattr(second, column), err_msg=column)
    assert first.end == second.end
    assert first.end != play(MIXED, small).end


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_broken_one_is_named_by_the_check_and_in_a_run(broken, monkeypatch, number):
    monkeypatch.setenv(TRIED, "1")  # as if it had passed elsewhere
    kind, _, _, words = BROKEN[number]
    end = f" - at {kind} broken-{number} ({broken})"
    plugin, small = load([f"{broken}:broken-{number}"]), machine()
    for attempt in (
        lambda: tried(plugin.loaded[0], small),
        lambda: play(MIXED, replace(small, plugins=plugin)),
    ):
        with pytest.raises(PluginError) as refused:
            attempt()
        assert words in str(refused.value)
        assert str(refused.value).endswith(end)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("case", TRIED_OUT, ids=["wrong", "hangs", "crashes"])
def test_one_that_is_wrong_or_hangs_or_crashes_is_refused_before_it_is_used(
    broken, monkeypatch, capsys, case
):
    if case is HANGS:  # others may be slow on a loaded machine
        monkeypatch.setenv("STRIATE_PLUGIN_SECONDS", "0.2")
        monkeypatch.setattr("striate.plugins.compiled.START_SECONDS", 2.0)

    assert run(["plugin", "check", f"{broken}:broken-{EVERY.index(case)}"]) == 1
    told = capsys.readouterr().err
    assert case[3] in told
    assert told.count("\n") == 1
    assert broken in told


def test_what_is_no_plugin_is_refused(tmp_path, twins, monkeypatch):
    monkeypatch.setenv(TRIED, "1")
    (tmp_path / "text.so").write_text("no object")
    with pytest.raises(PluginError, match="cannot be loaded"):
        load([tmp_path / "text.so"])
    with pytest.raises(PluginError, match="expected a list of plug-ins, STRIATE_PLUGINS"):
        load([_core.__file__])
    with pytest.raises(
        PluginError, match="there is no plug-in 'third'; plug-ins of the file are elevator, my-scheduler"
    ):
        load([f"{twins}:third"])
    with pytest.raises(PluginError, match="no such file"):
        load([tmp_path / "nowhere.so"])


def test_a_template_of_the_command_passes_the_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["plugin", "new", "disk", "--language", "c++"]) == 0
    assert run(["plugin", "flags"]) == 0
    flags = capsys.readouterr().out.splitlines()[-1].split()
    subprocess.run(["c++", *flags, "my_disk.cpp", "-o", "my_disk.so"], check=True)

    assert "c++ $(striate plugin flags) my_disk.cpp -o ./my_disk.so" in Path("my_disk.cpp").read_text()
    assert run(["plugin", "check", "my_disk.so:my-disk"]) == 0
    assert capsys.readouterr().out == "my_disk.so: disk my-disk passes 300 cases\n"
    assert run(["plugin", "new", "layout", "--language", "c++"]) == 2
