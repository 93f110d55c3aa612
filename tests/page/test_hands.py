"""Hands on a game's page: what is chosen stands at the finger, a closer look leads back, and every screen is used."""

from __future__ import annotations

from typing import Any

import pytest
from browsing import PHONE, Visit, point, start, tap, turns
from playwright.sync_api import Locator, Page, expect
from test_board import THORN as GROVE
from test_pages_look import SHIFTED, troubles

from hedgerow.games import games

pytestmark = pytest.mark.xdist_group("page_hands")

LIVE = {"kind": "live", "minutes": 10, "increment": 5}
LYING: dict[str, Any] = {**PHONE, "viewport": {"width": 740, "height": 360}}
SMALL: dict[str, Any] = {**PHONE, "viewport": {"width": 640, "height": 340}}
FINGER = 44
"""So many pixels something must have that is pressed by a finger."""

THORN = GROVE.split()
"""Then Dark may plant a Birch or an Oak on f3."""


def seated(visit: Visit, rules: str, played: list[str] | None = None, **options: Any) -> tuple[Page, Page, str]:
    """Two people at a game with clocks, of which some turns are played; the first looks at it with such a screen."""
    ann, bo = visit(**options), visit()
    where = start(ann, rules, opponent="friend", clock=LIVE)
    bo.context.request.post("/api/guest")
    assert bo.context.request.post(f"/api{where}/join").ok
    for number, text in enumerate(played or []):
        asked = {"number": number, "text": text}
        assert (ann, bo)[number % 2].context.request.post(f"/api{where}/turns", data=asked).ok
    ann.goto(where)
    expect(ann.locator("root-board .may").first).to_be_visible()
    return ann, bo, where


def box(what: Locator) -> dict[str, float]:
    """Where something is on the screen: its edges, and its size."""
    found: dict[str, float] = what.evaluate(
        "one => (({left, top, right, bottom, width, height}) => ({left, top, right, bottom, width, height}))"
        "(one.getBoundingClientRect())"
    )
    return found


def on_screen(page: Page, what: Locator) -> bool:
    """All of it is where one sees it without scrolling."""
    at, size = box(what), page.evaluate("[innerWidth, innerHeight]")
    return at["left"] >= 0 and at["top"] >= 0 and at["right"] <= size[0] + 0.5 and at["bottom"] <= size[1] + 0.5


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    """Neither covers any of the other."""
    beside = one["right"] <= other["left"] + 0.5 or other["right"] <= one["left"] + 0.5
    return beside or one["bottom"] <= other["top"] + 0.5 or other["bottom"] <= one["top"] + 0.5


