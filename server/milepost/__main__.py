"""`python -m milepost`, and the `milepost` script."""

from __future__ import annotations

import sys

from milepost.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
