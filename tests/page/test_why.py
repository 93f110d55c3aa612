"""Nobody wonders why: what just happened, the aim and the count, presses that decide a game, offers, hints, levels."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsing import PHONE, Visit, await_machine, point, start, tap, turns
from playwright.sync_api import Page, expect

import hedgerow as hg

pytestmark = pytest.mark.xdist_group("page_why")

DIES = [
    "B1",
    "A8",
    "H9",
    "B9",
    "A1",
    "G2",
    "G8",
    "A7",
    "F8",
    "G3",
    "C1",
    "C9",
    "D1",
    "D9",
    "J8",
    "G1",
    "F7",
    "G4",
    "H7",
    "F1",
    "H6",
    "D8",
    "E8",
    "D7",
    "H5",
    "H4",
    "G6",
    "E7",
    "F9",
    "D6",
    "B3",
    "A6",
]
"""A game of Tanbo on nine lines until Black kills a root of Black's own by J6."""


def seated(visit: Visit, rules: str, played: tuple[str, ...] = (), **more: Any) -> tuple[Page, Page, str]:
    """Two people at a game of which some turns are played; both look at it."""
    ann, bo = visit(), visit()
    where = start(ann, rules, opponent="friend", **more)
    bo.context.request.post("/api/guest")
    assert bo.context.request.post(f"/api{where}/join").ok
    for number, text in enumerate(played):
        play((ann, bo)[number % 2], where, number, text)
    ann.goto(where)
    bo.goto(where)
    return ann, bo, where


def play(page: Page, where: str, number: int, text: str) -> None:
    """A turn that comes at once, as a machine's does."""
    answer = page.context.request.post(f"/api{where}/turns", data={"number": number, "text": text})
    assert answer.ok, answer.text()


def test_what_just_happened_is_told_one_turn_after_the_other(visit: Visit) -> None:
    ann, bo, where = seated(visit, "tanbo(size=9)", DIES)
    line = ann.locator("#happened")
    expect(line).to_have_text("You played B3. White played A6.")
    point(ann, "J6").click()
    while len(turns(ann, where)) == len(DIES):
        pass
    play(bo, where, len(DIES) + 1, "A5")
    mine = "Your J6 left your root nowhere to grow: 13 stones died."
    expect(line).to_have_text(mine)
    expect(ann.locator("#turns li")).to_have_count(len(DIES) + 1)  # the answer is there, and not shown over it
    assert len(turns(ann, where)) == len(DIES) + 2
    expect(line).to_have_text(f"{mine} White played A5.")
    expect(ann.locator("root-board .gone")).to_have_count(13)
    expect(bo.locator("#happened")).to_have_text("You played A5.")
    ann.reload()
    expect(line).to_have_text(f"{mine} White played A5.")
    expect(ann.locator("root-board .gone")).to_have_count(13)
    point(ann, "E5").click()  # a press that is refused: the marks go
    expect(ann.locator("root-board .gone")).to_have_count(0)
    ann.locator("root-board .may").first.click()
    expect(line).to_have_text(re.compile(r"^You played \w+\.\s*$"))
    ann.locator("#turns a").nth(len(DIES)).click()
    expect(line).to_have_text(mine.replace("Your", "Black's").replace("your", "Black's"))


LOST = ("d1", "g3 b1", "e4 g1", "b2 e3", "a1 g4", "g2 d6", "c3 e2", "c4 c1", "e5 done", "pass")
"""A game of Root Bound with four points a side in which Black would lose all by passing."""


