"""The words that people type instead of a turn, the same in every way of playing: one table, and what they do.

What needs the engine or the front end is handed back as a wish.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hedgerow.draw import text as drawn
from hedgerow.game import HedgerowError
from hedgerow.lessons import rules_of
from hedgerow.terminal import rulebook
from hedgerow.terminal.play import telling
from hedgerow.terminal.play.session import Session
from hedgerow.terminal.play.table import Table


class Answer(NamedTuple):
    """What came of a command: words to show, points to light, and what the front end should do."""

    words: str = ""
    points: tuple[str, ...] = ()
    wish: str = ""
    argument: str = ""


class Command(NamedTuple):
    """A word that can be typed: what follows it, and what it does."""

    argument: str
    about: str


COMMANDS: dict[str, Command] = {
    "help": Command("", "what can be typed"),
    "hint": Command("", "where to look; again for the turn"),
    "best": Command("", "the engine's best turns, and who is ahead"),
    "legal": Command("", "what may be played now"),
    "why": Command("TURN", "why that may not be played"),
    "undo": Command("", "take back"),
    "show": Command("", "the board"),
    "describe": Command("", "the board in words"),
    "count": Command("", "the scores"),
    "turns": Command("", "what was played"),
    "rules": Command("[CLAUSE]", "the rules, or one clause of them"),
    "clock": Command("", "how much time is left"),
    "level": Command("[SEAT] N", "another machine; a name seats a person"),
    "save": Command("FILE", "keep the game in a file"),
    "load": Command("FILE", "go on with a game in a file"),
    "resign": Command("", "give up"),
    "draw": Command("", "agree on a draw, or offer one"),
    "lesson": Command("", "learn this game step by step"),
    "new": Command("", "another game"),
    "say": Command("WORDS", "to those you play with, on a server"),
    "agree": Command("", "to an offer, on a server"),
    "decline": Command("", "an offer, on a server"),
    "quit": Command("", "leave; the game is kept"),
}
OTHER_WORDS = {
    "?": "help",
    "h": "help",
    "takeback": "undo",
    "exit": "quit",
    "q": "quit",
    "board": "show",
    "eval": "best",
}
WISHES = ("help", "hint", "best", "load", "lesson", "new", "quit", "show")


def split(line: str) -> tuple[str, str]:
    """The command that a line is, and its argument; no command where it is a turn.

    >>> split("why c4"), split("C4 d6"), split("? ")
    (('why', 'c4'), ('', 'C4 d6'), ('help', ''))
    """
    word, _, rest = line.strip().partition(" ")
    known = OTHER_WORDS.get(word.lower(), word.lower())
    return (known, rest.strip()) if known in COMMANDS else ("", line.strip())


def help_text(local: bool = True) -> str:
    """The table of commands."""
    served = ("say", "agree", "decline")
    shown = {name: one for name, one in COMMANDS.items() if not local or name not in served}
    lines = [f"  {f'{name} {one.argument}'.strip():<16} {one.about}" for name, one in shown.items()]
    return "\n".join(["Type a turn as records spell it, or one of these:", *lines])


def carry_out(table: Table, line: str) -> Answer:
    """Does what a line says; raises HedgerowError where it cannot be done."""
    name, argument = split(line)
    if not name:
        return _played(table, argument)
    if name in WISHES:
        return Answer(wish=name, argument=argument)
    if name in ("say", "agree", "decline"):
        return Answer(table.say(name, argument))
    return _LOCAL[name](table, argument)


def _played(table: Table, turn: str) -> Answer:
    if not turn:
        raise HedgerowError("nothing was typed; hint: a turn like those of `legal`, or help")
    if not table.mine and not table.match.outcome:
        raise HedgerowError(f"it is {table.match.rules.seats[table.match.to_move]}'s turn; hint: wait for theirs")
    table.play(turn)
    return Answer(wish="played")


def _why(table: Table, argument: str) -> Answer:
    if not argument:
        raise HedgerowError("nothing to explain; hint: why and a turn, like why c4")
    reason = table.match.why_not(argument)
    if reason is None:
        return Answer(f"{argument} may be played.")
    return Answer(telling.refusal(reason, table.match.rules.game.title), reason.points)


def _legal(table: Table, argument: str) -> Answer:
    legal = table.match.legal()
    return Answer(f"{len(legal)}: {' '.join(legal)}" if legal else "Nothing may be played.", wish="legal")


def _undo(table: Table, argument: str) -> Answer:
    words = table.take_back()
    return Answer(f"{words[:1].upper()}{words[1:]}.", wish="undone")


def _turns(table: Table, argument: str) -> Answer:
    turns = table.match.turns
    return Answer("\n".join(f"{number}. {turn}" for number, turn in enumerate(turns, 1)) or "No turns yet.")


def _rules(table: Table, argument: str) -> Answer:
    name = table.match.rules.game.name
    if not argument:
        return Answer(rulebook.illustrated(name), wish="rules")
    parts = [part for part in rules_of(name).split("\n\n") if rulebook.clause_of(part) == argument]
    if not parts:
        raise HedgerowError(f"no clause {argument[:20]!r}; hint: clauses are numbered like 3.1")
    return Answer("\n\n".join([*(" ".join(part.split()) for part in parts), *rulebook.below(name, argument)]))


def _clock(table: Table, argument: str) -> Answer:
    from hedgerow.terminal.play.clock import in_words

    left = table.clocks()
    if left is None:
        return Answer("There are no clocks in this game.")
    return Answer(", ".join(f"{side} {in_words(time)}" for side, time in zip(table.match.rules.seats, left)) + ".")


def _here(table: Table, what: str) -> Session:
    if not isinstance(table, Session):
        raise HedgerowError(f"{what!r} is for games that are played here; hint: hedgerow play without --server")
    return table


def _level(table: Table, argument: str) -> Answer:
    return Answer(_here(table, "level").set_level(argument), wish="seated")


def _save(table: Table, argument: str) -> Answer:
    if not argument:
        raise HedgerowError("save needs a file; hint: save game.txt")
    path = Path(argument).expanduser()
    if isinstance(table, Session):
        return Answer(f"S{table.save(path)[1:]}.")
    from hedgerow.terminal.play.files import write

    write(path, table.match.record())
    return Answer(f"Saved to {path}.")


_LOCAL: dict[str, Callable[[Table, str], Answer]] = {
    "why": _why,
    "legal": _legal,
    "undo": _undo,
    "describe": lambda table, argument: Answer("\n".join(telling.described(table.match))),
    "count": lambda table, argument: Answer(telling.count(table.match)),
    "turns": _turns,
    "rules": _rules,
    "clock": _clock,
    "level": _level,
    "save": _save,
    "resign": lambda table, argument: Answer(table.resign(), wish="undone"),
    "draw": lambda table, argument: Answer(table.draw(), wish="undone"),
}


def board_text(table: Table, color: bool = False, points: tuple[str, ...] = ()) -> str:
    """The board in characters, with points lit."""
    known = table.match.rules.board.point
    return drawn(table.match.scene(tuple(name for name in points if name in known)), color=color)
