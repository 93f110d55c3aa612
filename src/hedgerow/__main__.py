"""`python -m hedgerow` is `hedgerow`."""

from hedgerow_command import main

main()
