"""`python -m hedgerow` is `hedgerow`."""

from hedgerow.terminal.cli import main

main()
