"""Boards in characters at every scale: each point is where it should be, and what is pressed there is that point."""

from __future__ import annotations

import random

import pytest

import hedgerow as hg
from hedgerow import draw
from hedgerow.draw.labels import around
from hedgerow.terminal.play.palette import COLOURS, style
from hedgerow.terminal.play.picture import SCALES, Glyphs, Marks, layout_of, painted, scales_of
from walks import VARIANTS

SMALL = SCALES[0]
AT_80 = (54, 22)
"""How many columns and lines a board has on a terminal of 80 by 24."""


def played(name: str, actions: int = 14) -> hg.Match:
    match, chance = hg.Match(name), random.Random(name)
    for _ in range(actions):
        if not match.outcome:
            match.play(chance.choice([text for text in match.legal() if text != "pass"] or match.legal()))
    return match


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_every_piece_stands_on_its_point_at_every_scale(name: str, turned: bool) -> None:
    scene = played(name).scene()
    turned = turned and scene.board.kind == "square"
    glyphs = {mark.point: mark.glyph for mark in scene.marks}
    for scale in scales_of(scene.board):
        layout = layout_of(scene.board, scale, scene.divide, turned)
        picture = painted(scene, layout, Marks(), Glyphs.plain())
        assert len(set(layout.spots)) == len(scene.board)
        claims = {point for point, _ in scene.claimed}
        for point, (line, column) in enumerate(layout.spots):
            assert layout.point_at(line, column) == point
            assert 0 <= line < layout.height and 0 <= column < layout.width
            shown = picture.cells[line, column].char
            assert shown == glyphs.get(point, shown) and (point in glyphs or point in claims or shown == ".")


@pytest.mark.parametrize("name", VARIANTS)
def test_the_small_scale_is_that_of_draw_text(name: str) -> None:
    """The points stand to each other as in the text that records and mails have."""
    scene = played(name).scene()
    layout = layout_of(scene.board, SMALL, scene.divide)
    lines = painted(scene, layout, Marks(), Glyphs.plain()).text().splitlines()
    told = [line for line in draw.text(scene, labels=False).splitlines() if line][
        : scene.board.height + bool(scene.divide)
    ]
    first = min(line for line, _ in layout.spots)
    left = min(column for _, column in layout.spots)
    shift = min(len(line) - len(line.lstrip()) for line in told if not line.strip().startswith(">"))
    for number, line in enumerate(told):
        if "---" in line:
            continue
        ours = lines[first + number].ljust(200)
        for column, char in enumerate(line):
            if char.isalnum() or char in "#@*%":
                assert ours[left + column - shift] == char, (number, column)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_board_has_its_labels_and_fits_a_small_terminal_at_the_small_scale(name: str) -> None:
    board, scene = hg.make(name).board, hg.Match(name).scene()
    layout = layout_of(board, SMALL, scene.divide)
    words, rows = {text for _, _, text in layout.labels}, around(board)
    assert {*rows.rows, *rows.ends} <= words and {char for head in rows.columns for char in head} <= set("".join(words))
    assert layout.width <= AT_80[0] and layout.height <= AT_80[1], (layout.width, layout.height)
    taken = set(layout.spots)
    for line, column, text in layout.labels:
        cells = {(line, column + offset) for offset in range(len(text))}
        assert not cells & taken, "labels stand neither on points nor on each other"
        taken |= cells


def test_marks_are_seen_without_colours() -> None:
    match = hg.Match("tanbo(size=9)")
    match.play("A2")
    layout = layout_of(match.rules.board, SMALL)
    marks = Marks(
        cursor="E5", lit=("C3",), pressed=("G7",), legal=frozenset({"J1"}), letters={"J9": "1"}, removed=("A9",)
    )
    text = painted(match.scene(), layout, marks, Glyphs.bare()).text()
    for sign in (">●<", "[·]", "(·)", "{·}", "∘", "1", "×", "○"):
        assert sign in text


@pytest.mark.parametrize("name", ["root_bound(side=3)", "root_and_thorn"])
def test_claimed_points_are_told_apart(name: str) -> None:
    match, chance = hg.Match(name), random.Random(2)
    while not match.scene().claimed:
        match.play(chance.choice(match.legal()))
    scene = match.scene()
    for scale in scales_of(scene.board):
        layout = layout_of(scene.board, scale, scene.divide)
        picture = painted(scene, layout, Marks(), Glyphs())
        for point, seat in scene.claimed:
            cell = picture.cells[layout.spots[point]]
            assert (cell.char, cell.ground) == ("+="[seat], f"claim-{seat}")


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", COLOURS)
def test_colours_can_be_told_apart(theme: str) -> None:
    colours = COLOURS[theme]
    assert contrast(colours["text"], colours["screen"]) >= 7 and contrast(colours["label"], colours["screen"]) >= 4.5
    for seat in range(6):
        for ground in ("board", "square"):
            assert contrast(colours[f"seat-{seat}"], colours[ground]) >= 1.5, (seat, ground)
    for role in ("last", "lit", "pressed", "cursor", "changed"):
        assert contrast(colours[role], colours[f"{role}-ground"]) >= 4.5, role
    assert style(theme, "cursor", "cursor-ground").bgcolor and style(theme, "cursor", "cursor-ground", True).reverse
