"""Every game from the home page to its result, in a real browser, on a server that has compiled nothing yet."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browsing import CALM, Visit, point
from playwright.sync_api import Page, expect

from hedgerow.games import game, games, make
from hedgerow.serve.web.beginners import board_for, full_board
from hedgerow.tools.serve_bench import server_process

pytestmark = pytest.mark.xdist_group("page_whole_games")

LONGEST = 120
"""Turns of ours that no game on a beginner's board should take."""
ENOUGH = 20
"""After so many turns of ours we pass wherever we may, so that games of territory come to their end."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose kernels are all still to be compiled."""
    folder: Path = tmp_path_factory.mktemp("cold")
    (folder / "cache").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEDGEROW_CACHE", str(folder / "cache"))
        with server_process(str(folder / "data"), "--engines", "1", "--no-limits") as (_, port):
            yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("name", games())
def test_a_whole_game(visit: Visit, name: str) -> None:
    page, chance = visit(), random.Random(7)
    page.goto("/")
    page.get_by_role("button", name=f"Play {game(name).title}", exact=True).click()
    expect(page.locator("#prompt")).not_to_be_empty()
    for turn in range(LONGEST):
        told = look(page)
        if told["outcome"]:
            break
        assert told["to_move"] == told["you"]
        for word in whole_turn(page, told, chance, turn):
            press(page, word)
        over, last = (
            page.locator("#result h2:visible"),
            page.locator("#turns li").nth(answered(page, told)["version"] - 1),
        )
        expect(over.or_(last).first).to_be_attached()
        expect(over.or_(page.locator("root-board .may, #buttons button")).first).to_be_visible()
    ends_well(page, name)


def answered(page: Page, before: dict[str, Any]) -> dict[str, Any]:
    """The game when it is our turn again, at once where they can play nothing, or over."""
    for _ in range(CALM // 100):
        told = look(page)
        if told["outcome"] or (told["version"] > before["version"] and told["to_move"] == told["you"]):
            return told
        page.wait_for_timeout(100)
    pytest.fail(f"no answer to turn {before['version'] + 1}")


def look(page: Page, partial: str = "") -> dict[str, Any]:
    """The game as the server tells it to whoever sits here, after the beginning of a turn."""
    where = re.sub(r"^.*(/games/\w+).*$", r"/api\1", page.url)
    told: dict[str, Any] = page.context.request.get(f"{where}?picture=false&partial={quote(partial)}").json()
    return told


def whole_turn(page: Page, told: dict[str, Any], chance: random.Random, turn: int) -> list[str]:
    """What to press for one turn, any that is legal; a pass where they passed, and where we have played enough."""
    text, presses = "", []
    tired = turn >= ENOUGH or told["turns"][-1:] == ["pass"]
    while True:
        legal = told["legal"]
        stops = [action for action in legal if action["text"] in ("pass", "done")]
        others = [action for action in legal if action not in stops]
        chosen = chance.choice(stops if stops and (tired or not others) else others)
        text = f"{text} {chosen['text']}".strip()
        presses += chosen["clicks"]
        told = look(page, text)
        if not told["turn_goes_on"]:
            return presses


def press(page: Page, word: str) -> None:
    """A point that is marked, or a button beside the board."""
    if re.fullmatch(r"[A-Za-z]\d+", word):
        expect(point(page, word)).to_have_class(re.compile(r"\bmay\b"))
        point(page, word).click()
    else:
        page.locator("#buttons, .choices").get_by_role("button", name=re.compile(f"^{word}$", re.IGNORECASE)).click()
        sure = page.get_by_role("button", name="Yes, pass")
        if word == "pass" and sure.is_visible():  # it may be one that loses
            page.wait_for_timeout(500)  # a second press at the same spot is taken for a slip
            sure.click()


def ends_well(page: Page, name: str) -> None:
    """The result is on the screen with its reason and its count, and there is something to do next."""
    rules = make(board_for(name))
    counts = bool(look(page)["outcome"]["scores"])
    expect(page.locator("#result h2:visible")).to_have_text(
        re.compile(r"(won|draw).*: \d+ to \d+" if counts else r"won|draw")
    )
    expect(page.locator("#result .reason")).not_to_be_empty()
    offered = [
        "Next level",
        "Same level again",
        "Invite a friend",
        *(["On the full board"] if full_board(rules) else []),
    ]
    for words in offered:
        expect(page.locator("#result").get_by_role("button", name=words)).to_be_visible()
