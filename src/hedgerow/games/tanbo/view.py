"""Tanbo as people see it: the family's looks on its own board."""

from __future__ import annotations

from hedgerow.games._growth.view import GrowthView
from hedgerow.games.tanbo.plain import TanboPlain


class Tanbo(TanboPlain, GrowthView):
    """The rules of Tanbo, and their looks."""
