"""Questions before a game, in lines of text: which game, its options, who sits where, the clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from hedgerow.game import Game, HedgerowError, Option
from hedgerow.games import game as game_of
from hedgerow.games import games, make
from hedgerow.match import Match
from hedgerow.terminal.play.clock import control_of
from hedgerow.terminal.play.files import Keeper, load, unfinished
from hedgerow.terminal.play.lines import Lines
from hedgerow.terminal.play.seats import Seat, people, seated, usual
from hedgerow.terminal.play.session import Session, opened

Found = TypeVar("Found")


def in_order() -> list[Game]:
    """The games as pages list them."""
    return sorted((game_of(name) for name in games()), key=lambda game: (game.measured.order, game.name))


def asked_game(lines: Lines) -> Session:
    """The game that somebody wants, after a few questions; raises EOFError where nobody answers."""
    old = unfinished()[:1]
    print("Which game?")
    if old and (told := summary(old[0])):
        print(f"  0. go on with {told}")
    known = in_order()
    for number, game in enumerate(known, 1):
        print(f"  {number}. {game.title}: {game.about}")
    if isinstance(chosen := ask(lines, "Game", "1", lambda text: _game(text, known, bool(old))), str):
        name = chosen
    else:
        return opened(old[0], Keeper(old[0]))
    if "(" not in name and ":" not in name:
        name = _with_options(lines, game_of(name))
    rules = make(name)
    seats = ask_seats(lines, Match(rules))
    control = ask(lines, "Clock, like 5+3 for minutes and seconds a turn", "none", control_of)
    return Session(Match(rules), seats, control)


def summary(path: object) -> str:
    """An unfinished game in a few words; nothing where its file cannot be read."""
    from pathlib import Path

    try:
        match = load(Path(str(path)))
    except HedgerowError:
        return ""
    names = ", ".join(match.tags.get(side, "?") for side in match.rules.seats)
    count = len(match.turns)
    return f"{match.scene().title} after {count} turn{'s' * (count != 1)} ({names})"


def ask(lines: Lines, question: str, usual_answer: str, read: Callable[[str], Found]) -> Found:
    """Asks until the answer can be read; an empty one is the usual one."""
    while True:
        print(f"{question} [{usual_answer}]: ", end="", flush=True)
        line = lines.next()
        try:
            return read(line or usual_answer)
        except HedgerowError as error:
            print(f"  {error}")


def _game(text: str, known: Sequence[Game], unfinished_one: bool) -> str | int:
    if text == "0" and unfinished_one:
        return 0
    if re.fullmatch(r"\d+", text):
        if not 1 <= int(text) <= len(known):
            raise HedgerowError(f"no game {text}; hint: 1 to {len(known)}")
        return known[int(text) - 1].name
    by_title = {game.title.lower(): game.name for game in known}
    name = by_title.get(text.lower(), text)
    make(name)
    return name


def _with_options(lines: Lines, game: Game) -> str:
    while True:
        given = {option.name: ask(lines, *_question(option), _reader(game, option)) for option in game.options}
        try:
            return make(f"{game.name}({','.join(f'{key}={value}' for key, value in given.items())})").name
        except HedgerowError as error:
            print(f"  {error}")


def _question(option: Option) -> tuple[str, str]:
    return f"{option.name} ({option.about}): {option.allowed}", str(option.default)


def _reader(game: Game, option: Option) -> Callable[[str], str]:
    return lambda text: str(option.settle(game.name, text))


def ask_seats(lines: Lines, match: Match) -> list[Seat]:
    """Who sits where."""
    rules, highest = match.rules, len(match.rules.game.measured.ladder)
    print("Who plays?")
    print(f"  1. you against the machine\n  2. {rules.players} people at this keyboard\n  3. any mix")
    kind = ask(lines, "Players", "1", lambda text: _one_of(text, ("1", "2", "3")))
    if kind == "2":
        return people(rules)
    if kind == "3":
        example = ",".join(["Ann", *["3"] * (rules.players - 1)])
        print(f"  A name or a level (1 to {highest}) for {', '.join(rules.seats)}.")
        return ask(lines, "Seats", example, lambda text: seated(text, rules.players))
    levels = [str(number) for number in range(1, highest + 1)]
    level = int(ask(lines, f"Level, 1 to {highest}", "3", lambda text: _one_of(text, levels)))
    sides = [side.lower() for side in rules.seats]
    side = ask(lines, f"Your side: {', '.join(rules.seats)}", rules.seats[0], lambda text: _one_of(text.lower(), sides))
    return usual(rules, sides.index(side), level)


def _one_of(text: str, known: Sequence[str]) -> str:
    if text not in known:
        raise HedgerowError(f"cannot take {text[:20]!r}; hint: {', '.join(known)}")
    return text
