"""The lesson on the screen: a step at a time, on a board that can be pressed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.terminal.play import telling
from hedgerow.terminal.play.commands import Answer
from hedgerow.terminal.play.dialogs import Telling
from hedgerow.terminal.play.lesson import Course
from hedgerow.terminal.play.panels import tray_of
from hedgerow.terminal.play.picture import Marks
from hedgerow.terminal.play.play_screen import Key, PlayScreen
from hedgerow.terminal.play.pressing import Pressed

HELP = """\
Do what the step asks for: press points with Enter or the
mouse, or type a turn.

F8 goes on, F7 goes back, Backspace begins the step again,
. shows what may be pressed, F10 ends the lesson.
"""


class LessonScreen(PlayScreen):
    """Goes through the steps of a lesson."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f8", "next", "next"),
        Binding("f7", "back", "back"),
        Binding("f5,backspace", "again", "again"),
        Binding("f10", "end", "end"),
    ]
    PLACEHOLDER = "type what the step asks for, or: next, back, again, quit"

    def __init__(self, game: str) -> None:
        self.course = Course(game)
        super().__init__(self.course.match)

    @property
    def match(self) -> Match:
        return self.course.match

    @property
    def open_to(self) -> bool:
        return not self.course.done

    def on_mount(self) -> None:
        super().on_mount()
        self.step()

    def step(self) -> None:
        """A step begins."""
        self.say("")
        self.offer()
        self.marks = Marks(lit=self.course.light)
        self.draw()

    def prompt(self) -> str:
        return self.course.step.do if not self.course.done else self.course.step.then

    def draw_side(self, width: int) -> None:
        course, step = self.course, self.course.step
        self.query_one("#title", Static).update(f"{self.match.rules.game.title}, the lesson")
        head = Content.styled(f"Step {course.number} of {len(course.steps)}: {step.title}", "bold")
        trays = [(side, tray_of(self.match, seat)) for seat, side in enumerate(self.match.rules.seats)]
        supplies = [Content.styled(f"{side}: {tray}", "$foreground 70%") for side, tray in trays if tray]
        self.query_one("#seats", Static).update(Content("\n").join([head, Content(step.says), *supplies]))
        self.query_one("#engine").display = course.done
        words = "That was the last step: F8 ends the lesson." if course.last else "F8 goes on."
        self.query_one("#engine", Static).update(Content.styled(words, "bold $accent"))
        self.query_one("#turns").display = False

    def keys(self) -> list[Key]:
        return [
            ("?", "help", "screen.help"),
            ("F8", "next", "screen.next"),
            ("F7", "back", "screen.back"),
            ("⌫", "again", "screen.again"),
            (".", "legal", "screen.legal"),
            ("F10", "end the lesson", "screen.end"),
            ("^Q", "leave", "app.leave"),
        ]

    # --- what somebody does -------------------------------------------------------------------------------------------

    def chosen(self, action: str) -> None:
        self._tell(self.course.played(action))

    def refused(self, pressed: Pressed) -> None:
        if not self.course.done:
            self._tell(self.course.pressed(pressed.tried, pressed.refused))

    def typed(self, line: str) -> None:
        known = {"next": self.action_next, "n": self.action_next, "back": self.action_back, "b": self.action_back}
        known |= {"again": self.action_again, "r": self.action_again, "quit": self.action_end, "help": self.action_help}
        if line.lower() in known:
            known[line.lower()]()
        elif not self.course.done:
            try:
                self._tell(self.course.typed(line))
            except HedgerowError as error:
                self._tell(Answer(*telling.refused(error)))

    def _tell(self, answer: Answer) -> None:
        self.offer()
        self.marks = Marks(lit=answer.points)
        self.say(answer.words, "news" if self.course.done else "refused" if answer.words else "")
        self.draw()

    def action_next(self) -> None:
        if self.course.last:
            self.action_end()
            return
        self.course.go(self.course.number + 1)
        self.step()

    def action_back(self) -> None:
        self.course.go(self.course.number - 1)
        self.step()

    def action_again(self) -> None:
        self.course.go(self.course.number)
        self.step()

    def action_end(self) -> None:
        self.dismiss("")

    def action_help(self) -> None:
        self.app.push_screen(Telling("The lesson", HELP))
