"""Who sits where: people at this keyboard, and machines by level or by the name of a player.

>>> [seat.name for seat in seated("Ann, 3, uct(iterations=50,seed=1)", 3)]
['Ann', 'Machine, level(3)', 'Machine, uct(iterations=50,seed=1)']
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hedgerow.game import BadOption, HedgerowError, Rules

if TYPE_CHECKING:
    from hedgerow.search.players import Player

MACHINE = "Machine, "
"""How the name of a machine begins, as on a server; so a record says who was one."""
KINDS = ("random", "greedy", "level", "best", "uct", "plain", "alphabeta", "net")
"""The players that can sit there; `search.naming` reads the rest of their names."""
USUAL_LEVEL = 3
LONGEST_NAME = 40


@dataclass
class Seat:
    """One seat: a person's name, or the name of a player that the search knows."""

    name: str
    player: str | None = None
    thinker: Player | None = field(default=None, repr=False, compare=False)
    """The machine's player, which keeps its tree from turn to turn; made when it is first needed."""

    @property
    def machine(self) -> bool:
        """A machine sits there."""
        return self.player is not None


def person(name: str) -> Seat:
    """A person's seat; raises HedgerowError for a name that no record could hold."""
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > LONGEST_NAME or not tidy.isprintable() or tidy.startswith(MACHINE):
        raise HedgerowError(f"nobody can be called {name!r:.60}; hint: 1 to {LONGEST_NAME} letters")
    return Seat(tidy)


def machine(player: str) -> Seat:
    """A machine's seat."""
    return Seat(MACHINE + player, player)


def seat_of(text: str) -> Seat:
    """The seat that a word means: a number is a level, a player's name a machine, anything else a person.

    >>> seat_of("5"), seat_of("Machine, level(2)").player, seat_of("Random Bob").machine
    (Seat(name='Machine, level(5)', player='level(5)'), 'level(2)', False)
    """
    word = text.strip().removeprefix(MACHINE)
    if re.fullmatch(r"\d{1,2}", word):
        return machine(f"level({int(word)})")
    if re.fullmatch(rf"({'|'.join(KINDS)})\s*([(:].*)?", word):
        return machine(word)
    return person(text)


def seated(text: str, players: int) -> list[Seat]:
    """The seats in order, from words with commas between them; raises HedgerowError where they are not that many."""
    words = [word.strip() for word in re.split(r",(?![^()]*\))", text.replace(MACHINE, ""))]
    if len(words) != players or not all(words):
        raise HedgerowError(f"{len(words)} seats in {text!r:.60}; hint: {players} names or levels, like Ann,3")
    return [seat_of(word) for word in words]


def usual(rules: Rules[Any], mine: int = 0, level: int = USUAL_LEVEL) -> list[Seat]:
    """One person on a seat, and machines of a level on all others."""
    return [Seat("You") if number == mine else machine(f"level({level})") for number in range(rules.players)]


def people(rules: Rules[Any]) -> list[Seat]:
    """A person on every seat, called as the seat is."""
    return [Seat(name) for name in rules.seats]


def named_in(tags: dict[str, str], rules: Rules[Any]) -> list[Seat]:
    """The seats that a record names; a person where it names nobody."""
    told = [tags.get(side, "?") for side in rules.seats]
    return [Seat(side) if name in ("", "?") else _seat_in_record(name) for side, name in zip(rules.seats, told)]


def _seat_in_record(name: str) -> Seat:
    return machine(name.removeprefix(MACHINE)) if name.startswith(MACHINE) else Seat(name[:LONGEST_NAME])


def check(rules: Rules[Any], seats: Sequence[Seat]) -> None:
    """Raises HedgerowError where a machine's player is none, or its level is not of this game."""
    for seat in seats:
        if seat.player and (found := re.fullmatch(r"level\((\d+)\)", seat.player)):
            ladder = rules.game.measured.ladder
            if not 1 <= int(found[1]) <= len(ladder):
                raise BadOption(f"{rules.game.title} has no level {found[1]}; hint: 1 to {len(ladder)}")
        elif seat.player:
            from hedgerow.search import player  # it imports Numba: only for players that few people name

            player(seat.player).check(rules)


def thinker_of(seat: Seat) -> Player:
    """The player of a machine's seat, with a seed of its own; it is kept."""
    if seat.thinker is None:
        from hedgerow.search.naming import player, seeded

        seat.thinker = player(seeded(seat.player or "random", random.getrandbits(30)))
    return seat.thinker


def called(seat: Seat) -> str:
    """How a seat's player is shown.

    >>> called(machine("level(3)")), called(Seat("Ann"))
    ('level 3', 'Ann')
    """
    if seat.player and (found := re.fullmatch(r"level\((\d+)\)", seat.player)):
        return f"level {found[1]}"
    return seat.player or seat.name
