"""Games on a server in lines of text: the list, and a game that goes on while somebody types."""

from __future__ import annotations

import queue
from typing import Any

from hedgerow.game import HedgerowError
from hedgerow.terminal.play import commands, lobby, telling
from hedgerow.terminal.play.lines import Lines
from hedgerow.terminal.play.plain import BLINK, PlainGame
from hedgerow.terminal.play.remote import RemoteTable
from hedgerow.terminal.play.wire import Server

HELP = """\
  list                       your games, open seats, games to watch
  open N                     a game of the list, or one by its number or address; a free seat is taken
  new GAME [LEVEL|lobby|NAME]  start a game: against the machine, for anybody, or with somebody
  quit                       leave"""


class PlainServer:
    """The list of a server and its games."""

    def __init__(self, server: Server, lines: Lines, boards: bool = True) -> None:
        self.server, self.lines = server, lines
        self.front = PlainGame(lines, boards)
        self.entries: list[lobby.Entry] = []

    def run(self, first: lobby.Entry | None = None) -> None:
        """Until somebody leaves; a game may be opened at once."""
        name = self.server.me()
        self.front.say(
            f"{self.server.url}, {f'as {name}' if name else 'as a visitor'}. Type help for what can be typed."
        )
        if first is not None:
            self.enter(first)
        self.list()
        while (line := self._line()) is not None:
            word, _, rest = line.partition(" ")
            if word.lower() in ("quit", "exit", "q"):
                return
            try:
                self._obey(word.lower(), rest.strip())
            except HedgerowError as error:
                self.front.say(telling.refused(error)[0])

    def _line(self) -> str | None:
        print("server> ", end="", flush=True)
        try:
            return self.lines.next() or ""
        except EOFError:
            self.front.say("")
            return None

    def _obey(self, word: str, rest: str) -> None:
        if word in ("open", "join", "watch"):
            self.enter(self._entry(rest))
        elif word == "new":
            self.enter(lobby.new_game(self.server, rest))
        elif word in ("", "list"):
            self.list()
        elif word in ("help", "?"):
            self.front.say(HELP)
        else:
            raise HedgerowError(f"cannot do {word[:20]!r}; hint: list, open 1, new hexbo 3, quit")

    def list(self) -> None:
        """Prints what there is, with numbers."""
        self.entries = lobby.listed(self.server)
        for kind, heading in lobby.HEADINGS.items():
            some = [(number, entry) for number, entry in enumerate(self.entries, 1) if entry.kind == kind]
            if some:
                self.front.say(f"{heading}:")
            for number, entry in some:
                self.front.say(f"  {number}. {entry.words}")
        if not self.entries:
            self.front.say("No games here yet; start one: new hexbo(side=5) 3")

    def _entry(self, text: str) -> lobby.Entry:
        if text.isdigit() and 1 <= int(text) <= len(self.entries):
            return self.entries[int(text) - 1]
        return lobby.by_number(self.server, text)

    # --- a game -------------------------------------------------------------------------------------------------------

    def enter(self, entry: lobby.Entry) -> None:
        """Plays or follows a game until somebody leaves it."""
        told: queue.Queue[dict[str, Any]] = queue.Queue()
        table = lobby.entered(self.server, entry)
        line = lobby.followed(table, told.put)
        try:
            self._first(table, told)
            while self._goes_on(table, told):
                pass
        finally:
            line.close()

    def _first(self, table: RemoteTable, told: queue.Queue[dict[str, Any]]) -> None:
        """Waits for the state of the game."""
        while True:
            try:
                message = told.get(timeout=BLINK)
            except queue.Empty:
                continue
            words, _ = table.heed(message)
            if message["type"] == "state":
                self.front.introduce(table)
                return
            if table.trouble:
                self.front.say(table.note)
            if message["type"] in ("gone", "refused"):
                raise HedgerowError(words or table.trouble)

    def _goes_on(self, table: RemoteTable, told: queue.Queue[dict[str, Any]]) -> bool:
        """Hears what happens until a line is typed, and does what it says; False when somebody leaves."""
        print("> ", end="", flush=True)
        while True:
            while not told.empty():
                self._heard(table, told.get())
            try:
                line = self.lines.next(BLINK)
            except EOFError:
                self.front.say("")
                return False
            if line is not None:
                break
        try:
            return self._do(table, line)
        except HedgerowError as error:
            words, points = telling.refused(error)
            self.front.say(words)
            self.front.show(table, points) if points and self.front.boards else None
        return True

    def _heard(self, table: RemoteTable, message: dict[str, Any]) -> None:
        before = len(table.base.turns)
        words, reason = table.heed(message)
        if message["type"] == "event" and len(table.base.turns) > before:
            words = f"{telling.turn_told(table.base)} {words}".strip()
        if words:
            self.front.say(f"\n{words}")
        if message["type"] in ("lost", "gone"):
            self.front.say(f"\n{table.note}")
        if reason is not None and reason.points and self.front.boards:
            self.front.show(table, reason.points)
        elif message["type"] in ("event", "state"):
            self.front.situation(table)
            print("> ", end="", flush=True)

    def _do(self, table: RemoteTable, line: str) -> bool:
        if not line:
            return True
        answer = commands.carry_out(table, line)
        if answer.words:
            self.front.say(answer.words)
        if answer.wish == "quit":
            return False
        if answer.wish in ("lesson", "new", "load"):
            raise HedgerowError(f"{answer.wish!r} is not for a game on a server; hint: quit goes back to the list")
        if answer.wish in ("played", "undone") and table.match.mid_turn:
            self.front.situation(table)
        else:
            self.front.look(table, answer.wish)
        return True