def no_sideways(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


# --- a choice at the finger -------------------------------------------------------------------------------------------


def finger(page: Page, name: str) -> None:
    """Where a tap magnifies the board, the next one means the point."""
    tap(page, name)
    if page.locator("root-board.close").count():
        tap(page, name)


@pytest.mark.parametrize("screen", [PHONE, LYING], ids=["upright", "lying"])
def test_the_choice_of_a_tree_is_at_the_finger(visit: Visit, screen: dict[str, Any]) -> None:
    page, _, where = seated(visit, "root_and_thorn", THORN, **screen)
    finger(page, "f3")
    choices = page.get_by_role("dialog", name="What goes on f3?")
    expect(choices.get_by_role("button")).to_have_text(["Birch× 2", "Oak× 3"])
    pressed, there = box(point(page, "f3").locator(".spot")), box(choices)
    assert on_screen(page, choices) and apart(pressed, there)
    assert min(abs(there["bottom"] - pressed["top"]), abs(there["top"] - pressed["bottom"])) < 20
    assert there["left"] < pressed["right"] and there["right"] > pressed["left"]
    for each in choices.get_by_role("button").all():
        assert box(each)["width"] >= FINGER and box(each)["height"] >= FINGER
    no_sideways(page)
    choices.get_by_role("button", name="Oak").tap()
    expect(page.locator("#turns li")).to_have_count(len(THORN) + 1)
    expect(page.locator("root-board.close, .choices")).to_have_count(0)
    assert turns(page, where)[-1] == "Of3"


OFFER = """name => {
  const words = ["an old Oak", "a young Birch", "a Maple"];
  board.offer(words.map((word) => ({ text: word, clicks: [name, word] })));
  board.addEventListener("choose", (event) => event.stopImmediatePropagation(), true);
}"""
"""Three things that may be done at a point, as some other game might have them."""


@pytest.mark.parametrize("screen", [PHONE, LYING, {"viewport": {"width": 1280, "height": 800}}])
@pytest.mark.parametrize(
    ("rules", "corners"), [("hexbo", ["A1", "K19", "T10"]), ("root_down", ["a1", "a8", "h1", "h8"])]
)
def test_a_choice_stays_on_the_screen(visit: Visit, screen: dict[str, Any], rules: str, corners: list[str]) -> None:
    page, _, _ = seated(visit, rules, **screen)
    for name in corners:
        page.evaluate(OFFER, name)
        if screen.get("has_touch"):
            finger(page, name)
        else:
            point(page, name).click()
        choices = page.locator(".choices")
        expect(choices.get_by_role("button")).to_have_count(3)
        assert on_screen(page, choices), (name, box(choices))
        no_sideways(page)
        page.keyboard.press("Escape")
        expect(choices).to_have_count(0)
        page.evaluate("board.wide()")


def test_a_choice_by_keyboard_alone(visit: Visit) -> None:
    page, _, where = seated(visit, "root_and_thorn", THORN)
    point(page, "f3").focus()
    page.keyboard.press("Enter")
    birch, oak = (page.locator(".choices").get_by_role("button", name=name) for name in ("Birch", "Oak"))
    expect(birch).to_be_focused()
    expect(page.locator("root-board .over .strike")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(oak).to_be_focused()
    expect(oak).to_have_attribute("aria-description", "Oak (range 5): clears Light Undergrowth on c5, e5 and f5.")
    page.keyboard.press("Escape")
    expect(page.locator(".choices")).to_have_count(0)
    expect(point(page, "f3")).to_be_focused()
    assert page.evaluate("board.pressed") == []
    page.keyboard.press("Enter")
    expect(birch).to_be_focused()
    page.keyboard.press("Tab")
    expect(oak).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#turns li")).to_have_count(len(THORN) + 1)
    expect(point(page, "f3")).to_be_focused()
    assert turns(page, where)[-1] == "Of3"


def test_a_press_elsewhere_ends_a_choice_and_plays_nothing(visit: Visit) -> None:
    page, _, where = seated(visit, "root_and_thorn", THORN)
    choices, may = page.locator(".choices"), page.locator("root-board .may")
    playable = may.evaluate_all("all => all.map((one) => one.dataset.point)")
    assert "h2" in playable
    for elsewhere in (point(page, "h2"), page.locator("#prompt"), point(page, "a10")):
        point(page, "f3").click()
        expect(choices).to_be_visible()
        page.wait_for_timeout(450)  # what comes sooner at the same point would be a part of the press
        elsewhere.click()
        expect(choices).to_have_count(0)
        assert page.evaluate("board.pressed") == []
    expect(page.locator("#said")).to_be_empty()
    assert turns(page, where) == THORN
    point(page, "h2").click()
    expect(page.locator("#turns li")).to_have_count(len(THORN) + 1)


def test_a_choice_ends_when_one_looks_back(visit: Visit) -> None:
    page, _, _ = seated(visit, "root_and_thorn", THORN)
    point(page, "f3").click()
    expect(page.locator(".choices")).to_be_visible()
    page.get_by_role("link", name="Previous turn").click()
    expect(page.locator(".choices")).to_have_count(0)
    expect(page.locator("#when")).to_contain_text("After turn 15")


# --- the way back from a closer look ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A1", "A10", "K1", "L10", "K19", "T10", "T19"])
def test_a_magnified_board_has_a_button_back(visit: Visit, name: str) -> None:
    page, _, where = seated(visit, "hexbo", **PHONE)
    whole, drawn = page.get_by_role("button", name="Whole board"), page.locator("root-board svg")
    expect(whole).to_have_count(0)
    before = drawn.get_attribute("viewBox")
    tap(page, name)
    expect(whole).to_be_visible()
    assert on_screen(page, whole) and box(whole)["height"] >= FINGER
    assert apart(box(whole), box(point(page, name).locator(".spot"))), "one can still press what one meant"
    whole.tap()
    expect(whole).to_have_count(0)
    expect(drawn).to_have_attribute("viewBox", before or "")
    expect(page.locator("#said")).to_be_empty()
    assert turns(page, where) == []


def test_the_button_back_works_by_keyboard(visit: Visit) -> None:
    page, _, _ = seated(visit, "hexbo", **PHONE)
    tap(page, "L10")
    page.get_by_role("button", name="Whole board").press("Enter")
    expect(page.locator("root-board.close")).to_have_count(0)
    expect(page.locator("root-board .point:focus")).to_have_count(1)


# --- every screen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", [LYING, SMALL], ids=["740x360", "640x340"])
@pytest.mark.parametrize("name", games())
def test_a_phone_that_lies_shows_all_that_playing_takes(visit: Visit, name: str, screen: dict[str, Any]) -> None:
    page, _, _ = seated(visit, name, **screen)
    board = box(page.locator("root-board svg"))
    assert on_screen(page, page.locator("root-board svg"))
    assert board["height"] > 0.8 * screen["viewport"]["height"]
    needed = [page.locator("#seats .mover"), page.locator("#prompt"), *page.locator("#seats .clock").all()]
    for each in (*needed, *page.locator("#buttons button").all()):
        assert on_screen(page, each) and box(each)["left"] >= board["right"], each
    no_sideways(page)


def test_what_ends_a_turn_is_beside_the_board_of_a_phone_that_lies(visit: Visit) -> None:
    page, _, _ = seated(visit, "rootbound", ["a1", "b2 done"], **LYING)
    finger(page, "g7")
    for name in ("Done", "Begin this turn again"):
        button = page.locator("#buttons").get_by_role("button", name=name)
        expect(button).to_be_visible()
        assert on_screen(page, button) and box(button)["height"] >= FINGER


@pytest.mark.parametrize("size", [(1920, 1080), (2560, 1440)])
@pytest.mark.parametrize("name", games())
def test_a_large_screen_is_used(visit: Visit, name: str, size: tuple[int, int]) -> None:
    page, _, _ = seated(visit, name, viewport={"width": size[0], "height": size[1]})
    drawn = page.locator("root-board svg")
    board = box(drawn)
    assert on_screen(page, drawn) and board["height"] > 0.88 * size[1]
    panels = [
        page.locator(what) for what in ("#game > .now", "#turns", "#talk", "#talk > form:visible input[name=text]")
    ]
    for each in panels:
        assert on_screen(page, each) and box(each)["left"] >= board["right"], each
    assert max(box(each)["right"] for each in panels) - board["left"] > 0.7 * size[0]
    no_sideways(page)


def test_alone_with_a_machine_there_is_no_column_for_talk(visit: Visit) -> None:
    page = visit(viewport={"width": 1920, "height": 1080})
    start(page, "tanbo")
    expect(page.locator("#talk")).not_to_have_attribute("open", "")
    assert abs(box(page.locator("#talk"))["left"] - box(page.locator("#game > .now"))["left"]) < 2


@pytest.mark.parametrize("screen", [PHONE, LYING, {"viewport": {"width": 1920, "height": 1080}}])
def test_axe_finds_nothing_serious_while_one_chooses_and_talks(visit: Visit, screen: dict[str, Any]) -> None:
    page, bo, where = seated(visit, "root_and_thorn", THORN, bypass_csp=True, **screen)
    for number in range(30):
        bo.context.request.post(f"/api{where}/chat", data={"room": "players", "text": f"line {number}"})
    expect(page.locator("#talk li[data-said]")).to_have_count(30)
    found = troubles(page, "with a mark")
    if not page.locator("#talk[open]").count():
        page.locator("#talk > summary").click()
    found += troubles(page, "with talk")
    no_sideways(page)
    page.evaluate("document.getElementById('talk').open = false")
    page.evaluate("board.press('f3')")
    expect(page.locator(".choices")).to_be_visible()
    found += troubles(page, "with a choice")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "screen", [PHONE, LYING, *({"viewport": {"width": w, "height": 800}} for w in (1000, 1280, 1920))]
)
def test_nothing_jumps_where_people_talk(visit: Visit, screen: dict[str, Any]) -> None:
    page, bo, where = seated(visit, "root_and_thorn", THORN, **screen)
    for number in range(12):
        bo.context.request.post(f"/api{where}/chat", data={"room": "players", "text": f"line {number}"})
    page.add_init_script(SHIFTED)
    page.goto(where, wait_until="networkidle")
    expect(page.locator("root-board .may").first).to_be_visible()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("() => window.shifted") == []


def test_a_note_tells_beside_itself_whether_it_is_kept(visit: Visit) -> None:
    page = visit(quiet="the server responded with a status of 4")
    where = start(page, "hexbo(side=5)", opponent="friend")
    page.get_by_text("Your notes").click()
    page.get_by_label("Note").fill("mind the edge")
    page.get_by_role("button", name="Save the note").click()
    expect(page.locator("#note-said")).to_have_text("Saved.")
    page.goto(where)
    expect(page.get_by_label("Note")).to_have_value("mind the edge")
    page.context.clear_cookies()  # the session is over
    page.get_by_role("button", name="Save the note").click()
    expect(page.locator("#note-said")).to_have_class("bad")
    expect(page.locator("#note-said")).to_contain_text("You have no session")
    expect(page.get_by_label("Note")).to_have_value("mind the edge")
