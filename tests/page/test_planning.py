"""Conditional turns in a real browser: played on the board as a tree, kept, followed, never in the game's way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import PHONE, Visit, point, start, tap, turns
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.xdist_group("page_plans")

DAYS = {"kind": "days", "days": 3}
HEXBO = "hexbo(side=5)"


def seated(visit: Visit, rules: str, seats: int = 2, **options: Any) -> tuple[Page, list[Page], str]:
    """Somebody in the last seat who waits for the others at a game by correspondence; only the first looks at it."""
    page = visit(**options)
    asked = [{"who": "anyone"}] * (seats - 1)
    where = start(page, rules, seats=[*asked, {"who": "me"}], clock=DAYS)
    others = [visit() for _ in range(seats - 1)]
    for number, other in enumerate(others):
        other.context.request.post("/api/guest")
        assert other.context.request.post(f"/api{where}/join", params={"seat": number}).ok
    return page, others, where


def play(page: Page, where: str, text: str) -> None:
    """A turn of somebody else."""
    number = page.context.request.get(f"/api{where}").json()["version"]
    answer = page.context.request.post(f"/api{where}/turns", data={"number": number, "text": text})
    assert answer.ok, answer.text()


def planned(page: Page, where: str) -> list[list[str]]:
    """What the server keeps."""
    found: list[list[str]] = page.context.request.get(f"/api{where}/plan").json()["lines"]
    return found


def begin(page: Page) -> None:
    page.get_by_role("button", name="Plan ahead").click()
    expect(page.get_by_role("heading", name="Planning ahead")).to_be_focused()
    expect(page.locator("root-board .may").first).to_be_visible()


def choose(page: Page, *names: str) -> None:
    """Plays turns of one press on the board, one after the other."""
    for name in names:
        expect(point(page, name)).to_have_class(re.compile(r"\bmay\b"))
        point(page, name).click()
        expect(current(page)).to_contain_text(name)


def current(page: Page) -> Any:
    return page.locator("#plan-tree [aria-current]")


def branch(page: Page, text: str) -> Any:
    return page.locator("#plan-tree").get_by_role("button", name=text)


def rows(page: Page) -> list[str]:
    """The tree as one reads it, a text for every row."""
    return [re.sub(r"\s+", " ", text).strip() for text in page.locator("#plan-tree li").all_inner_texts()]


def kept(page: Page, words: str) -> None:
    expect(page.locator("#plan-kept")).to_have_text(words)


def saved(page: Page) -> None:
    """Until nothing is on its way."""
    expect(page.locator("#plan-kept")).to_have_text(re.compile("^Saved"))


def broken(page: Page, *methods: str) -> Callable[[], None]:
    """Requests about the plan by these methods get lost, until the returned function is called."""

    def lose(route: Route) -> None:
        if route.request.method in methods:
            route.abort()
        else:
            route.continue_()

    page.route("**/api/games/*/plan", lose)
    return lambda: page.unroute("**/api/games/*/plan", lose)


def test_a_tree_of_two_branches_is_played_on_the_board(visit: Visit) -> None:
    page = visit()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    where = start(page, HEXBO, opponent="friend", seat=1, clock=DAYS)
    ahead = page.get_by_role("button", name="Plan ahead")
    expect(page.locator("#prompt")).to_have_text("The game begins when every seat is taken.")
    expect(ahead).to_be_hidden()
    other = visit()
    other.goto(where)
    other.get_by_role("button", name="Join the game").click()
    expect(ahead).to_be_visible()  # as soon as the game can have plans, and nothing was loaded for it
    assert not [url for url in loaded if "plan" in url]
    begin(page)
    expect(page.locator("#plan-now")).to_have_text("What may Black play? Play it on the board.")
    choose(page, "A1")
    expect(page.locator("#plan-now")).to_contain_text("Your answer to A1? Grow a root")
    expect(page.locator("#plan-tree")).to_contain_text("no answer yet")
    choose(page, "A5")
    kept(page, "Saved: one line.")
    branch(page, "The game now").click()
    expect(point(page, "A1").locator(".piece")).to_have_count(0)
    choose(page, "A2", "A4")
    kept(page, "Saved: 2 lines.")
    choose(page, "J5", "D1")
    saved(page)
    assert planned(page, where) == [["A1", "A5"], ["A2", "A4", "J5", "D1"]]
    page.get_by_role("button", name="Another turn of theirs").click()
    expect(current(page)).to_have_text(re.compile("A4$"))
    choose(page, "H4", "D1")
    kept(page, "Saved: 3 lines.")
    tree = [["A1", "A5"], ["A2", "A4", "J5", "D1"], ["A2", "A4", "H4", "D1"]]
    assert planned(page, where) == tree and turns(page, where) == []
    assert planned(other, where) == [] and "A2" not in other.locator("#game").inner_text()

    page.get_by_role("button", name="Back to the game").click()
    expect(ahead).to_be_focused()
    expect(page.locator("root-board .piece")).to_have_count(6)
    expect(page.locator("root-board .may")).to_have_count(0)
    page.reload()
    expect(branch(page, "H4")).to_be_visible()
    assert rows(page)[0] == "Black: A1 → you: A5"
    branch(page, "H4").click()  # what is planned leads back to planning
    expect(point(page, "H4").locator(".piece")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#plan-said")).to_contain_text("Deleted H4 and the turn after it.")
    kept(page, "Saved: 2 lines.")
    assert planned(page, where) == tree[:2]
    page.get_by_role("button", name="Undo").click()
    kept(page, "Saved: 3 lines.")
    assert planned(page, where) == tree


def test_a_press_that_is_refused_says_why_and_an_answer_takes_the_place_of_another(visit: Visit) -> None:
    page, _others, where = seated(visit, HEXBO)
    begin(page)
    point(page, "E5").click()
    said = page.locator("#plan-said")
    expect(said).to_contain_text("E5 touches no stone of yours")
    expect(said.get_by_role("link")).to_have_attribute("href", re.compile(r"/rules/hexbo#r\d"))
    choose(page, "A1")
    expect(said).to_be_empty()
    choose(page, "A5")
    kept(page, "Saved: one line.")
    branch(page, "A1").click()
    expect(current(page)).to_have_text(re.compile("A1$"))
    expect(point(page, "A5").locator(".piece")).to_have_count(0)
    point(page, "A4").click()
    expect(page.locator("#plan-now")).to_contain_text("You have planned A5 here.")
    page.get_by_role("button", name="Keep A5").click()
    expect(page.locator("#plan-now")).to_contain_text("Your answer to A1?")
    point(page, "A4").click()
    page.get_by_role("button", name="Play A4 instead").click()
    expect(branch(page, "A5")).to_have_count(0)
    expect(current(page)).to_have_text(re.compile("A4$"))
    assert rows(page) == ["Black: A1 → you: A4"]
    saved(page)
    assert planned(page, where) == [["A1", "A4"]]


def test_a_turn_of_two_pieces(visit: Visit) -> None:
    page, (other,), where = seated(visit, "root_bound(side=4)")
    extra, again = page.locator("#plan-buttons"), page.get_by_role("button", name="Begin this turn again")
    begin(page)
    choose(page, "a1")
    point(page, "c3").click()
    expect(page.locator("#plan-now")).to_contain_text("Place the second of your two pieces")
    point(page, "c4").click()
    expect(page.locator("#plan-said")).to_contain_text("rule")  # two of one turn are not neighbours
    again.click()
    expect(point(page, "c3").locator(".piece")).to_have_count(0)
    point(page, "c3").click()
    expect(again).to_be_visible()
    point(page, "g2").click()
    kept(page, "Saved: one line.")
    expect(current(page)).to_have_text(re.compile("c3 g2$"))
    point(page, "e5").click()
    expect(page.locator("#plan-now")).to_contain_text("Black: Place the second")
    point(page, "b1").click()
    expect(current(page)).to_have_text(re.compile("e5 b1$"))
    point(page, "e2").click()
    extra.get_by_role("button", name="Done").click()
    expect(current(page)).to_have_text(re.compile("e2 done$"))
    extra.get_by_role("button", name="Pass").press("Enter")  # a second click in a moment would be taken for the first
    expect(current(page)).to_have_text(re.compile("pass$"))
    expect(page.locator("#plan-tree")).to_contain_text("no answer yet")
    saved(page)
    assert planned(page, where) == [["a1", "c3 g2", "e5 b1", "e2 done"]]
    page.get_by_role("button", name="Back to the game").click()
    play(other, where, "a1")
    expect(page.locator("#turns li")).to_have_count(2)
    expect(page.locator("#turns")).to_contain_text("c3 g2")
    expect(point(page, "g2").locator(".piece")).to_be_visible()
    assert planned(page, where) == [["e5 b1", "e2 done"]]


@pytest.mark.parametrize("seats", [3, 6])
def test_several_others_play_before_one_answers(visit: Visit, seats: int) -> None:
    rules = f"hexbo(side=5,players={seats})"
    page, others, where = seated(visit, rules, seats)
    begin(page)
    line = []
    for _ in range(seats):
        name = page.locator("root-board .may").first.get_attribute("data-point") or ""
        choose(page, name)
        line.append(name)
    kept(page, "Saved: one line.")
    assert planned(page, where) == [line]
    for number in range(seats - 1):
        play(others[number], where, line[number])
    expect(page.locator("#turns li")).to_have_count(seats)
    assert turns(page, where) == line
    expect(page.locator("#plan-said")).to_contain_text(f"Your {line[-1]} was played, as planned.")


def test_what_cannot_be_saved_is_told_and_tried_again(visit: Visit) -> None:
    page, _others, where = seated(visit, HEXBO, quiet="ERR_FAILED")
    begin(page)
    mend = broken(page, "PUT")
    choose(page, "A1", "A5")
    expect(page.locator("#plan-kept")).to_have_text("Not saved yet. The server cannot be reached. Trying again …")
    expect(page.locator("#plan-kept")).to_have_class("bad")
    choose(page, "C2")  # one goes on meanwhile, and leaves even
    page.get_by_role("button", name="Back to the game").click()
    assert planned(page, where) == []
    mend()
    kept(page, "Saved: one line.")
    assert planned(page, where) == [["A1", "A5"]]
    expect(branch(page, "C2")).to_be_visible()
    begin(page)
    page.route("**/plan/position", lambda route: route.abort())
    point(page, "H4").click()
    expect(page.locator("#plan-said")).to_have_text("The server cannot be reached just now. Try again in a moment.")
    expect(point(page, "H4")).to_have_class(re.compile(r"\bmay\b"))
    page.unroute("**/plan/position")
    choose(page, "H4")


def test_a_plan_is_carried_out_and_followed_while_one_plans(visit: Visit) -> None:
    page, (other,), where = seated(visit, HEXBO)
    begin(page)
    choose(page, "A1", "A5", "C2", "C6")
    branch(page, "The game now").click()
    choose(page, "H4", "D1")
    kept(page, "Saved: 2 lines.")
    branch(page, "C2").click()
    expect(current(page)).to_have_text(re.compile("C2$"))
    play(other, where, "A1")
    said = page.locator("#plan-said")
    expect(said).to_contain_text("Your A5 was played, as planned.")
    assert turns(page, where) == ["A1", "A5"]
    assert rows(page) == ["Black: C2 → you: C6"]
    expect(current(page)).to_have_text(re.compile("C2$"))  # one is where one was, and goes on
    branch(page, "C6").click()
    choose(page, "F8", "D1")
    kept(page, "Saved: one line.")
    assert planned(page, where) == [["C2", "C6", "F8", "D1"]]
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator("#prompt")).to_contain_text("is to move.")
    play(other, where, "C2")
    expect(page.locator("#said")).to_contain_text("Your C6 was played, as planned.")
    assert rows(page) == ["Black: F8 → you: D1"]


def test_a_turn_that_was_not_expected_destroys_nothing(visit: Visit) -> None:
    page, (other,), where = seated(visit, HEXBO)
    begin(page)
    choose(page, "A1", "A5", "C2")
    kept(page, "Saved: one line.")
    play(other, where, "H4")
    expect(page.locator("#plan-said")).to_have_text("H4 was not in your plan, which has ended.")
    expect(page.locator("#plan-now")).to_contain_text("You can still look at it")
    expect(point(page, "C2").locator(".piece")).to_be_visible()
    expect(page.locator("root-board .may")).to_have_count(0)
    branch(page, "A5").click()
    expect(point(page, "C2").locator(".piece")).to_have_count(0)
    expect(point(page, "A5").locator(".piece")).to_be_visible()
    page.get_by_role("button", name="Back to the game").click()
    expect(point(page, "H4").locator(".piece")).to_be_visible()
    expect(point(page, "A5").locator(".piece")).to_have_count(0)
    expect(page.locator("#planner")).to_be_hidden()
    point(page, "A5").click()
    expect(page.locator("#turns li")).to_have_count(2)
    begin(page)
    expect(page.locator("#plan-tree li")).to_have_count(0)
    choose(page, "A1", "D1")
    kept(page, "Saved: one line.")
    page.locator("#turns a").first.click()  # looking back ends planning
    expect(page.locator("#when")).to_have_text("After turn 1 of 2, H4.")
    expect(page.locator("#plan-now")).to_be_hidden()
    assert planned(page, where) == [["A1", "D1"]]


def test_what_is_no_turn_ends_a_plan_and_takes_nobody_from_what_they_do(visit: Visit) -> None:
    page, (_first, second), where = seated(visit, "hexbo(side=5,players=3)", 3)
    begin(page)
    for _ in range(3):
        choose(page, page.locator("root-board .may").first.get_attribute("data-point") or "")
    kept(page, "Saved: one line.")
    page.get_by_label("Message to the players").fill("hello")
    assert second.context.request.post(f"/api{where}/resign").ok
    expect(page.locator("#plan-said")).to_have_text("Something else than a turn happened, and your plan has ended.")
    expect(page.get_by_label("Message to the players")).to_be_focused()
    branch(page, "Where it began").click()
    expect(current(page)).to_have_text("Where it began")
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator("#planner")).to_be_hidden()
    assert planned(page, where) == []
    begin(page)
    choose(page, page.locator("root-board .may").first.get_attribute("data-point") or "")
    expect(page.locator("#plan-now")).to_contain_text("Your answer to")  # the other one is out


def test_an_answer_that_came_too_late_is_told(visit: Visit) -> None:
    page, (other,), where = seated(visit, HEXBO, quiet="ERR_FAILED")
    begin(page)
    mend = broken(page, "PUT")
    choose(page, "A1", "A5", "C2", "C6")
    expect(page.locator("#plan-kept")).to_contain_text("Trying again")
    play(other, where, "A1")
    expect(page.locator("#plan-said")).to_have_text("A1 was played before your answer A5 was saved. It is your turn.")
    expect(page.locator("#plan-now")).to_have_text("It is your turn. Go back to the game to play it.")
    mend()
    page.get_by_role("button", name="Back to the game").click()
    point(page, "A5").click()
    expect(page.locator("#said")).to_have_text("Your A5 was played, as planned.")
    kept(page, "Saved: one line.")
    assert planned(page, where) == [["C2", "C6"]]


def deep(page: Page, where: str, *choices: int) -> list[str]:
    """A line of turns: of those that may be played the one of that number, each time."""
    line: list[str] = []
    for choice in choices:
        asked = {"turn": 0, "turns": " ".join(line)}
        told = page.context.request.post(f"/api{where}/plan/position", data=asked).json()
        line.append(told["legal"][choice]["text"])
    return line


def test_a_plan_that_grows_too_large_is_told_kindly(visit: Visit) -> None:
    page, _others, where = seated(visit, HEXBO, quiet="422")
    start_of_all = [0] * 38
    lines = [deep(page, where, *start_of_all, last, 0) for last in range(5)]
    assert page.context.request.put(f"/api{where}/plan", data={"lines": lines}).ok
    page.reload()
    page.locator("#plan-tree li li").first.get_by_role("button").last.click()
    expect(page.locator("root-board .may").first).to_be_visible()
    page.locator("root-board .may").first.click()
    expect(page.locator("#plan-said")).to_have_text("A line has at most 40 turns: plan on when some of them are played")
    expect(page.locator("root-board .may").first).to_be_visible()
    assert planned(page, where) == lines
    branch(page, "The game now").click()
    expect(page.locator("root-board .piece")).to_have_count(6)
    choose(page, "J5", "D1")
    kept(page, "Not saved. A plan of 202 turns: at most 200, those of all lines together")
    page.get_by_role("button", name="Delete").click()
    kept(page, "Saved: 5 lines.")
    assert planned(page, where) == lines


def test_planning_by_keyboard(visit: Visit) -> None:
    page, _others, where = seated(visit, HEXBO)
    expect(page.locator("#prompt")).to_contain_text("is to move.")
    page.get_by_role("button", name="Plan ahead").press("Enter")
    expect(page.get_by_role("heading", name="Planning ahead")).to_be_focused()
    expect(page.locator("root-board .may").first).to_be_visible()
    for name in ("A1", "A5"):
        expect(point(page, name)).to_have_class(re.compile(r"\bmay\b"))
        page.locator("root-board [tabindex='0']").focus()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(current(page)).to_contain_text(name)
    kept(page, "Saved: one line.")
    branch(page, "A5").focus()
    page.keyboard.press("ArrowLeft")
    expect(current(page)).to_have_text(re.compile("A1$"))
    expect(current(page)).to_be_focused()
    page.keyboard.press("Home")
    expect(current(page)).to_have_text("The game now")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(current(page)).to_have_text(re.compile("A5$"))
    page.get_by_role("button", name="Delete").press("Enter")
    kept(page, "Saved: nothing is planned.")
    assert planned(page, where) == []


def test_planning_with_a_finger_and_axe_finds_nothing_serious(visit: Visit) -> None:
    page, _others, where = seated(visit, HEXBO, bypass_csp=True, **PHONE)
    page.get_by_role("button", name="Plan ahead").tap()
    for name in ("A1", "A5", "C2"):
        expect(point(page, name)).to_have_class(re.compile(r"\bmay\b"))
        tap(page, name)
        if page.locator("root-board.close").count():
            tap(page, name)
        expect(current(page)).to_contain_text(name)
    tap(page, "E5")
    if page.locator("root-board.close").count():
        tap(page, "E5")
    expect(page.locator("#plan-said")).to_contain_text("touches no stone of yours")
    expect(page.locator("#plan-said")).to_be_in_viewport()
    kept(page, "Saved: one line.")
    assert planned(page, where) == [["A1", "A5"]]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = troubles(page)
    page.get_by_role("button", name="Back to the game").tap()
    expect(page.get_by_role("button", name="Plan ahead")).to_be_visible()
    found += troubles(page)
    assert not found, "\n".join(found)


def troubles(page: Page) -> list[str]:
    """What axe finds by day and by night."""
    found = []
    for light in ("light", "dark"):
        page.emulate_media(color_scheme=light)  # type: ignore[arg-type]
        seen = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        found += [f"{light}: {one['id']}: {node['html'][:120]}" for one in seen for node in one["nodes"]]
    return found


def test_a_plan_can_be_typed_and_is_told_about_there(visit: Visit) -> None:
    page, _others, where = seated(visit, HEXBO, quiet="422")
    page.locator("#yours summary").click()
    page.get_by_label("Conditional turns").fill("A1, A5\nA2")
    page.get_by_role("button", name="Save the plan").click()
    expect(page.locator("#plan-typed")).to_contain_text("Not saved. A line of 1 turns")
    expect(page.get_by_label("Conditional turns")).to_have_value("A1, A5\nA2")
    page.get_by_label("Conditional turns").fill("A1, A5\n*, A4")
    page.get_by_role("button", name="Save the plan").click()
    expect(page.locator("#plan-typed")).to_contain_text("* beside other turns")
    page.get_by_label("Conditional turns").fill("*, A4")
    page.get_by_role("button", name="Save the plan").click()
    expect(page.locator("#plan-typed")).to_have_text("Saved: one line.")
    branch(page, "whatever they play").click()
    expect(page.locator("#plan-now")).to_contain_text("Whatever they play")
    page.get_by_role("button", name="Delete").click()
    kept(page, "Saved: nothing is planned.")
    assert planned(page, where) == []


def test_a_plan_without_scripts(visit: Visit) -> None:
    page, (other,), where = seated(visit, HEXBO, java_script_enabled=False)
    page.goto(where)
    expect(page.get_by_role("button", name="Plan ahead")).to_be_hidden()
    page.locator("#yours summary").click()
    page.get_by_label("Conditional turns").fill("A1, A5")
    page.get_by_role("button", name="Save the plan").click()
    expect(page.locator("#planned")).to_contain_text("A1 → A5")
    play(other, where, "A1")
    while len(turns(page, where)) < 2:
        page.wait_for_timeout(50)
    page.goto(where)
    expect(page.locator("#turns")).to_contain_text("A5")
    expect(page.locator("#planned")).to_be_empty()
