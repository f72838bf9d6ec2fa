"""Print the packages of one optional group of pyproject.toml, one per line."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
print("\n".join(project["optional-dependencies"][sys.argv[1]]))
