"""A game as lines of text: for pipes, simple terminals and screen readers; every command of the screen is there."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from hedgerow.game import HedgerowError
from hedgerow.terminal.play import asking, commands, telling, thinking
from hedgerow.terminal.play.clock import in_words
from hedgerow.terminal.play.lines import Lines
from hedgerow.terminal.play.seats import called
from hedgerow.terminal.play.session import Session, opened
from hedgerow.terminal.play.table import Table

BLINK = 0.2
BEST_SECONDS = 2.0


def color_wanted() -> bool:
    """Somebody sees colours: a terminal that has them, and nobody who does not want them."""
    return bool(sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


class PlainGame:
    """Plays one game after another in lines of text."""

    def __init__(self, lines: Lines, boards: bool = True) -> None:
        self.lines, self.boards, self.color = lines, boards, color_wanted()
        self.hints = thinking.Hints()
        self.trouble = ""

    # --- saying -------------------------------------------------------------------------------------------------------

    def say(self, words: str) -> None:
        """A line, at once."""
        print(words, flush=True)

    def show(self, table: Table, points: tuple[str, ...] = ()) -> None:
        """The board."""
        self.say("\n" + commands.board_text(table, self.color, points) + "\n")

    def introduce(self, table: Table) -> None:
        """Which game it is, and who plays."""
        rules = table.match.rules
        names = [called(seat) for seat in table.seats] if isinstance(table, Session) else table.names
        self.say(f"{table.match.scene().title}. " + ", ".join(f"{s}: {n}" for s, n in zip(rules.seats, names)) + ".")
        self.say("Type a turn, or help.")
        self.situation(table)

    def situation(self, table: Table) -> None:
        """The board where it is wanted, and what is to be done."""
        if self.boards:
            self.show(table)
        self.say(telling.ending(table.match) or self._asked(table))

    def _asked(self, table: Table) -> str:
        match = table.match
        left = table.clocks()
        clock = f" ({in_words(left[match.to_move])} left)" if left else ""
        return f"{match.rules.seats[match.to_move]} to move{clock}. {match.prompt if table.mine else ''}".rstrip()

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, session: Session) -> None:
        """Plays until somebody leaves; the game is kept whatever happens."""
        while True:
            try:
                following = self._game(session)
            finally:
                if left := session.leave():
                    print(left, file=sys.stderr, flush=True)
            if following is None:
                return
            session = following

    def _game(self, session: Session) -> Session | None:
        """One game; the next one where somebody wants another."""
        self.introduce(session)
        while True:
            if session.mover is not None and session.mover.machine:
                self._machine(session)
                continue
            session.run_clock()
            line = self._line(session)
            if line is None:
                return None
            if line == "" or session.fell():
                continue
            try:
                following = self.obey(session, line)
            except HedgerowError as error:
                words, points = telling.refused(error)
                self.say(words)
                self._light(session, points)
                continue
            if following is not None:
                return following if isinstance(following, Session) else None

    def _line(self, session: Session) -> str | None:
        """What is typed next; None at the end, empty where a flag fell meanwhile."""
        print("> ", end="", flush=True)
        while True:
            try:
                line = self.lines.next(BLINK if session.clock else None)
            except EOFError:
                self.say("")
                return None
            if fallen := session.fell():
                self.say(f"\n{fallen} {telling.ending(session.match)}")
                return ""
            if line is not None:
                return line

    def _machine(self, session: Session) -> None:
        """A machine's turn."""
        seat, side = session.mover, session.match.rules.seats[session.match.to_move]
        if seat is None:
            return
        session.hold_clock()
        waiting = lambda: self.say(f"{side} is thinking…")  # noqa: E731
        thinking.in_background(lambda: thinking.prepare(session.match.rules, seat), waiting)
        session.run_clock()
        share = session.share(session.match.to_move)
        turn = thinking.in_background(lambda: thinking.choose(seat, session.match.copy(), share), waiting)
        if fallen := session.fell():
            self.say(fallen)
        else:
            session.play(turn)
            self.say(telling.turn_told(session.match))
        self._kept(session)
        self.situation(session)

    def obey(self, session: Session, line: str) -> Session | bool | None:
        """Does what a line says: another session to go on with, True to leave, None to go on."""
        answer = commands.carry_out(session, line)
        if answer.words:
            self.say(answer.words)
            self._light(session, answer.points)
        if answer.wish in ("played", "undone"):
            if answer.wish == "played" and not session.match.mid_turn:
                self.say(telling.turn_told(session.match))
            self._kept(session)
            self.situation(session)
            return None
        return self._grant(session, answer.wish, answer.argument)

    def _grant(self, session: Session, wish: str, argument: str) -> Session | bool | None:
        if wish == "quit":
            return True
        if wish == "new":
            return asking.asked_game(self.lines)
        if wish == "load":
            return opened(Path(argument).expanduser())
        if wish == "lesson":
            self.lesson(session.match.rules.game.name)
            self.situation(session)
        self.look(session, wish)
        return None

    def look(self, table: Table, wish: str) -> None:
        """What only shows something, of any game."""
        if wish == "help":
            self.say(commands.help_text(table.local))
        elif wish == "show":
            self.show(table)
        elif wish in ("hint", "best"):
            if not table.local and not table.match.outcome:
                raise HedgerowError("no engine helps in a game on a server; hint: ask it when the game is over")
            if table.match.outcome:
                raise HedgerowError("the game is over; hint: take back to ask about a position before its end")
            self.hint(table) if wish == "hint" else self.best(table)

    def _light(self, table: Table, points: tuple[str, ...]) -> None:
        if points and self.boards:
            self.show(table, points)
        elif points:
            self.say(f"It is about {' '.join(points)}.")

    def _kept(self, session: Session) -> None:
        if session.keeper.trouble and not self.trouble:
            self.trouble = session.keeper.trouble
            self.say(f"This game is not kept aside: {self.trouble}")

    # --- the engine ---------------------------------------------------------------------------------------------------

    def hint(self, table: Table) -> None:
        """First where to look, then the turn."""
        if not self.hints.known(table.match):
            wait = lambda: self.say("Thinking…")  # noqa: E731
            turn = thinking.in_background(lambda: thinking.best_turn(table.match.copy()), wait, 2.0)
            self.hints.learn(table.match, turn)
        words, points, area = self.hints.next(table.match)
        names = table.match.rules.board.names
        near = tuple(name for name in names if name in area)
        self.say(words if not near else f"Look around {' '.join(near)}. Ask again for the turn.")
        if self.boards:
            self._light(table, points or near)

    def best(self, table: Table) -> None:
        """The best turns, and who is likely to win."""
        match, stop = table.match.copy(), threading.Event()
        wait = lambda: self.say("Thinking…")  # noqa: E731
        *_, found = thinking.in_background(
            lambda: list(thinking.looks(match, stop, seconds=BEST_SECONDS)), wait, BEST_SECONDS + 0.5
        )
        self.say(f"{telling.chances(match.rules, found)} ({telling.spoken_by(found)}).")
        for line in found.lines:
            self.say("  " + telling.line_told(match.rules, line, match.to_move))

    # --- the lesson ---------------------------------------------------------------------------------------------------

    def lesson(self, game: str) -> None:
        """The lesson of a game, step by step, until it ends or somebody leaves it."""
        from hedgerow.terminal.play.plain_lesson import teach

        teach(self, game)
