"""The board in a real browser: hints before choosing, kinds told apart, looks, turning, keys, and a settings page."""

from __future__ import annotations

import base64
from itertools import combinations
from typing import Any

import pytest
from browsing import Visit, point
from playwright.sync_api import Page, expect

from hedgerow.draw import svg
from hedgerow.draw.themes import LOOKS
from hedgerow.match import Match

pytestmark = pytest.mark.xdist_group("page_board")

BED = """async ({ rules, turns }) => {
  await import("/static/board.js");
  const board = document.createElement("root-board");
  document.querySelector("main").replaceChildren(board);
  globalThis.told = [];
  const note = ({ type, detail }) => told.push([type, detail]);
  for (const type of ["choose", "refuse", "narrow", "hint"]) board.addEventListener(type, note);
  const body = JSON.stringify({ rules, turns }), headers = { "Content-Type": "application/json" };
  globalThis.state = await (await fetch("/api/positions", { method: "POST", headers, body })).json();
  globalThis.board = board;
  board.show(state.svg, state.seats);
  board.offer(state.legal);
}"""
"""A board alone on a page, with what it tells."""

THORN = "Mg2 Mf6 Ug1 Uf5 Uf2 Ue5 Ug3 Ud5 Ue2 Uc5 Ud2 Ub5 Uf3 Bd5 Ue3 Ub6"
DOWN = "c2-a4 f7-h5 d2-c2 e7-f7 b2-b1 g7-g6 c1-b2 f7-g7"
BOUND = "b5 c1 b2 b4 d7 f6 f7 d2 d8 h3 f5 a3 c6 c2 g7 g2 f2 i2 d3 g3 h6 e5 g4 a1 e2"


def lay(page: Page, rules: str, turns: str = "", looks: str = "") -> Page:
    """Puts a board before somebody who likes it so."""
    page.goto("/settings")
    if looks:
        page.context.add_cookies([{"name": "looks", "value": looks, "url": page.url}])
        page.reload()
    page.evaluate(BED, {"rules": rules, "turns": turns})
    return page


def told(page: Page, kind: str) -> Any:
    """What the board said last, of a kind."""
    return page.evaluate("kind => told.findLast(([type]) => type === kind)?.[1]", kind)


def test_a_kicker_that_is_chosen_shows_how_far_it_goes_and_whom_it_would_kick(visit: Visit) -> None:
    page = lay(visit(), "root_down", DOWN)
    point(page, "c2").click()
    assert told(page, "narrow")["hint"] == "The kicker on c2 moves exactly 1 square, for b1 beside the root on b2."
    landings = page.locator("root-board .may").count()
    expect(page.locator("root-board .distance")).to_have_text(["1"] * landings)
    expect(page.locator("root-board .ripple")).to_have_count(0)
    point(page, "b3").hover()
    assert "makes South's root on a4 a kicker" in told(page, "hint")["words"]
    expect(page.locator("root-board .over .turning")).to_have_count(2)
    expect(page.locator("root-board .over .ripple")).to_be_visible()
    point(page, "b3").click()
    action = told(page, "choose")["action"]
    page.evaluate("action => { board.enact(action, 0); board.offer([]); }", action)
    expect(point(page, "b3").locator(".piece.kicker.seat-0")).to_be_visible()
    expect(point(page, "c2").locator(".piece")).to_have_count(0)
    expect(page.locator("root-board .echo .ripple")).to_be_visible()


MOVES = "one => one.getAnimations({ subtree: true }).length"


@pytest.mark.parametrize("calm", [{"reduced_motion": "reduce"}, {}])
def test_what_the_last_turn_kicked_stays_to_be_seen_though_nothing_moves(visit: Visit, calm: dict[str, Any]) -> None:
    page = lay(visit(**calm), "root_down", DOWN, "" if calm else "motion=off")
    page.evaluate("board.echo(state.did)")
    expect(page.locator("root-board .echo .ripple")).to_be_visible()
    expect(page.locator("root-board .echo .turning")).to_have_count(1)
    assert page.locator("root-board .echo").evaluate(MOVES) == 0
    point(page, "c2").click()
    expect(page.locator("root-board .echo > *")).to_have_count(0)
    moving = lay(visit(), "root_down", DOWN)
    moving.evaluate("board.echo(state.did)")
    assert moving.locator("root-board .echo").evaluate(MOVES) > 0


