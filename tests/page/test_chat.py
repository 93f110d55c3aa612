"""Talk beside a game: at the newest line, marked where it came unseen, and refused where it was typed."""

from __future__ import annotations

from typing import Any

import pytest
from browsing import PHONE, Visit
from playwright.sync_api import Locator, Page, expect
from test_hands import FINGER, box, on_screen, seated

from hedgerow.games import games

pytestmark = pytest.mark.xdist_group("page_hands")

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
LATEST = "one => one.scrollHeight - one.scrollTop - one.clientHeight < 2"


def say(page: Page, where: str, *lines: str) -> None:
    """Somebody says something, wherever they look."""
    for text in lines:
        assert page.context.request.post(f"/api{where}/chat", data={"room": "players", "text": text}).ok


def heard(page: Page) -> Locator:
    return page.locator('.chat[data-room="players"]')


def told(page: Page) -> Any:
    """How much came unseen."""
    return page.locator("#unread")


@pytest.mark.parametrize("rules", games())
def test_talk_is_beside_the_board(visit: Visit, rules: str) -> None:
    page, bo, where = seated(visit, rules, **DESK)
    say(bo, where, "hello")
    expect(heard(page)).to_contain_text("hello")
    expect(told(page)).to_be_hidden()
    field = page.get_by_label("Message to the players")
    for each in (heard(page), field, page.locator("root-board svg")):
        assert on_screen(page, each), each
    assert box(field)["left"] > box(page.locator("root-board svg"))["right"] and box(field)["width"] > 100


def test_the_newest_line_is_shown_unless_one_reads_older_ones(visit: Visit) -> None:
    page, bo, where = seated(visit, "hexbo(side=5)", **DESK)
    say(bo, where, *(f"line {number}" for number in range(40)))
    expect(heard(page)).to_contain_text("line 39")
    assert heard(page).evaluate(LATEST)
    expect(told(page)).to_be_hidden()
    heard(page).evaluate("one => { one.scrollTop = 0; }")
    say(bo, where, "news", "more news")
    expect(told(page)).to_have_text("2 new")
    assert heard(page).evaluate("one => one.scrollTop") == 0, "who reads is left where they are"
    heard(page).evaluate("one => { one.scrollTop = one.scrollHeight; }")
    expect(told(page)).to_be_hidden()
    heard(page).evaluate("one => { one.scrollTop = 0; }")
    page.get_by_label("Message to the players").fill("my own")
    page.get_by_role("button", name="Send").click()
    expect(heard(page)).to_contain_text("my own")
    assert heard(page).evaluate(LATEST), "one sees what one said"
    page.reload()
    expect(heard(page)).to_contain_text("my own")
    assert heard(page).evaluate(LATEST)
    expect(told(page)).to_be_hidden()


def test_on_a_phone_talk_is_a_tab_with_a_mark(visit: Visit) -> None:
    page, bo, where = seated(visit, "hexbo(side=5)", **PHONE)
    tab = page.locator("#talk > summary")
    expect(heard(page)).to_be_hidden()
    assert on_screen(page, tab) and box(tab)["height"] >= FINGER
    board = box(page.locator("root-board svg"))
    say(bo, where, *(f"line {number}" for number in range(30)))
    expect(told(page)).to_have_text("30 new")
    assert on_screen(page, told(page))
    tab.tap()
    expect(heard(page)).to_be_visible()
    expect(told(page)).to_be_hidden()
    assert heard(page).evaluate(LATEST)
    assert on_screen(page, page.get_by_label("Message to the players"))
    assert box(page.locator("root-board svg")) == board, "nothing else moves"
    say(bo, where, "and this")
    expect(heard(page)).to_contain_text("and this")
    expect(told(page)).to_be_hidden()
    tab.tap()
    expect(heard(page)).to_be_hidden()
    page.reload()
    expect(page.locator("#talk.ready")).to_be_visible()
    expect(told(page)).to_be_hidden()
    page.goto("/rules")
    say(bo, where, "while you were away")
    page.goto(where)
    expect(told(page)).to_have_text("1 new")


def test_escape_closes_the_tab(visit: Visit) -> None:
    page, _, _ = seated(visit, "hexbo(side=5)", **PHONE)
    page.locator("#talk > summary").press("Enter")
    page.get_by_label("Message to the players").press("Escape")
    expect(heard(page)).to_be_hidden()
    expect(page.locator("#talk > summary")).to_be_focused()


def test_what_is_refused_is_said_where_it_was_typed(visit: Visit) -> None:
    page, _, _ = seated(visit, "hexbo(side=5)", **DESK)
    page.locator('root-board [data-point="E5"]').click()
    expect(page.locator("#said")).to_contain_text("touches no stone of yours")
    field, why = page.get_by_label("Message to the players"), page.locator("#players-said")
    field.fill("   ")
    field.press("Enter")
    expect(why).to_contain_text("A message")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(why.inner_text())
    expect(field).to_have_value("   ")
    assert 0 <= box(why)["top"] - box(field)["bottom"] < 30
    expect(page.locator("#said")).to_contain_text("touches no stone of yours")
    field.fill("hello")
    expect(why).to_be_empty()
    field.press("Enter")
    expect(heard(page)).to_contain_text("hello")
    expect(field).to_have_value("")


def test_what_cannot_be_sent_stays_where_it_was_typed(visit: Visit) -> None:
    page, _, _ = seated(visit, "hexbo(side=5)", quiet="ERR_INTERNET_DISCONNECTED", **DESK)
    field = page.get_by_label("Message to the players")
    page.context.set_offline(True)
    expect(page.locator("#line")).to_be_visible()
    field.fill("are you there?")
    field.press("Enter")
    expect(page.locator("#players-said")).to_contain_text("Not sent")
    expect(field).to_have_value("are you there?")
    page.context.set_offline(False)
    expect(page.locator("#line")).to_be_hidden()
    field.press("Enter")
    expect(heard(page)).to_contain_text("are you there?")


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_talk_without_scripts(visit: Visit, screen: dict[str, Any]) -> None:
    _, bo, where = seated(visit, "hexbo(side=5)")
    page = visit(quiet="422", java_script_enabled=False, **screen)
    page.context.add_cookies(bo.context.cookies())  # type: ignore[arg-type]
    page.goto(where)
    field, why = page.get_by_label("Message to the players"), page.locator("#players-said")
    field.fill("   ")
    page.get_by_role("button", name="Send").click()
    expect(why).to_contain_text("A message")
    expect(page.locator("#said")).to_be_empty()
    assert 0 <= box(why)["top"] - box(field)["bottom"] < 30
    field.fill("hello")
    page.get_by_role("button", name="Send").click()
    expect(heard(page)).to_contain_text("hello")
