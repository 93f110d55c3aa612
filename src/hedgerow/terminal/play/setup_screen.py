"""Which game, which options, who sits where: one screen to choose them all."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Button, Input, OptionList, Select, Static
from textual.widgets.option_list import Option as Line

from hedgerow.game import Game, HedgerowError, Option
from hedgerow.games import game as game_of
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.terminal.play.asking import in_order, summary
from hedgerow.terminal.play.clock import control_of
from hedgerow.terminal.play.files import Keeper, unfinished
from hedgerow.terminal.play.seats import USUAL_LEVEL, Seat, machine
from hedgerow.terminal.play.session import Session, opened

RESUME = "resume"
CLOCKS = ("none", "1+1", "3+2", "5+3", "10+5", "30+10")


class SetupScreen(Screen[str]):
    """Asks for a game; the application begins it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "leave"),
        Binding("ctrl+n,f5", "begin", "play"),
        Binding("f7", "lesson", "lesson"),
    ]

    def __init__(self) -> None:
        super().__init__()
        kept = [(path, told) for path in unfinished()[:3] if (told := summary(path))]
        self.kept = {f"{RESUME}-{number}": (path, told) for number, (path, told) in enumerate(kept)}
        self.game: Game = in_order()[0]

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="choices"):
                yield Static("Which game?", classes="heading")
                resume = [Line(f"↺ {told}", id=key) for key, (_, told) in self.kept.items()]
                yield OptionList(*(Line(game.title, id=game.name) for game in in_order()), *resume, id="games")
                yield Static("", id="about", markup=False)
            with VerticalScroll(id="details", can_focus=False):
                yield Vertical(id="options")
                yield Vertical(id="players")
                yield Static("", id="wrong", markup=False)
                with Horizontal(id="buttons"):
                    yield Button("Play", id="begin", variant="primary", compact=True)
                    yield Button("Lesson", id="lesson", compact=True)
                    yield Button("Leave", id="back", compact=True)
        yield Static("Tab goes on, Enter chooses, F5 plays, F7 the lesson, Escape leaves.", id="keys")

    def on_mount(self) -> None:
        self.query_one("#games").focus()

    # --- the game -----------------------------------------------------------------------------------------------------

    @on(OptionList.OptionHighlighted, "#games")
    async def look_at(self, event: OptionList.OptionHighlighted) -> None:
        key = event.option.id or ""
        if key in self.kept:
            self.query_one("#about", Static).update(f"Go on with {self.kept[key][1]}.")
            return
        self.game = game_of(key)
        self.query_one("#about", Static).update(f"{self.game.about}\n\n{self.game.designer}")
        options = self.query_one("#options", Vertical)
        await options.remove_children()
        await options.mount(*(_row(option.name, _widget(option)) for option in self.game.options))
        await self._seat()

    @on(OptionList.OptionSelected, "#games")
    def take(self, event: OptionList.OptionSelected) -> None:
        if (key := event.option.id or "") in self.kept:
            self._go_on(key)
        else:
            self.set_focus(self.query_one("#begin"))

    def _go_on(self, key: str) -> None:
        path = self.kept[key][0]
        try:
            self.app.begin(opened(path, Keeper(path)))  # type: ignore[attr-defined]
        except HedgerowError as error:
            self.query_one("#wrong", Static).update(str(error))

    # --- who plays ----------------------------------------------------------------------------------------------------

    @on(Select.Changed, ".option")
    async def option_changed(self, event: Select.Changed) -> None:
        if event.select.id == "option-players":
            await self._seat()

    async def _seat(self) -> None:
        """A choice for every seat: you, somebody else, or a level."""
        players = self.query_one("#players", Vertical)
        await players.remove_children()
        try:
            rules = make(self._rules_name())
        except HedgerowError:
            return
        levels = [(f"level {n}", str(n)) for n in range(1, 1 + len(rules.game.measured.ladder))]
        rows = []
        for number, side in enumerate(rules.seats):
            choices = [("you", "you"), ("a person", "person"), *levels]
            chosen = "you" if number == 0 else str(min(USUAL_LEVEL, len(levels)))
            seat = Select(choices, value=chosen, allow_blank=False, compact=True, id=f"seat-{number}")
            rows.append(_row(side, seat))
        clock = Select([(text, text) for text in CLOCKS], value="none", allow_blank=False, compact=True, id="clock")
        await players.mount(Static("Who plays?", classes="heading"), *rows, _row("clock", clock))

    # --- beginning ----------------------------------------------------------------------------------------------------

    def _rules_name(self) -> str:
        """The game with the options that were chosen."""
        given = []
        for option in self.game.options:
            widget = self.query_one(f"#option-{option.name}")
            value = str(widget.value) if isinstance(widget, Select | Input) else ""
            given.append(f"{option.name}={value or option.default}")
        return f"{self.game.name}({','.join(given)})"

    def _seats(self, sides: tuple[str, ...]) -> list[Seat]:
        chosen = [str(self.query_one(f"#seat-{number}", Select).value) for number in range(len(sides))]
        named = {"you": "You" if chosen.count("you") == 1 else "", "person": ""}
        return [
            Seat(named[who] or side) if who in named else machine(f"level({who})") for who, side in zip(chosen, sides)
        ]

    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        games = self.query_one("#games", OptionList)
        line = games.highlighted_option
        if games.has_focus and line is not None and line.id in self.kept:
            self._go_on(line.id)
            return
        try:
            rules = make(self._rules_name())
            control = control_of(str(self.query_one("#clock", Select).value))
            session = Session(Match(rules), self._seats(rules.seats), control)
        except HedgerowError as error:
            self.query_one("#wrong", Static).update(str(error))
            return
        self.app.begin(session)  # type: ignore[attr-defined]

    @on(Button.Pressed, "#lesson")
    def action_lesson(self) -> None:
        self.app.teach(self.game.name)  # type: ignore[attr-defined]

    @on(Button.Pressed, "#back")
    def action_back(self) -> None:
        self.dismiss("")


def _row(name: str, widget: Select[str] | Input) -> Horizontal:
    return Horizontal(Static(name.replace("_", " "), classes="name", markup=False), widget, classes="row")


def _widget(option: Option) -> Select[str] | Input:
    """What an option is chosen with: a list, or a line for free text."""
    ident = f"option-{option.name}"
    if option.read is not None:
        return Input(str(option.default), compact=True, id=ident, classes="option")
    numbers = [value for value in option.values if isinstance(value, int)]
    ordered = sorted(numbers) if len(numbers) == len(option.values) else list(option.values)
    choices = [(f"{value}{' (usual)' * (value == option.default)}", str(value)) for value in ordered]
    return Select(choices, value=str(option.default), allow_blank=False, compact=True, id=ident, classes="option")
