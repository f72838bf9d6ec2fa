"""ES modules as one script, without a build step: each becomes a function's scope, in the order of imports.

The modules under `web/` keep to a plain form, and anything else is refused: imports and exports stand at the start of
a line, as `import { a, b as c } from "./x.js";` and `export function|async function|const|class NAME`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from importlib import resources

_IMPORT = re.compile(r'^import \{([\w\s,$]*)\} from "(\.[\w./-]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) ([\w$]+)", re.MULTILINE)
_OTHER = re.compile(r"^(import|export)\b", re.MULTILINE)


def read_web(name: str) -> str:
    """The text of a file under `web/`."""
    return (resources.files("striate.pages") / "web" / name).read_text(encoding="utf-8")


def bundle(entries: Sequence[str], *, read: Callable[[str], str] = read_web) -> str:
    """One script of the modules named and all they import; `modules["views/x.js"]` holds what each exports."""
    parts: list[str] = []
    _visit(entries, read, parts, done=set(), importing=[])
    return "\n".join(["const modules = {};", *parts])


def _visit(
    names: Sequence[str],
    read: Callable[[str], str],
    parts: list[str],
    *,
    done: set[str],
    importing: list[str],
) -> None:
    for name in names:
        assert name not in importing, f"modules import each other: {' -> '.join([*importing, name])}"
        if name in done:
            continue
        text, needed = _scope(name, read(name))
        _visit(needed, read, parts, done=done, importing=[*importing, name])
        parts.append(text)
        done.add(name)


def _scope(name: str, code: str) -> tuple[str, list[str]]:
    """The module as a function's scope, and the modules it imports."""
    needed = []

    def imported(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[2]))
        needed.append(target)
        names = re.sub(r"([\w$]+) as ([\w$]+)", r"\1: \2", match[1])
        return f'const {{{names}}} = modules["{target}"];'

    code = _IMPORT.sub(imported, code)
    exports = [match[2] for match in _EXPORT.finditer(code)]
    code = _EXPORT.sub(r"\1 \2", code)
    assert not _OTHER.search(code), f"{name}: an import or export in a form that is not bundled"
    assert "</script" not in code.lower(), f"{name}: would end its script element"
    return f'modules["{name}"] = (() => {{\n{code}\nreturn {{{", ".join(exports)}}};\n}})();', needed