CHANGES = """async ([rules, turns]) => {
  const body = JSON.stringify({ rules, turns }), headers = { "Content-Type": "application/json" };
  const next = await (await fetch("/api/positions", { method: "POST", headers, body })).json();
  board.show(next.svg, next.seats);
  return [".arriving", ".leaving", ".fresh"].map((kind) => board.querySelectorAll(kind).length);
}"""


def test_what_comes_goes_and_is_claimed_is_seen_to_change(visit: Visit) -> None:
    page = lay(visit(), "rootbound(side=5)")
    come, gone, claimed = page.evaluate(CHANGES, ["rootbound(side=5)", BOUND])
    assert (come, gone, claimed) == (page.locator("root-board .piece:not(.leaving *)").count(), 0, 2)
    assert page.evaluate(CHANGES, ["rootbound(side=5)", BOUND]) == [0, 0, 0], "the same again changes nothing"
    assert page.evaluate(CHANGES, ["rootbound(side=5)", ""]) == [0, come, 0]
    still = lay(visit(), "rootbound(side=5)", BOUND, "motion=off")
    assert still.evaluate(CHANGES, ["rootbound(side=5)", ""]) == [0, 0, 0]


@pytest.mark.parametrize(("looks", "sounds"), [("sound=on", True), ("", False)])
def test_sounds_are_for_those_who_asked_for_them(visit: Visit, looks: str, sounds: bool) -> None:
    page = lay(visit(), "hexbo(side=5)", looks=looks)
    page.evaluate(
        """() => {
          globalThis.notes = 0;
          const make = AudioContext.prototype.createOscillator;
          AudioContext.prototype.createOscillator = function () { notes++; return make.call(this); };
          board.addEventListener("choose", ({ detail: { action } }) => board.enact(action, 0));
        }"""
    )
    page.locator("root-board .may").first.click()
    expect(page.locator("root-board .coming")).to_be_visible()
    assert (page.evaluate("notes") > 0) == sounds


def test_the_ranges_of_trees_are_shown_at_once_and_one_by_one(visit: Visit) -> None:
    page = lay(visit(), "root_and_thorn", THORN)
    point(page, "f3").click()
    narrowed = told(page, "narrow")
    expect(page.locator("root-board .choices button")).to_have_text(["Birch× 2", "Oak× 3"])
    assert narrowed["words"] == [], "they are asked for at the point"
    assert "Birch (range 3): clears Light Undergrowth on e5 and f5." in narrowed["hint"]
    expect(page.locator("root-board .range")).to_have_count(2)
    expect(page.locator("root-board .range-mark")).to_have_text(["B", "B", "O", "O"])
    page.evaluate("board.peek('Birch')")
    expect(page.locator("root-board .range")).to_have_count(1)
    expect(page.locator("root-board .strike")).to_have_count(2)
    page.evaluate("board.peek('Oak')")
    expect(page.locator("root-board .strike")).to_have_count(3)
    page.evaluate("board.press('Oak')")
    action = told(page, "choose")["action"]
    page.evaluate("action => board.enact(action, 0)", action)
    expect(point(page, "f3").locator(".piece.oak.seat-0 .emblem")).to_be_visible()


def test_a_refused_point_says_what_was_pressed_before_it(visit: Visit) -> None:
    page = lay(visit(), "root_down", DOWN)
    point(page, "c2").click()
    point(page, "h8").click()
    assert told(page, "refuse") == {"name": "h8", "before": ["c2"]}
    point(page, "c2").click()
    point(page, "c2").click()
    assert told(page, "narrow")["pressed"] == [], "the same kicker again puts it down"


