"""The command line: `python -m visim test samples` is `visim test samples`."""

import signal
import sys

from . import _visim


def main() -> int:
    """Runs the command line of this process; the exit code."""
    # Ctrl-C ends the command as it ends any other: Python would notice it only after the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _visim.command(["visim", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
