"""One game of an arena: who sits where, how it begins, and how it went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.game import BadOption, HedgerowError
from hedgerow.match import Match, read
from hedgerow.search.naming import player, seeded
from hedgerow.search.timing import WALL, counted, now


@dataclass(frozen=True)
class Bout:
    """One game to be played."""

    number: int
    game: str
    seating: tuple[int, ...]
    """Which of the arena's players sits on each seat."""
    names: tuple[str, ...]
    """The name of the player on each seat, as the records tell it."""
    seeds: tuple[int, ...]
    """For the players whose names have no seed."""
    opening: str
    resign: bool = False
    """With two seats, a player that thinks its game hopeless resigns it."""
    clock: str = WALL
    """What time the players think by."""


@dataclass(frozen=True)
class Played:
    """A game that was played."""

    bout: Bout
    places: tuple[int, ...]
    record: str
    faults: dict[int, str]
    """What went wrong, by seat: a crash or an illegal move, which ends that seat's game like a resignation."""
    seconds: tuple[float, ...]
    turns: tuple[int, ...]
    """How long each seat thought, by the clock of the bout, for how many turns."""


def play_bout(bout: Bout, stopped: Callable[[], bool] = lambda: False) -> Played | None:
    """Plays one game with fresh players; None if it was stopped."""
    with counted(bout.clock):
        return _play(bout, stopped)


def _play(bout: Bout, stopped: Callable[[], bool]) -> Played | None:
    match = Match(bout.game)
    match.tags |= {"Event": "hedgerow arena", "Round": str(bout.number)} | dict(zip(match.rules.seats, bout.names))
    if bout.opening:
        match.play(bout.opening)
    players = [player(seeded(name, seed)) for name, seed in zip(bout.names, bout.seeds)]
    faults: dict[int, str] = {}
    seconds, turns = [0.0] * len(players), [0] * len(players)
    while not (outcome := match.outcome):
        if stopped():
            return None
        seat, begun = match.to_move, now()
        try:
            turn = players[seat].choose(match)
            if bout.resign and len(players) == 2 and players[seat].resigns:
                match.resign(seat)
            else:
                match.play_turn(turn)
        except Exception as error:  # whatever a player does wrong is its fault alone
            faults[seat] = one_line(f"{type(error).__name__}: {error}")
            match.resign(seat)
        seconds[seat] += now() - begun
        turns[seat] += 1
    if faults:
        match.tags["Error"] = "; ".join(f"{match.rules.seats[seat]}: {text}" for seat, text in faults.items())
    return Played(bout, outcome.places, match.record(), faults, tuple(seconds), tuple(turns))


def replayed(bout: Bout, record: str) -> Played:
    """A game that was played before, as its record tells it; raises BadOption where that is another game.

    How long the players thought is not told.
    """
    try:
        match = read(record)
    except HedgerowError as error:
        raise BadOption(f"cannot read the record of game {bout.number}: {error}") from error
    seats, opening = match.rules.seats, bout.opening.split()
    told = (match.rules.name, match.tags.get("Round"), *(match.tags.get(seat) for seat in seats))
    same = told == (bout.game, str(bout.number), *bout.names)
    if not same or match.outcome is None or " ".join(match.turns).split()[: len(opening)] != opening:
        hint = "hint: the same game, players, openings and --seed, or another folder"
        raise BadOption(f"the record of game {bout.number} is of another match; {hint}")
    wrong = match.tags.get("Error", "")
    faults = {seat: wrong for seat, name in enumerate(seats) if wrong.startswith(f"{name}: ")}
    nothing = (0,) * len(seats)
    return Played(bout, match.outcome.places, record, faults, nothing, nothing)


def one_line(text: str) -> str:
    """A text as a record's tag can hold it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:300]).split())
