"""`python -m transpiler.cli`: the command where no script is installed."""

import sys

from transpiler.cli import main

sys.exit(main())
