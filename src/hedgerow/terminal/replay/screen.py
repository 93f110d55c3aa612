"""A game on the whole screen: the board after a turn, the turns beside it, and keys that lead through them."""

from __future__ import annotations

import os
import sys
import traceback
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from hedgerow.match import Match
from hedgerow.terminal.play.board import BoardView
from hedgerow.terminal.play.dialogs import TooSmall, too_small
from hedgerow.terminal.play.leaving import heed
from hedgerow.terminal.play.palette import THEMES
from hedgerow.terminal.play.picture import Marks
from hedgerow.terminal.play.words import Words
from hedgerow.terminal.replay.story import Story

STOPPED = 130
PACES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
KEYS = "← → turn  Home End  space play  ↑ ↓ pace  12 Enter jumps  t theme  q leaves"


class Replay(App[int]):
    """`hedgerow replay` on the whole screen."""

    TITLE = "Hedgerow"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $background; }
    #main { height: 1fr; }
    BoardView { width: 1fr; height: 1fr; scrollbar-size: 1 1; background: $background; }
    #side { width: 30; height: 1fr; background: $surface; padding: 0 1; }
    .wide #side { width: 44; padding: 1 2; }
    #title { text-style: bold; color: $primary; height: auto; }
    #players { height: auto; margin-bottom: 1; }
    #headline { height: auto; text-style: bold; color: $accent; }
    #told { height: auto; max-height: 6; margin-bottom: 1; }
    #turns { height: 1fr; min-height: 3; scrollbar-size: 1 1; background: $surface; }
    #list { height: auto; }
    #bar { height: 1; background: $panel; padding: 0 1; }
    #keys { height: 1; background: $surface; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #small { align: center middle; background: $background; }
    #small Static { width: auto; height: auto; text-align: center; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "go(-1)", priority=True, show=False),
        Binding("right,l", "go(1)", priority=True, show=False),
        Binding("pageup", "go(-10)", priority=True, show=False),
        Binding("pagedown", "go(10)", priority=True, show=False),
        Binding("home,g", "jump(0)", priority=True, show=False),
        Binding("end,G", "jump(-1)", priority=True, show=False),
        Binding("space", "play", priority=True, show=False),
        Binding("up", "pace(-1)", priority=True, show=False),
        Binding("down", "pace(1)", priority=True, show=False),
        Binding("enter", "typed", priority=True, show=False),
        Binding("backspace", "erase", priority=True, show=False),
        Binding("t", "theme", priority=True, show=False),
        Binding("q,escape,ctrl+q", "leave", priority=True, show=False),
        Binding("ctrl+c", "interrupt", priority=True, show=False),
        *(Binding(str(digit), f"digit({digit})", priority=True, show=False) for digit in range(10)),
    ]

    def __init__(self, match: Match, turn: int = 0, seconds: float = 1.0, theme: str = "dark") -> None:
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.story, self.turn, self.wanted_theme = Story(match), turn, theme
        self.seconds, self.typed = seconds, ""
        self.going: Timer | None = None
        self.crash = ""

    # --- what is shown ------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        match = self.story.match
        board = BoardView(match.scene(), id="board")
        board.can_focus, board.shows_cursor = False, False
        with Vertical():
            with Horizontal(id="main"):
                yield board
                with Vertical(id="side"):
                    yield Static(match.scene().title, id="title", markup=False)
                    yield Static(_players(match), id="players", markup=False)
                    yield Words("", id="headline", markup=False)
                    yield Words("", id="told", markup=False)
                    with VerticalScroll(id="turns", can_focus=False):
                        yield Words("", id="list", markup=False)
            yield Words("", id="bar", markup=False)
            yield Static(KEYS, id="keys", markup=False)

    def on_mount(self) -> None:
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = THEMES[self.wanted_theme].name
        heed(self)
        self.call_after_refresh(self._show)

    def on_resize(self, event: events.Resize) -> None:
        small = too_small(event.size.width, event.size.height)
        if small and not isinstance(self.screen, TooSmall):
            self.push_screen(TooSmall())
        elif not small and isinstance(self.screen, TooSmall):
            self.pop_screen()
        self.screen_stack[0].set_class(event.size.width >= 120, "wide")
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        """Draws the position and what is said about it."""
        if not self.screen_stack:
            return
        below, story = self.screen_stack[0], self.story
        below.query_one("#board", BoardView).show(story.at(self.turn).scene(), Marks())
        below.query_one("#headline", Static).update(story.headline(self.turn))
        below.query_one("#told", Static).update(story.told(self.turn))
        turns = below.query_one("#turns", VerticalScroll)
        across = _across(story.match, turns.size.width)
        below.query_one("#list", Static).update(_turns(story.match, self.turn, across))
        turns.scroll_to(y=max(0, (self.turn - 1) // across - turns.size.height // 2), animate=False)
        below.query_one("#bar", Static).update(self._bar(self.size.width - 2))

    def _bar(self, width: int) -> str:
        """Where in the game this is, whether it plays, and the number that is being typed."""
        state = f"▶ {self.seconds:g} s" if self.going else "❚❚"
        told = f"{self.turn}/{self.story.last} {state}" + (f"  jump to {self.typed}▏" if self.typed else "")
        room = max(10, width - len(told) - 1)
        full = round(room * self.turn / max(1, self.story.last))
        return "━" * full + "─" * (room - full) + f" {told}"

    # --- where it goes ------------------------------------------------------------------------------------------------

    def action_go(self, by: int) -> None:
        self._halt()
        self._turn_to(self.turn + by)

    def action_jump(self, turn: int) -> None:
        self._halt()
        self._turn_to(self.story.last if turn < 0 else turn)

    def _turn_to(self, turn: int) -> None:
        self.turn, self.typed = max(0, min(self.story.last, turn)), ""
        self._show()

    def action_play(self) -> None:
        """Plays on, or stands still; from the end it begins again."""
        if self.going:
            self._halt()
        else:
            self.turn = 0 if self.turn == self.story.last else self.turn
            self.going = self.set_interval(self.seconds, self._tick)
        self._show()

    def _tick(self) -> None:
        if self.turn >= self.story.last:
            self._halt()
            self._show()
        else:
            self._turn_to(self.turn + 1)

    def _halt(self) -> None:
        if self.going:
            self.going.stop()
            self.going = None

    def action_pace(self, by: int) -> None:
        """Faster or slower."""
        nearest = min(range(len(PACES)), key=lambda place: abs(PACES[place] - self.seconds))
        self.seconds = PACES[max(0, min(len(PACES) - 1, nearest + by))]
        if self.going:
            self._halt()
            self.going = self.set_interval(self.seconds, self._tick)
        self._show()

    def action_digit(self, digit: int) -> None:
        self.typed = (self.typed + str(digit))[-6:]
        self._show()

    def action_erase(self) -> None:
        self.typed = self.typed[:-1]
        self._show()

    def action_typed(self) -> None:
        if self.typed:
            self.action_jump(int(self.typed))

    def action_theme(self) -> None:
        self.theme = THEMES["light" if self.current_theme.dark else "dark"].name

    # --- leaving ------------------------------------------------------------------------------------------------------

    def action_leave(self) -> None:
        self.exit(None, 0)

    def action_interrupt(self) -> None:
        self.exit(None, STOPPED)

    def _fatal_error(self) -> None:
        """What nobody foresaw becomes one line after the screen is given back."""
        self.crash = traceback.format_exc()
        self._close_messages_no_wait()


def _players(match: Match) -> str:
    """Who sits where, and when it was."""
    seats = [f"{seat}: {match.tags[seat]}" for seat in match.rules.seats if match.tags.get(seat, "?") != "?"]
    return "\n".join([*seats, *([match.tags["Date"]] if match.tags.get("Date") else [])])


def _across(match: Match, width: int) -> int:
    """How many turns stand on a line."""
    longest = max(map(len, match.turns), default=0)
    return 2 if match.rules.players == 2 and 5 + 2 * (longest + 2) <= width else 1


def _turns(match: Match, shown: int, across: int) -> Content:
    """Every turn; the one that is shown stands out."""
    longest = max(map(len, match.turns), default=0)
    lines = []
    for first in range(0, len(match.turns), across):
        parts = [Content.styled(f"{first + 1:>3}. ", "$foreground 60%")]
        for number, text in enumerate(match.turns[first : first + across], first + 1):
            look = "reverse" if number == shown else "$foreground"
            parts += [Content.styled(text, look), Content(" " * (longest + 2 - len(text)))]
        lines.append(Content("").join(parts))
    return Content("\n").join(lines)


def run(match: Match, turn: int, seconds: float, theme: str) -> int:
    """Runs it until somebody leaves; returns the exit code."""
    app = Replay(match, turn, seconds, theme)
    app.run()
    if app.crash:
        last = app.crash.strip().splitlines()[-1]
        if os.environ.get("HEDGEROW_DEBUG"):
            print(app.crash, file=sys.stderr)
        print(f"error: the screen broke: {last}; hint: HEDGEROW_DEBUG=1 shows where", file=sys.stderr)
        return 1
    return app.return_code or 0
