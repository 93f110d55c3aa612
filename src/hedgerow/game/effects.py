"""What a turn brings about besides what was played, in words that fit whoever reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.game.errors import listed


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that a turn brought about.

    In its words `{what}` stands for the points and `{turn}` for the turn; the number of a seat stands for its player:
    `{0}` is "Black" or "you", `{0:'s}` "Black's" or "your", `{0:is}` "is" or "are".
    """

    words: str
    removed: tuple[int, ...] = ()
    """Where pieces were taken off the board."""
    gained: tuple[int, ...] = ()
    """Where points were claimed, or pieces became others."""
    noun: str = "piece"
    """What is on those points, for one of them: `{what}` where they are too many to name."""
    named: bool = True
    """The points may be named."""
    alone: bool = False
    """It says what was played, too."""


class Who:
    """A player in a sentence, for a reader who may be that player.

    >>> [f"{who}, {who:'s}, {who:is}" for who in (Who("Black"), Who("Black", you=True))]
    ["Black, Black's, is", 'you, your, are']
    """

    def __init__(self, name: str, you: bool = False) -> None:
        self.name, self.you = name, you

    def __format__(self, form: str) -> str:
        if form == "is":
            return "are" if self.you else "is"
        if form == "'s":
            return "your" if self.you else f"{self.name}'s"
        return "you" if self.you else self.name


def sentence(words: str, names: Sequence[str], you: int | None = None, **more: str) -> str:
    """Words with their players in them, as a sentence.

    >>> sentence("{1} lost {what}.", ("Black", "White"), you=1, what="3 stones")
    'You lost 3 stones.'
    """
    text = words.format(*(Who(name, seat == you) for seat, name in enumerate(names)), **more)
    return f"{text[:1].upper()}{text[1:]}"


def what(effect: Effect, points: Sequence[str], few: int) -> str:
    """The points of an effect by name, or how many they are where they are more than a few.

    >>> effect = Effect("{what} died.", removed=(1, 2), noun="stone")
    >>> what(effect, ["A1", "A2"], few=6), what(effect, ["A1", "A2"], few=1)
    ('A1 and A2', '2 stones')
    """
    if effect.named and len(points) <= few:
        return listed(points)
    return counted(len(points), effect.noun)


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "stone"), counted(2, "stone")
    ('1 stone', '2 stones')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
