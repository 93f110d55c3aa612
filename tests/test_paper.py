"""Boards, pieces, leaflets and sheets as they come out of a printer: rendered, measured and read."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from PIL import Image, ImageChops, ImageStat

import hedgerow as hg
from hedgerow.lessons import lesson_of
from hedgerow.paper.board import Place, draw_scene, extent, fitting
from hedgerow.paper.boards import MARGIN, OVERLAP, STRIP, tiling
from hedgerow.paper.document import Document
from hedgerow.paper.kit import PARTS, Wishes, kit, kit_pdf, spacing_of
from hedgerow.paper.pencil import plan_of
from hedgerow.paper.pieces import kinds_of
from hedgerow.paper.positions import positions_pdf
from hedgerow.paper.puzzles import puzzle_turn, puzzles
from hedgerow.paper.rules_text import blocks
from hedgerow.paper.sizes import MM, length, sheet_named
from pdfs import fonts_of, info_of, rendered, sizes_of, structure_of, text_of
from walks import DEFAULTS, VARIANTS

DPI = 200
PIXELS = DPI / 25.4
"""How many pixels a millimetre has."""


def played(name: str, actions: int, seed: int = 1) -> hg.Match:
    """A match after so many random actions."""
    match, chance = hg.Match(name), random.Random(seed)
    for _ in range(actions):
        if not (legal := match.legal()):
            break
        match.play(chance.choice([text for text in legal if text not in ("pass", "done")] or legal))
    return match


def words_of(pdf: bytes) -> str:
    """All words with single blanks between them."""
    return " ".join(text_of(pdf).split())


def line_centres(pixels: Sequence[int], dark: int = 190) -> list[float]:
    """Where lines cross a row or a column of pixels."""
    found: list[list[int]] = []
    for at, grey in enumerate(pixels):
        if grey < dark:
            if found and found[-1][-1] == at - 1:
                found[-1].append(at)
            else:
                found.append([at])
    return [sum(run) / len(run) for run in found]


def longest_line(page: Image.Image, y: int) -> int:
    """How many dark pixels of a level hang together."""
    dark = "".join("#" if page.getpixel((x, y)) < 190 else "." for x in range(page.width))
    return max(map(len, re.findall("#+", dark)), default=0)


# --- every game and option --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_kit_of_every_game(name: str, paper: str) -> None:
    document = kit([hg.make(name)], paper=paper)
    pdf, sheet = document.finish(), sheet_named(paper)
    told, upright = info_of(pdf), (round(sheet.width / MM), round(sheet.height / MM))
    assert told["Title"].startswith(hg.make(name).game.title) and told["Author"] == "Hedgerow"
    assert told["Tagged"] == "yes" and b"/Lang (en)" in pdf
    assert int(told["Pages"]) == document.pages and set(sizes_of(pdf)) <= {upright, upright[::-1]}
    fonts = fonts_of(pdf)
    assert len(fonts) >= 3 and all(font["emb"] == "yes" and "SourceSerif" in font["name"] for font in fonts)
    assert {"H1", "H2", "P", "Figure"} <= set(structure_of(pdf))


@pytest.mark.parametrize("name", DEFAULTS)
def test_nothing_is_printed_into_the_margin(name: str) -> None:
    for page in rendered(kit_pdf([hg.make(name)]), 72):
        ink = ImageChops.invert(page).getbbox()
        assert ink is not None
        left, top, right, bottom = ink
        assert min(left, top, page.width - right, page.height - bottom) >= 5 * MM, "printers leave 5 mm white"


def test_the_same_wish_gives_the_same_bytes() -> None:
    assert kit_pdf([hg.make("hexbo")]) == kit_pdf([hg.make("hexbo")])


@pytest.mark.parametrize("part", PARTS)
def test_every_part_alone(part: str) -> None:
    whole, alone = kit([hg.make("tanbo")]), kit([hg.make("tanbo")], [part])
    assert 1 <= alone.pages < whole.pages


# --- true to scale ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spacing", "mm"), [("18mm", 18), ("1.6cm", 16), ("0.7in", 17.78), ("45pt", 15.875)])
def test_points_are_as_far_apart_as_asked(spacing: str, mm: float) -> None:
    pdf = kit_pdf([hg.make("tanbo(size=9)")], ["board"], wishes=Wishes(spacing_of(spacing)))
    (page,) = rendered(pdf, DPI)
    row = page.height // 2 - round(mm * PIXELS / 2)  # between two lines
    centres = line_centres([page.getpixel((x, row)) for x in range(page.width)])
    lines = centres[1:-1]  # the outermost are the frame
    assert len(lines) == 9
    for one, other in pairwise(lines):
        assert abs((other - one) / PIXELS - mm) < 0.15
    assert abs((lines[-1] - lines[0]) / PIXELS - 8 * mm) < 0.15


def test_the_rows_of_a_hexagon_too() -> None:
    (page,) = rendered(kit_pdf([hg.make("root_bound(side=4)")], ["board"], wishes=Wishes(spacing_of("20mm"))), DPI)
    levels = [255 - 255 * (longest_line(page, y) > 55 * PIXELS) for y in range(page.height)]
    rows = line_centres(levels)[1:-1]  # the outermost are the frame
    gaps = [(other - one) / PIXELS for one, other in pairwise(rows)]
    assert len(gaps) == 6 and all(abs(gap - 20 * 3**0.5 / 2) < 0.2 for gap in gaps)


def test_the_ruler_is_five_centimetres_long() -> None:
    (page,) = rendered(kit_pdf([hg.make("root_down")], ["board"]), DPI)
    row = page.height - round((MARGIN + 5) / 72 * DPI)
    ends = line_centres([page.getpixel((x, row)) for x in range(page.width // 2, page.width)], 128)
    assert abs((ends[-1] - ends[-2]) / PIXELS - 50) < 0.3


def test_a_large_board_is_tiled_and_the_sheets_meet() -> None:
    rules = hg.make("root_bound")
    pdf = kit_pdf([rules], ["board"], wishes=Wishes(spacing_of("18mm")))
    one, other = rendered(pdf, DPI)
    assert "sheet A1 of A2" in text_of(pdf) and "sheet A2 of A2" in text_of(pdf)
    pixel = DPI / 72
    width, overlap = round((one.width / pixel - 2 * MARGIN) * pixel), round(OVERLAP * pixel)
    left, top, bottom = round(MARGIN * pixel), round(MARGIN * pixel), round(one.height - (MARGIN + STRIP) * pixel)
    first = one.crop((left + width - overlap, top, left + width, bottom))
    second = other.crop((left, top, left + overlap, bottom))
    cut = overlap // 2
    for box in ((2, 0, cut - 4, first.height), (cut + 4, 0, overlap - 2, first.height)):  # beside the line to cut along
        assert first.crop(box).getextrema()[0] < 160, "a part of the board is on both sheets"
        assert ImageStat.Stat(ImageChops.difference(first.crop(box), second.crop(box))).mean[0] < 4
    corner = one.crop((0, top - round(4 * MM * pixel), left + 2, top - round(2 * MM * pixel)))
    assert corner.getextrema()[0] < 90, "there is a cutting mark"


def test_tiles_are_few_and_never_too_many() -> None:
    sheet = sheet_named("a4")
    assert tiling(hg.make("hexbo(side=5)").board, length("18mm"), sheet)[1:3] == (1, 1)
    assert tiling(hg.make("root_bound").board, length("18mm"), sheet).sheets == 2
    assert tiling(hg.make("hexbo").board, length("40mm"), sheet).sheets < 30
    with pytest.raises(hg.BadOption, match="a board of"):
        tiling(hg.make("tanbo").board, length("120mm"), sheet)


def test_a_board_without_spacing_fills_its_sheet() -> None:
    for name in VARIANTS:
        board = hg.make(name).board
        step = fitting(board, 500, 700)
        assert extent(board).width * step <= 500.001 and extent(board).height * step <= 700.001


@pytest.mark.parametrize(
    "text",
    ["", "mm", "0mm", "-3mm", "10m", "nan", "nanmm", "infmm", "1e3mm", "18", "10000mm", "1..2mm", "٣mm", "9" * 99],
)
def test_absurd_spacings_are_refused(text: str) -> None:
    with pytest.raises(hg.BadOption, match="hint:"):
        spacing_of(text)


def test_absurd_kits_are_refused() -> None:
    for parts, paper, wishes in (
        (["cake"], "a4", Wishes()),
        ([], "a9", Wishes()),
        (["pencil"], "a4", Wishes(boards=5)),
        (["board"], "a4", Wishes(boards=2)),
        (["score"], "a4", Wishes(spacing=50)),
    ):
        with pytest.raises(hg.BadOption, match="hint:"):
            kit([hg.make("hexbo")], parts, paper, wishes)


# --- what is drawn ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DEFAULTS, "hexbo(side=5,players=6)", "root_bound(side=5,centerless=yes)"])
def test_every_piece_is_where_it_stands(name: str) -> None:
    match = played(name, 40)
    scene, sheet = match.scene(), sheet_named("a4")
    document = Document("a board", sheet)
    step = fitting(scene.board, sheet.width, sheet.width)
    place = Place(sheet.width / 2, sheet.height / 2, step)
    draw_scene(document.canvas, scene, place)
    document.end_page()
    (page,) = rendered(document.finish(), 72)
    standing = {mark.point: mark for mark in scene.marks}
    for point, spot in enumerate(scene.board.spots):
        x, y = place.at(spot)
        left, top, side = round(x - step / 4), round(page.height - y - step / 4), round(step / 2)
        grey = ImageStat.Stat(page.crop((left, top, left + side, top + side))).mean[0]
        mark = standing.get(point)
        if mark and mark.seat == 0 and mark.kind == "stone":
            assert grey < 70, f"{scene.board.names[point]} is black"
        elif mark and mark.seat == 1 and mark.kind == "stone":
            assert grey > 190, f"{scene.board.names[point]} is white"
        elif mark:
            assert 20 < grey < 252, f"there is something on {scene.board.names[point]}"
    assert len(standing) > 5


def test_claimed_land_is_hatched() -> None:
    match = hg.Match("root_bound(side=5)", position="3O1/4OO/7/6O1/3#5/8/7/##4/1#3 0")
    claimed = {point for point, _ in match.scene().claimed}
    assert claimed
    pdf = positions_pdf([(match, "")])
    without = positions_pdf([(hg.Match("root_bound(side=5)"), "")])
    assert ImageStat.Stat(rendered(pdf)[0]).mean[0] < ImageStat.Stat(rendered(without)[0]).mean[0]


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_position_of_every_game(name: str) -> None:
    pdf = positions_pdf([(hg.Match(name), "How it begins")], title="The start")
    assert info_of(pdf)["Pages"] == "1" and info_of(pdf)["Title"] == "The start"
    assert "How it begins" in text_of(pdf)
    assert structure_of(pdf) == ["Document", "H1", "Figure", "P"]


def test_many_positions_share_sheets_in_reading_order() -> None:
    entries = [(played("hexbo(side=5)", number), f"caption {number}") for number in range(14)]
    for columns in (None, 1, 2, 3, 6):
        text = words_of(pdf := positions_pdf(entries, columns=columns, title="Fourteen"))
        assert Counter(re.findall(r"caption \d+", text)) == Counter(f"caption {number}" for number in range(14))
        assert int(info_of(pdf)["Pages"]) >= {None: 1, 1: 7}.get(columns, 1)
    captions = re.findall(r"caption (\d+)", text_of(positions_pdf(entries, columns=2), "-raw"))
    assert captions == [str(number) for number in range(14)]


def test_names_in_other_alphabets_and_captions_without_end() -> None:
    words = words_of(positions_pdf([(hg.Match("tanbo"), "Žofie, Łukasz, Ωmega, Жук and 漢字 " + "so on " * 500)]))
    assert "Žofie, Łukasz, Ωmega, Жук and ??" in words and "…" in words


def test_no_position_is_no_mistake() -> None:
    assert info_of(positions_pdf([]))["Pages"] == "1"


# --- sheets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_leaflet_has_all_rules_on_two_sheets(name: str, paper: str) -> None:
    game = hg.make(name).game
    pdf = kit_pdf([hg.make(name)], ["leaflet"], paper)
    assert int(info_of(pdf)["Pages"]) <= 2
    words = re.sub(r"[^A-Za-z0-9]+", "", words_of(pdf))
    rules = [block for block in blocks(game.rules_text()) if block.kind in ("heading", "clause", "item")]
    assert len(rules) > 20
    for block in rules:
        start = re.sub(r"[^A-Za-z0-9]+", "", block.words)[:18]
        assert start in words, block
    for figure in lesson_of(name).figures:
        assert re.sub(r"[^A-Za-z0-9]+", "", figure.says)[:18] in words
    assert structure_of(pdf).count("Figure") == 1 + len(lesson_of(name).figures)
    assert "Positions as text" not in words_of(pdf)


@pytest.mark.parametrize("name", DEFAULTS)
def test_boards_for_pencils_leave_room_and_count_the_score(name: str) -> None:
    rules = hg.make(name)
    assert plan_of(rules, sheet_named("a4")).step >= 7 * MM
    words = words_of(kit_pdf([rules], ["pencil"]))
    assert all(word in words for word in rules.game.measured.tally or ("Result",))
    across, down, *_ = plan_of(rules, sheet_named("a4"))
    assert words.count(rules.scene(rules.start()).title) == across * down


@pytest.mark.parametrize("boards", [1, 2, 3, 4, 6])
def test_as_many_boards_for_pencils_as_asked(boards: int) -> None:
    pdf = kit_pdf([hg.make("rootbound")], ["pencil"], wishes=Wishes(boards=boards))
    assert words_of(pdf).count("Rootbound, side 7") == boards
    assert structure_of(pdf).count("Figure") == boards


def test_lines_for_pencils_are_light() -> None:
    pencil, printed = (rendered(kit_pdf([hg.make("rootbound")], [part]), 150)[0] for part in ("pencil", "board"))
    places = ((pencil, pencil.width * 2 // 5, pencil.height // 4), (printed, printed.width // 2, printed.height // 2))
    middle = [page.crop((x - 150, y - 150, x + 150, y + 150)).getextrema()[0] for page, x, y in places]
    assert middle[0] > 150 > middle[1]


def test_pieces_are_as_many_as_the_rules_say() -> None:
    wanted = {(kind.seat, kind.kind): kind.number for kind in kinds_of(hg.make("root_and_thorn"))}
    assert (
        wanted[0, "maple"] == 1 and wanted[1, "oak"] == 3 and wanted[0, "birch"] == 5 and wanted[1, "undergrowth"] == 25
    )
    kickers = {(kind.seat, kind.kind): kind.number for kind in kinds_of(hg.make("root_down"))}
    assert kickers == {(seat, kind): 8 for seat in (0, 1) for kind in ("root", "kicker", "diminished")}
    stones = [kind.number for kind in kinds_of(hg.make("hexbo(players=3)"))]
    assert len(set(stones)) == 1 and 3 * stones[0] > len(hg.make("hexbo").board) / 2


def test_pieces_fit_their_board() -> None:
    pdf = kit_pdf([hg.make("root_down")], ["pieces"], wishes=Wishes(spacing_of("24mm")))
    assert "pieces for points 24 mm apart" in text_of(pdf)
    page = rendered(pdf, DPI)[0]
    left = round(15.8 * PIXELS)  # where the lines to cut along begin
    column = [page.getpixel((left, y)) for y in range(page.height)]
    cuts = line_centres(column, 240)
    assert len(cuts) > 5
    assert all(abs((other - one) / PIXELS - 24 * 0.9) < 0.3 for one, other in pairwise(cuts))


def test_a_score_sheet_counts_as_a_record_does() -> None:
    words = words_of(kit_pdf([hg.make("hexbo")], ["score"])).split()
    numbers = {int(word) for word in words if word.isdecimal()}
    assert set(range(1, 151)) <= numbers
    assert "Result" in words and "Date" in words and "Black" in words
    many = words_of(kit_pdf([hg.make("hexbo(players=6)")], ["score"]))
    assert "Yellow" in many and " 100 " in many


# --- puzzles ----------------------------------------------------------------------------------------------------------


def test_puzzles_ask_and_answer_on_another_sheet() -> None:
    match = played("root_bound(side=4)", 9)
    pdf = puzzles([(match, 2), (match, puzzle_turn(match))]).finish()
    first, *rest = text_of(pdf).split("\f")
    assert "Puzzles" in first and "to move" in first and match.turns[2] not in first
    assert "Answers" in "".join(rest) and f"1. {match.turns[2]}" in "".join(rest)
    with pytest.raises(hg.HedgerowError, match="no answer to puzzle 1"):
        puzzles([(match, len(match.turns))])


def test_a_record_that_begins_with_a_position_asks_for_its_first_turn() -> None:
    match = hg.Match("tanbo(size=9)", position=played("tanbo(size=9)", 6).position())
    assert puzzle_turn(match) == 0
    match.play(match.legal()[0])
    assert puzzle_turn(match) == 0 and puzzle_turn(played("tanbo", 6)) == 5


def test_pictures_are_pages() -> None:
    (page,) = rendered(positions_pdf([(hg.Match("hexbo"), "")]))
    assert isinstance(page, Image.Image) and page.size == (497, 702)
