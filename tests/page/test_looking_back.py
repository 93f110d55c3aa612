"""Looking back in a real browser: by click, by key and without scripts; and trying again from where a game turned."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsing import Visit, point, start, turns
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.xdist_group("page_back")


def play(page: Page, where: str, *texts: str) -> None:
    """Plays our turns, and waits for every answer of the machine."""
    for text in texts:
        number = len(turns(page, where))
        made = page.context.request.post(f"/api{where}/turns", data={"number": number, "text": text})
        assert made.ok, made.text()
        expect(page.locator("#turns li")).to_have_count(number + 2)


def legal(page: Page, where: str) -> str:
    """A turn that may be played."""
    found: str = page.context.request.get(f"/api{where}").json()["legal"][0]["text"]
    return found


def at_the_edge(page: Page, where: str) -> str:
    """A turn of as few pieces as may be, at the lower edge: never a good one."""
    text = ""
    while True:
        told = page.context.request.get(f"/api{where}", params={"partial": text}).json()
        if text and not told["turn_goes_on"]:
            return text
        words = [action["text"] for action in told["legal"]]
        text = f"{text} {'done' if 'done' in words else [word for word in words if word != 'pass'][-1]}".strip()


def current(page: Page) -> Any:
    return page.locator("#turns [aria-current]")


def test_back_and_forth_by_click_and_by_key(visit: Visit) -> None:
    page = visit()
    where = start(page, "tanbo(size=9)")
    play(page, where, "A2")
    play(page, where, legal(page, where))
    said, then, second = page.locator("#when"), page.locator("#then"), page.locator("#turns a").nth(1)
    played = turns(page, where)
    expect(current(page)).to_have_text(played[3])
    page.locator("#turns a").first.click()
    expect(said).to_have_text(f"After turn 1 of 4, {played[0]}.")
    expect(point(page, played[2]).locator(".piece")).to_have_count(0)
    expect(point(page, played[0]).locator(".piece")).to_be_visible()
    expect(page.locator("root-board .may")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(second).to_have_attribute("aria-current", "true")
    expect(point(page, played[1]).locator(".piece")).to_be_visible()
    page.keyboard.press("Home")
    expect(said).to_have_text("The start.")
    page.reload()
    expect(said).to_have_text("The start.")
    expect(page.get_by_role("link", name="Analyse from here")).to_have_attribute("href", re.compile(r"&turn=0$"))
    point(page, "E5").click()
    expect(page.locator("#said")).to_contain_text("go back to now")
    page.keyboard.press("End")
    expect(said).to_have_text("The start.")  # on the board, keys walk its points
    page.get_by_role("link", name="Back to now").click()
    expect(then).to_be_hidden()
    expect(page.locator("root-board .may").first).to_be_visible()
    page.get_by_role("link", name="Previous turn").click()
    expect(said).to_have_text(f"After turn 3 of 4, {played[2]}.")
    page.get_by_role("link", name="To the last turn").click()
    expect(then).to_be_hidden()


def test_a_new_turn_does_not_tear_one_away(visit: Visit) -> None:
    page = visit()
    where = start(page, "tanbo(size=9)")
    play(page, where, "A2")
    page.keyboard.press("Home")
    expect(page.locator("#newer")).to_be_hidden()
    play(page, where, legal(page, where))
    expect(page.locator("#newer")).to_be_visible()
    expect(page.locator("#when")).to_have_text("The start.")
    expect(point(page, "A2").locator(".piece")).to_have_count(0)
    page.get_by_role("link", name="Back to now").click()
    expect(point(page, "A2").locator(".piece")).to_be_visible()
    expect(page.locator("#newer")).to_be_hidden()


def test_looking_back_without_scripts(visit: Visit) -> None:
    page = visit(java_script_enabled=False)
    where = start(page, "tanbo(size=9)", opponent="friend")
    other = visit()
    other.goto(where)
    other.get_by_role("button", name="Join the game").click()
    page.context.request.post(f"/api{where}/turns", data={"number": 0, "text": "A2"})
    page.goto(where)
    expect(point(page, "A2").locator(".piece")).to_be_visible()
    page.get_by_role("link", name="To the start").click()
    expect(page.locator("#when")).to_have_text("The start.")
    expect(point(page, "A2").locator(".piece")).to_have_count(0)
    page.get_by_role("link", name="Next turn").click()
    expect(point(page, "A2").locator(".piece")).to_be_visible()
    page.get_by_role("link", name="A2", exact=True).click()
    expect(current(page)).to_have_text("A2")


def test_try_again_from_where_the_game_turned(visit: Visit) -> None:
    page = visit()
    where = start(page, "root_bound(side=5)")
    for _ in range(3):
        play(page, where, at_the_edge(page, where))
    page.get_by_text("Resign", exact=True).click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator("#result h2:visible")).to_have_text("Machine, level 1 won")
    expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
    found = page.locator("#turning p")
    expect(found).to_have_text(
        re.compile(r"Turn \d, [\w ]+: your chance fell from \d+ % to \d+ %; better was [\w ]+\.")
    )
    link = page.locator("#turning a")
    link.click()
    expect(page.locator("#when")).to_have_text(re.compile(r"After turn \d of 6, "))
    turn = int(re.findall(r"\d+", link.inner_text())[0])
    before = turns(page, where)
    page.get_by_role("button", name="Try again from there").click()
    expect(page.locator("#turns li")).to_have_count(turn - 1)
    expect(page.locator("root-board .may").first).to_be_visible()
    expect(page.locator("#seats")).to_contain_text("Machine, level 1")
    again = "/games/" + page.url.split("/games/")[1]
    assert again != where and turns(page, again) == before[: turn - 1] and turns(page, where) == before
