"""The Go Text Protocol, version 2, for every game: a line in, an answer out.

A turn is its actions joined by commas: `play 0 c4,d6`, `play 1 pass`. Seats are counted from 0; b and w mean 0 and 1.

>>> engine = Engine("tanbo")
>>> engine.answer("7 play b A2  # a comment")
'=7\\n\\n'
>>> engine.answer("play b A2")
"? wrong seat: it is seat 1's turn (White)\\n\\n"
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, TextIO

from hedgerow import __version__
from hedgerow.game import HedgerowError, Rules
from hedgerow.match import Match
from hedgerow.search.analysis import LEAST, wide_search
from hedgerow.search.clock import Clock
from hedgerow.search.findings import told_by
from hedgerow.search.naming import player
from hedgerow.search.net import NetSearch
from hedgerow.search.players import Player
from hedgerow.search.ready import PlainPlayer, Preparation
from hedgerow.search.uct import Choice

GAME = "root_bound"
PLAYER = "best(seconds=2)"
MAX_SECONDS = 4.0
"""Without time settings a player that names no seconds of its own thinks no longer than this about a turn."""
COLD = 3.5, 0.3
"""While kernels are compiled: how long to wait for them, then how long the plain player thinks instead."""
SHOWN = 5
"""How many actions an analysis tells."""


class Engine:
    """A match as a controller sees it: commands change it, answers tell about it."""

    def __init__(self, game: str = GAME, name: str | None = None) -> None:
        self.name = name or PLAYER
        self.own_seconds = player(self.name).seconds
        self.asked = name is not None
        self.settings: tuple[float, float, int] | None = None
        self.preparation: Preparation | None = None
        self.over = False
        self.begin(Match(game).rules)
        self.commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "Hedgerow",
            "version": lambda words: __version__,
            "list_commands": lambda words: "\n".join(self.commands),
            "known_command": lambda words: "true" if " ".join(words) in self.commands else "false",
            "clear_board": self.clear_board,
            "play": self.play,
            "genmove": self.genmove,
            "undo": self.undo,
            "showboard": lambda words: f"\n{self.match}\n{self.match.prompt}",
            "time_settings": self.time_settings,
            "time_left": self.time_left,
            "quit": self.quit,
            "hedgerow-game": self.game,
            "hedgerow-legal": lambda words: " ".join(self.match.legal()),
            "hedgerow-analyse": self.analyse,
            "hedgerow-result": lambda words: result_of(self.match),
        }

    def begin(self, rules: Rules[Any]) -> None:
        """A new match, with players who remember nothing and full clocks."""
        self.match = Match(rules)
        self.players: dict[int, Player] = {}
        self.clocks: dict[int, Clock] = {}
        if self.settings:
            self.clocks = {seat: Clock(*self.settings) for seat in range(rules.players)}

    # --- framing ------------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> str | None:
        """The answer to a line, None for a line that asks nothing."""
        words = cleaned(line).split()
        if not words:
            return None
        number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
        try:
            return framed("=", number, self.obey(words))
        except HedgerowError as refused:
            return framed("?", number, str(refused))
        except Exception as error:  # a defect of ours must not end the controller's game
            traceback.print_exc()
            return framed("?", number, f"internal error: {type(error).__name__}: {error}")

    def obey(self, words: list[str]) -> str:
        """Does what a command says; raises HedgerowError if it cannot."""
        command = self.commands.get(words[0]) if words else None
        if command is None:
            raise HedgerowError("unknown command")
        return command(words[1:])

    # --- the match ----------------------------------------------------------------------------------------------------

    def clear_board(self, words: list[str]) -> str:
        self.begin(self.match.rules)
        self.prepare()
        return ""

    def game(self, words: list[str]) -> str:
        """Begins a match of another game; without a name it only tells which game it is."""
        if words:
            self.begin(Match(" ".join(words)).rules)
            self.prepare()
        return self.match.rules.name

    def play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise HedgerowError("syntax error; hint: play SEAT TURN, like play 0 c4,d6")
        seat, actions = self.seat(words[0]), words[1].split(",")
        if words[1].lower() == "resign":
            self.match.resign(seat)
            return ""
        self.must_move(seat)
        if not all(actions):
            raise HedgerowError("syntax error; hint: a turn is its actions joined by commas, like c4,d6")
        self.match.play_turn(" ".join(actions))
        return ""

    def undo(self, words: list[str]) -> str:
        if not self.match.actions:
            raise HedgerowError("cannot undo")
        self.match.undo_turn()
        return ""

    def quit(self, words: list[str]) -> str:
        self.over = True
        return ""

    def seat(self, word: str) -> int:
        """The seat that a word means: a number from 0, b or w, or a seat's own name."""
        names = [name.lower() for name in self.match.rules.seats]
        known = {"b": 0, "black": 0, "w": 1, "white": 1} | {name: seat for seat, name in enumerate(names)}
        known |= {str(seat): seat for seat in range(len(names))}
        if word.lower() not in known:
            raise HedgerowError(f"no seat {word[:40]!r}; hint: 0 to {len(names) - 1}")
        return known[word.lower()]

    def must_move(self, seat: int) -> None:
        """Refuses a seat that is not to move."""
        if self.match.outcome:
            raise HedgerowError("the game is over")
        if seat != self.match.to_move:
            name = self.match.rules.seats[self.match.to_move]
            raise HedgerowError(f"wrong seat: it is seat {self.match.to_move}'s turn ({name})")

    # --- thinking -----------------------------------------------------------------------------------------------------

    def genmove(self, words: list[str]) -> str:
        if len(words) != 1:
            raise HedgerowError("syntax error; hint: genmove SEAT, like genmove 0")
        seat, begun = self.seat(words[0]), time.monotonic()
        self.must_move(seat)
        chooser = self.player(seat)
        turn = chooser.choose(self.match)
        if seat in self.clocks:
            self.clocks[seat].spend(time.monotonic() - begun)
        if chooser.resigns and self.match.rules.players == 2:
            self.match.resign(seat)
            return "resign"
        self.match.play_turn(turn)
        return ",".join(turn.split())

    def player(self, seat: int) -> Player:
        """The player of a seat with its time for this turn; a plain one while kernels are not ready."""
        seconds = self.seconds(seat)
        wait, think = COLD
        if not self.prepare().wait(min(wait, seconds)):
            return PlainPlayer(min(think, seconds))
        made = self.players.setdefault(seat, player(self.name))
        made.seconds = seconds
        return made

    def seconds(self, seat: int) -> float:
        """How long to think about a turn: what the clock gives, and no longer than a player asked for by name wants."""
        if seat not in self.clocks:
            return self.own_seconds or MAX_SECONDS
        wanted = self.own_seconds if self.asked else None
        return min(self.clocks[seat].share, wanted or math.inf)

    def prepare(self) -> Preparation:
        """Makes sure that the kernels of this game are being prepared."""
        rules = self.match.rules
        if self.preparation is None or self.preparation.rules.name != rules.name:
            self.preparation = Preparation(rules, self.name)
        return self.preparation

    def time_settings(self, words: list[str]) -> str:
        main, period, stones = numbers(words, 3, "time_settings MAIN BYO_YOMI STONES, like time_settings 600 30 5")
        unlimited = period > 0 and stones == 0  # GTP 2, 4.2: that is how no limit is told
        self.settings = None if unlimited else (main, period, int(stones) if period else 0)
        seats = range(self.match.rules.players)
        self.clocks = {seat: Clock(*self.settings) for seat in seats} if self.settings else {}
        return ""

    def time_left(self, words: list[str]) -> str:
        seat = self.seat(words[0] if words else "")
        left, stones = numbers(words[1:], 2, "time_left SEAT SECONDS STONES, like time_left 0 58 0")
        self.clocks.setdefault(seat, Clock(left, 0, 0)).tell(left, int(stones))
        return ""

    def analyse(self, words: list[str]) -> str:
        """The best actions after a second, or as many seconds as are asked for, what is expected, and who says so."""
        if self.match.outcome:
            raise HedgerowError("the game is over")
        (seconds,) = numbers(words or ["1"], 1, "hedgerow-analyse SECONDS, like hedgerow-analyse 2")
        self.prepare().wait()
        match, rules = self.match, self.match.rules
        search = wide_search(rules, match.plain)
        search.run(iterations=LEAST)  # the kernels are compiled or loaded, which is no part of its time
        search.run(seconds=min(max(seconds, 0.1), 60))
        lines = [choice_line(rules, match.plain, choice) for choice in search.choices()[:SHOWN]]
        expected = f"expected {spelled(rules, match.plain, list(search.variation()))}"
        return "\n".join([*lines, expected, told_by(isinstance(search, NetSearch), search.done)])


