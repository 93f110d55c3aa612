"""The pressed sheet: how a game grew, its plants, and codes that a decoder reads back into the record."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

import hedgerow as hg
from hedgerow.paper.codes import MOST_BYTES, codes_of, readable_parts
from hedgerow.paper.growth import growth_of
from hedgerow.paper.packed import address, packed, unpacked
from hedgerow.paper.plants import branches, weights
from hedgerow.paper.plate import plate_pdf, plates
from hedgerow.record import compact_record
from pdfs import codes_in, fonts_of, info_of, rendered, structure_of, text_of
from walks import DEFAULTS, VARIANTS, walk

SERVER = "https://play.example.org"
GOLDEN = Path(__file__).parent / "pictures" / "plate.png"
DPI = 200


def finished(name: str, seed: int = 3, most: int = 10_000) -> hg.Match:
    """A random game, with names, to its end or to so many turns; a copy of its own for everybody."""
    return _finished(name, seed, most).copy()


@cache
def _finished(name: str, seed: int, most: int) -> hg.Match:
    match, chance = hg.Match(name), random.Random(seed)
    while (legal := match.legal()) and len(match.turns) < most:
        ordinary = [text for text in legal if text not in ("pass", "done")]
        match.play(chance.choice(ordinary if ordinary and chance.random() < 0.97 else legal))
    match.tags = {"Date": "2026-11-16", **dict(zip(match.rules.seats, ("Ann", "Bo", "Cleo", "Dan", "Eve", "Finn")))}
    return match


@pytest.mark.parametrize("server", [None, SERVER])
@pytest.mark.parametrize("name", [*DEFAULTS, "hexbo(side=5,players=6)", "root_bound(side=4,centerless=yes)"])
def test_the_code_gives_the_record(name: str, server: str | None) -> None:
    match = finished(name)
    pdf = plate_pdf(match, server=server)
    read = [text for page in rendered(pdf, DPI) for text in codes_in(page)]
    if server:
        assert len(read) == 1 and read[0].startswith(f"{SERVER}/replay/")
        told = unpacked(read[0].removeprefix(f"{SERVER}/replay/"))
    else:
        told = "".join(read)
    assert hg.read(told).record() == match.record()


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("name", [*DEFAULTS, "hexbo(side=5,players=6)"])
def test_a_plate_tells_the_game(name: str, paper: str) -> None:
    match = finished(name)
    pdf = plate_pdf(match, paper, SERVER)
    words = " ".join(text_of(pdf).split())
    title = match.rules.game.title
    assert title.upper() in words and "16 November 2026" in words and f"{len(match.turns)} turns" in words
    assert f"Ann ({match.rules.seats[0]})" in words and match.prompt in words
    assert "turn by turn" in words and "Fig. 1. Turn" in words and "Scan to replay the game" in words
    told = info_of(pdf)
    assert told["Pages"] == "1" and told["Title"].startswith(f"{title}: Ann and Bo") and told["Tagged"] == "yes"
    assert all(font["emb"] == "yes" for font in fonts_of(pdf))
    assert structure_of(pdf).count("Figure") >= 4


def test_the_picture_is_as_it_was() -> None:
    """A page made again must look like the one that was looked at; `docs/paper.md` says how to look at a new one."""
    (page,) = rendered(plate_pdf(finished("hexbo(side=5)"), server=SERVER), 40)
    golden = Image.open(GOLDEN)
    assert page.size == golden.size
    assert ImageStat.Stat(ImageChops.difference(page, golden)).mean[0] < 3, f"compare with {GOLDEN.name}"


def test_unfinished_unnamed_and_empty_games() -> None:
    match = hg.Match("tanbo(size=9)")
    match.tags = {}
    words = " ".join(text_of(plate_pdf(match)).split())
    assert "Unfinished; Black to move." in words and "0 turns" in words and "Fig." not in words
    assert info_of(plate_pdf(match))["Title"] == "Tanbo"
    match.play("B1")
    assert "1 turn" in text_of(plate_pdf(match))
    match.resign(1)
    assert "White resigned: Black wins." in text_of(plate_pdf(match))


def test_names_that_are_long_or_in_other_alphabets() -> None:
    match = finished("root_down")
    match.tags |= {"South": "Ж" * 300, "North": "漢字 <b>&amp;", "Date": ("once upon a time " * 20).strip()}
    words = text_of(plate_pdf(match))
    assert "Ж" * 28 + " (South)" in words and "?? <b>&amp; (North)" in words
    (code,) = codes_in(rendered(plate_pdf(match), DPI)[0])
    assert hg.read(code).record() == match.record()


def test_several_plates_in_one_document() -> None:
    document = plates([finished("root_down"), finished("root_and_thorn")])
    assert document.pages == 2 and info_of(document.finish())["Pages"] == "2"


# --- codes ------------------------------------------------------------------------------------------------------------


def test_a_long_record_becomes_several_readable_texts() -> None:
    match = finished("tanbo")
    record = match.record()
    assert len(record) > 2 * MOST_BYTES
    parts = readable_parts(record)
    assert len(parts) == 2 and all(len(part.encode()) <= MOST_BYTES for part in parts)
    assert parts[0].startswith("Game: tanbo\n") and ";" in parts[1] and hg.read("".join(parts)).record() == record
    words = text_of(plate_pdf(match))
    assert "The record, to scan (1 of 2)" in words and "(2 of 2)" in words


def test_codes_that_do_not_fit_have_a_sheet_of_their_own() -> None:
    match = hg.Match("root_down(repetition=0)")
    chance = random.Random(1)
    while not match.outcome and len(match.turns) < 150:
        match.play(chance.choice(match.legal()))
    match.tags |= {"Remarks": ("so it goes " * 450).strip()}
    pdf = plate_pdf(match)
    pages = rendered(pdf, DPI)
    assert len(pages) == 2 and codes_in(pages[0]) == []
    read = codes_in(pages[1])
    assert len(read) == len(codes_of(match.record())) > 3 and "in order" in text_of(pdf)
    assert hg.read("".join(read)).record() == match.record()


def test_a_record_without_end_is_not_coded() -> None:
    match = finished("root_down")
    match.tags |= {"Remarks": ("and so on " * 9_000).strip()}
    pdf = plate_pdf(match)
    assert codes_of(match.record()) == [] and "too long for a code" in " ".join(text_of(pdf).split())
    assert info_of(pdf)["Pages"] == "1"


@pytest.mark.parametrize("name", VARIANTS)
def test_packing_keeps_the_record(name: str) -> None:
    match = finished(name, seed=5, most=25)
    match.tags |= {"Event": "Grün & Söhne; a tree: 木"}
    assert hg.read(unpacked(packed(match.record()))).record() == match.record()
    assert hg.read(compact_record(match.record())).record() == match.record()
    assert packed(match.record()).replace("-", "").replace("_", "").isalnum()
    assert len(address(SERVER, match.record())) < len(match.record()) + 90


@pytest.mark.parametrize("text", ["", "!", "AAAA", "c0_MTbVSKEnMS8rXKEnMS8rXUSjPL8rWUU", "é", "A" * 5000])
def test_what_is_no_packed_record_is_refused(text: str) -> None:
    with pytest.raises(hg.BadRecord, match="hint: scan the code again"):
        unpacked(text)


def test_a_bomb_does_not_go_off() -> None:
    import base64
    import zlib

    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = squeezed.compress(b"a" * 50_000_000) + squeezed.flush()
    with pytest.raises(hg.BadRecord):
        unpacked(base64.urlsafe_b64encode(data).decode())


# --- how it grew ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DEFAULTS)
def test_growth_counts_what_is_on_the_board(name: str) -> None:
    match = finished(name, most=40)
    growth = growth_of(match)
    assert growth.turns == len(match.turns) == len(growth.counts) - 1
    last = match.scene()
    assert sum(growth.counts[-1]) == len(last.marks) + len(last.claimed)
    assert set(growth.ages) == {mark.point for mark in last.marks}
    for turn in growth.stages(6):
        assert 0 < turn < growth.turns


@pytest.mark.parametrize("name", ["hexbo(side=5)", "tanbo(size=9)"])
def test_a_plant_grew_as_its_stones_were_placed(name: str) -> None:
    """In these games every stone joins one older stone: the branches are the history."""
    match = finished(name, most=30)
    growth = growth_of(match)
    scene = growth.scenes[-1]
    owner = {mark.point: mark.seat for mark in scene.marks}
    grown = branches(scene, growth.ages)
    assert {branch.point for branch in grown} == set(owner)
    for point, parent in grown:
        assert owner[point] == owner[parent]
        assert parent == point or growth.ages[parent] < growth.ages[point]
        assert parent == point or parent in scene.board.neighbours[point]
    firsts = [branch for branch in grown if branch.point == branch.parent]
    assert sum(weights(grown)[branch.point] for branch in firsts) == len(grown)


def test_a_stone_that_came_back_is_young() -> None:
    rules = hg.make("hexbo(side=5)")
    *_, (position, _) = walk(rules, 4)
    match = hg.Match(rules, position=rules.write(position)) if not rules.outcome(position) else hg.Match(rules)
    growth = growth_of(match)
    assert set(growth.ages.values()) == {0}
    assert replace(growth, counts=()).turns == 0
