"""What a screen and a line of text need to know of a game, be it played here or on a server."""

from __future__ import annotations

from typing import Protocol

from hedgerow.match import Match


class Table(Protocol):
    """A game that somebody sits at."""

    local: bool
    """It is played here, so that the engine may be asked at any time."""

    @property
    def match(self) -> Match:
        """The game as it is shown: with what of a turn has been chosen."""
        ...

    @property
    def names(self) -> list[str]:
        """Who plays, in seat order."""
        ...

    @property
    def mine(self) -> bool:
        """Whoever is to move sits at this keyboard."""
        ...

    @property
    def near(self) -> int | None:
        """The seat to see the board from; None where people of both sides sit here."""
        ...

    @property
    def note(self) -> str:
        """A few words on the state of things: a machine that thinks, a line that is down."""
        ...

    def clocks(self) -> list[float] | None:
        """The seconds that everybody has left; None without clocks."""
        ...

    def play(self, text: str) -> None:
        """Plays one action or several; raises HedgerowError and changes nothing where it may not be."""
        ...

    def take_back(self) -> str:
        """Takes back what was done last, or asks for it; says what happened."""
        ...

    def resign(self) -> str:
        """Whoever is to move here gives up; says what happened."""
        ...

    def draw(self) -> str:
        """Agrees on a draw, or offers one; says what happened."""
        ...

    def say(self, verb: str, words: str) -> str:
        """Something that only a server knows: chat, an answer to an offer. Raises HedgerowError here."""
        ...
