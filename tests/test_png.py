"""Boards as PNG: every game, with its colours in the right places and its labels, by a font of our own."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image, ImageChops

import hedgerow as hg
from hedgerow.draw.png import WIDTH, Frame, composed, drawing, one_drawing, png, size_of
from hedgerow.draw.svg import svg
from hedgerow.draw.themes import THEMES, flat_style


def pixels(picture: bytes) -> list[list[tuple[int, ...]]]:
    """The rows of a PNG."""
    shown = Image.open(io.BytesIO(picture)).convert("RGB")
    flat = list(shown.get_flattened_data())
    return [flat[start : start + shown.width] for start in range(0, len(flat), shown.width)]


def near(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """The same colour to the eye: a picture has 256 of them."""
    return max(abs(a - b) for a, b in zip(one, other)) <= 6


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
        assert near(shown[round(y)][round(x)], rgb(THEMES["day"].light[f"seat-{mark.seat}"])), mark
    assert near(shown[3][WIDTH // 2], rgb(THEMES["day"].light["ground"]))


def test_there_are_labels() -> None:
    """What is left of the first row is its name: the ground has letters on it."""
    scene = hg.Match("tanbo(size=9)").scene()
    ground = rgb(THEMES["day"].light["ground"])
    shown = pixels(png(scene))
    margin = {color for row in shown[: len(shown) // 2] for color in row[:20]}
    assert any(near(color, ground) for color in margin) and len(margin) > 5


@pytest.mark.parametrize("name", hg.games())
def test_every_game_has_a_picture(name: str) -> None:
    chance, match = random.Random(3), hg.Match(name)
    for _ in range(6):
        match.play(chance.choice(match.legal()))
    picture = png(match.scene())
    assert picture.startswith(b"\x89PNG") and size_of(picture)[0] == WIDTH and len(picture) < 60_000
    assert picture != png(hg.Match(name).scene())


@pytest.mark.parametrize("turns", [0, 12, 40])
@pytest.mark.parametrize("name", hg.games())
def test_parts_laid_over_each_other_are_the_whole_drawing(name: str, turns: int) -> None:
    chance, match = random.Random(turns), hg.Match(name)
    while match.outcome is None and len(match.turns) < turns:
        match.play(chance.choice(match.legal()))
    lines = drawing(match.scene())
    frame = Frame.of(lines[0], WIDTH)
    drawn = one_drawing("day", frame, lines[0], "\n".join(lines[1:-1]), frame.whole)
    whole = Image.new("RGBA", drawn.size, drawn.getpixel((drawn.width // 2, 1)))
    whole.alpha_composite(drawn)
    apart = ImageChops.difference(whole.convert("RGB"), composed(lines, "day", WIDTH)).convert("L").histogram()
    assert sum(apart[24:]) < 0.0005 * sum(apart), apart


@pytest.mark.parametrize("theme", THEMES)
def test_a_flat_style_has_no_variables(theme: str) -> None:
    assert "var(" not in flat_style(theme) and ":where" not in flat_style(theme) and ".seat-5" in flat_style(theme)
