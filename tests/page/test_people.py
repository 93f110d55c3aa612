"""People among themselves in real browsers: three at one board, and from signing up to a rated game."""

from __future__ import annotations

import re

import pytest
from browsing import Visit, start, turns
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.xdist_group("page_people")


def place_a_stone(page: Page) -> None:
    """Plays the first point that may be pressed, when it is our turn."""
    page.locator("root-board .may").first.click()


def test_three_people_play_and_one_leaves(visit: Visit) -> None:
    ann, bo, cy = visit(), visit(), visit()
    where = start(ann, "hexbo(side=5,players=3)", opponent="friend")
    for page in (bo, cy):
        page.goto(where)
        page.get_by_role("button", name="Join the game").click()
        expect(page.locator("#seats")).to_contain_text("(you)", use_inner_text=True)
    expect(ann.locator("#seats")).not_to_contain_text("waiting for a player", use_inner_text=True)
    for played, page in enumerate([ann, bo, cy] * 2, 1):
        expect(page).to_have_title(re.compile("Your turn"))
        place_a_stone(page)
        for other in (ann, bo, cy):
            expect(other.locator("#turns li")).to_have_count(played)
    expect(bo).not_to_have_title(re.compile("Your turn"))
    bo.get_by_text("Resign", exact=True).click()
    bo.get_by_role("button", name="Yes, resign").click()
    for page in (ann, bo, cy):
        out = page.locator("#seats li.out")
        expect(out).to_have_count(1)
        expect(out).to_contain_text("place 3")
    for page in (ann, cy, ann):
        place_a_stone(page)
        expect(page.locator("#prompt")).to_contain_text("is to move.")
    assert len(turns(ann, where)) == 9
    cy.get_by_text("Resign", exact=True).click()
    cy.get_by_role("button", name="Yes, resign").click()
    expect(ann.locator("#result h2:visible")).to_have_text("You won")
    expect(bo.locator("#seats li").nth(2)).to_contain_text("place 2")


def sign_up(page: Page, name: str) -> None:
    page.goto("/sign-up")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("under the hedge")
    page.locator("main").get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()


def test_from_signing_up_to_a_rated_game(visit: Visit) -> None:
    ann, bo = visit(), visit()
    sign_up(ann, "Ann Hedge")
    sign_up(bo, "Bo Field")
    ann.goto("/lobby")
    ann.get_by_label("Game").select_option("root_down")
    ann.get_by_label("Rated (standard board only)").check()
    ann.get_by_role("button", name="Create in the lobby").click()
    expect(ann.locator(".kind")).to_contain_text("Rated")
    bo.goto("/lobby")
    bo.locator("li").filter(has_text="Ann Hedge").get_by_role("button").first.click()
    for page in (ann, bo):
        expect(page.locator("#seats .stands")).to_have_text(["1500?", "1500?"])
    first, second = (ann, bo) if "Your turn" in ann.title() else (bo, ann)
    for page in (first, second, first):
        kick(page)
        expect(page.locator("#prompt")).to_contain_text("is to move.")
    talk_and_offer(first, second)
    second.get_by_text("Resign", exact=True).click()
    second.get_by_role("button", name="Yes, resign").click()
    for page in (first, second):
        expect(page.locator("#result h2:visible")).to_have_text(re.compile("won"))
        expect(page.locator("#seats .stands").first).to_contain_text("1605? +105")
        expect(page.locator("#seats .stands").last).to_contain_text("1395? −105")
    first.locator("#seats .who a").first.click()
    expect(first.locator("main")).to_contain_text("1605")


def talk_and_offer(one: Page, other: Page) -> None:
    """A word and an offer, which is declined; nobody leaves the page for it."""
    one.evaluate("window.stayed = true")
    one.get_by_label("Message to the players").fill("A draw?")
    one.get_by_role("button", name="Send").click()
    expect(other.locator(".chat:visible")).to_contain_text("A draw?")
    expect(one.get_by_label("Message to the players")).to_have_value("")
    one.get_by_role("button", name="Offer a draw").click()
    expect(one.locator("#offers")).to_contain_text("You offered a draw.", use_inner_text=True)
    other.get_by_role("button", name="Decline").click()
    expect(one.locator("#offers")).not_to_contain_text("You offered a draw.", use_inner_text=True)
    assert one.evaluate("window.stayed")


def kick(page: Page) -> None:
    """A turn of Root Down: a kicker, then where it goes."""
    for _ in range(2):
        page.locator("root-board .may").first.click()


def ask_in_the_lobby(page: Page) -> str:
    """Asks for a game with a live clock and leaves its page; where it is."""
    page.goto("/lobby")
    page.get_by_label("Clock").select_option("3+2")
    page.get_by_role("button", name="Create in the lobby").click()
    expect(page).to_have_url(re.compile("/games/"))
    return "/games/" + page.url.rpartition("/")[2]


def accept(page: Page, where: str) -> None:
    page.goto(where)
    page.get_by_role("button", name="Join the game").click()
    expect(page.locator("#seats")).to_contain_text("(you)", use_inner_text=True)


def test_whoever_waits_in_the_lobby_is_taken_to_the_game(visit: Visit) -> None:
    ann, bo = visit(), visit()
    where = ask_in_the_lobby(ann)
    ann.goto("/lobby")
    accept(bo, where)
    ann.wait_for_url(f"**{where}")
    expect(ann).to_have_title(re.compile("Your turn"))


def test_whoever_waits_at_the_games_own_page_plays_at_once(visit: Visit) -> None:
    ann, bo = visit(), visit()
    where = ask_in_the_lobby(ann)
    accept(bo, where)
    expect(ann).to_have_title(re.compile("Your turn"))
    place_a_stone(ann)
    expect(bo).to_have_title(re.compile("Your turn"))


def test_other_pages_say_that_the_game_has_begun(visit: Visit) -> None:
    """In every tab, by one stream of events for all of them."""
    ann, bo = visit(), visit()
    where = ask_in_the_lobby(ann)
    other = ann.context.new_page()
    streams: list[str] = []
    ann.context.on("request", lambda asked: streams.append(asked.url) if asked.url.endswith("/api/bell") else None)
    ann.goto("/archive")
    other.goto("/rules")
    banner = "Your game has begun"
    for page in (ann, other):
        expect(page.get_by_text(banner)).to_be_hidden()
    accept(bo, where)
    for page in (ann, other):
        expect(page.get_by_text(banner)).to_be_visible()
        assert "/games/" not in page.url
    assert len(streams) == 1, streams
    other.goto("/leaders")
    expect(other.get_by_text(banner)).to_be_visible()  # its clock runs
    ann.get_by_role("link", name="To the game", exact=True).click()
    expect(ann).to_have_url(re.compile(where))
    expect(ann.get_by_text(banner)).to_have_count(0)


def test_without_scripts_the_lobby_looks_again_by_itself(visit: Visit) -> None:
    ann, bo = visit(java_script_enabled=False), visit()
    ann.goto("/lobby")
    assert not ann.locator("meta[http-equiv=refresh]").count()
    where = ask_in_the_lobby(ann)
    ann.goto("/lobby")
    expect(ann.locator("meta[http-equiv=refresh]")).to_have_count(1)
    accept(bo, where)
    ann.get_by_role("link", name="To the game", exact=True).click()  # which comes with the next look
    expect(ann).to_have_url(re.compile(where))
