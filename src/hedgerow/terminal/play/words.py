"""Text on the screen that is laid out and written only where it has changed, as the whole screen is with it."""

from __future__ import annotations

from textual.content import Content
from textual.visual import VisualType
from textual.widgets import Static


class Words(Static):
    """A Static that may be told the same again and again."""

    _told: tuple[str, tuple[object, ...]] | None = None

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        told = (content.plain, tuple(content.spans)) if isinstance(content, Content) else (str(content), ())
        if told != self._told:
            self._told = told
            super().update(content, layout=layout)
