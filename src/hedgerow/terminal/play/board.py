"""The board on the screen: it draws a scene with its marks, scrolls where it must, and tells what is pressed."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hedgerow.scene import Scene
from hedgerow.terminal.play.palette import style
from hedgerow.terminal.play.picture import Cell, Glyphs, Layout, Marks, Picture, Scale, layout_of, painted, scales_of
from hedgerow.terminal.play.steering import Cursor


def glyphs_for(no_color: bool) -> Glyphs:
    """How pieces can be written on this terminal."""
    if "utf" not in (getattr(sys.__stdout__, "encoding", "") or "utf-8").lower():
        return Glyphs.plain()
    return Glyphs.bare() if no_color else Glyphs()


class BoardView(ScrollView, can_focus=True):
    """One board; `show` gives it a position, `Pressed` says where somebody pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1, 0)", show=False),
        Binding("right", "step(1, 0)", show=False),
        Binding("up", "step(0, -1)", show=False),
        Binding("down", "step(0, 1)", show=False),
        Binding("enter,space", "press", show=False),
        Binding("plus", "zoom(1)", show=False),
        Binding("minus", "zoom(-1)", show=False),
        Binding("tab", "cycle(False)", show=False),
        Binding("shift+tab", "cycle(True)", show=False),
    ]

    class Pressed(Message):
        """A point was pressed, by key or by mouse."""

        def __init__(self, point: str) -> None:
            super().__init__()
            self.point = point

    class Moved(Message):
        """The cursor has come to a point."""

        def __init__(self, point: str) -> None:
            super().__init__()
            self.point = point

    def __init__(self, scene: Scene, id: str | None = None) -> None:
        super().__init__(id=id)
        self.scene, self.marks = scene, Marks()
        self.cursor = Cursor(scene.board)
        self.zoom = 0
        """How much larger or smaller than what fits best."""
        self.offers: frozenset[str] = frozenset()
        """The points that the Tab key goes to."""
        self.shows_cursor = True
        self._picture: Picture | None = None

    # --- what is shown ------------------------------------------------------------------------------------------------

    def show(self, scene: Scene, marks: Marks, offers: frozenset[str] = frozenset()) -> None:
        """Draws another position or other marks."""
        if scene.board is not self.scene.board:
            turned = self.cursor.turned
            self.cursor = Cursor(scene.board)
            self.cursor.turned = turned
        self.scene, self.marks, self.offers = scene, marks, offers
        self._draw()

    def turn(self, turned: bool) -> None:
        """Sees the board from its other side; boards of triangles stay as they are."""
        self.cursor.turned = turned and self.scene.board.kind == "square"
        self._draw()

    def _scale(self) -> Scale:
        """The largest scale that fits, and so much more or less as somebody likes."""
        room, scales = self.outer_size, scales_of(self.scene.board)
        fits = [scale for scale in scales if self._fits(scale, room)] or [scales[0]]
        index = scales.index(fits[-1]) + self.zoom
        return scales[max(0, min(index, len(scales) - 1))]

    def _fits(self, scale: Scale, room: Size) -> bool:
        layout = self._layout(scale)
        return layout.width <= room.width and layout.height <= room.height

    def _layout(self, scale: Scale) -> Layout:
        return layout_of(self.scene.board, scale, self.scene.divide, self.cursor.turned)

    def _draw(self) -> None:
        layout = self._layout(self._scale())
        cursor = self.cursor.name if self.shows_cursor and (self.has_focus or self.marks.cursor) else ""
        marks = Marks(**{**vars(self.marks), "cursor": cursor})
        before, self._picture = self._picture, painted(self.scene, layout, marks, glyphs_for(self.app.no_color))
        self.virtual_size = Size(layout.width, layout.height)
        if before is None or before.layout is not layout:
            self.refresh()
        else:
            self._redraw(self._picture.changed(before))

    def _redraw(self, lines: set[int]) -> None:
        """Writes some lines of the picture anew: all of them are many bytes for a terminal far away."""
        top = self._margins()[1]
        for line in lines:
            self.refresh_line(line + top)

    def _margins(self) -> tuple[int, int]:
        """How far the picture stands from the upper left corner: in the middle where there is room."""
        width, height = self.virtual_size
        return max(0, (self.size.width - width) // 2), max(0, (self.size.height - height) // 2)

    def render_line(self, y: int) -> Strip:
        left, top = self._margins()
        scroll_x, scroll_y = self.scroll_offset
        blank = Cell(" ", "text", "screen")
        cells = [blank] * self.size.width
        if self._picture is not None and 0 <= y - top + scroll_y < self._picture.layout.height:
            drawn = self._picture.line(y - top + scroll_y)[scroll_x:]
            cells = ([blank] * left + drawn + cells)[: self.size.width]
        theme, bare = self.theme_name, self.app.no_color
        runs = groupby(cells, lambda cell: style(theme, cell.ink, cell.ground, bare))
        return Strip([Segment("".join(cell.char for cell in run), look) for look, run in runs], self.size.width)

    @property
    def theme_name(self) -> str:
        """Which colours are used."""
        return "dark" if self.app.current_theme.dark else "light"

    # --- what is pressed ----------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.watch(self.app, "theme", self._recolour, init=False)
        self._draw()

    def _recolour(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self._draw()
        self._follow()

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def _follow(self) -> None:
        """Scrolls so that the cursor and what is next to it are seen."""
        if self._picture is None:
            return
        line, column = self._picture.layout.spots[self.cursor.point]
        across, down = self._picture.layout.scale
        self.scroll_to_region(
            Region(column - 2 * across, line - 2 * down, 4 * across + 1, 4 * down + 1), animate=False, force=True
        )

    def action_step(self, right: int, down: int) -> None:
        self.cursor.go(right, down)
        self._moved()

    def action_cycle(self, back: bool) -> None:
        self.cursor.cycle(self.offers, back)
        self._moved()

    def _moved(self) -> None:
        self._draw()
        self._follow()
        self.post_message(self.Moved(self.cursor.name))

    def action_press(self) -> None:
        self.post_message(self.Pressed(self.cursor.name))

    def action_zoom(self, by: int) -> None:
        self.zoom = max(-2, min(2, self.zoom + by))
        self._draw()
        self._follow()

    def on_click(self, event: events.Click) -> None:
        if self._picture is None:
            return
        left, top = self._margins()
        scroll_x, scroll_y = self.scroll_offset
        point = self._picture.layout.point_at(event.y - top + scroll_y, event.x - left + scroll_x)
        self.focus()
        if point is not None:
            self.cursor.jump(self.scene.board.names[point])
            self._moved()
            self.post_message(self.Pressed(self.cursor.name))
