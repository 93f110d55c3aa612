"""The board as an engine expects it to be shared out in the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hedgerow.scene import Scene

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis

LIKELY = 0.6
"""Below this chance nobody is expected to own a point."""


def expected(scene: Scene, found: Analysis | None) -> Scene:
    """The scene with every empty point marked for whoever is expected to own it; as it is where nothing is known."""
    if found is None or found.owners is None:
        return scene
    standing = {mark.point for mark in scene.marks}
    likely = [(scene.board.point[name], max(zip(shares, range(9)))) for name, shares in found.owners.items()]
    owned = tuple((point, seat) for point, (share, seat) in likely if share >= LIKELY and point not in standing)
    return replace(scene, claimed=owned)
