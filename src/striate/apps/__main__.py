"""`python -m striate.apps`: a real run of an application."""

import sys

from striate.apps.run import main

sys.exit(main(sys.argv[1:]))
