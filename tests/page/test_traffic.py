"""What a real browser sends and gets while people play: messages on one line, as `hedgerow bench page` does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from browsing import Visit, point, start
from playwright.sync_api import Page, WebSocket, expect

pytestmark = pytest.mark.xdist_group("page_people")


class Traffic:
    """What goes over a page's lines from now on."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.up: list[dict[str, Any]] = []
        self.down: list[dict[str, Any]] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", self._line)

    def _line(self, line: WebSocket) -> None:
        line.on("framesent", self._into(self.up))
        line.on("framereceived", self._into(self.down))

    def _into(self, where: list[dict[str, Any]]) -> Callable[[str | bytes], None]:
        return lambda frame: where.append(json.loads(frame))

    def clear(self) -> None:
        for each in (self.requests, self.up, self.down):
            each.clear()

    def kinds(self) -> set[str]:
        """What came, but for who is there, which comes when it comes."""
        return {told["type"] for told in self.down} - {"page"}


def played(page: Page, count: int) -> None:
    expect(page.locator("#turns li")).to_have_count(count)


def test_turns_are_messages_and_nothing_is_fetched(visit: Visit) -> None:
    ann, bo = visit(), visit()
    told = [Traffic(ann), Traffic(bo)]
    where = start(ann, "root_bound(side=4)", opponent="friend")
    bo.goto(where)
    bo.get_by_role("button", name="Join the game").click()
    expect(ann.locator("root-board .may").first).to_be_visible()
    expect(bo.locator("#prompt")).to_contain_text("is to move.")
    for traffic in told:
        traffic.clear()
    ann.locator("root-board .may").first.click()
    played(bo, 1)
    bo.locator("root-board .may").first.click()
    expect(bo.get_by_role("button", name="Begin this turn again")).to_be_visible()
    bo.locator("root-board .may").first.click()
    for page in (ann, bo):
        played(page, 2)
    expect(ann.locator("root-board .may").first).to_be_visible()
    assert [each.requests for each in told] == [[], []]
    assert [(up["type"], up["number"]) for up in told[0].up] == [("turn", 0)]
    assert [(up["type"], up["number"]) for up in told[1].up] == [("turn", 1)] * 2
    assert set(told[1].up[1]) == {"type", "number", "text", "thought"}
    assert told[0].kinds() == {"board"} and told[1].kinds() == {"board", "tried"}
    boards = [down for down in told[0].down if down["type"] == "board"]
    assert [board["version"] for board in boards] == [1, 2] and all("lines" not in board["picture"] for board in boards)


def test_talk_offers_and_the_end_are_messages_too(visit: Visit) -> None:
    ann, bo = visit(), visit()
    told = [Traffic(ann), Traffic(bo)]
    where = start(ann, "hexbo(side=5)", opponent="friend")
    bo.goto(where)
    bo.get_by_role("button", name="Join the game").click()
    expect(ann.locator("root-board .may").first).to_be_visible()
    for page in (ann, bo):
        page.wait_for_load_state("networkidle")
    for traffic in told:
        traffic.clear()
    ann.get_by_label("Message to the players").fill("<b>hi</b>")
    ann.get_by_role("button", name="Send").click()
    expect(bo.locator(".chat:visible")).to_contain_text("<b>hi</b>")
    bo.get_by_role("button", name="Offer a draw").click()
    ann.get_by_role("button", name="Accept").click()
    for page in (ann, bo):
        expect(page.locator("#result h2:visible")).to_have_text("A draw")
    assert told[0].requests == told[1].requests == []
    assert told[1].kinds() == {"chat", "board"} and [up["type"] for up in told[0].up] == ["chat", "agree"]
    bo.get_by_role("button", name="Rematch").click()
    ann.get_by_role("button", name="Accept").click()
    for page in (ann, bo):  # who wants to play again is taken there
        page.wait_for_url(lambda url: "/games/" in url and where not in url)
    assert ann.url == bo.url


def test_a_refusal_stays_until_the_next_press(visit: Visit) -> None:
    ann, bo = visit(), visit()
    where = start(ann, "hexbo(side=5)", opponent="friend")
    bo.goto(where)
    bo.get_by_role("button", name="Join the game").click()
    expect(ann.locator("root-board .may").first).to_be_visible()
    ann.locator('root-board [data-point="E5"]').click()
    expect(ann.locator("#said")).to_contain_text("touches no stone of yours")
    bo.get_by_role("button", name="Offer a draw").click()
    expect(ann.get_by_role("button", name="Accept")).to_be_visible()
    bo.goto("/")
    expect(ann.locator(".presence:visible")).to_have_text("○ away")
    expect(ann.locator("#said")).to_contain_text("touches no stone of yours")
    ann.locator("root-board .may").first.click()
    expect(ann.locator("#said")).to_be_empty()


@pytest.mark.parametrize(
    ("rules", "pressed", "why"),
    [("hexbo(side=5)", ["E5"], "touches no stone of yours"), ("root_down", ["b2", "b3"], "exactly 2 squares")],
)
def test_nothing_that_comes_later_wipes_a_refusal(visit: Visit, rules: str, pressed: list[str], why: str) -> None:
    """Neither presence, chat, watchers and offers, nor the clocks, nor all of it again when the line was broken."""
    ann, bo, cy = visit("ERR_INTERNET_DISCONNECTED"), visit(), visit()
    told = Traffic(ann)
    where = start(ann, rules, opponent="friend", clock={"kind": "live", "minutes": 10, "increment": 5})
    bo.goto(where)
    bo.get_by_role("button", name="Join the game").click()
    expect(ann.locator("root-board .may").first).to_be_visible()
    for name in pressed:
        point(ann, name).click()
    said = ann.locator("#said")
    expect(said).to_contain_text(why)
    words = said.inner_text()
    told.clear()
    bo.get_by_label("Message to the players").fill("hello")
    bo.get_by_role("button", name="Send").click()
    expect(ann.locator(".chat:visible")).to_contain_text("hello")
    cy.goto(where)
    expect(ann.get_by_text("· 1 watching")).to_be_visible()
    bo.get_by_role("button", name="Offer a draw").click()
    expect(ann.get_by_role("button", name="Accept")).to_be_visible()
    bo.goto("/")
    expect(ann.locator(".presence:visible")).to_have_text("○ away")
    assert "chat" in told.kinds()
    expect(said).to_have_text(words)
    told.clear()
    ann.context.set_offline(True)
    expect(ann.locator("#line")).to_be_visible()
    ann.context.set_offline(False)
    expect(ann.locator("#line")).to_be_hidden()
    expect(ann.locator(".clock").first).not_to_contain_text("10:00")  # it goes on
    while "board" not in told.kinds():  # which comes after the line is there again
        ann.wait_for_timeout(50)
    expect(said).to_have_text(words)
    ann.locator("root-board .may").first.click()
    expect(said).to_be_empty()
