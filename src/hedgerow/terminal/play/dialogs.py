"""Small screens over the game: help, a menu, a question, yes or no, the rules, and a terminal that is too small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Markdown, OptionList, Static
from textual.widgets.option_list import Option

NEEDED = (60, 18)
"""How many columns and lines the screen needs."""


class Dialog(ModalScreen[str]):
    """A box in the middle; Escape leaves it with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "back")]

    def __init__(self) -> None:
        super().__init__(classes="dialog")

    def action_leave(self) -> None:
        self.dismiss("")


class Telling(Dialog):
    """Something to read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space,q", "leave", "back")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.heading, self.text = title, text

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self.heading, classes="heading", markup=False)
            with VerticalScroll(id="text"):
                yield Static(self.text, markup=False)

    def on_mount(self) -> None:
        self.query_one("#text").focus()


class Menu(Dialog):
    """A choice out of several; it is left with the key of the one that was chosen."""

    def __init__(self, title: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.heading, self.choices = title, choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self.heading, classes="heading", markup=False)
            yield OptionList(*(Option(words, id=key) for key, words in self.choices), markup=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id or "")


class Question(Dialog):
    """A line of text to be typed."""

    def __init__(self, title: str, value: str = "", hidden: bool = False) -> None:
        super().__init__()
        self.heading, self.value, self.hidden = title, value, hidden

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self.heading, classes="heading", markup=False)
            yield Input(self.value, password=self.hidden)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class RulesText(Dialog):
    """The rules of a game, to scroll through."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "back")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="rules"):
            yield Markdown(self.text)

    def on_mount(self) -> None:
        self.query_one("#rules").focus()


class TooSmall(Screen[None]):
    """What is shown while the terminal is too small; it goes by itself."""

    def compose(self) -> ComposeResult:
        with Vertical(id="small"):
            yield Static("", id="size", markup=False)

    def on_mount(self) -> None:
        self.on_resize()

    def on_resize(self) -> None:
        have = f"this one has {self.app.size.width} × {self.app.size.height}"
        self.query_one("#size", Static).update(f"Hedgerow needs\n{NEEDED[0]} × {NEEDED[1]} characters;\n{have}.")


def too_small(width: int, height: int) -> bool:
    """Whether there is not enough room.

    >>> too_small(80, 24), too_small(59, 24)
    (False, True)
    """
    return width < NEEDED[0] or height < NEEDED[1]
