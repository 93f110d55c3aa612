"""`hedgerow check` at work: an operator's own look at an installation, beside a running server; it changes nothing."""

from __future__ import annotations

from hedgerow.serve.process.check.finding import Finding, worst
from hedgerow.serve.process.check.look import Asked, look

__all__ = ["Asked", "Finding", "look", "worst"]
