"""Let this environment see the packages of another, after its own: `share_packages.py OTHER_ENVIRONMENT`."""

import sys
import sysconfig
from pathlib import Path

other = Path(sys.argv[1]).resolve()
version = f"python{sys.version_info.major}.{sys.version_info.minor}"
packages = other / "lib" / version / "site-packages"
link = Path(sysconfig.get_path("purelib")) / "shared.pth"
link.write_text(f"import site; site.addsitedir({str(packages)!r})\n")
