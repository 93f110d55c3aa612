"""How a game grew: what every player had after each turn, when each piece came, and stages to show."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.match import Match
from hedgerow.scene import Scene


@dataclass(frozen=True)
class Growth:
    """A game as scenes: the start, then one after every turn."""

    scenes: tuple[Scene, ...]
    counts: tuple[tuple[int, ...], ...]
    """After every turn, how many pieces and claimed points each seat had."""
    ages: dict[int, int]
    """After which turn the piece that stands on a point in the end had come there."""

    @property
    def turns(self) -> int:
        return len(self.scenes) - 1

    def stages(self, number: int) -> list[int]:
        """Turns evenly through the game, the last one not among them: that is the plate itself."""
        inner = [round(self.turns * stage / (number + 1)) for stage in range(1, number + 1)]
        return sorted({turn for turn in inner if 0 < turn < self.turns})


def growth_of(match: Match) -> Growth:
    """Replays a game."""
    scenes = tuple(match.after(turn).scene() for turn in range(len(match.turns) + 1))
    ages: dict[int, int] = {}
    before: dict[int, int] = {}
    for turn, scene in enumerate(scenes):
        here = {mark.point: mark.seat for mark in scene.marks}
        ages = {point: ages[point] if before.get(point) == seat else turn for point, seat in here.items()}
        before = here
    return Growth(scenes, tuple(map(_counts, scenes)), ages)


def _counts(scene: Scene) -> tuple[int, ...]:
    owners = [mark.seat for mark in scene.marks] + [seat for _, seat in scene.claimed]
    return tuple(owners.count(seat) for seat in range(len(scene.seats)))
