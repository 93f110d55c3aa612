"""The terminal: `hedgerow` and its commands."""
