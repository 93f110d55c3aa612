"""Choosing an action by pressing points and buttons, one after the other: what the rules' `clicks` say, narrowed down.

>>> from hedgerow.match import Match
>>> choice = Pressing(Match("root_down")); choice.press("b2")
Pressed(action='', refused='', tried=())
>>> choice.points == {"b4", "d4"}, choice.press("b4")
(True, Pressed(action='b2-b4', refused='', tried=()))
"""

from __future__ import annotations

from typing import NamedTuple

from hedgerow.match import Match
from hedgerow.scene import Hint


class Pressed(NamedTuple):
    """What came of a press: the text of an action, or what to ask `why_not` about; both empty: go on pressing."""

    action: str = ""
    refused: str = ""
    tried: tuple[str, ...] = ()
    """What was pressed for it, where it is refused."""


class Offered(NamedTuple):
    """An action that may be played now, and what a person presses for it."""

    text: str
    clicks: tuple[str, ...]
    number: int


class Pressing:
    """What may be pressed in a position, and what has been pressed so far."""

    def __init__(self, match: Match, open_to: bool = True) -> None:
        rules, position = match.rules, match.plain
        self.match = match
        self.rules, self.position = rules, position
        legal = rules.legal(position) if open_to and not match.outcome else []
        self.offered = [Offered(rules.spell(position, a), rules.clicks(position, a), a) for a in legal]
        self.pressed: list[str] = []

    def _fits(self, pressed: list[str]) -> list[Offered]:
        return [one for one in self.offered if list(one.clicks[: len(pressed)]) == pressed]

    def _next(self) -> set[str]:
        depth = len(self.pressed)
        return {one.clicks[depth] for one in self._fits(self.pressed) if len(one.clicks) > depth}

    @property
    def points(self) -> set[str]:
        """The names of the points that may be pressed next."""
        return {word for word in self._next() if word in self.rules.board.point}

    @property
    def words(self) -> list[str]:
        """What else may be pressed: `pass`, `done`, the kinds of a tree."""
        return sorted(word for word in self._next() if word not in self.rules.board.point)

    def press(self, word: str) -> Pressed:
        """Presses a point or a button."""
        before, tried = self.pressed, [*self.pressed, word]
        if found := self._fits(tried):
            chosen = next((one for one in found if len(one.clicks) == len(tried)), None)
            self.pressed = [] if chosen else tried
            return Pressed(chosen.text) if chosen else Pressed()
        self.pressed = []
        if before == [word]:
            return Pressed()  # the same again puts it down
        if before and self._fits([word]):
            return self.press(word)
        return Pressed(refused=self._meant(before, word), tried=(*before, word))

    def _meant(self, before: list[str], word: str) -> str:
        """How a move is spelled that nobody may play, from what was pressed for it; rules that cannot say ask less."""
        tries = [*([f"{before[0]}-{word}", f"{before[0]}{word}"] if before else []), word, *self._alike(word)]
        reasons = ((text, self.match.why_not(text)) for text in tries)
        return next((text for text, reason in reasons if reason and reason.code != "unreadable"), word)

    def _alike(self, word: str) -> list[str]:
        """Spellings of other actions with this point instead of theirs: `b2-b4` makes `c1-b4`, `Ue4` makes `Uc1`."""
        found = []
        for one in self.offered:
            if one.clicks[0] in self.rules.board.point:
                found.append(one.text.replace(one.clicks[0], word, 1))
        return list(dict.fromkeys(found))

    def lead(self) -> str:
        """What to say to whoever has begun: how far that kicker goes."""
        if not self.pressed:
            return ""
        hints = [self.rules.hint(self.position, one.number) for one in self._fits(self.pressed)]
        return " ".join(dict.fromkeys(hint.lead for hint in hints if hint and hint.lead))

    def foretold(self, word: str) -> Hint | None:
        """What pressing this would do, where it chooses one action that has more to show."""
        tried = [*self.pressed, word]
        found = [one for one in self._fits(tried) if len(one.clicks) == len(tried)]
        return self.rules.hint(self.position, found[0].number) if len(found) == 1 else None
