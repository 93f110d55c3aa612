"""Any position, without a game that is kept: how it looks, what may be played, and why something may not."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from serving import Visit

import hedgerow as hg

pytestmark = pytest.mark.anyio


async def asked(visitor: httpx.AsyncClient, status: int = 200, place: str = "", **body: Any) -> Any:
    answer = await visitor.post(f"/api/positions{place}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_position_is_shown_as_the_rules_see_it(visit: Visit) -> None:
    async with visit() as ann:
        match = hg.Match("root_bound(side=4)")
        match.play("a1 c3 g2")
        told = await asked(ann, rules="root_bound(side=4)", turns="a1 c3 g2")
        assert told["position"] == match.position() and told["prompt"] == match.prompt
        assert {action["text"] for action in told["legal"]} == set(match.legal())
        assert told["turns"] == ["a1", "c3 g2"] and not told["turn_goes_on"] and told["svg"].startswith("<svg")
        again = await asked(ann, rules="root_bound(side=4)", position=told["position"])
        assert again["legal"] == told["legal"]


def until_somebody_loses_pieces(match: hg.Match) -> set[str]:
    """Plays at random; the names of the points that the last turn emptied."""
    chance, names = random.Random(1), match.rules.board.names
    while True:
        before = match.plain.board
        match.play(chance.choice(match.legal()))
        if gone := {names[p] for p, piece in enumerate(before) if piece and not match.plain.board[p]}:
            return gone


async def test_what_went_off_the_board_is_named(visit: Visit) -> None:
    async with visit() as ann:
        match = hg.Match("hexbo(side=5)")
        gone = until_somebody_loses_pieces(match)
        told = await asked(ann, rules="hexbo(side=5)", turns=" ".join(match.turns))
        assert {point for some in told["removed"] for point in some["points"]} == gone


async def test_the_count_is_told_as_if_everybody_passed(visit: Visit) -> None:
    async with visit() as ann:
        match = hg.Match("root_and_thorn")
        match.play("Me3 Me8 Ue4 Ue7 Ud4")
        told = await asked(ann, rules="root_and_thorn", turns=" ".join(match.turns))
        match.play("pass pass")
        assert match.outcome and match.outcome.scores and told["standing"] == list(match.outcome.scores)
        assert (await asked(ann, rules="tanbo(size=9)"))["standing"] is None


async def test_it_is_told_why_not(visit: Visit) -> None:
    async with visit() as ann:
        body = {"rules": "hexbo(side=5)", "turns": "A2"}
        assert (await ann.post("/api/positions/why-not?text=A2", json=body)).json()["code"] == "occupied"
        refused = await asked(ann, 422, rules="hexbo(side=5)", turns="A2 A2")
        assert "already a stone on A2" in refused["message"]
        assert (await asked(ann, 422, rules="chess"))["message"].startswith("no game 'chess'")


async def test_records_are_read(visit: Visit) -> None:
    async with visit() as ann:
        match = hg.Match("root_down")
        match.play(match.legal()[0])
        told = await asked(ann, place="/record", text=match.record())
        assert (told["rules"], told["turns"], told["position"]) == ("root_down", list(match.turns), None)
        assert "hint:" in (await asked(ann, 422, place="/record", text="nothing"))["message"]


async def test_it_is_told_why_not_for_what_was_pressed(visit: Visit) -> None:
    async with visit() as ann:
        for rules, pressed, words in (
            ("root_and_thorn", ["a9"], "Your Maple must stand in your own half"),
            ("root_down", ["b2", "b5"], "The kicker on b2 moves exactly 2 squares"),
            ("hexbo(side=5)", ["E5"], "E5 touches no stone of yours"),
        ):
            told = await ann.post("/api/positions/why-not", params={"pressed": pressed}, json={"rules": rules})
            assert words in told.json()["reason"] and told.json()["clause"], told.text


async def test_who_leaves_is_part_of_the_line(visit: Visit) -> None:
    async with visit() as ann:
        match = hg.Match("hexbo(side=5,players=3)")
        match.play("A1")
        match.flag(1)
        match.play("E1")
        told = await asked(ann, place="/record", text=match.record())
        assert told["turns"] == ["A1", "E1"] and told["line"] == ["A1", "flag 1", "E1"]
        line = {"rules": told["rules"], "turns": " ".join(told["line"])}
        assert (await asked(ann, **line))["position"] == match.position()
        written = await ann.post("/api/positions/record/text", json={**line, "tags": {"Black": "Ann"}})
        again = hg.read(written.text)
        assert again.position() == match.position() and again.tags["Black"] == "Ann"
        assert "hint: like `flag 0`" in (await asked(ann, 422, rules=told["rules"], turns="A1 flag"))["message"]
        assert "no seat 7" in (await asked(ann, 422, rules=told["rules"], turns="A1 resign 7"))["message"]
        body = {**line, "tags": {"Game": "chess"}}
        assert (await ann.post("/api/positions/record/text", json=body)).status_code == 422


async def test_a_picture_needs_nothing_else(visit: Visit) -> None:
    async with visit() as ann:
        where, match = "/api/positions/picture", hg.Match("tanbo(size=9)")
        match.play("A2")
        asked_for = {"rules": "tanbo(size=9)", "turns": "A2", "size": 300}
        answer = await ann.get(where, params=asked_for)
        picture = ElementTree.fromstring(answer.text)
        assert answer.headers["content-type"] == "image/svg+xml" and picture.get("width") == "300"
        assert "<style>" in answer.text and 'class="last"' in answer.text
        by_text = await ann.get(
            where, params={"rules": "tanbo(size=9)", "position": match.position(), "theme": "paper"}
        )
        assert "theme-paper" in by_text.text and 'class="last"' not in by_text.text
        wrong = await ann.get(where, params={**asked_for, "theme": "neon"})
        assert wrong.status_code == 422 and "no theme 'neon'; hint: " in wrong.json()["message"]
        assert (await ann.get(where, params={"rules": "tanbo", "turns": "A1"})).status_code == 422
