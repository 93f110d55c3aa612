"""Nobody waits unseen: what calls for somebody does so on every page, in real browsers."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
import zxingcpp
from browsing import PHONE, Visit
from PIL import Image
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.xdist_group("page_people")


def signed_up(visit: Visit, name: str) -> Page:
    page = visit()
    asked = {"name": name, "password": "under the hedge"}
    assert page.context.request.post("/api/sign-up", data=asked).ok
    return page


def challenge(page: Page, name: str) -> str:
    asked = {"rules": "hexbo(side=5)", "opponent": "named", "name": name, "clock": {"kind": "live"}}
    made = page.context.request.post("/api/games", data=asked)
    assert made.ok, made.text()
    return f"/games/{made.json()['id']}"


def test_a_challenge_is_answered_wherever_one_is(visit: Visit) -> None:
    ann, bo = signed_up(visit, "Iris"), signed_up(visit, "Jay")
    ann.goto("/leaders")
    bo.goto("/rules")
    line = bo.locator("#live")
    where = challenge(ann, "Jay")
    expect(line).to_contain_text("Iris challenges you: Hexbo, side 5, 5 minutes, plus 3 seconds a turn, friendly.")
    expect(bo).to_have_title(
        "(1) Iris challenges you: Hexbo, side 5, 5 minutes, plus 3 seconds a turn, friendly. · Hedgerow"
    )
    expect(bo.locator(".own > .notices .badge")).to_contain_text("1")
    ann.goto(where)
    expect(ann.locator("#joining")).to_contain_text("Waiting for Jay, who has been told.")
    expect(ann.locator("#seats")).to_contain_text("waiting for Jay")
    expect(ann.locator("#invite")).to_be_hidden()
    ann.goto("/leaders")
    line.get_by_role("button", name="Decline").click()
    expect(line.locator("[data-news]")).to_have_count(0)
    assert bo.url.endswith("/rules")
    expect(ann.locator("#live")).to_contain_text("Hexbo: Jay declined your challenge.")
    ann.locator("#live").get_by_role("link", name="To the game").click()
    expect(ann.locator("#result h2:visible")).to_have_text("Jay declined the challenge")
    expect(ann.locator("#live [data-news]")).to_have_count(0)
    ann.goto("/lobby")
    where = challenge(ann, "Jay")
    line.get_by_role("button", name="Accept").click()
    for page in (ann, bo):
        page.wait_for_url(f"**{where}")
    expect(ann).to_have_title(re.compile("Your turn"))


def test_turns_refusals_and_rematches_call(visit: Visit) -> None:
    ann, bo = signed_up(visit, "Kit"), signed_up(visit, "Linnet")
    where = challenge(ann, "Linnet")
    bo.goto(where)
    bo.get_by_role("button", name="Accept").click()
    ann.goto(where)
    ann.locator("root-board .may").first.click()
    expect(bo).to_have_title(re.compile("Your turn"))
    ann.get_by_role("button", name="Offer a draw").click()
    expect(bo.get_by_role("button", name="Decline")).to_be_visible()
    ann.goto("/archive")
    bo.get_by_role("button", name="Decline").click()
    expect(ann.locator("#live")).to_contain_text("Hexbo: Linnet declined a draw.")
    ann.locator("#live").get_by_role("button", name="All right").click()
    expect(ann.locator("#live [data-news]")).to_have_count(0)
    bo.locator("root-board .may").first.click()
    expect(ann.locator("#live")).to_contain_text("Your turn: Hexbo, side 5.")
    ann.locator("#live").get_by_role("link", name="To the game").click()
    ann.get_by_text("Resign", exact=True).click()
    ann.get_by_role("button", name="Yes, resign").click()
    bo.get_by_role("button", name="Rematch").click()
    expect(ann.locator(".offer-rematch:visible")).to_contain_text("Linnet offers a rematch.")
    bo.reload()  # and has forgotten nothing
    expect(bo.locator(".offer-rematch:visible")).to_contain_text("You offered a rematch.")
    ann.get_by_role("button", name="Accept").click()
    for page in (ann, bo):
        page.wait_for_url(lambda url: not url.endswith(where))
    assert ann.url == bo.url
    expect(ann.locator("#prompt")).to_contain_text("is to move")


def test_an_invitation_is_copied_shown_as_a_code_and_taken_back(visit: Visit, here: str) -> None:
    ann, bo = visit(quiet="Cross-Origin-Opener-Policy", **PHONE), visit()
    outside = here.replace("127.0.0.1", "hedge.test")
    ann.goto(f"{outside}/")
    ann.locator("article", has_text="Tanbo").get_by_text("More choices").click()
    ann.locator("article", has_text="Tanbo").get_by_role("button", name="Play a friend").click()
    invite = ann.locator("#invite")
    link = invite.get_by_role("link").inner_text()
    assert link == ann.url
    invite.get_by_role("button", name="Copy").click()
    expect(invite.get_by_role("status")).to_have_text("Copied.")
    invite.get_by_text("QR code").click()
    code = invite.get_by_role("img")
    expect(code).to_be_visible()
    ann.wait_for_function("() => document.querySelector('.code').complete")
    found = zxingcpp.read_barcode(Image.open(BytesIO(code.screenshot())))
    assert found and found.text == link
    assert ann.evaluate("document.documentElement.scrollWidth") <= 360
    bo.goto(link.replace("hedge.test", "127.0.0.1"))
    expect(bo.locator("#joining .greeting:visible")).to_have_text(re.compile(r"Guest.* invites you to Tanbo\."))
    ann.get_by_role("button", name="Take it back").click()
    expect(ann).to_have_url(re.compile("/lobby$"))
    expect(bo.locator("#result h2:visible")).to_have_text("Nobody won")


def test_quick_pairing_calls_from_the_machines_board(visit: Visit) -> None:
    ann, bo = visit(), visit()
    ann.goto("/lobby")
    ann.get_by_role("button", name=re.compile("^Long")).click()
    expect(ann.locator("#joining")).to_contain_text("Everybody sees it in the lobby.")
    where = "/games/" + ann.url.rpartition("/")[2]
    ann.get_by_role("button", name="Play the machine while you wait").click()
    ann.wait_for_url(lambda url: not url.endswith(where))
    expect(ann.locator("root-board svg")).to_be_visible()
    bo.goto("/")
    bo.get_by_role("button", name=re.compile("^Long")).click()
    bo.wait_for_url(f"**{where}")
    expect(ann.locator("#live")).to_contain_text("Your game has begun:")
    ann.locator("#live").get_by_role("link", name="To the game").click()
    ann.wait_for_url(f"**{where}")
    for page in (ann, bo):
        expect(page.locator("#seats")).to_contain_text("(you)", use_inner_text=True)


def test_any_mix_of_seats_and_somebody_for_a_machine(visit: Visit) -> None:
    """Six seats: a machine first, then me, a friend by name, one by the link, one from the lobby, another machine."""
    ann, bo, cy, di, ed = signed_up(visit, "Merle"), signed_up(visit, "Nuthatch"), visit(), visit(), visit(**PHONE)
    ann.goto("/lobby")
    ann.get_by_role("link", name="Three or six players, or any mix of people and machines").click()
    ann.locator("[name=rules]").first.select_option("hexbo(players=6)")
    ann.get_by_role("button", name="Show its seats").click()
    seats = ann.locator(".seating fieldset")
    expect(seats).to_have_count(6)
    for number, who in enumerate(("1", "me", "named", "link", "lobby", "2")):
        seats.nth(number).get_by_label("Who plays").select_option(who)
    seats.nth(2).get_by_role("textbox").fill("nuthatch")
    ann.get_by_role("button", name="Create the game").click()
    expect(ann.locator("#seats")).to_contain_text("waiting for Nuthatch")
    where = "/games/" + ann.url.rpartition("/")[2]
    bo.goto("/rules")
    bo.locator("#live").get_by_role("button", name="Accept").click()
    cy.goto("/lobby")
    cy.locator("li", has_text="Hexbo, 6 players").filter(has_text="Merle").get_by_role("button").first.click()
    di.goto(where)
    di.get_by_role("button", name="Join the game").click()
    expect(ann.locator("#seats li .free:visible")).to_have_count(0)
    names = ann.locator("#seats .name:visible")
    expect(names).to_have_count(6)
    expect(names.nth(0)).to_contain_text("level 1")
    expect(names.nth(5)).to_contain_text("level 2")
    expect(names.nth(2)).to_have_text("Nuthatch")
    ed.goto(where)
    assert ed.evaluate("document.documentElement.scrollWidth") <= 360
    ed.locator("#joining form:visible").last.get_by_role("button").click()
    expect(ed.locator("#seats li").nth(5)).to_contain_text("(you)", use_inner_text=True)
    expect(ann.locator("#seats li").nth(5)).to_contain_text("Guest")


def test_your_games_are_boards_and_the_next_one_is_a_press_away(visit: Visit) -> None:
    ann, bo = signed_up(visit, "Oriole"), signed_up(visit, "Pipit")
    games = []
    for rules in ("hexbo(side=5)", "tanbo(size=9)"):
        asked = {"rules": rules, "opponent": "named", "name": "Pipit", "clock": {"kind": "days", "days": 3}}
        games.append(ann.context.request.post("/api/games", data=asked).json()["id"])
        assert bo.context.request.post(f"/api/games/{games[-1]}/join").ok
    ann.goto("/your-games")
    card = ann.locator(".boards li", has_text="Hexbo, side 5")
    expect(card).to_contain_text("Your turn.")
    expect(card).to_contain_text("2 days left")
    picture = card.locator("img")
    ann.wait_for_function("(image) => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    expect(card.get_by_role("link", name="Pipit")).to_have_attribute("href", re.compile(r"/people/\d+"))
    picture.click()
    ann.locator("root-board .may").first.click()
    ann.get_by_role("link", name="Next game").click()
    ann.wait_for_url(f"**/games/{games[1]}")
    ann.locator("root-board .may").first.click()
    expect(ann.locator("#prompt")).to_contain_text("is to move.")
    ann.get_by_role("link", name="Next game").click()
    ann.wait_for_url("**/your-games")
    expect(ann.locator(".boards li", has_text="Tanbo")).to_contain_text("Pipit is to move.")
    for client in (bo, ann):
        assert client.context.request.post(f"/api/games/{games[0]}/resign").ok
    ann.reload()
    expect(ann.locator(".boards li", has_text="Hexbo")).to_contain_text("You won.")
    ann.goto("/archive?rules=hexbo")
    rows = ann.locator(".finished li")
    expect(rows.first.get_by_role("link", name="Oriole")).to_be_visible()
    if rows.count() > 1:
        lefts = rows.evaluate_all("(rows) => rows.map((row) => row.querySelector('.won').getBoundingClientRect().left)")
        assert len(set(lefts)) == 1
