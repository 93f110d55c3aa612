"""An animated SVG in a real browser: it plays, it shows what it should when, and it stands still for who wants that."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import hedgerow as hg
from hedgerow.draw.animation import animated

SEEN = """() => [...document.querySelectorAll('.point')]
    .filter(one => getComputedStyle(one).visibility == 'visible' && one.querySelector('.piece'))
    .map(one => one.dataset.point).sort()"""
AT = "seconds => document.getAnimations().forEach(one => { one.pause(); one.currentTime = 1000 * seconds; })"


@pytest.fixture
def film(tmp_path: Path) -> tuple[hg.Match, str]:
    match = hg.Match("root_bound(side=4)")
    match.play("d3 d5 c2 c3 g1 e5 b5 f3 b1 f5 a3 e1 b2 g3 d4")
    scenes = [match.after(turn).scene() for turn in range(len(match.turns) + 1)]
    place = tmp_path / "game.svg"
    place.write_text(animated(scenes, seconds=1, rest=2))
    return match, place.as_uri()


def opened(browser: Browser, place: str, motion: str) -> Page:
    page = browser.new_context(reduced_motion=motion).new_page()  # type: ignore[arg-type]
    page.goto(place)
    return page


def test_it_plays_the_game(browser: Browser, film: tuple[hg.Match, str]) -> None:
    match, place = film
    page = opened(browser, place, "no-preference")
    assert page.evaluate("document.getAnimations().length") > 10
    for turn in range(len(match.turns) + 1):
        page.evaluate(AT, turn + 0.5)
        assert page.evaluate(SEEN) == sorted(match.after(turn).cells()), f"after {turn} turns"
    page.evaluate(AT, len(match.turns) + 2.9)
    assert page.evaluate(SEEN) == sorted(match.cells()), "the last position rests"


def test_it_stands_still_for_who_wants_that(browser: Browser, film: tuple[hg.Match, str]) -> None:
    match, place = film
    page = opened(browser, place, "reduce")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate(SEEN) == sorted(match.cells())
