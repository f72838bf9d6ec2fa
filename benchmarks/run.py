"""Runs every benchmark beside this file, or those named: `python benchmarks/run.py [NAME ...]`."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(names: list[str]) -> int:
    known = {path.stem: path for path in sorted(HERE.glob("*.py")) if path.stem != "run"}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark called {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    missed = 0
    for name in names or known:
        print(f"\n== {name}", flush=True)
        spec = importlib.util.spec_from_file_location(f"benchmark_{name}", known[name])
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        missed += bool(module.main())
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
