"""The errors everything shares, and the Reason why a move is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class HedgerowError(ValueError):
    """Everything Hedgerow refuses: the message quotes what was wrong, then gives a `hint:`.

    >>> issubclass(IllegalMove, HedgerowError) and issubclass(HedgerowError, ValueError)
    True
    """


class UnknownGame(HedgerowError):
    """There is no game of that name.

    >>> import hedgerow as hg
    >>> hg.make("hexbo(side=5")
    Traceback (most recent call last):
    hedgerow.game.errors.UnknownGame: cannot read the game 'hexbo(side=5'; hint: write it like hexbo(side=5)
    """


class BadOption(HedgerowError):
    """The game has no such option, or the option no such value.

    >>> import hedgerow as hg
    >>> hg.make("hexbo(side=6)")
    Traceback (most recent call last):
    hedgerow.game.errors.BadOption: hexbo cannot have side='6'; hint: side is 10 or 5
    """


class UnreadableMove(HedgerowError):
    """The text is not the spelling of any move of this game.

    >>> import hedgerow as hg
    >>> hg.Match("tanbo").play("hello")
    Traceback (most recent call last):
    hedgerow.game.errors.UnreadableMove: cannot read 'hello'; hint: points are spelled like K10
    """


class BadRecord(HedgerowError):
    """The text of a game or position cannot be read; the message names the line of a record.

    >>> import hedgerow as hg
    >>> hg.read("Game: hexbos")
    Traceback (most recent call last):
    hedgerow.game.errors.BadRecord: line 1: no game 'hexbos'; hint: did you mean hexbo?
    """


@dataclass(frozen=True)
class Reason:
    """Why an action is refused. `str(reason)` is one friendly sentence.

    >>> reason = Reason("occupied", "There is already a piece on c4.", ("c4",), "2.1")
    >>> print(reason, reason.code, reason.points, reason.clause)
    There is already a piece on c4. occupied ('c4',) 2.1
    """

    code: str
    text: str
    points: tuple[str, ...] = ()
    """The names of the points that forbid it: pieces first of all."""
    clause: str = ""
    """The number of the rule in the game's RULES.md."""

    def __str__(self) -> str:
        return self.text


class IllegalMove(HedgerowError):
    """A move that can be read but not played; `reason` says why.

    >>> import hedgerow as hg
    >>> hg.Match("tanbo").play("A1")
    Traceback (most recent call last):
    hedgerow.game.errors.IllegalMove: illegal move 'A1': there is already a stone on A1 (Tanbo rule 3.1)
    """

    def __init__(self, move: str, reason: Reason, title: str) -> None:
        text = reason.text.rstrip(".")
        if text[1:2].islower() or text[1:2] == " ":
            text = text[0].lower() + text[1:]
        clause = f" ({title} rule {reason.clause})" if reason.clause else ""
        super().__init__(f"illegal move {move!r}: {text}{clause}")
        self.move = move
        self.reason = reason
        self.title = title

    def __reduce__(self) -> tuple[type[IllegalMove], tuple[str, Reason, str]]:
        return IllegalMove, (self.move, self.reason, self.title)


def listed(items: Iterable[str], last: str = "and") -> str:
    """Names as people list them.

    >>> listed(["a1", "b2", "c3"])
    'a1, b2 and c3'
    """
    *head, tail = list(items) or [""]
    return f"{', '.join(head)} {last} {tail}" if head else tail


def short(text: object) -> str:
    """Quoted, and cut where it is long: messages stay one line."""
    return repr(text[:37] + "..." if isinstance(text, str) and len(text) > 40 else text)[:80]
