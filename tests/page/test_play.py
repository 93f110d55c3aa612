"""Playing in a real browser: by mouse, keyboard or finger; being refused, being cut off, and to the end."""

from __future__ import annotations

import re

import pytest
from browsing import PHONE, Visit, point, start, tap, turns
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.xdist_group("page_play")

OPENING = ("e5", "c3")
"""A first turn of Root Bound has one piece; the next may have two."""


def answered(page: Page, count: int) -> None:
    """Waits until that many turns are played and it is our turn again."""
    expect(page.locator("#turns li")).to_have_count(count)
    expect(page.locator("root-board .may").first).to_be_visible()


def two_pieces(page: Page, where: str) -> None:
    """The last turn but one, which was ours, had two pieces."""
    answered(page, 4)
    assert len(turns(page, where)[2].split()) == 2


def second_turn(page: Page) -> tuple[str, list[str]]:
    """A game of Root Bound in which we may place one or two pieces: where, and points that may be pressed."""
    where = start(page, "root_bound(side=5)")
    page.context.request.post(f"/api{where}/turns", data={"number": 0, "text": OPENING[0]})
    answered(page, 2)
    return where, page.locator("root-board .may").evaluate_all("all => all.map(one => one.dataset.point)")


def test_a_turn_of_two_pieces_by_mouse(visit: Visit) -> None:
    page = visit()
    where, may = second_turn(page)
    point(page, may[0]).click()
    expect(point(page, may[0]).locator(".piece")).to_be_visible()
    expect(page.get_by_role("button", name="Begin this turn again")).to_be_visible()
    page.locator("root-board .may").first.click()
    two_pieces(page, where)


def test_a_point_that_is_pressed_too_soon_is_played_when_it_may_be(visit: Visit) -> None:
    """Both presses come before the server can have said how the turn goes on."""
    page = visit()
    where, may = second_turn(page)
    page.evaluate("names => names.forEach((name) => board.press(name))", [may[0], may[-1]])
    two_pieces(page, where)


def test_a_turn_of_two_pieces_by_keyboard_alone(visit: Visit) -> None:
    page = visit()
    where, may = second_turn(page)
    while not page.evaluate("document.activeElement.matches('.point')"):
        page.keyboard.press("Tab")
    page.keyboard.type(may[0])
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Begin this turn again")).to_be_visible()
    expect(point(page, may[0])).to_be_focused()
    for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * 5:
        if "playable" in (page.locator(":focus").get_attribute("aria-label") or ""):
            break
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    two_pieces(page, where)


def test_a_turn_of_two_pieces_by_finger(visit: Visit) -> None:
    page = visit(**PHONE)
    where, may = second_turn(page)
    wanted = []
    for _ in range(2):
        wanted.append(page.locator("root-board .may").first.get_attribute("data-point") or "")
        finger(page, wanted[-1])
        expect(point(page, wanted[-1]).locator(".piece")).to_be_visible()
    two_pieces(page, where)
    assert set(turns(page, where)[2].split()) == set(wanted) and wanted[0] in may


def finger(page: Page, name: str) -> None:
    """Plays a point with a finger as people do: tap there, and where that magnifies the board, tap it again."""
    tap(page, name)
    if page.locator("root-board.close").count():
        tap(page, name)


@pytest.mark.parametrize("place", [0, 7, -1])
def test_a_finger_on_a_full_board_plays_the_point_it_means(visit: Visit, place: int) -> None:
    page = visit(**PHONE)
    where = start(page, "hexbo")
    answered(page, 0)
    name = page.locator("root-board .may").nth(place).get_attribute("data-point") or ""
    tap(page, name)
    expect(page.locator("root-board.close")).to_be_visible()
    expect(page.locator("#said")).to_contain_text("tap the point you mean")
    assert turns(page, where) == []
    tap(page, name)
    answered(page, 2)
    assert turns(page, where)[0] == name


def test_a_refused_point_says_why_and_lights_the_stones(visit: Visit) -> None:
    page = visit()
    where = start(page, "hexbo(side=5)")
    answered(page, 0)
    point(page, "E5").click()
    expect(page.locator("#said")).to_contain_text("touches no stone of yours")
    rule = page.locator("#said").get_by_role("link", name="rule 3.2")
    expect(rule).to_have_attribute("href", "/rules/hexbo#r3.2")
    page.locator("root-board .point:has(.piece)").first.click()
    expect(page.locator("root-board .lit").first).to_be_visible()
    assert turns(page, where) == []
    page.locator("root-board .may").first.click()
    expect(page.locator("#said")).to_be_empty()
    answered(page, 2)


def test_two_browsers_play_each_other_and_one_is_cut_off(visit: Visit) -> None:
    ann, bo = visit(), visit(quiet="ERR_INTERNET_DISCONNECTED")
    where = start(ann, "hexbo(side=5)", opponent="friend")
    expect(ann.get_by_text("Send this link").or_(ann.get_by_text("from this computer"))).to_be_visible()
    bo.goto(where)
    bo.get_by_role("button", name="Join the game").click()
    ann.locator("root-board .may").first.click()
    answered(bo, 1)
    expect(ann.locator(".presence:visible")).to_have_text("● here")
    bo.context.set_offline(True)
    expect(bo.get_by_text("Connection lost")).to_be_visible()
    expect(ann.locator(".presence:visible")).to_have_text("○ away")
    bo.locator("root-board .may").first.click()
    bo.context.set_offline(False)
    expect(bo.get_by_text("Connection lost")).to_be_hidden()
    answered(ann, 2)
    expect(ann.locator(".presence:visible")).to_have_text("● here")
    bo.context.set_offline(True)
    expect(bo.get_by_text("Connection lost")).to_be_visible()
    ann.locator("root-board .may").first.click()
    expect(ann.locator("#turns li")).to_have_count(3)
    assert bo.locator("#turns li").count() == 2
    bo.context.set_offline(False)
    answered(bo, 3)
    assert len(turns(bo, where)) == 3


def test_a_whole_game_to_its_result(visit: Visit) -> None:
    page = visit()
    start(page, "root_bound(side=3)")
    for _ in range(40):
        expect(page.locator("root-board .may, #buttons button, #result h2:visible").first).to_be_visible()
        if page.locator("#result h2:visible").count():
            break
        before = page.locator("#turns li").count()
        move(page)
        expect(page.locator("#turns li").nth(before + 1).or_(page.locator("#result h2:visible")).first).to_be_attached()
    expect(page.locator("#result h2:visible")).to_have_text(re.compile(r"(won|draw).*: \d+ to \d+"))
    expect(page.locator("#result .reason")).not_to_be_empty()
    for words in ("Next level", "Same level again", "On the full board", "Invite a friend"):
        expect(page.locator("#result").get_by_role("button", name=words)).to_be_visible()
    page.get_by_role("button", name="Next level").click()
    expect(page.locator(".seats")).to_contain_text("level 2")
    answered(page, 0)


def move(page: Page) -> None:
    """One turn of ours: as few pieces as may be, or a pass where nothing else is left."""
    may, done = page.locator("root-board .may"), page.get_by_role("button", name="Done")
    if not may.count():
        return page.get_by_role("button", name="Pass").click()
    goes_on, theirs = page.get_by_role("button", name="Begin this turn again"), page.get_by_text("is thinking")
    for _ in range(2):
        may.first.click()
        expect(goes_on.or_(theirs).or_(page.locator("#result h2:visible")).first).to_be_visible()
        if done.count():
            return done.click()
        if not goes_on.count():
            return None
    return None