def test_a_press_that_decides_the_game_asks_and_offers_say_what_they_are(visit: Visit) -> None:
    ann, bo, where = seated(visit, "root_bound(side=4)", LOST)
    expect(ann.locator(".aim")).to_contain_text("more pieces and claimed points")
    expect(ann.locator("#count")).to_have_text(re.compile(r"^Summer: .*If both pass now: you 0, White 37\.$"))
    expect(bo.locator("#count")).to_contain_text("Black 0, you 37")
    expect(ann.locator("#happened")).to_have_text(re.compile(r"White passed\.\s*$"))
    ann.get_by_role("button", name="Pass").dblclick()  # the second press falls on what has come there
    expect(ann.locator("#prompt")).to_have_text("You would lose 0 to 37. Pass?")
    ann.get_by_role("button", name="No", exact=True).click()
    expect(ann.locator("#prompt")).to_contain_text("Place one or two pieces")
    assert len(turns(ann, where)) == len(LOST)

    ann.get_by_role("button", name="Take back").click()
    expect(bo.locator(".offer:visible")).to_have_text(re.compile(r"asks to take back e5 done\."))
    expect(ann.locator(".offer:visible")).to_have_text("You asked to take back e5 done.")
    bo.get_by_role("button", name="Decline").click()
    expect(ann.locator("#said")).to_contain_text("the offer was declined")
    ann.get_by_role("button", name="Offer a draw").click()
    ann.get_by_role("button", name="Withdraw the offer").click()
    expect(ann.locator(".offer:visible")).to_have_count(0)
    expect(ann.locator("#said")).to_be_empty()
    ann.locator("summary", has_text="Call the game off").click()
    expect(ann.get_by_role("button", name="Yes, call it off")).to_be_visible()
    assert ann.context.request.get(f"/api{where}").json()["state"] == "playing"

    watcher = visit()
    watcher.goto(where)
    expect(watcher.get_by_text("You are watching this game.")).to_be_visible()
    expect(ann.get_by_text("You are watching this game.")).to_be_hidden()
    ann.get_by_role("button", name="Pass").click()
    ann.get_by_role("button", name="Yes, pass").press("Enter")
    expect(ann.locator("#result h2:visible")).to_have_text(re.compile("won: 37 to 0"))
    expect(ann.locator("#happened")).to_contain_text("In Fall your weak Runners withered")


@pytest.mark.parametrize("rules", hg.games())
def test_every_game_tells_its_aim_and_explains_its_pieces(visit: Visit, rules: str) -> None:
    page = visit()
    start(page, rules)
    game = hg.make(rules).game
    expect(page.locator(".aim")).to_have_text(f"Aim: {game.aim}")
    page.get_by_role("button", name="Explain pieces").click()
    for _kind, name, words in hg.make(rules).glossary:
        expect(page.locator("#pieces dl")).to_contain_text(f"{name} {words}")
    assert game.aim and hg.make(rules).glossary


def test_a_turn_may_be_confirmed_and_a_guest_is_asked_before_leaving(visit: Visit) -> None:
    page = visit(**PHONE)
    page.goto("/settings")
    page.get_by_role("group", name="Confirm my turn").get_by_label("On").check()
    page.get_by_role("button", name="Save").click()
    where = start(page, "tanbo(size=9)")
    name = page.locator("root-board .may").first.get_attribute("data-point") or ""
    for _ in range(2):
        tap(page, name)
        if page.locator("root-board.close").count():
            tap(page, name)
        expect(page.locator("#prompt")).to_have_text(f"Play {name}?")
        assert turns(page, where) == []
        page.get_by_role("button", name="No", exact=True).tap()
        expect(page.locator("#prompt")).to_contain_text("Grow a root")
    tap(page, name)
    if page.locator("root-board.close").count():
        tap(page, name)
    page.get_by_role("button", name="Yes, play it").tap()
    expect(page.locator("#happened")).to_contain_text(f"You played {name}.")
    page.goto("/account")
    page.locator("summary", has_text="Sign out").tap()
    expect(page.get_by_text("nobody can come back as this guest")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Yes, sign out and lose them").tap()
    expect(page.get_by_role("link", name="Sign in").first).to_be_attached()


def test_a_hint_on_the_board_and_what_levels_are(visit: Visit) -> None:
    page = visit()
    page.goto("/rules/hexbo")
    expect(page.locator("[name=level] option").nth(1)).to_have_text(re.compile(r"^2, Seedling: thinks .*, overlooks "))
    start(page, "hexbo(side=5)", level=2)
    expect(page.locator("#seats")).to_contain_text("Machine, level 2 Seedling: thinks ")
    await_machine(page, "hexbo(side=5)")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#said")).to_contain_text("Look around here")
    assert page.locator("root-board .lit").count() > 3
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#said")).to_have_text(re.compile(r"^Consider \w\d\.$"))
    expect(page.locator("root-board .lit")).to_have_count(1)
    turn = page.locator("#said").inner_text().split()[1].rstrip(".")
    point(page, turn).click()
    expect(page.locator("#happened")).to_contain_text(f"You played {turn}.")
    expect(page.locator("root-board .lit")).to_have_count(0)
