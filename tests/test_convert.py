"""`hedgerow convert` and `show`: pictures, sheets and animations of every game, by real processes and real readers."""

from __future__ import annotations

import io
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

import hedgerow as hg
from forks import Call, Ended, ends
from hedgerow.draw.animation import animated
from hedgerow.draw.gif import gif
from hedgerow.draw.png import size_of
from hedgerow.draw.raster import raster
from hedgerow.draw.sheet import columns_for, sheet
from hedgerow.draw.svg import svg
from hedgerow.draw.themes import THEMES
from hedgerow.scene import Scene
from walks import DEFAULTS, choose

SMALL = {"hexbo": "hexbo(side=5,players=3)", "tanbo": "tanbo(size=9)", "root_bound": "root_bound(side=4)"}
NAMES = [SMALL.get(name, name) for name in DEFAULTS]
SVG = "{http://www.w3.org/2000/svg}"


def played(name: str, turns: int = 25) -> hg.Match:
    match, chance = hg.Match(name), random.Random(name)
    while match.legal() and (match.mid_turn or len(match.turns) < turns):
        match.play(match.rules.spell(match.plain, choose(match.rules, match.rules.legal(match.plain), chance)))
    return match


def drawn(scene: Scene, width: int) -> bytes:
    """A scene as a PNG by day."""
    return raster(svg(scene, "day", styled=False, sparse=True), "day", width)


def frames(match: hg.Match) -> list[Scene]:
    return [match.after(turn).scene() for turn in range(len(match.turns) + 1)]


# --- animations -------------------------------------------------------------------------------------------------------


def shown_at(text: str, share: float) -> ET.Element:
    """The animated drawing as a browser has it after a share of its time: what is hidden then is taken out."""
    hidden = set()
    for name, keys in re.findall(r"@keyframes (\S+?)\{((?:[\d.]+%\{[^}]*\})+)\}", text):
        steps = re.findall(r"([\d.]+)%\{visibility:(\w+)\}", keys)
        if [word for at, word in steps if float(at) <= 100 * share + 1e-3][-1] == "hidden":
            hidden.add(name)
    root = ET.fromstring(text)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.get("class") in hidden]:
            parent.remove(child)
    return root


def told(root: ET.Element) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """What stands on every point that is not bare, and the words below the board."""
    points = {}
    for point in root.iter(f"{SVG}g"):
        if point.get("class") == "point":
            inside = [str(one.get("class")) for one in point.iter() if one is not point and one.get("class") != "spot"]
            if inside:
                points[str(point.get("data-point"))] = tuple(inside)
    words = {"".join(text.itertext()) for text in root.iter(f"{SVG}text") if text.get("class") != "label"}
    return points, words


@pytest.mark.parametrize("name", NAMES)
def test_an_animation_shows_every_position_in_turn(name: str) -> None:
    match = played(name)
    scenes = frames(match)
    film = animated(scenes, seconds=1, rest=0)
    for turn, scene in enumerate(scenes):
        alone = ET.fromstring(match.after(turn).svg())
        assert told(shown_at(film, (turn + 0.5) / len(scenes))) == told(alone), f"after {turn} turns"
        assert scene.board is scenes[0].board


@pytest.mark.parametrize("name", NAMES)
def test_without_animations_it_is_the_last_position(name: str) -> None:
    """Whoever asks for less motion, and a program that knows no animations, sees the end."""
    match = played(name)
    film = animated(frames(match), "day")
    style = re.search(r"<style>(.*)</style>", film, re.DOTALL)
    assert style and "@media (prefers-reduced-motion:no-preference){" in style[1]
    moving = style[1].partition("@media (prefers-reduced-motion")[2]
    assert "animation:" not in style[1].replace(moving, "")
    still = raster(film.replace(style[0], f"<style>{_hidden(style[1])}</style>"), "day", 300)
    one, other = (Image.open(io.BytesIO(picture)).convert("L") for picture in (still, drawn(match.scene(), 300)))
    assert one.size == other.size
    differing = sum(abs(a - b) > 60 for a, b in zip(one.tobytes(), other.tobytes()))
    assert differing < 0.002 * one.width * one.height


