"""The command line: one of Milepost's front doors.

`app.main` parses the arguments (`arguments`), loads the one module of `commands` that is asked for, and turns errors into one
line and an exit code. A command makes a request, runs the service with a progress bar and Ctrl-C (`session`), and prints
the reply through a `Terminal`, which knows the streams, their width, colours and characters.

Nothing here that `--version` and `--help` touch imports more than the standard library.
"""

from __future__ import annotations