# --- text -------------------------------------------------------------------------------------------------------------


def cleaned(line: str) -> str:
    """A line as GTP 2 wants it before it is read: no control characters, tabs as spaces, no comment.

    >>> cleaned("12\\tgenmove b\\x07 # please\\r\\n")
    '12 genmove b '
    """
    spaced = line.replace("\t", " ").partition("#")[0]
    return "".join(character for character in spaced if character.isprintable())


def framed(sign: str, number: str, text: str) -> str:
    """An answer as GTP 2 wants it: no blank line inside, one behind.

    >>> framed("=", "7", "a\\n\\nb")
    '=7 a\\nb\\n\\n'
    """
    lines = ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in text.split("\n")]
    first, rest = lines[0], [line for line in lines[1:] if line]
    return "\n".join([f"{sign}{number} {first}".rstrip(), *rest]) + "\n\n"


def numbers(words: list[str], count: int, usage: str) -> list[float]:
    """So many numbers, none negative; raises HedgerowError telling the usage."""
    try:
        found = [float(word) for word in words]
    except ValueError:
        found = []
    if len(found) != count or not all(0 <= number < 1e9 for number in found):
        raise HedgerowError(f"syntax error; hint: {usage}")
    return found


def result_of(match: Match) -> str:
    """How the game ended in words like key=value; * while it goes on.

    >>> m = Match("tanbo"); m.resign(0); result_of(m)
    'winners=1 places=2,1 reason=resignation'
    """
    outcome = match.outcome
    if outcome is None:
        return "*"
    parts = {"winners": outcome.winners, "places": outcome.places, "scores": outcome.scores}
    words = [f"{key}={','.join(map(str, seats)) or 'none'}" for key, seats in parts.items() if seats is not None]
    return " ".join([*words, f"reason={outcome.reason}"])