def _hidden(style: str) -> str:
    """The rule that hides what is not in the last position, as resvg reads it."""
    found = re.search(r"^(\.\S+)\{visibility:hidden\}$", style, re.MULTILINE)
    return f"{found[1]}{{visibility:hidden}}" if found else ""


def test_an_animation_is_small() -> None:
    match = played("hexbo(side=5)", 60)
    film = animated(frames(match))
    assert len(film) < 0.15 * sum(len(match.after(turn).svg()) for turn in range(len(match.turns) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_a_gif_has_every_position_its_delays_and_loops(name: str) -> None:
    match = played(name, 6)
    scenes = frames(match)
    counted: list[int] = []
    film = Image.open(io.BytesIO(gif(scenes, width=220, seconds=0.5, rest=2, progress=counted.append)))
    assert film.format == "GIF" and film.n_frames == len(scenes) and film.info["loop"] == 0
    assert counted == list(range(1, len(scenes) + 1))
    for turn, scene in enumerate(scenes):
        film.seek(turn)
        assert film.info["duration"] == (2500 if turn == len(scenes) - 1 else 500)
        _alike(film.convert("RGB"), Image.open(io.BytesIO(drawn(scene, 220))))


def _alike(one: Image.Image, other: Image.Image) -> None:
    """The same picture, in fewer colours: nothing is off by what an eye sees, but on edges."""
    white = Image.new("RGBA", other.size, "white")
    white.alpha_composite(other.convert("RGBA"))
    assert one.width == other.width and one.height >= other.height
    pairs = zip(one.crop((0, 0, *other.size)).tobytes(), white.convert("RGB").tobytes())
    apart = [abs(a - b) for a, b in pairs]
    assert sum(apart) / len(apart) < 1.5 and sum(value > 40 for value in apart) < 0.002 * len(apart)


# --- sheets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", THEMES)
def test_a_sheet_has_its_boards_side_by_side(theme: str) -> None:
    match = played("root_and_thorn")
    entries = [(match.after(turn).scene(), f"after {turn} & more") for turn in (0, 5, 10, 15, 20)]
    root = ET.fromstring(sheet(entries, theme, 2, title="A <game>"))
    boards = [one for one in root if one.tag == f"{SVG}svg"]
    places = [(float(one.get("x", 0)), float(one.get("y", 0))) for one in boards]
    assert len(boards) == 5 and len({x for x, _ in places}) == 2 and len({y for _, y in places}) == 3
    assert places == sorted(places, key=lambda place: (place[1], place[0]))
    words = ["".join(text.itertext()) for text in root if text.tag == f"{SVG}text"]
    assert words == ["A <game>", *(f"after {turn} & more" for turn in (0, 5, 10, 15, 20))]
    idents = [one.get("id") for one in root.iter() if one.get("id")]
    assert len(idents) == len(set(idents)) > 10


def test_a_sheet_holds_boards_of_different_games() -> None:
    entries = [(played(name, 4).scene(), name) for name in NAMES]
    made = sheet(entries, "day", styled=False, sparse=True)
    width, height = size_of(raster(made, "day", 600))
    assert width == 600 and height > 300 and columns_for(len(entries)) == 3


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def game(tmp_path: Path) -> Path:
    match = hg.Match("root_bound")
    match.tags |= {"Black": "Ann", "White": "Bo"}
    match.play("d4 a1 m7 g1 g13 b1 done h7 h9 pass pass")
    (tmp_path / "game.txt").write_text(match.record())
    other = played("hexbo(side=5)")
    (tmp_path / "other.txt").write_text(other.record())
    return tmp_path


def one(folder: Path, *arguments: str, given: str = "") -> Ended:
    return ends([Call(arguments, given)], folder)[0]


def test_every_format_by_its_ending(game: Path) -> None:
    outs = ["a.svg", "a.png", "a.pdf", "a.gif", "a.sgf", "a.json", "b.txt"]
    done = ends([Call(("convert", "game.txt", out)) for out in outs], game)
    assert [(end.code, end.out, end.err) for end in done] == [(0, "", "")] * len(outs)
    assert ET.parse(game / "a.svg").getroot().tag == f"{SVG}svg"
    assert size_of((game / "a.png").read_bytes())[0] == 880
    assert (game / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert Image.open(game / "a.gif").n_frames == 8
    assert (game / "b.txt").read_text() == (game / "game.txt").read_text()
    back = ends([Call(("convert", name, f"{name}.txt")) for name in ("a.sgf", "a.json")], game)
    assert [end.code for end in back] == [0, 0]
    assert (game / "a.sgf.txt").read_text() == (game / "game.txt").read_text()
    assert hg.read((game / "a.json.txt").read_text()).turns == hg.read((game / "game.txt").read_text()).turns


def test_positions_on_a_sheet(game: Path) -> None:
    calls = [
        Call(("convert", "game.txt", "s.svg", "--turns", "0,3,7", "--title", "Three")),
        Call(("convert", "game.txt", "other.txt", "s.png", "--columns", "1")),
        Call(("convert", "game.txt", "s.pdf", "--turns", "1,2,3,4", "--paper", "letter")),
        Call(("convert", "game.txt", "-", "--to", "text", "--turns", "1,2")),
        Call(("convert", "game.txt", "film.svg", "--animated", "--seconds", "2")),
        Call(("convert", "game.txt", "-", "--to", "record", "--turns", "2")),
    ]
    done = ends(calls, game)
    assert [end.code for end in done] == [0] * len(calls), [end.err for end in done]
    words = ["".join(text.itertext()) for text in ET.parse(game / "s.svg").getroot() if text.tag == f"{SVG}text"]
    assert words[:3] == ["Three", "the start", "after 3 turns"] and "passed" in words[3]
    width, height = size_of((game / "s.png").read_bytes())
    assert width == 560 and height > 1000
    assert done[3].out.count("after 1 turn\n") == 1 and done[3].out.count("m- ") == 2
    assert "animation:" in (game / "film.svg").read_text() and " 19s step-end" in (game / "film.svg").read_text()
    assert hg.read(done[5].out).turns == ("d4", "a1 m7")


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="no pdftotext here: apt install poppler-utils")
def test_a_pdf_has_the_captions(game: Path) -> None:
    assert one(game, "convert", "game.txt", "other.txt", "p.pdf", "--title", "Two games").code == 0
    text = subprocess.run(["pdftotext", "p.pdf", "-"], cwd=game, capture_output=True, text=True, check=True).stdout
    assert "Two games" in text and "Ann – Bo" in text and "other" in text


def test_pipes(game: Path) -> None:
    record = (game / "game.txt").read_text()
    done = ends([Call(("convert", "-", "-", "--to", "sgf"), record), Call(("show", "-", "--svg"), record)], game)
    assert done[0].out.startswith("(;FF[4]") and done[1].out.startswith("<svg")
    command = [sys.executable, "-m", "hedgerow", "show", "game.txt", "--turn", "3"]
    for kind, begin in (("--png", b"\x89PNG"), ("--pdf", b"%PDF-")):
        found = subprocess.run([*command, kind], cwd=game, capture_output=True, check=True)
        assert found.stdout.startswith(begin) and found.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("convert", "game.txt"), "nothing to write to"),
        (("convert", "game.txt", "other.txt"), "'other.txt' is there already; hint: --force"),
        (("convert", "game.txt", "x.doc"), "no format for 'x.doc'; hint: --to, or one of .txt, .sgf"),
        (("convert", "game.txt", "x", "--to", "doc"), "no format 'doc'; hint: record, sgf, abstractplay, text, svg"),
        (("convert", "game.txt", "x.svg", "--turns", "1,b"), "cannot read the turns '1,b'; hint: --turns 10,20,30"),
        (("convert", "game.txt", "x.svg", "--turns", "9"), "no turn 9; hint: the record has 7"),
        (("convert", "game.txt", "x.svg", "--theme", "pink"), "no theme 'pink'; hint: hedgerow, day, night"),
        (("convert", "game.txt", "x.pdf", "--paper", "a9"), "no paper 'a9'"),
        (("convert", "game.txt", "x.pdf", "--animated"), "pdf cannot be animated; hint: svg and gif can"),
        (("convert", "game.txt", "other.txt", "x.gif"), "gif tells one game; hint: svg, png and pdf make a sheet"),
        (("convert", "other.txt", "x.json"), "a report"),
        (("convert", "game.txt", "x.png", "--width", "9"), "width"),
        (("convert", "game.txt", "x.svg", "--columns", "0"), "columns"),
        (("convert", ".", "x.svg"), "cannot read '.': Is a directory"),
        (("convert", "nothing.txt", "x.svg"), "cannot read 'nothing.txt': No such file"),
        (("show", "game.txt", "--svg", "--png"), "--svg and --png at once"),
        (("replay", "game.txt", "--turn", "8"), "no turn 8; hint: the record has 7"),
        (("replay", "game.txt", "--theme", "pink"), "no theme 'pink'"),
    ],
)
def test_mistakes(game: Path, arguments: tuple[str, ...], words: str) -> None:
    done = one(game, *arguments)
    assert done.code == 2 and words in done.err and done.out == "" and done.err.count("\n") == 1
    assert sorted(path.name for path in game.iterdir()) == ["game.txt", "other.txt"], "nothing is left behind"


