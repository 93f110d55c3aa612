"""A screen with a board to press: the cursor, the mouse, a line to type in, and a panel beside it.

A game and a lesson are such screens; they say what may be pressed and what comes of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static

from hedgerow.match import Match
from hedgerow.scene import Scene
from hedgerow.terminal.play import panels
from hedgerow.terminal.play.board import BoardView
from hedgerow.terminal.play.picture import Marks
from hedgerow.terminal.play.pressing import Pressed, Pressing
from hedgerow.terminal.play.words import Words

WIDTHS = {130: 50, 100: 34, 0: 26}
"""How wide the panel is from so many columns on."""
Key = tuple[str, str, str]


class PlayScreen(Screen[str]):
    """The parts that a game and a lesson share."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,question_mark", "help", "help"),
        Binding("f3,full_stop", "legal", "legal"),
        Binding("f6", "first_word", "pass"),
        Binding("escape", "put_down", "back", show=False),
        Binding("slash", "type", "type", show=False),
    ]
    PLACEHOLDER = "type a turn or a command: hint, why c4, undo, help …"

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.pressing = Pressing(match, open_to=False)
        self.marks = Marks()
        self.legal_shown = False
        self._scene: tuple[object, int, Scene] | None = None
        self.said, self.kind = "", ""
        """What is said below the players, and whether it is a refusal or news."""

    # --- what a game or a lesson says ---------------------------------------------------------------------------------

    @property
    def match(self) -> Match:
        """The position that is shown."""
        raise NotImplementedError

    @property
    def open_to(self) -> bool:
        """Something may be pressed now."""
        raise NotImplementedError

    def chosen(self, action: str) -> None:
        """An action was pressed to its end."""
        raise NotImplementedError

    def refused(self, pressed: Pressed) -> None:
        """Something was pressed that may not be."""
        raise NotImplementedError

    def typed(self, line: str) -> None:
        """A line was typed."""
        raise NotImplementedError

    def draw_side(self, width: int) -> None:
        """Writes what stands beside the board, besides what is said."""
        raise NotImplementedError

    def keys(self) -> list[Key]:
        """The keys to show at the bottom, the most useful first: key, what it does, the action of a click."""
        raise NotImplementedError

    # --- the parts ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            yield BoardView(self.match.scene(), id="board")
            with Vertical(id="side"):
                yield Words(id="title", markup=False)
                yield Words(id="seats")
                yield Words(id="prompt", markup=False)
                yield Words(id="words")
                yield Words(id="engine")
                with VerticalScroll(id="turns", can_focus=False):
                    yield Words(id="turnlist")
        yield Input(id="typed", compact=True, select_on_focus=False, placeholder=self.PLACEHOLDER)
        yield Words(id="keys")

    @property
    def board(self) -> BoardView:
        return self.query_one("#board", BoardView)

    def on_mount(self) -> None:
        self.board.focus()

    def on_resize(self) -> None:
        self.query_one("#side").styles.width = self.side
        self.set_class(self.side > 40, "wide")
        self.call_after_refresh(self.draw)

    @property
    def side(self) -> int:
        """How wide the panel is."""
        return next(wide for columns, wide in WIDTHS.items() if self.app.size.width >= columns)

    @property
    def width(self) -> int:
        """How wide a line of the panel is."""
        return self.side - (5 if self.side > 40 else 2)

    # --- drawing ------------------------------------------------------------------------------------------------------

    def offer(self) -> None:
        """The position has changed: other things may be pressed, and what was lit is not."""
        self.pressing = Pressing(self.match, self.open_to)
        self.marks = Marks()
        self.draw()

    def scene(self) -> Scene:
        """The picture of the position, made once: on a large board that takes as long as all the rest."""
        match = self.match
        if self._scene is None or self._scene[0] is not match.plain or self._scene[1] != len(match.actions):
            self._scene = match.plain, len(match.actions), match.scene()
        return self._scene[2]

    def draw(self) -> None:
        """Draws everything anew."""
        if not self.is_mounted or not self.query("#keys"):
            return
        offers = frozenset(self.pressing.points)
        begun = bool(self.pressing.pressed)
        marks = replace(
            self.marks, legal=offers if self.legal_shown or begun else frozenset(), pressed=tuple(self.pressing.pressed)
        )
        self.board.show(self.scene(), self._foretold(marks), offers)
        words = self.pressing.words
        self.query_one("#words", Static).update(panels.buttons(words))
        self.query_one("#words").display = bool(words)
        prompt = self.query_one("#prompt", Static)
        prompt.update(self.said or self.pressing.lead() or self.prompt())
        prompt.set_class(self.kind == "refused" and bool(self.said), "refused")
        prompt.set_class(self.kind == "news" and bool(self.said), "news")
        self.query_one("#keys", Static).update(panels.keys(self.keys(), self.app.size.width - 2))
        self.draw_side(self.width)

    def prompt(self) -> str:
        """What is to be done, where nothing else is said."""
        return self.match.prompt

    def _foretold(self, marks: Marks) -> Marks:
        """What pressing the point under the cursor would do to others."""
        hint = self.pressing.foretold(self.board.cursor.name) if self.pressing.offered else None
        if hint is None:
            return marks
        names = self.match.rules.board.names
        return replace(
            marks, removed=tuple(names[p] for p in hint.removed), changed=tuple(names[p] for p in hint.changed)
        )

    def say(self, words: str, kind: str = "") -> None:
        """Says something until the next press."""
        self.said, self.kind = words, kind

    # --- pressing -----------------------------------------------------------------------------------------------------

    def on_board_view_pressed(self, event: BoardView.Pressed) -> None:
        self.press(event.point)

    def on_board_view_moved(self, event: BoardView.Moved) -> None:
        hint = self.pressing.foretold(event.point) if self.pressing.offered else None
        if hint and self.kind != "refused":
            self.say(hint.words)
        elif self.kind == "":
            self.say("")
        self.draw()

    def press(self, word: str) -> None:
        """Presses a point or a word."""
        self.say("")
        self.marks = Marks()
        pressed = self.pressing.press(word)
        if pressed.action:
            self.chosen(pressed.action)
        elif pressed.refused:
            self.refused(pressed)
        self.draw()

    def action_word(self, word: str) -> None:
        self.press(word)
        self.board.focus()

    def action_first_word(self) -> None:
        if self.pressing.words:
            self.press(self.pressing.words[0])

    def action_put_down(self) -> None:
        """Escape: leaves the line, puts down what was pressed, and clears what is lit."""
        self.query_one("#typed", Input).value = ""
        self.pressing.pressed = []
        self.marks, self.legal_shown = Marks(), False
        self.say("")
        self.board.focus()
        self.draw()

    def action_legal(self) -> None:
        self.legal_shown = not self.legal_shown
        self.draw()

    # --- typing -------------------------------------------------------------------------------------------------------

    def action_type(self) -> None:
        self.query_one("#typed", Input).focus()

    def on_key(self, event: events.Key) -> None:
        """Whatever is typed on the board goes into the line, also what was typed before it had the focus."""
        line, char = self.query_one("#typed", Input), event.character or ""
        if self.focused is line and event.key in ("up", "down"):
            self.set_focus(self.board)
            event.stop()
        elif char.isalnum() or (self.focused is line and char.isprintable() and char):
            self.set_focus(line)
            line.insert_text_at_cursor(char)
            event.stop()
            event.prevent_default()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        line, event.input.value = event.value.strip(), ""
        self.set_focus(self.board)
        if not line:
            return
        word = next((word for word in self.pressing.words if word.lower() == line.lower()), None)
        if word is not None and self.pressing.pressed:
            self.press(word)
            return
        self.say("")
        self.marks = Marks()
        self.typed(line)
        self.draw()