def test_kinds_are_told_apart_by_shape_and_by_name(visit: Visit) -> None:
    page = lay(visit(), "rootbound(side=5)", BOUND)
    legend = page.evaluate("board.apart(state.kinds)")
    assert [(one["mark"], one["kind"]) for one in legend] == [("■", "Root"), ("○", "Runner"), ("▲", "dead group")]
    assert sum(one["count"] for one in legend) == page.locator("root-board .piece").count()
    for order, one in enumerate(legend):
        expect(page.locator(f"root-board .apart .form-{order}")).to_have_count(one["count"])
        cells = page.locator(f'root-board [role="gridcell"][aria-label*=", {one["kind"]}"]')
        expect(cells).to_have_count(one["count"])
    page.evaluate("board.apart(null)")
    expect(page.locator("root-board .apart")).to_have_count(0)
    expect(page.locator('root-board [aria-label*="Runner"]')).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_draws_every_board(visit: Visit, look: str) -> None:
    page = visit()
    for rules, turns in (("rootbound(side=5)", BOUND), ("root_and_thorn", THORN), ("hexbo(side=5,players=6)", "")):
        lay(page, rules, turns, f"look={look}")
        expect(page.locator(f"root-board svg.theme-{look}")).to_be_visible()
        assert page.locator("root-board .piece").count() == page.evaluate("state.svg.match(/ piece /g).length")
    ground = page.locator("root-board .ground").evaluate("one => getComputedStyle(one).fill")
    page.emulate_media(color_scheme="dark")
    assert page.locator("root-board .ground").evaluate("one => getComputedStyle(one).fill") != ground


SEEN = """async (pictures) => {
  const pixels = [];
  for (const picture of pictures) {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const pen = Object.assign(document.createElement("canvas"), { width: 40, height: 40 }).getContext("2d");
    pen.drawImage(image, 0, 0, 40, 40);
    pixels.push(pen.getImageData(0, 0, 40, 40).data);
  }
  const coloured = pixels.some((data) => data.some((value, at) => at % 4 === 0 && Math.abs(value - data[at + 2]) > 2));
  const apart = (one, other) => one.reduce((sum, value, at) => sum + Math.abs(value - other[at]), 0) / one.length;
  return { coloured, apart: pixels.map((one) => pixels.map((other) => apart(one, other))) };
}"""


@pytest.mark.parametrize("look", LOOKS)
def test_six_seats_differ_in_greyscale(visit: Visit, look: str) -> None:
    page = lay(visit(), "hexbo(side=5,players=6)", looks=f"look={look}")
    page.evaluate("board.offer([])")
    grey = page.context.new_cdp_session(page)
    grey.send("Emulation.setEmulatedVisionDeficiency", {"type": "achromatopsia"})
    pieces = [page.locator(f"root-board .piece.seat-{seat}").first.screenshot() for seat in range(6)]
    seen = page.evaluate(SEEN, [base64.b64encode(piece).decode() for piece in pieces])
    assert not seen["coloured"]
    assert all(seen["apart"][one][other] > 8 for one, other in combinations(range(6), 2)), seen["apart"]