def test_what_cannot_be_written_leaves_nothing(game: Path) -> None:
    (game / "folder").mkdir()
    (game / "folder").chmod(0o500)
    done = ends(
        [
            Call(("convert", "game.txt", "/dev/full", "--to", "svg")),
            Call(("convert", "game.txt", "nowhere/x.svg")),
            Call(("convert", "game.txt", "folder", "--to", "svg")),
            Call(("convert", "game.txt", "-", "--to", "svg"), out="full"),
            Call(("convert", "game.txt", "-", "--to", "gif"), out="unread"),
        ],
        game,
    )
    assert [end.code for end in done] == [1] * 5
    assert "No space left" in done[0].err and "nowhere/x.svg" in done[1].err and "directory" in done[2].err
    assert "No space left" in done[3].err and done[4].err == ""
    assert sorted(path.name for path in game.iterdir()) == ["folder", "game.txt", "other.txt"]


def test_force_writes_over(game: Path) -> None:
    (game / "a.svg").write_text("old")
    assert one(game, "convert", "game.txt", "a.svg", "--force").code == 0
    assert (game / "a.svg").read_text().startswith("<svg")


def test_a_board_that_is_not_ours_is_shown_and_not_searched(game: Path) -> None:
    from test_convert_exchange import report

    (game / "their.json").write_text(report("Tanbo", [["a6", "b1"], ["resign"]], (1, 0)))
    shown, searched, kept = ends(
        [
            Call(("show", "their.json")),
            Call(("analyse", "their.json", "--seconds", "1")),
            Call(("convert", "their.json", "x.txt")),
        ],
        game,
    )
    assert shown.code == 0 and "Tanbo on 7 lines as Abstract Play begins it, 2 turns" in shown.out
    assert searched.code == 2 and "cannot be searched" in searched.err
    assert kept.code == 2 and "no record can tell" in kept.err


def test_notes_go_to_stderr(game: Path) -> None:
    tree = "(;HG[tanbo(size=9)];B[A2]C[good](;W[B9])(;W[J2]))"
    done = one(game, "convert", "-", "-", "--to", "record", given=tree)
    assert done.code == 0 and hg.read(done.out).turns == ("A2", "B9")
    assert done.err == "note: variations were left out: 1\nnote: a record has no place for C\n"
