"""Boards as PNG: every game, with its colours in the right places and its labels, by a font of our own."""

from __future__ import annotations

import random
import zlib

import pytest

import hedgerow as hg
from hedgerow.draw.png import WIDTH, png, size_of
from hedgerow.draw.svg import svg
from hedgerow.draw.themes import THEMES, flat_style


def pixels(picture: bytes) -> list[list[tuple[int, ...]]]:
    """The rows of a PNG of eight bits a channel."""
    width, height = size_of(picture)
    assert picture[24:26] == b"\x08\x06", "RGBA"
    packed, at = b"", 8
    while at < len(picture):
        length = int.from_bytes(picture[at : at + 4], "big")
        packed += picture[at + 8 : at + 8 + length] if picture[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    raw, rows, above = zlib.decompress(packed), [], bytearray(4 * width)
    for start in range(0, len(raw), 4 * width + 1):
        row = bytearray(raw[start + 1 : start + 1 + 4 * width])
        _unfilter(raw[start], row, above)
        rows.append([tuple(row[x : x + 3]) for x in range(0, 4 * width, 4)])
        above = row
    assert len(rows) == height
    return rows


def _unfilter(kind: int, row: bytearray, above: bytearray) -> None:
    for x in range(len(row)):
        left, up, corner = (row[x - 4], above[x], above[x - 4]) if x >= 4 else (0, above[x], 0)
        guess = left + up - corner
        near = min((left, up, corner), key=lambda one: abs(guess - one))
        row[x] = (row[x] + (0, left, up, (left + up) // 2, near)[kind]) % 256


def rgb(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color.lstrip("#")))


def test_stones_have_the_colours_of_their_seats_where_they_stand() -> None:
    match = hg.Match("hexbo(side=5,players=3)")
    scene = match.scene()
    shown = pixels(png(scene))
    frame = svg(scene, "day").partition('viewBox="')[2].partition('"')[0]
    left, top, width, _ = map(float, frame.split())
    scale = WIDTH / width
    for mark in scene.marks:
        x, y = (scale * (40 * spot - edge) for spot, edge in zip(scene.board.spots[mark.point], (left, top)))
        assert shown[round(y)][round(x)] == rgb(THEMES["day"].light[f"seat-{mark.seat}"]), mark
    assert shown[3][WIDTH // 2] == rgb(THEMES["day"].light["ground"])


def test_there_are_labels() -> None:
    """What is left of the first row is its name: the ground has letters on it."""
    scene = hg.Match("tanbo(size=9)").scene()
    ground = rgb(THEMES["day"].light["ground"])
    shown = pixels(png(scene))
    margin = {color for row in shown[: len(shown) // 2] for color in row[:20]}
    assert ground in margin and len(margin) > 5


@pytest.mark.parametrize("name", hg.games())
def test_every_game_has_a_picture(name: str) -> None:
    chance, match = random.Random(3), hg.Match(name)
    for _ in range(6):
        match.play(chance.choice(match.legal()))
    picture = png(match.scene())
    assert picture.startswith(b"\x89PNG") and size_of(picture)[0] == WIDTH and len(picture) < 200_000
    assert picture != png(hg.Match(name).scene())


@pytest.mark.parametrize("theme", THEMES)
def test_a_flat_style_has_no_variables(theme: str) -> None:
    assert "var(" not in flat_style(theme) and ":where" not in flat_style(theme) and ".seat-5" in flat_style(theme)
