"""The application on the screen: which screen is shown, themes, leaving, and what happens when something breaks."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import Screen

from hedgerow.terminal.play import files
from hedgerow.terminal.play.dialogs import TooSmall, too_small
from hedgerow.terminal.play.game_screen import GameScreen
from hedgerow.terminal.play.leaving import heed
from hedgerow.terminal.play.palette import THEMES
from hedgerow.terminal.play.session import Session

if TYPE_CHECKING:
    from hedgerow.terminal.play.lobby import Entry
    from hedgerow.terminal.play.wire import Server

INTERRUPTED = 130


class Play(App[int]):
    """`hedgerow play` on the whole screen."""

    CSS_PATH = "look.tcss"
    TITLE = "Hedgerow"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "leave", priority=True),
        Binding("ctrl+c", "interrupt", "stop", priority=True, show=False),
    ]

    def __init__(
        self,
        session: Session | None = None,
        lesson: bool = False,
        theme: str = "dark",
        server: Server | None = None,
        entry: Entry | None = None,
    ) -> None:
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.session, self.lesson_first, self.wanted_theme = session, lesson, theme
        self.server, self.entry = server, entry
        self.crash = ""
        """Where it is written down what went wrong."""

    def on_mount(self) -> None:
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = THEMES[self.wanted_theme].name
        heed(self)
        if self.server is not None:
            self.visit(self.server)
        elif self.session is None:
            self.ask()
        elif self.lesson_first:
            self.teach(self.session.match.rules.game.name)
        else:
            self.begin(self.session)
        self._fit(self.size)

    def on_resize(self, event: events.Resize) -> None:
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        """Says so where the terminal is too small, and goes on when it is not."""
        small = too_small(size.width, size.height)
        if small and not isinstance(self.screen, TooSmall):
            self.push_screen(TooSmall())
        elif not small and isinstance(self.screen, TooSmall):
            self.pop_screen()

    # --- what is shown ------------------------------------------------------------------------------------------------

    def begin(self, session: Session) -> None:
        """Plays a game instead of the one before."""
        if self.session is not None and self.session is not session:
            self.session.leave()
        self.session = session
        self._show(GameScreen(session), self._left)

    def _show(self, screen: Screen[str], after: Callable[[str | None], None]) -> None:
        """Shows a screen instead of all others."""
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.push_screen(screen, after)

    def _left(self, wish: str | None) -> None:
        """A game was left: for another one, a lesson, or for good."""
        if wish == "new":
            self.ask()
        elif wish == "lesson" and self.session is not None:
            self.teach(self.session.match.rules.game.name)
        else:
            self.action_leave()

    def ask(self) -> None:
        """Asks which game, and who plays."""
        from hedgerow.terminal.play.setup_screen import SetupScreen

        self._show(SetupScreen(), lambda wish: None if wish == "chosen" else self.action_leave())

    def visit(self, server: Server) -> None:
        """The games of a server."""
        from hedgerow.terminal.play.server_screen import ServerScreen

        self._show(ServerScreen(server, self.entry), lambda wish: self.action_leave())

    def teach(self, game: str) -> None:
        """The lesson of a game."""
        from hedgerow.terminal.play.lesson_screen import LessonScreen

        self._show(LessonScreen(game), lambda wish: self.taught(game))

    def taught(self, game: str) -> None:
        """After a lesson the game goes on, or one begins."""
        if self.session is not None:
            self._show(GameScreen(self.session), self._left)
        else:
            self.ask()

    def action_theme(self) -> None:
        """Dark or light."""
        self.theme = THEMES["light" if self.current_theme.dark else "dark"].name

    # --- leaving ------------------------------------------------------------------------------------------------------

    def action_leave(self) -> None:
        self.exit(None, 0)

    def action_interrupt(self) -> None:
        self.exit(None, INTERRUPTED)

    def _fatal_error(self) -> None:
        """What nobody foresaw: it is written down beside the kept games, and the screen is given back."""
        told = traceback.format_exc()
        try:
            place = files.folder() / "crash.log"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(told, encoding="utf-8")
            self.crash = str(place)
        except OSError:
            self.crash = "nowhere, the disk could not be written"
        self._close_messages_no_wait()


def run(app: Play) -> int:
    """Runs it until somebody leaves; returns the exit code, after a line on what became of the game."""
    try:
        app.run()
    finally:
        left = app.session.leave() if app.session else ""
    if app.crash:
        print(f"error: the screen broke; hint: please report {app.crash}", file=sys.stderr)
    if left:
        print(left, file=sys.stderr)
    return app.return_code or 0
