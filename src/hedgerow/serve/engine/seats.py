"""A game's machines inside an engine process: one seeded player a seat, kept with its tree from turn to turn.

This is what the arena measures (`search.bout`): one player a game, with a seed of its own. Here the seed is made of the
game's id and the seat, so that every process makes the same player. One that is not kept, or not up to date, catches
up: it thinks about every turn again that its seat has played so far, which brings its tree and its random numbers to
where they would be. Where that would take too long, which only concerns levels that overlook nothing, it begins afresh
with a seed for that turn, as a player does after an opening in the arena.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.match import Match, read

if TYPE_CHECKING:
    from hedgerow.search.players import Player

PLAIN_SECONDS = 0.25
"""How long the plain player thinks about a turn."""
MOST_PLAYERS = 200
"""How many players a process keeps; the one that was asked longest ago goes first."""
MOST_BYTES = 256 * 2**20
"""How much memory their trees may take together between turns."""
WARM_SECONDS = 900.0
"""A player that is not asked for so long is let go."""
CATCH_UP_SECONDS = 1.0
"""How long a new player may think about the turns that its seat has already played, by `Player.effort`."""


def seed_of(game: str, seat: int, turn: int = 0, secret: str = "") -> int:
    """The seed of a game's machine: of the one that plays from the start, or of one that begins afresh at a turn.

    >>> seed_of("k3v9", 0), seed_of("k3v9", 1)
    (1273197812, 657119185)
    """
    return int.from_bytes(hashlib.sha256(f"{secret}{game} {seat} {turn}".encode()).digest()[:4], "big") >> 1


@dataclass
class SeatedPlayer:
    """A player at one seat of a game."""

    name: str
    player: Player
    actions: tuple[int, ...] = ()
    """The match when it was last asked for a turn."""
    turns: int = -1
    """How many turns had been played then; -1 before its first."""
    turn: str = ""
    """The turn it chose."""
    asked: float = 0.0
    """When, by the monotonic clock."""
    bytes: int = 0
    """The memory its tree takes until its next turn."""

    def knows(self, match: Match) -> bool:
        """Whether the match goes on from where it was last asked; not after a takeback."""
        return match.actions[: len(self.actions)] == self.actions

    def choose(self, match: Match) -> str:
        """Its turn; asked again about the same turn, it says the same."""
        if self.turns < 0 or match.actions != self.actions:
            self.turn = self.player.choose(match)
            self.actions, self.turns = match.actions, len(match.turns)
        return self.turn

    def catch_up(self, match: Match) -> bool:
        """Thinks about the turns of its seat that it was not asked for; False where that would take too long."""
        seat, played = match.to_move, len(match.turns) - match.mid_turn
        missed = [then for then in map(match.after, range(self.turns + 1, played)) if then.to_move == seat]
        if self.player.effort(match.rules) * len(missed) > CATCH_UP_SECONDS:
            return False
        for then in missed:
            self.choose(then)
        return True


_seated: OrderedDict[tuple[str, int], SeatedPlayer] = OrderedDict()
"""The players of this process by game and seat; the one asked last is at the end."""


def think(game: str, record: str, name: str, secret: str = "") -> str:
    """The turn that the machine of this name plays in a game, whose record is given."""
    match = read(record)
    key = game, match.to_move
    seated = _seated.pop(key, None)
    if seated is None or seated.name != name or not seated.knows(match):
        seated = sit_down(game, match.to_move, name, secret=secret)
    if not seated.catch_up(match):
        seated = sit_down(game, match.to_move, name, len(match.turns), secret)
    turn = seated.choose(match)
    seated.asked, seated.bytes = time.monotonic(), seated.player.shrink()
    _seated[key] = seated
    make_room()
    return turn


def sit_down(game: str, seat: int, name: str, turn: int = 0, secret: str = "") -> SeatedPlayer:
    """A new player of that name with the seed of the game and seat, and of the turn where it begins late."""
    from hedgerow.search.naming import player, seeded

    return SeatedPlayer(name, player(seeded(name, seed_of(game, seat, turn, secret))))


def make_room() -> None:
    """Lets players go that are cold or too many, or whose trees take too much memory."""
    cold = time.monotonic() - WARM_SECONDS
    taken = sum(seated.bytes for seated in _seated.values())
    for key, seated in list(_seated.items())[:-1]:
        if seated.asked < cold or len(_seated) > MOST_PLAYERS or taken > MOST_BYTES:
            taken -= _seated.pop(key).bytes


def let_go(game: str) -> None:
    """The players of a game leave: it is over, or another process has taken it on."""
    for key in [key for key in _seated if key[0] == game]:
        del _seated[key]


def let_cold_go() -> None:
    """Players that were not asked for long leave."""
    cold = time.monotonic() - WARM_SECONDS
    for key in [key for key, seated in _seated.items() if seated.asked < cold]:
        del _seated[key]


def seated_players() -> list[tuple[str, int]]:
    """The game and seat of every player that is kept here."""
    return list(_seated)


def think_by_plain_rules(record: str) -> str:
    """The turn of the plain player, which needs no kernels."""
    from hedgerow.search import meantime

    return meantime.play(read(record), PLAIN_SECONDS, random.Random())