def choice_line(rules: Rules[Any], position: Any, choice: Choice) -> str:
    """One line of an analysis."""
    line = f"{rules.spell(position, choice.action)} visits {choice.visits} win {choice.values[position.to_move]:.3f}"
    return line if choice.proven is None else f"{line} proven"


def spelled(rules: Rules[Any], position: Any, actions: list[int]) -> str:
    """Actions one after the other, as a player writes them: a turn's actions joined by commas."""
    text = ""
    for action in actions:
        text += rules.spell(position, action)
        position = rules.play(position, action)
        text += "," if rules.mid_turn(position) else " "
    return text.rstrip(", ")


# --- the loop ---------------------------------------------------------------------------------------------------------


def serve(engine: Engine, given: TextIO, out: TextIO) -> None:
    """Answers every line until `quit` or the end of what is given."""
    for line in given:
        reply = engine.answer(line)
        if reply is not None:
            out.write(reply)
            out.flush()
        if engine.over:
            return


def main(game: str = GAME, name: str | None = None) -> None:
    """Speaks GTP on stdin and stdout; whatever else is said goes to stderr."""
    engine = Engine(game, name)
    with (
        contextlib.suppress(BrokenPipeError),
        open(sys.stdin.fileno(), encoding="utf-8", errors="replace", newline="\n", closefd=False) as given,
        open(sys.stdout.fileno(), "w", encoding="utf-8", newline="\n", closefd=False) as out,
        contextlib.redirect_stdout(sys.stderr),
    ):
        serve(engine, given, out)
    if engine.preparation and engine.preparation.thread.is_alive():
        sys.stderr.flush()
        os._exit(0)  # a compiler at work cannot be asked to stop
