"""Hedgerow: the home of the root games."""
