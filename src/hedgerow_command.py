"""What the command `hedgerow` begins with: from here on Ctrl-C ends it quietly, also while it is still being loaded.

It stands beside the package, since all that is in the package is loaded after the package itself.
"""

from __future__ import annotations

import os
import signal

STOPPED = 130
"""The exit code after Ctrl-C, see `hedgerow.terminal.ending`."""


def main() -> None:
    """Loads the command line and runs it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a job in the background ignores it
        signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
    from hedgerow.terminal.cli import main as run

    run()
