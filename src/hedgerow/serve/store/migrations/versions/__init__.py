"""One file per step, named in order."""
