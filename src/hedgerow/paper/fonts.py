"""The fonts on paper: Source Serif Pro, which is embedded. What a face lacks is set in the upright one."""

from __future__ import annotations

from functools import cache
from importlib import resources
from itertools import groupby

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

ROMAN, ITALIC, BOLD, BOLD_ITALIC, LIGHT = (
    "Hedgerow",
    "Hedgerow-Italic",
    "Hedgerow-Bold",
    "Hedgerow-BoldItalic",
    "Hedgerow-Light",
)
_FILES = {ROMAN: "Regular", ITALIC: "It", BOLD: "Semibold", BOLD_ITALIC: "SemiboldIt", LIGHT: "Light"}
UNKNOWN = "?"
"""Stands for what no face has: scripts of the east, pictures."""
MIDDLE = 0.33
"""How far below their middle digits and capitals stand on their line, in letter heights."""


@cache
def load() -> None:
    """Makes the faces known to reportlab, once a process."""
    folder = resources.files("font_source_serif_pro").joinpath("files")
    for face, name in _FILES.items():
        pdfmetrics.registerFont(TTFont(face, str(folder.joinpath(f"SourceSerifPro-{name}.ttf"))))
    pdfmetrics.registerFontFamily(ROMAN, normal=ROMAN, bold=BOLD, italic=ITALIC, boldItalic=BOLD_ITALIC)


@cache
def _has(face: str) -> frozenset[int]:
    load()
    font = pdfmetrics.getFont(face)
    assert isinstance(font, TTFont)
    return frozenset(font.face.charToGlyph)


def runs(words: str, face: str = ROMAN) -> list[tuple[str, str]]:
    """Words in pieces of one face each, (face, words): the wanted face, or the upright one for letters it lacks."""
    settled = [_settled(letter, face) for letter in words]
    return [(found, "".join(letter for _, letter in some)) for found, some in groupby(settled, lambda pair: pair[0])]


def _settled(letter: str, face: str) -> tuple[str, str]:
    found = next((one for one in (face, ROMAN) if ord(letter) in _has(one)), None)
    return (found, letter) if found else (ROMAN, UNKNOWN)


def width(words: str, face: str, size: float) -> float:
    """How wide words are, in points."""
    return sum(pdfmetrics.stringWidth(part, found, size) for found, part in runs(words, face))


def write(
    canvas: Canvas, x: float, y: float, words: str, face: str = ROMAN, size: float = 10, align: float = 0
) -> None:
    """Writes words on a line; `align` is 0 from x on, 0.5 about it, 1 up to it."""
    x -= align * width(words, face, size)
    for found, part in runs(words, face):
        canvas.setFont(found, size)
        canvas.drawString(x, y, part)
        x += pdfmetrics.stringWidth(part, found, size)


def fitted(words: str, face: str, size: float, room: float) -> str:
    """Words cut so that they fit into a width, with an ellipsis where they were cut."""
    if width(words, face, size) <= room:
        return words
    while words and width(f"{words}…", face, size) > room:
        words = words[:-1]
    return f"{words.rstrip()}…"


def wrapped(words: str, face: str, size: float, room: float, most: int = 3) -> list[str]:
    """Words on at most so many lines of a width; the last is cut where they do not fit."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or width(longer, face, size) <= room or len(lines) == most:
            lines[-1] = longer
        else:
            lines.append(word)
    return [fitted(line, face, size, room) for line in lines if line]
