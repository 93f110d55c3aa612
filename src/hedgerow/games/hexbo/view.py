"""Hexbo as people see it: the family's looks on its own board."""

from __future__ import annotations

from hedgerow.games._growth.view import GrowthView
from hedgerow.games.hexbo.plain import HexboPlain


class Hexbo(HexboPlain, GrowthView):
    """The rules of Hexbo, and their looks."""
