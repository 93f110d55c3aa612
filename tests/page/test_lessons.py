"""Every lesson from its first step to the first game, in a real browser."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from browsing import PHONE, Visit, point, tap
from playwright.sync_api import Page, Route, expect

from hedgerow.games import games
from hedgerow.lessons import ANY, Step, lesson_of
from hedgerow.match import Match


def presses(step: Step) -> list[str]:
    """What somebody presses who does what a step asks for."""
    if step.refused:
        return list(step.press)
    match, pressed = step.scene.match(), []
    words = iter([] if step.wanted == (ANY,) else step.wanted[0].split())
    while not match.turns or match.rules.mid_turn(match.plain):
        word = next(words, match.legal()[0])
        action = match.rules.read(match.plain, word)
        assert isinstance(action, int)
        pressed += match.rules.clicks(match.plain, action)
        match.play(word)
    return pressed


def press(page: Page, match: Match, name: str) -> None:
    """A point on the board, or the button beside it."""
    if name in match.rules.board.point:
        point(page, name).click()
    else:
        page.locator("#buttons, .choices").get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("name", games())
def test_a_lesson_is_played_from_start_to_end(visit: Visit, name: str) -> None:
    page = visit()
    page.goto(f"/rules/{name}")
    page.get_by_role("link", name="Learn it in").click()
    steps = lesson_of(name).steps
    for number, step in enumerate(steps, 1):
        expect(page.get_by_text(f"step {number} of {len(steps)}")).to_be_visible()
        expect(page.locator("root-board .may").or_(page.locator("#buttons button")).first).to_be_visible()
        for pressed in presses(step):
            press(page, step.scene.match(), pressed)
        expect(page.locator("#then")).to_be_visible()
        if step.refused:
            expect(page.locator("#clause a")).to_be_visible()
        page.locator("#next").click()
    expect(page).to_have_url(re.compile("/games/"))
    expect(page.locator("root-board .may").first).to_be_visible()


def test_a_turn_that_is_not_meant_is_taken_back_kindly(visit: Visit) -> None:
    page = visit()
    page.goto("/learn/tanbo?step=4")
    expect(page.locator("root-board .may").first).to_be_visible()
    point(page, "E7").click()
    expect(page.locator("#again")).to_be_visible()
    expect(point(page, "E7").locator(".piece")).to_have_count(0)
    point(page, "A8").click()
    expect(page.locator("#then")).to_be_visible()
    expect(page.locator("#again")).to_be_hidden()
    expect(point(page, "B8").locator(".piece")).to_have_count(0)


def test_a_refused_point_leads_to_its_clause(visit: Visit) -> None:
    page = visit()
    page.goto("/learn/hexbo?step=3")
    expect(page.locator("root-board .may").first).to_be_visible()
    point(page, "C3").click()
    expect(page.locator("#said")).to_contain_text("B2 and B3")
    expect(page.locator("root-board .lit")).to_have_count(2)
    page.locator("#clause a").click()
    expect(page.locator("#r3\\.3:target")).to_be_in_viewport()


@pytest.mark.parametrize("button", ["left", "right"])
def test_a_press_counts_that_began_before_the_server_had_answered(
    visit: Visit, button: Literal["left", "right"]
) -> None:
    """The picture under the pointer is another one when the button comes up than when it went down."""
    page = visit()
    page.goto("/learn/root_bound?step=3")
    expect(page.locator("root-board .may").first).to_be_visible()
    first, second = presses(lesson_of("root_bound").steps[2])
    held: list[Route] = []
    page.route("**/api/positions", lambda asked: held.append(asked), times=1)
    point(page, first).click()
    point(page, second).hover()
    page.mouse.down(button=button)
    expect(page.locator("root-board .may")).to_have_count(0)
    held[0].continue_()
    expect(point(page, second)).to_have_class(re.compile(r"\bmay\b"))
    page.mouse.up(button=button)
    if button == "right":  # which presses nothing
        expect(page.locator("#then")).to_be_hidden()
        expect(point(page, second)).to_have_class(re.compile(r"\bmay\b"))
        point(page, second).click()
    expect(page.locator("#then")).to_be_visible()


def test_a_two_piece_turn_with_a_finger(visit: Visit) -> None:
    page = visit(**PHONE)
    page.goto("/learn/root_bound?step=9")
    expect(page.locator("root-board .may").first).to_be_visible()
    tap(page, "c1")
    if page.locator("root-board.close").count():
        tap(page, "c1")
    page.locator("#buttons").get_by_role("button", name="done").tap()
    expect(page.locator("#then")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