def test_a_turned_board_is_pressed_and_walked_as_it_is_seen(visit: Visit) -> None:
    page = lay(visit(), "root_and_thorn")
    before = {name: point(page, name).bounding_box() for name in ("a1", "j10")}
    page.evaluate("board.face(1, state.far)")
    assert page.evaluate("board.turned") == 180
    after = {name: point(page, name).bounding_box() for name in ("a1", "j10")}
    assert before["a1"] and after["j10"] and after["a1"] and before["j10"]
    assert abs(after["j10"]["x"] - before["a1"]["x"]) < 2 and after["j10"]["y"] > after["a1"]["y"]
    point(page, "c2").click()
    assert told(page, "choose")["action"]["text"] == "Mc2"
    point(page, "c2").focus()
    page.keyboard.press("ArrowUp")
    expect(point(page, "c1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(point(page, "b1")).to_be_focused()
    page.evaluate("board.turn(0)")
    page.keyboard.press("ArrowUp")
    expect(point(page, "b2")).to_be_focused()
    box = point(page, "a1").bounding_box()
    assert box and abs(box["x"] - before["a1"]["x"]) < 2 and abs(box["y"] - before["a1"]["y"]) < 2


def test_a_picture_that_comes_turned_is_the_same_as_one_turned_here(visit: Visit) -> None:
    page = lay(visit(), "root_and_thorn")
    page.evaluate("board.turn(180)")
    here = {name: point(page, name).bounding_box() for name in ("a1", "c7")}
    match = Match("root_and_thorn")
    page.evaluate("svg => { board.show(svg); }", svg(match.scene(), across=True))
    assert {name: point(page, name).bounding_box() for name in here} == here
    page.evaluate("board.turn(0)")
    lower = point(page, "a1").bounding_box()
    assert lower and here["a1"] and lower["y"] > here["a1"]["y"] and lower["x"] < here["a1"]["x"]
    page.evaluate("svg => { board.show(svg); }", svg(match.scene(), across=True))
    assert point(page, "a1").bounding_box() == lower, "who has turned it keeps it so"


@pytest.mark.parametrize(
    ("rules", "walk"),
    [
        (
            "root_bound(side=4)",
            ["a2", "ArrowUp", "b2", "ArrowUp", "c3", "ArrowDown", "b2", "ArrowDown", "a2", "ArrowLeft", "a1"],
        ),
        ("tanbo(size=9)", ["A1", "ArrowRight", "A2", "ArrowDown", "B2", "ArrowLeft", "B1", "ArrowUp", "A1"]),
    ],
)
def test_arrows_walk_and_enter_presses(visit: Visit, rules: str, walk: list[str]) -> None:
    page = lay(visit(), rules)
    page.locator('root-board [tabindex="0"]').focus()
    page.keyboard.type(walk[0])
    for key, name in zip(walk[1::2], walk[2::2]):
        page.keyboard.press(key)
        expect(point(page, name)).to_be_focused()
    name = page.locator("root-board .may").first.get_attribute("data-point") or ""
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    assert told(page, "choose")["action"]["text"] == name


def test_the_board_is_a_grid_of_rows_of_named_cells(visit: Visit) -> None:
    page = lay(visit(), "root_and_thorn", THORN)
    grid = page.get_by_role("grid", name="Root and Thorn")
    expect(grid.get_by_role("row")).to_have_count(10)
    expect(grid.get_by_role("row").first.get_by_role("gridcell")).to_have_count(10)
    expect(grid.get_by_role("gridcell", name="b6, Light undergrowth, last turn", exact=True)).to_be_attached()
    expect(grid.get_by_role("gridcell", name="d2, empty, playable", exact=True)).to_be_attached()
    expect(page.locator("root-board").get_by_role("img", name="19 undergrowth")).to_be_visible()
    outside = grid.evaluate("one => [...one.children].filter((child) => child.getAttribute('role') !== 'row').length")
    assert outside == 0


def test_settings_go_round_without_scripts(visit: Visit) -> None:
    page = visit(java_script_enabled=False)
    page.goto("/settings")
    expect(page.locator("form.settings svg")).to_have_count(len(LOOKS))
    for label in ("Pencil on paper", "Always dark", "Hide", "None"):
        page.get_by_label(label, exact=True).check()
    page.locator('[name="sound"][value="on"]').check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    for name, value in (
        ("look", "pencil"),
        ("light", "night"),
        ("coordinates", "off"),
        ("motion", "off"),
        ("sound", "on"),
    ):
        expect(page.locator("html")).to_have_attribute(f"data-{name}", value)
        expect(page.locator(f'[name="{name}"][value="{value}"]')).to_be_checked()
    expect(page.locator('[name="side"][value="own"]')).to_be_checked()
    answer = page.context.request.post("/api/positions", data={"rules": "tanbo(size=9)"})
    assert 'class="hedgerow theme-pencil"' in answer.json()["svg"]
    refused = page.context.request.post("/settings", form={"look": "oil"})
    assert refused.status == 422 and "pencil" in refused.text()
    page.get_by_label("Hedgerow", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).not_to_have_attribute("data-look", "pencil")
    expect(page.locator("html")).to_have_attribute("data-light", "night")
