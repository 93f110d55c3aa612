"""A server on the screen: its list of games, and a game that goes on live."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from hedgerow.game import HedgerowError
from hedgerow.terminal.play import backstage, lobby, telling
from hedgerow.terminal.play.backstage import Told
from hedgerow.terminal.play.dialogs import Question
from hedgerow.terminal.play.game_screen import GameScreen
from hedgerow.terminal.play.picture import Marks
from hedgerow.terminal.play.remote import RemoteTable
from hedgerow.terminal.play.wire import Server

EVERY = 10.0
"""How many seconds pass between two looks at the list."""


class Listed(Told):
    """The list, as it is now."""


class Entered(Told):
    """A game was opened."""


class Refused(Told):
    """The server said no."""


class ServerScreen(Screen[str]):
    """The list of games of a server."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "leave"),
        Binding("f5,r", "renew", "look again"),
        Binding("n,f2", "new", "new game"),
        Binding("o,f3", "open", "open"),
    ]

    def __init__(self, server: Server, first: lobby.Entry | None = None) -> None:
        super().__init__()
        self.server, self.first = server, first
        self.entries: dict[str, lobby.Entry] = {}

    def compose(self) -> ComposeResult:
        with Vertical(id="lobby"):
            yield Static(f"Hedgerow at {self.server.url}", classes="heading", markup=False)
            yield Static("", id="who", markup=False)
            yield OptionList(id="entries", markup=False)
            yield Static("", id="wrong", markup=False)
        yield Static(
            "Enter opens a game, n begins one, o opens one by its number, r looks again, Escape leaves.", id="keys"
        )

    def on_mount(self) -> None:
        self.query_one("#entries").focus()
        self.action_renew()
        self.set_interval(EVERY, self._renew_if_seen)
        if (first := self.first) is not None:
            self._enter(lambda: first)

    def _renew_if_seen(self) -> None:
        if self.is_current:
            self.action_renew()

    def on_screen_resume(self) -> None:
        self.action_renew()

    # --- the list -----------------------------------------------------------------------------------------------------

    def action_renew(self) -> None:
        self._ask(lambda: backstage.tell(self, Listed(0, (self.server.me(), lobby.listed(self.server)))))

    def _ask(self, work: Any) -> None:
        """Asks the server in a thread; what it refuses is shown."""

        def careful() -> None:
            try:
                work()
            except HedgerowError as error:
                backstage.tell(self, Refused(0, telling.refused(error)[0]))

        backstage.start(self, 0, careful)

    def on_listed(self, told: Listed) -> None:
        name, entries = told.found
        self.query_one("#who", Static).update(f"You are {name}." if name else "You are a visitor.")
        self.query_one("#wrong", Static).update("")
        found = self.query_one("#entries", OptionList)
        highlighted = found.highlighted_option
        self.entries = {entry.game: entry for entry in entries}
        found.clear_options()
        for kind, heading in lobby.HEADINGS.items():
            some = [entry for entry in entries if entry.kind == kind]
            if some:
                found.add_option(Option(heading, disabled=True))
                found.add_options([Option(f"  {entry.words}", id=entry.game) for entry in some])
        if not entries:
            found.add_option(Option("No games here yet: n begins one.", disabled=True))
        elif highlighted is not None and highlighted.id in self.entries:
            found.highlighted = found.get_option_index(highlighted.id)
        else:
            found.action_first()

    def on_refused(self, told: Refused) -> None:
        self.query_one("#wrong", Static).update(str(told.found))

    def on_failed(self, told: backstage.Failed) -> None:
        self.query_one("#wrong", Static).update(str(told.found))

    # --- opening ------------------------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        entry = self.entries.get(event.option.id or "")
        if entry is not None:
            self._enter(lambda: entry)

    def _enter(self, entry: Any) -> None:
        self._ask(lambda: backstage.tell(self, Entered(0, lobby.entered(self.server, entry()))))

    def on_entered(self, told: Entered) -> None:
        self.app.push_screen(RemoteScreen(told.found))

    def action_new(self) -> None:
        title = "A new game: its name, then a level, lobby, or somebody's name"
        self.app.push_screen(Question(title, "hexbo(side=5) 3"), self._new)

    def _new(self, words: str | None) -> None:
        if words:
            self._enter(lambda: lobby.new_game(self.server, words))

    def action_open(self) -> None:
        self.app.push_screen(Question("The number or the address of a game"), self._open)

    def _open(self, words: str | None) -> None:
        if words:
            self._enter(lambda: lobby.by_number(self.server, words))

    def action_back(self) -> None:
        self.dismiss("")


class Heard(Told):
    """The line of a game has told something."""


class RemoteScreen(GameScreen):
    """A game on a server: the line tells what happens, and this shows it."""

    def __init__(self, table: RemoteTable) -> None:
        super().__init__(table)
        self.remote = table

    def on_mount(self) -> None:
        super().on_mount()
        lobby.followed(self.remote, lambda message: backstage.tell(self, Heard(0, message)))

    def on_unmount(self) -> None:
        super().on_unmount()
        if self.remote.line:
            self.remote.line.close()

    def on_heard(self, told: Heard) -> None:
        table, before = self.remote, len(self.remote.base.turns)
        words, reason = table.heed(told.found)
        kind = told.found["type"]
        if kind == "event" and len(table.base.turns) > before:
            words = f"{telling.turn_told(table.base, eventful=True)} {words}".strip()
        if kind in ("state", "event", "gone", "seats", "refused"):
            if kind == "state":
                self.board.turn(table.near in table.match.rules.far)
            self.changed()
        if words:
            self.say(words, "refused" if reason is not None else "news")
            self.marks = Marks(lit=reason.points if reason else ())
        self.draw()

    def _grant(self, wish: str, argument: str) -> None:
        if wish in ("new", "load", "lesson"):
            self.say(f"{wish} is not for a game on a server: leave it first.", "refused")
        else:
            super()._grant(wish, argument)
