"""A game on the screen: machines take their turns, the engine is asked, clocks run, commands are obeyed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Static

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.scene import Scene
from hedgerow.terminal.expecting import expected
from hedgerow.terminal.play import backstage, commands, panels, telling
from hedgerow.terminal.play.dialogs import Menu, Question, RulesText, Telling
from hedgerow.terminal.play.picture import Marks
from hedgerow.terminal.play.play_screen import Key, PlayScreen
from hedgerow.terminal.play.pressing import Pressed
from hedgerow.terminal.play.session import Session
from hedgerow.terminal.play.table import Table
from hedgerow.terminal.play.thinking import Hints, is_ready, points_of

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis

KEYS_TOLD = """\
arrows      move the cursor
Enter       press the point; Escape puts a piece down again
Tab         the next point that may be pressed
letters     type a turn or a command, then Enter
.  F3       what may be pressed
!  F2       a hint; again for the turn
=  F4       the engine's opinion, on and off
Backspace   take back (also F5)
F6          pass, done
PgUp PgDn   look back and forward
+ -         larger and smaller
Ctrl+S      save
F10         menu: load, levels, rules, lesson, resign …
Ctrl+Q      leave; the game is kept (also Ctrl+C)

The last turn stands in > <, lit points in ( ), what is
pressed in { }, the cursor in [ ]. The mouse presses too.
"""
MENU = (
    ("new", "Another game"),
    ("save", "Save to a file (Ctrl+S)"),
    ("load", "Load a game from a file"),
    ("level", "Change who plays: levels, people"),
    ("count", "Count"),
    ("rules", "The rules"),
    ("lesson", "The lesson"),
    ("turn_board", "Turn the board"),
    ("theme", "Dark or light"),
    ("draw", "Agree on a draw"),
    ("resign", "Resign"),
    ("quit", "Leave (Ctrl+Q)"),
)


class GameScreen(PlayScreen):
    """Plays one game, here or on a server."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,exclamation_mark", "hint", "hint"),
        Binding("f4,equals_sign", "engine", "engine"),
        Binding("f5,backspace", "undo", "take back"),
        Binding("ctrl+s,f9", "save", "save"),
        Binding("f10,ctrl+o", "menu", "menu"),
        Binding("pageup", "look_back", "look back", show=False),
        Binding("pagedown", "look_forward", "look forward", show=False),
        Binding("end", "put_down", show=False),
    ]

    def __init__(self, table: Table) -> None:
        super().__init__(table.match)
        self.table = table
        self.hints = Hints()
        self.back: int | None = None
        """After how many turns the board is shown, where somebody looks back."""
        self.found: Analysis | None = None
        self.looking: threading.Event | None = None
        self.engine_on = False
        self.scores: list[int] | None = None

    # --- what the screen asks -----------------------------------------------------------------------------------------

    @property
    def match(self) -> Match:
        return self.table.match if self.back is None else self.table.match.after(self.back)

    @property
    def open_to(self) -> bool:
        return self.table.mine and self.back is None

    @property
    def version(self) -> int:
        """Counts the changes of the game."""
        return int(getattr(self.table, "version", 0))

    def on_mount(self) -> None:
        super().on_mount()
        self.board.cursor.turned = self.table.near in self.table.match.rules.far
        self.set_interval(0.2, self.tick)
        self.changed()

    def keys(self) -> list[Key]:
        word = self.pressing.words[0] if self.pressing.words else ""
        passes = [("F6", word, "screen.first_word")] if word else []
        return [
            ("?", "help", "screen.help"),
            ("!", "hint", "screen.hint"),
            (".", "legal", "screen.legal"),
            ("=", "engine", "screen.engine"),
            ("⌫", "take back", "screen.undo"),
            *passes,
            ("F10", "menu", "screen.menu"),
            ("^Q", "leave", "app.leave"),
            ("^S", "save", "screen.save"),
            ("PgUp", "look back", "screen.look_back"),
            ("PgDn", "look forward", "screen.look_forward"),
        ]

    def scene(self) -> Scene:
        """The position, and while the engine speaks who it expects to own what."""
        return expected(super().scene(), self.found if self.engine_on else None)

    def draw_side(self, width: int) -> None:
        table, theme = self.table, self.board.theme_name
        self.query_one("#title", Static).update(self.scene().title)
        self.query_one("#seats", Static).update(panels.seats(table, width, theme, self.app.no_color, self.scores))
        engine = self.query_one("#engine", Static)
        engine.display = self.engine_on
        if self.engine_on:
            engine.update(panels.engine(table.match.rules, self.found, width))
        self.query_one("#turnlist", Static).update(panels.turns(table, width, self.back))
        if self.back is None:
            self.query_one("#turns").scroll_end(animate=False)

    def prompt(self) -> str:
        if self.back is not None:
            return f"After turn {self.back} of {len(self.table.match.turns)}. Escape goes back to the game."
        if self.table.match.outcome:
            return f"{telling.ending(self.table.match)} {self._scores()}".strip()
        if not self.table.mine:
            side = self.table.match.rules.seats[self.table.match.to_move]
            return self.table.note or f"{side} is to move."
        side = self.table.match.rules.seats[self.table.match.to_move]
        note = f"{self.table.note} " if self.table.note else ""
        return f"{note}{side}: {self.table.match.prompt}"

    def _scores(self) -> str:
        outcome = self.table.match.outcome
        return telling.count(self.table.match) if outcome and outcome.scores else ""

    # --- going on -----------------------------------------------------------------------------------------------------

    def changed(self) -> None:
        """The game has moved on."""
        self.back = None
        self.scores = telling.scores(self.table.match)
        self.offer()
        self._look_anew()
        self._next_turn()
        keeper = getattr(self.table, "keeper", None)
        if keeper is not None and keeper.trouble:
            self.notify(f"This game is not kept aside: {keeper.trouble}", severity="warning", timeout=15)
            keeper.trouble = ""

    def _next_turn(self) -> None:
        """Lets a machine choose, or a person's clock run."""
        table = self.table
        if not isinstance(table, Session):
            return
        table.thinking = ""
        if table.mover is None:
            table.hold_clock()
        elif table.mover.machine:
            seat, mover, rules = table.mover, table.match.to_move, table.match.rules
            ready = is_ready(rules, seat)
            does = "thinking…" if ready else "getting ready; the first time that takes some seconds…"
            table.thinking = f"{rules.seats[mover]} is {does}"
            table.hold_clock() if not ready else table.run_clock()

            backstage.choose(self, table.version, seat, table.match.copy(), lambda: table.share(mover))
        else:
            table.run_clock()
        self.draw()

    def on_prepared(self, told: backstage.Prepared) -> None:
        if isinstance(self.table, Session) and told.version == self.version:
            self.table.thinking = f"{self.table.match.rules.seats[self.table.match.to_move]} is thinking…"
            self.table.run_clock()
            self.draw()

    def on_chosen(self, told: backstage.Chosen) -> None:
        if told.version != self.version or self._flag_fell():
            return
        self.table.play(told.found)
        self._played()

    def _played(self) -> None:
        """A turn, or a part of one, was played."""
        match = self.table.match
        news = "" if match.mid_turn or match.outcome else telling.turn_told(match, eventful=True)
        self.changed()
        self.say(f"{news} {self.prompt()}" if news else "", "news")
        self.draw()

    def tick(self) -> None:
        """Clocks go on; a flag may fall."""
        if self.table.clocks() is not None and not self._flag_fell() and self.table.match.outcome is None:
            seats = panels.seats(self.table, self.width, self.board.theme_name, self.app.no_color, self.scores)
            self.query_one("#seats", Static).update(seats)

    def _flag_fell(self) -> bool:
        if not isinstance(self.table, Session) or not (fell := self.table.fell()):
            return False
        self.changed()
        self.say(f"{fell} {telling.ending(self.table.match)}", "news")
        self.draw()
        return True

    # --- what somebody does -------------------------------------------------------------------------------------------

    def chosen(self, action: str) -> None:
        self.obey(action)

    def refused(self, pressed: Pressed) -> None:
        if not self.open_to:
            self.say(self.prompt())
            return
        reason = self.match.why_not(pressed.refused)
        if reason is not None:
            self.say(telling.refusal(reason, self.match.rules.game.title), "refused")
            self.marks = Marks(lit=reason.points)

    def typed(self, line: str) -> None:
        self.obey(line)

    def obey(self, line: str) -> None:
        """Does what a line says; a refusal is shown with its points."""
        try:
            answer = commands.carry_out(self.table, line)
        except HedgerowError as error:
            words, points = telling.refused(error)
            self.say(words, "refused")
            self.marks = Marks(lit=points)
            return
        if answer.wish in ("played",):
            self._played()
        elif answer.wish in ("undone", "seated"):
            self.changed()
            self.say("" if self.table.match.outcome else answer.words, "news")
        elif answer.wish == "legal":
            self.legal_shown = True
        elif answer.wish == "rules":
            self.app.push_screen(RulesText(answer.words))
        elif answer.wish:
            self._grant(answer.wish, answer.argument)
        else:
            self._tell(answer.words, answer.points)

    def _tell(self, words: str, points: tuple[str, ...]) -> None:
        if words.count("\n") > 3 or len(words) > 200:
            self.app.push_screen(Telling(self.match.scene().title, words))
        else:
            self.say(words)
            self.marks = Marks(lit=points)

    def _grant(self, wish: str, argument: str) -> None:
        if wish == "load":
            self.load(argument)
        elif wish in ("new", "lesson", "quit"):
            self.dismiss(wish)
        elif wish in ("help", "hint", "best"):
            {"help": self.action_help, "hint": self.action_hint, "best": self.action_engine}[wish]()

    def load(self, name: str) -> None:
        """Goes on with a game in a file."""
        from hedgerow.terminal.play.session import opened

        try:
            self.app.begin(opened(Path(name).expanduser()))  # type: ignore[attr-defined]
        except HedgerowError as error:
            self.say(telling.refused(error)[0], "refused")

    def action_undo(self) -> None:
        if self.pressing.pressed:
            self.action_put_down()
            return
        self.obey("undo")
        self.draw()

    def action_put_down(self) -> None:
        looked_back, self.back = self.back is not None, None
        super().action_put_down()
        self.offer()
        if looked_back:
            self._look_anew()

    def action_look_back(self) -> None:
        self._look(-1)

    def action_look_forward(self) -> None:
        self._look(1)

    def _look(self, by: int) -> None:
        """Looks back or forward, a turn at a time."""
        last = len(self.table.match.turns)
        here = last if self.back is None else self.back
        there = max(0, min(last, here + by))
        self.back = None if there == last else there
        self.say("")
        self.offer()
        self._look_anew()

    # --- the engine ---------------------------------------------------------------------------------------------------

    def _engine_allowed(self) -> bool:
        if not self.table.local and not self.table.match.outcome:
            self.say("No engine helps in a game on a server. Ask it when the game is over.", "refused")
        elif self.match.outcome:
            self.say("The game is over: look back (PgUp) or take back to ask about a position.", "refused")
        else:
            return True
        self.draw()
        return False

    def action_hint(self) -> None:
        if not self._engine_allowed():
            return
        if self.hints.known(self.match):
            words, points, area = self.hints.next(self.match)
            self.say(words, "news")
            self.marks = Marks(lit=points, area=area)
        else:
            self.say("Thinking about a hint…", "news")
            backstage.hint(self, self.version, self.match.copy())
        self.draw()

    def on_hinted(self, told: backstage.Hinted) -> None:
        position, turn = told.found
        if position == self.match.position():
            self.hints.learn(self.match, turn)
            self.action_hint()

    def action_engine(self) -> None:
        """Turns the engine's opinion on or off."""
        if self.engine_on or self._engine_allowed():
            self.engine_on = not self.engine_on
            self._look_anew()
            self.draw()

    def _look_anew(self) -> None:
        """The engine looks at what is shown now, if it is on."""
        if self.looking:
            self.looking.set()
        self.looking, self.found = None, None
        if self.engine_on and not self.match.outcome:
            self.looking = backstage.look(self, self.version, self.match.copy())

    def on_looked(self, told: backstage.Looked) -> None:
        if self.engine_on and told.found.position == self.match.position():
            self.found = told.found
            names: dict[str, str] = {}
            for number, line in enumerate(told.found.lines, 1):
                for name in points_of(self.match, line.turn)[-1:]:
                    names.setdefault(name, str(number))
            self.marks = Marks(lit=self.marks.lit, area=self.marks.area, letters=names)
            self.draw()

    def on_failed(self, told: backstage.Failed) -> None:
        self.say(f"That did not work: {told.found}", "refused")
        self.draw()

    def on_unmount(self) -> None:
        if self.looking:
            self.looking.set()

    # --- the menu -----------------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        self.app.push_screen(Telling("Keys", KEYS_TOLD + "\n" + commands.help_text(self.table.local)))

    def action_menu(self) -> None:
        self.app.push_screen(Menu("Menu", MENU), self._picked)

    def _picked(self, key: str | None) -> None:
        if key in ("save", "load", "level"):
            self._ask(key)
        elif key == "turn_board":
            self.board.turn(not self.board.cursor.turned)
        elif key == "theme":
            self.app.action_theme()  # type: ignore[attr-defined]
        elif key == "resign":
            self.app.push_screen(Menu("Resign?", (("yes", "Yes, resign"), ("", "No, play on"))), self._resign)
        elif key:
            self.obey(key)
        self.draw()

    def _resign(self, answer: str | None) -> None:
        if answer == "yes":
            self.obey("resign")
            self.draw()

    def action_save(self) -> None:
        self._ask("save")

    def _ask(self, key: str) -> None:
        title = {
            "save": "Save to which file?",
            "load": "Which file?",
            "level": "A level, or a side and who plays it: 5, White 3, White Ann",
        }[key]
        value = f"{self.match.rules.game.name}.txt" if key == "save" else ""
        self.app.push_screen(Question(title, value), lambda given: self._answered(key, given))

    def _answered(self, key: str, given: str | None) -> None:
        if given:
            self.obey(f"{key} {given}")
            self.draw()
