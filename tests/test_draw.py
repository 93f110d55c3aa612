"""The drawings in SVG: what a page may rely on, and that everything can be seen."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

import pytest

from hedgerow.boards import Board, centerless, hexhex, square
from hedgerow.draw import geometry, svg
from hedgerow.draw.themes import LOOKS, THEMES, page_style, style
from hedgerow.scene import Mark, Scene, Tray

GLYPHS = "#OX@*%"
SEATS = ("Black", "White", "Red", "Blue", "Green", "Yellow")
BOARDS = {
    "hexbo": hexhex(5, names="diagonals"),
    "hexbo large": hexhex(10, names="diagonals"),
    "root bound": hexhex(3),
    "centerless": centerless(4),
    "tanbo": square(19, names="lines"),
    "squares": square(10, squares=True),
}


def stones(board: Board, rows: str, **more: object) -> Scene:
    """The scene of stones written row by row."""
    written = rows.replace("/", "")
    assert len(written) == len(board)
    marks = tuple(Mark(p, GLYPHS.index(g), "stone", g) for p, g in enumerate(written) if g != ".")
    return replace(Scene(board, marks, "A game", "A position.", SEATS[:2]), **more)  # type: ignore[arg-type]


def drawn(scene: Scene, **how: object) -> ET.Element:
    """The drawing as a tree, without its namespace."""
    root = ET.fromstring(svg(scene, **how))  # type: ignore[arg-type]
    for element in root.iter():
        element.tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
    return root


def with_class(root: ET.Element, word: str) -> list[ET.Element]:
    return [element for element in root.iter() if word in element.get("class", "").split()]


def point_of(root: ET.Element, name: str) -> ET.Element:
    (found,) = [element for element in root.iter("g") if element.get("data-point") == name]
    return found


def busy(board: Board, seats: int = 2) -> Scene:
    """Stones of every seat in reading order, claims, marks: something of everything."""
    marks = tuple(Mark(point, point % seats, "stone", GLYPHS[point % seats]) for point in range(0, len(board), 3))
    return Scene(
        board,
        marks,
        "A busy game",
        "Everything at once.",
        SEATS[:seats],
        to_move=1,
        claimed=((1, 0), (2, 1), (4, 1)),
        last=(3, 5),
        highlights=(6,),
        trays=(Tray(0, "oak", 3), Tray(1, "captured", 12)),
        divide=2,
    )


def test_title_and_description_are_told_and_escaped() -> None:
    title, description = 'Root & <Thorn> "Weißdorn"', "Dark has </desc><script>1 token\x00."
    root = drawn(replace(busy(hexhex(3)), title=title, description=description, seats=("<Dark>", "L&ght")))
    told = root.get("aria-labelledby", "").split()
    by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    assert root.get("role") == "img"
    assert [by_id[ident].tag for ident in told] == ["title", "desc"]
    assert [by_id[ident].text for ident in told] == [title, description.replace("\x00", "")]
    assert {"<Dark>", "L&ght to move, 12 captured"} <= {element.text for element in root.iter("text")}
    assert not list(root.iter("script"))
    assert svg(replace(busy(hexhex(3)), title=title)).isascii()


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("theme", THEMES)
def test_every_point_is_there_and_every_piece_once(name: str, theme: str) -> None:
    scene = busy(BOARDS[name])
    root = drawn(scene, theme=theme)
    assert [element.get("data-point") for element in with_class(root, "point")] == list(scene.board.names)
    assert len(with_class(root, "piece")) == len(scene.marks)
    for mark in scene.marks:
        (piece,) = with_class(point_of(root, scene.board.names[mark.point]), "piece")
        assert set(piece.get("class", "").split()) == {"piece", f"seat-{mark.seat}", mark.kind}


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("labels", [True, False])
def test_nothing_reaches_beyond_the_frame(name: str, labels: bool) -> None:
    root = drawn(busy(BOARDS[name], seats=6), labels=labels)
    left, top, width, height = map(float, root.get("viewBox", "").split())
    for element in with_class(root, "point"):
        x, y = map(float, re.findall(r"-?[\d.]+", element.get("transform", "")))
        assert left + 20 <= x <= left + width - 20 and top + 20 <= y <= top + height - 20
    for element in with_class(root, "label"):
        x, y, reach = float(element.get("x", "")), float(element.get("y", "")), 6 * len(element.text or "")
        assert left <= x - reach and x + reach <= left + width and top + 7 <= y <= top + height - 7
    footers = with_class(root, "footer")
    for footer in footers:
        _, lower = map(float, re.findall(r"-?[\d.]+", footer.get("transform", "")))
        size = float(footer.get("font-size", ""))
        for element in footer.iter("text"):
            x, y = float(element.get("x", "")), float(element.get("y", ""))
            assert left <= x and x + 0.56 * size * len(element.text or "") <= left + width
            assert lower + y + size / 2 <= top + height


def test_points_stand_where_the_board_says() -> None:
    for board in BOARDS.values():
        at = []
        for element in with_class(drawn(stones(board, "." * len(board))), "point"):
            x, y = map(float, re.findall(r"-?[\d.]+", element.get("transform", "")))
            at.append((x, y))
        for (x, y), (right, down) in zip(at, board.spots):
            assert (x, y) == pytest.approx((40 * right, 40 * down), abs=0.01)


def test_labels_are_the_words_round_the_board() -> None:
    def words(board: Board) -> Counter[str]:
        return Counter(element.text or "" for element in with_class(drawn(stones(board, "." * len(board))), "label"))

    assert words(hexhex(3, names="diagonals")) == Counter("ABCDE12345")
    assert words(hexhex(3)) == Counter("abcde34543")
    assert words(square(9, names="lines")) == Counter("ABCDEFGHJ123456789")
    assert words(square(8, squares=True)) == Counter("abcdefgh12345678")
    assert not with_class(drawn(busy(hexhex(3)), labels=False), "label")


def test_a_column_label_continues_its_column() -> None:
    board = hexhex(3, names="diagonals")
    at = {
        e.text: (float(e.get("x", "")), float(e.get("y", "")))
        for e in with_class(drawn(stones(board, "." * 19)), "label")
    }
    for number, top, next_below in (("1", "A1", "B1"), ("4", "B4", "C4"), ("5", "C5", "D5")):
        (x, y), (below_x, below_y) = (board.spots[board.point[name]] for name in (top, next_below))
        slope = (below_x - x) / (below_y - y)
        assert at[number][0] - 40 * x == pytest.approx(slope * (at[number][1] - 40 * y), abs=0.1)
        assert at[number][1] < 40 * y


def test_each_seat_has_a_shape_of_its_own() -> None:
    root = drawn(stones(hexhex(3), "#OX/@*%./...../..../...", seats=SEATS))
    shapes = set()
    for seat in range(6):
        (piece,) = [p for p in with_class(root, "piece") if f"seat-{seat}" in p.get("class", "")]
        shapes.add(tuple((part.tag, part.get("r"), part.get("d")) for part in piece))
    assert len(shapes) == 6


def test_each_kind_has_an_emblem_or_a_size_of_its_own() -> None:
    board = square(8, squares=True)
    kinds = ("root", "kicker", "diminished", "maple", "oak", "birch", "undergrowth", "stone")
    root = drawn(Scene(board, tuple(Mark(p, 0, kind) for p, kind in enumerate(kinds)), "", "", SEATS[:2]))
    looks = {ET.tostring(piece).replace(piece.get("class", "").encode(), b"") for piece in with_class(root, "piece")}
    assert len(looks) == len(kinds)
    (kicker,), (diminished,) = with_class(root, "kicker"), with_class(root, "diminished")
    assert list(map(ET.tostring, kicker)) == list(map(ET.tostring, diminished))
    assert float(re.findall(r"[\d.]+", diminished.get("transform", ""))[0]) < 0.8 and not kicker.get("transform")


def test_colours_live_in_the_style_alone() -> None:
    for name in BOARDS:
        for element in drawn(busy(BOARDS[name], seats=6)).iter():
            assert element.get("style") is None and element.get("color") is None
            for attribute in ("fill", "stroke", "stop-color"):
                assert re.fullmatch(r"url\(#[\w-]+\)", element.get(attribute, "url(#none)"))


def test_what_is_referred_to_exists() -> None:
    for name in BOARDS:
        picture = svg(busy(BOARDS[name]))
        assert set(re.findall(r"url\(#([\w-]+)\)", picture)) <= set(re.findall(r' id="([\w-]+)"', picture))
        used = set(re.findall(r'class="([^"]+)"', picture))
        styled = set(re.findall(r"\.([a-z][\w-]*)", style("hedgerow")))
        bare = {
            "hedgerow",
            "point",
            "row",
            "play",
            "points",
            "piece",
            "stone",
            "owner",
            "claimed",
            "claim-hatch",
            "labels",
            "footer",
            "player",
            "count",
        }
        assert {word for words in used for word in words.split()} - styled <= bare


def test_claimed_land_is_hatched_tinted_and_marked() -> None:
    scene = busy(BOARDS["hexbo"])
    root = drawn(scene)
    assert len(list(root.iter("pattern"))) == 2
    hatches = {ET.tostring(pattern[0][0]) for pattern in root.iter("pattern")}
    assert len(hatches) == 2
    assert Counter(e.get("class") for e in with_class(root, "claim")) == {"claim seat-0": 1, "claim seat-1": 1}
    land = {e.get("fill"): e.get("d", "").count("M") for e in with_class(root, "claim-hatch")}
    assert sorted(land.values()) == [1, 2]
    for point, seat in scene.claimed:
        (sign,) = with_class(point_of(root, scene.board.names[point]), "claimed")
        assert f"seat-{seat}" in sign.get("class", "")
    bare = drawn(replace(scene, claimed=()))
    assert not list(bare.iter("pattern")) and not with_class(bare, "claim") and not with_class(bare, "claimed")


def test_last_move_and_highlights_are_marked_on_their_points() -> None:
    for name in ("hexbo", "squares"):
        scene = busy(BOARDS[name])
        root = drawn(scene)

        def marked(word: str, root: ET.Element = root) -> list[str | None]:
            return [e.get("data-point") for e in with_class(root, "point") if with_class(e, word)]

        names = scene.board.names
        assert marked("highlight") == [names[6]]
        if scene.board.squares:
            assert marked("last-frame") == [names[3], names[5]] and not marked("last")
        else:
            assert marked("last") == [names[3]] and marked("last-frame") == [names[5]]


def test_neighbouring_stones_of_a_seat_are_linked() -> None:
    rows = "##./.O#./..O../..../..."
    bars = {e.get("class"): e.get("d", "").count("M") for e in with_class(drawn(stones(hexhex(3), rows)), "link")}
    assert bars == {"link seat-0": 2, "link seat-1": 1}
    crossed = stones(square(3), "##./O#./O.O")
    assert {e.get("class"): e.get("d", "").count("M") for e in with_class(drawn(crossed), "link")} == {
        "link seat-0": 2,
        "link seat-1": 1,
    }
    assert not with_class(drawn(replace(crossed, board=square(3, squares=True))), "link")


def test_the_footer_names_the_mover_and_counts_the_trays() -> None:
    def words(scene: Scene, **how: object) -> list[tuple[str | None, str | None]]:
        return [(e.get("class"), e.text) for f in with_class(drawn(scene, **how), "footer") for e in f.iter("text")]

    scene = busy(BOARDS["squares"])
    seats = [("player", "Black"), ("mover", "White to move, 12 captured"), ("count", "×3")]
    assert words(scene) == seats
    (tray,) = [e for e in drawn(scene).iter("g") if e.get("role") == "img"]
    assert tray.get("aria-label") == "3 oak" and with_class(tray, "oak") and with_class(tray, "count")
    assert len(with_class(drawn(scene), "oak")) == 1
    assert words(replace(scene, to_move=None, trays=())) == [("player", "Black"), ("player", "White")]
    assert words(scene, labels=False) == seats
    assert words(replace(scene, trays=()), labels=False) == []


def test_the_divide_runs_between_the_rows() -> None:
    board = BOARDS["squares"]
    (line,) = with_class(drawn(busy(board)), "divide")
    _, start, _, end = map(float, re.findall(r"-?[\d.]+", line.get("d", "")))
    assert start == end == pytest.approx(20 * (board.spots[10][1] + board.spots[20][1]))
    assert not with_class(drawn(replace(busy(board), divide=0)), "divide")


def test_ids_are_unique_on_a_page() -> None:
    scene = busy(BOARDS["root bound"])
    moved = replace(scene, last=())
    pictures = [svg(scene), svg(moved), svg(scene, key="2"), svg(scene, labels=False), svg(scene, theme="paper")]
    ids = [ident for picture in pictures for ident in re.findall(r' id="([\w-]+)"', picture)]
    assert len(ids) == 5 * len(pictures) == len(set(ids))


def test_a_drawing_is_the_same_in_every_process() -> None:
    code = (
        "from hedgerow.boards import hexhex; from hedgerow.scene import Mark, Scene; from hedgerow.draw import svg;"
        "b = hexhex(4); m = tuple(Mark(p, p % 2) for p in range(0, 37, 2));"
        "print(svg(Scene(b, m, 't', 'd', ('Black', 'White'), claimed=((1, 0), (3, 1)), last=(2, 4))))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout != b""


def test_size_is_the_width_in_pixels() -> None:
    root = drawn(busy(BOARDS["hexbo"]), size=300)
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert root.get("width") == "300"
    assert float(root.get("height", "")) / 300 == pytest.approx(height / width, rel=1e-3)
    assert drawn(busy(BOARDS["hexbo"])).get("width") is None


@pytest.mark.parametrize("name", BOARDS)
def test_half_a_turn_stays_where_the_board_was(name: str) -> None:
    root = drawn(busy(BOARDS[name]))
    (board,) = with_class(root, "play")
    spots = [tuple(map(float, re.findall(r"-?[\d.]+", e.get("transform", "")))) for e in with_class(board, "point")]
    (footer,) = with_class(root, "footer")
    low = float(re.findall(r"-?[\d.]+", footer.get("transform", ""))[1])
    left, top, width, _ = map(float, root.get("viewBox", "").split())
    for x, y in ((-x, float(board.get("data-turn", "")) - y) for x, y in spots):
        assert left + 20 <= x <= left + width - 20 and top + 20 <= y <= low - 20


def test_a_drawing_from_across_is_turned_and_upright() -> None:
    here, across = drawn(busy(BOARDS["squares"])), drawn(busy(BOARDS["squares"]), across=True)
    (board,) = with_class(across, "play")
    assert board.get("transform") == f"rotate(180) translate(0 {-float(board.get('data-turn', '')):g})"
    for word in ("point", "label"):
        pairs = list(zip(with_class(here, word), with_class(across, word), strict=True))
        assert pairs and all("rotate(180" in other.get("transform", "") for _, other in pairs)
        assert all(one.get("x") == other.get("x") and one.text == other.text for one, other in pairs)
    assert with_class(across, "shadow")[0].get("transform") == "translate(0 -3)"
    footers = [ET.tostring(with_class(root, "footer")[0]) for root in (here, across)]
    assert footers[0] == footers[1]


@pytest.mark.parametrize("name", BOARDS)
def test_a_pencil_changes_how_things_are_drawn_and_not_what(name: str) -> None:
    scene = busy(BOARDS[name])
    plain, pencil = drawn(scene), drawn(scene, theme="pencil")
    for word in ("point", "piece", "claim-hatch", "label", "last", "highlight"):
        here, there = (
            [(e.tag, e.get("class"), e.get("transform")) for e in with_class(root, word)] for root in (plain, pencil)
        )
        assert here == there
    assert "C" in with_class(pencil, "lines")[0].get("d", "") and with_class(pencil, "ruled")
    scribbled, ringed = (
        next(e for e in with_class(pencil, "piece") if f"seat-{seat}" in e.get("class", "")) for seat in (0, 1)
    )
    assert with_class(scribbled, "scribble") and not with_class(ringed, "scribble") and with_class(ringed, "ring")
    (disc,) = [e for e in with_class(pencil, "footer")[0].iter("g") if e.get("class") == "seat-0 owner"]
    assert with_class(disc, "scribble")


def test_a_page_has_the_rules_of_every_look() -> None:
    sheet = page_style()
    for look in LOOKS:
        assert sheet.count(f":where(.theme-{look}){{") >= 1
        assert f":where([data-light=night] .theme-{look})" in sheet
        assert f"@media (prefers-color-scheme:dark){{:where(:root:not([data-light=day]) .theme-{look})" in sheet
    assert ":where(.theme-pencil .scribble)" in sheet and ":where(.hedgerow .body)" in sheet


# --- themes -----------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


PALETTES = [(name, values) for name, theme in THEMES.items() for values in (theme.light, theme.dark) if values]


@pytest.mark.parametrize(("name", "values"), PALETTES)
def test_everything_can_be_seen(name: str, values: dict[str, str]) -> None:
    assert contrast(values["text"], values["ground"]) > 7
    assert contrast(values["label"], values["ground"]) > 4.5
    for seat in range(6):
        fill, edge, ink = (values[f"seat-{seat}{part}"] for part in ("", "-edge", "-ink"))
        assert max(contrast(fill, values["board"]), contrast(edge, values["board"])) > 3
        assert contrast(ink, fill) > 3
        assert max(contrast(fill, values["last"]), contrast(fill, values["last-edge"])) > 3
    assert luminance(values["seat-0"]) < 0.1 and luminance(values["seat-1"]) > 0.6, "dark is dark by night too"
    for leaf in {"maple", "oak", "birch", "undergrowth"} & set(values):
        assert min(contrast(values[leaf], values["seat-0"]), contrast(values[leaf], values["seat-1"])) > 3


def test_every_variable_has_a_value_in_every_theme() -> None:
    leaves = {"maple", "oak", "birch", "undergrowth"}
    for name, theme in THEMES.items():
        sheet = style(name)
        derived = {"fill", "edge", "ink"}
        used = set(re.findall(r"var\(--hr-([\w-]+)", sheet)) - derived
        for values in (theme.light, theme.dark or theme.light):
            assert used - leaves <= set(values) <= used


def test_only_the_default_theme_follows_the_reader() -> None:
    assert "prefers-color-scheme:dark" in svg(busy(BOARDS["root bound"]))
    assert "prefers-color-scheme" not in svg(busy(BOARDS["root bound"]), theme="day")
    with pytest.raises(ValueError, match="no theme 'mauve'; hint: hedgerow, day, night, paper"):
        svg(busy(BOARDS["root bound"]), theme="mauve")


# --- geometry ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOARDS)
def test_lines_join_all_neighbours_once(name: str) -> None:
    board = BOARDS[name]
    spots = board.spots
    steps = [
        round(((spots[a][0] - spots[b][0]) ** 2 + (spots[a][1] - spots[b][1]) ** 2) ** 0.5)
        for a, b in geometry.lines(board)
    ]
    assert sum(steps) == sum(map(len, board.neighbours)) / 2
    assert len({frozenset(ends) for ends in geometry.lines(board)}) == len(steps)


def test_outlines() -> None:
    assert [len(geometry.hull(board.spots)) for board in BOARDS.values()] == [6, 6, 6, 6, 4, 4]
    hexes, boxes = BOARDS["root bound"], BOARDS["squares"]
    assert len(geometry.borders([geometry.cell(hexes, 0), geometry.cell(hexes, 1)])) == 10
    assert len(geometry.borders([geometry.cell(boxes, 0), geometry.cell(boxes, 1), geometry.cell(boxes, 33)])) == 10


# --- parts left out ---------------------------------------------------------------------------------------------------


def test_parts_can_be_left_out_and_ids_given() -> None:
    scene = busy(BOARDS["root bound"])
    assert not list(drawn(scene, styled=False).iter("style")) and list(drawn(scene).iter("style"))
    whole, sparse = (with_class(drawn(scene, sparse=left_out), "point") for left_out in (False, True))
    assert len(whole) == len(scene.board) and [e for e in whole if len(e) > 1] and all(len(e) > 1 for e in sparse)
    assert len(sparse) == sum(len(e) > 1 for e in whole)
    ids = {e.get("id", "") for e in drawn(scene, ident="board").iter() if e.get("id")}
    assert ids and all(name.startswith("board-") for name in ids)


def test_positions_that_differ_little_have_most_lines_in_common() -> None:
    board = BOARDS["hexbo large"]
    before = svg(busy(board), ident="board").splitlines()
    after = svg(replace(busy(board), last=(3, 7)), ident="board").splitlines()
    assert len(before) == len(after) and 0 < sum(one != other for one, other in zip(before, after)) <= 2
