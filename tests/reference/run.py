"""Check a file of reference values: `python tests/reference/run.py KIND FILE.json`.

KIND names a module `check_KIND.py` beside this file with `check(path) -> int`, the exit status: it prints one
line per case and a summary last, and returns 1 when the values are not met.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    kinds = sorted(path.stem.removeprefix("check_") for path in HERE.glob("check_*.py"))
    if len(arguments) != 2 or arguments[0] not in kinds:
        print(f"usage: run.py {'|'.join(kinds) or 'KIND'} FILE.json", file=sys.stderr)
        return 2
    sys.path.insert(0, str(HERE.parent))  # checks share modules: `from reference.x import y`
    name = f"check_{arguments[0]}"
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.check(Path(arguments[1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
