"""The colours of the screen, by role, for a dark and a light room; the board is wood on which black and white are seen.

Without colours, what has a role of its own is bold, and the cursor is reversed.
"""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style
from textual.theme import Theme

_WOOD = {
    "board": "#8c7248",
    "square": "#7b633c",
    "line": "#4f3d1e",
    "divide": "#e8d9a8",
    "seat-0": "#100f0c",
    "seat-1": "#fdf9ee",
    "seat-2": "#ffa39c",
    "seat-3": "#a8d6ff",
    "seat-4": "#bdf2a0",
    "seat-5": "#ffe15c",
    "ink-0": "#fdf9ee",
    "claim-0": "#5a4729",
    "claim-1": "#b39d75",
    "claimed-0": "#100f0c",
    "claimed-1": "#fdf9ee",
    "last": "#ffffff",
    "last-ground": "#b8301a",
    "lit": "#ffffff",
    "lit-ground": "#1f5fa8",
    "area-ground": "#4f7391",
    "pressed": "#ffffff",
    "pressed-ground": "#2e7d32",
    "cursor": "#100f0c",
    "cursor-ground": "#ffd53d",
    "legal": "#f4ffc2",
    "removed": "#ff5533",
    "changed": "#ffffff",
    "changed-ground": "#7b3fa3",
    "letter": "#fff7b0",
}
COLOURS = {
    "dark": _WOOD | {"screen": "#171c17", "text": "#dfe0cc", "label": "#a5ab92"},
    "light": _WOOD
    | {
        "board": "#a5824c",
        "square": "#95733f",
        "line": "#654d27",
        "claim-0": "#6f5630",
        "claim-1": "#cdb78c",
        "screen": "#f7f4ea",
        "text": "#2c3325",
        "label": "#5d5b45",
        "divide": "#fff6d6",
    },
}
BOLD = ("seat-", "ink-", "last", "lit", "pressed", "cursor", "legal", "removed", "changed", "letter", "claimed-")

THEMES = {
    "dark": Theme(
        name="hedgerow-dark",
        primary="#8fb573",
        secondary="#c9a66b",
        accent="#ffd53d",
        warning="#e8a33d",
        error="#ff7a5c",
        success="#8fb573",
        foreground="#dfe0cc",
        background="#171c17",
        surface="#1f261f",
        panel="#293229",
        dark=True,
    ),
    "light": Theme(
        name="hedgerow-light",
        primary="#3f6b2a",
        secondary="#7c6136",
        accent="#8a5a00",
        warning="#8a5a00",
        error="#a8281a",
        success="#3f6b2a",
        foreground="#2c3325",
        background="#f7f4ea",
        surface="#efe9d8",
        panel="#e3dbc3",
        dark=False,
    ),
}


@lru_cache(maxsize=4096)
def style(theme: str, ink: str, ground: str, bare: bool = False) -> Style:
    """How a character of these roles is written."""
    bold = ink.startswith(BOLD)
    if bare:
        return Style(bold=bold, reverse=ground in ("cursor-ground", "area-ground", "lit-ground") or None)
    colours = COLOURS[theme]
    return Style(color=colours.get(ink, colours["seat-0"]), bgcolor=colours.get(ground, colours["board"]), bold=bold)
