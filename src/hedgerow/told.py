"""What a turn did, in words: one place for the page, the terminal and letters.

>>> match = Match("tanbo"); match.play("A2"); told(match).words()
'Black played A2.'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.game import Rules
from hedgerow.game.effects import Effect, sentence, what
from hedgerow.match import Match

FEW = 6
"""So many points are told by name; of more, only how many they are."""


@dataclass(frozen=True, slots=True)
class Told:
    """A turn: whose it was, what was played, and what it brought about."""

    rules: Rules[Any]
    seat: int
    turn: str
    effects: tuple[Effect, ...]

    def words(self, names: Sequence[str] = (), you: int | None = None, few: int = FEW) -> str:
        """The turn in sentences, for a reader who may be one of the players; `names` are those of the seats.

        >>> match = Match("root_bound(side=5)"); match.play("a1 c3 e5 g2 f1 pass"); told(match).words(you=1)
        'You passed.'
        """
        return " ".join(self._sentences(names or self.rules.seats, you, few))

    def _sentences(self, names: Sequence[str], you: int | None, few: int) -> Iterator[str]:
        played = f"{{{self.seat}}} passed." if self.turn == "pass" else f"{{{self.seat}}} played {{turn}}."
        if not any(effect.alone for effect in self.effects):
            yield sentence(played, names, you, turn=self.turn)
        for effect in self.effects:
            points = [self.rules.board.names[point] for point in (*effect.removed, *effect.gained)]
            yield sentence(effect.words, names, you, turn=self.turn, what=what(effect, points, few))

    @property
    def removed(self) -> tuple[str, ...]:
        """Where it took pieces off the board."""
        return self._points("removed")

    @property
    def gained(self) -> tuple[str, ...]:
        """Where it claimed points, or made pieces others."""
        return self._points("gained")

    def _points(self, kind: str) -> tuple[str, ...]:
        return tuple(self.rules.board.names[point] for effect in self.effects for point in getattr(effect, kind))


def told(match: Match) -> Told | None:
    """What the last turn did; None at the start, and where somebody has left since."""
    turn = match.last_turn.removesuffix(" done")
    if not turn:
        return None
    rules, before = match.rules, match.copy()
    before.undo_turn()
    actions = match.actions[len(before.actions) :]
    effects = tuple(rules.effects(before.plain, actions, match.plain))
    return Told(rules, before.to_move, turn, (*effects, *_left_out(match, before)))


def _left_out(match: Match, before: Match) -> Iterator[Effect]:
    """Who is out of the game now, and who is passed over because they can place nothing."""
    rules, mover = match.rules, before.to_move
    now, then = rules.placed(match.plain), rules.placed(before.plain)
    for seat in range(rules.players):
        if now[seat] and not then[seat] and rules.players > 2:
            yield Effect(f"{{{seat}}} {{{seat}:is}} out.")
    again = match.to_move == mover and not match.outcome and not match.mid_turn
    if again and rules.players == 2:
        yield Effect(f"{{{1 - mover}}} cannot place and {{{1 - mover}:is}} passed over.")
