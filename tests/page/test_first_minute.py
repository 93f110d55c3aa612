"""The first minute in a real browser: one click, one sentence, marked points, an answer; and no page is too wide."""

from __future__ import annotations

import pytest
from browsing import PHONE, Visit, start
from playwright.sync_api import expect

from hedgerow.games import game, games

pytestmark = pytest.mark.xdist_group("page_first_minute")

PAGES = ("/", "/lobby", "/your-games", "/leaders", "/archive", "/account", "/notices", "/sign-in", "/sign-up")


def test_one_click_and_one_sits_at_a_board(visit: Visit) -> None:
    page = visit()
    page.goto("/")
    expect(page.locator(".miniature svg")).to_have_count(len(games()))
    page.get_by_role("button", name="Play now").click()
    expect(page.locator("#prompt")).to_contain_text("touches exactly one of yours")
    page.locator("root-board .may").first.click()
    expect(page.locator("#turns li")).to_have_count(2)
    page.get_by_role("link", name="Hedgerow").click()
    expect(page.get_by_role("link", name="Your turn")).to_be_visible()


@pytest.mark.parametrize("name", games())
def test_every_game_is_begun_with_one_click_on_a_phone(visit: Visit, name: str) -> None:
    page = visit(**PHONE)
    page.goto("/")
    page.get_by_role("button", name=f"Play {game(name).title}", exact=True).tap()
    expect(page.locator("#prompt")).not_to_be_empty()
    expect(page.locator(".seats li").first).to_contain_text("(you)", use_inner_text=True)
    expect(page.locator("root-board .may, #buttons button").first).to_be_visible()
    board = page.locator("root-board svg").bounding_box()
    assert board and board["y"] + board["height"] < 740, "the whole board is on the screen"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_no_page_is_too_wide_for_a_phone(visit: Visit) -> None:
    page = visit(**PHONE)
    where = [start(page, rules) for rules in ("hexbo(players=6)", "root_and_thorn")]
    for path in (*PAGES, *where):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        for details in page.locator("details:not(.sure)").all():
            details.evaluate("one => { one.open = true; }")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, f"{path}, opened"
