"""The analysis page in a real browser: the machine, variations, records, links, pictures, the graph, and no scripts."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browsing import PHONE, Visit, await_machine, point
from playwright.sync_api import Page, expect

import hedgerow as hg

pytestmark = pytest.mark.xdist_group("page_analysis")

BOARD = "/analysis/hexbo(side=5)"
PREPARING = 200_000
"""How many milliseconds an analysis may take to begin, since its kernels may have to be compiled."""
CLAIMED = "f4,d7+f7,h1+g4,e7+f1,pass,i1+h3,a1+e8,b3+c7,i2+g1,e3+f2,d6+g7,a3+i3,g6+h5"


def listed(page: Page) -> list[str]:
    """The turns of the tree as they are written."""
    return [text.replace("\n", " ") for text in page.locator("#turns button").all_inner_texts()]


def play(page: Page, *names: str) -> None:
    """Presses one point after the other, each when the one before is in the list."""
    for name in names:
        before = page.locator("#turns button").count()
        expect(point(page, name)).to_have_class(re.compile("may"))
        point(page, name).click()
        expect(page.locator("#turns button")).to_have_count(before + 1)
        expect(point(page, name).locator(".piece:not(.coming)")).to_have_count(1)


def tried(page: Page) -> None:
    """A main line of four turns, and another second turn with an answer."""
    page.goto(BOARD)
    play(page, "C3", "E1", "F9", "A4")
    for _ in range(3):
        page.locator("#back").click()
    play(page, "B4", "G5")


# --- the machine ------------------------------------------------------------------------------------------------------


def test_the_machine_thinks_along_until_it_is_switched_off(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis/root_down")
    await_machine(page, "root_down")
    expect(page.locator("root-board .may").first).to_be_visible()
    page.get_by_role("switch", name="analyse").check()
    best = page.locator("#lines tbody button").first
    expect(best).to_be_visible(timeout=PREPARING)
    expect(page.locator("root-board .ghost.rank-1")).to_have_count(1)
    expect(page.locator("#chances")).to_have_text(re.compile(r"South \d+ %, North \d+ %"))
    expect(page.locator("#verdict")).not_to_be_empty()
    expect(page.locator("#depth")).to_have_text(re.compile(r"^By the network: [\d,]+ visits in [\d.]+ s$"))
    page.get_by_label("first thought").check()
    expect(page.locator("root-board .policy").first).to_have_text(re.compile(r"^\d+$"))
    best.click()  # it is played, and the machine goes on with what came of it
    expect(page.locator("#turns [aria-current]")).to_have_count(1)
    assert listed(page)[0].removeprefix("1. ") in hg.Match("root_down").legal()
    expect(page.locator("#thoughts:not(.old) #lines tbody button").first).to_be_visible()
    page.get_by_role("switch", name="analyse").uncheck()
    expect(page.locator("root-board .analysis")).to_have_count(0)
    expect(page.locator("#thoughts")).to_be_hidden()
    nobody_waits(page)


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def nobody_waits(page: Page) -> None:
    """The server thinks about nothing any more, a moment later at the latest."""
    for _ in range(300):
        if not page.request.get("/api/engine").json()["analyses"]:
            return
        page.wait_for_timeout(100)
    pytest.fail("the machine thinks on, and nobody reads it")


def test_the_machine_rests_while_nobody_looks(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis/root_down")
    await_machine(page, "root_down")
    page.get_by_role("switch", name="analyse").check()
    expect(page.locator("root-board .ghost").first).to_be_visible(timeout=PREPARING)
    page.evaluate(HIDE, True)
    nobody_waits(page)
    told = page.locator("#depth").inner_text()
    page.evaluate(HIDE, False)
    expect(page.locator("#depth")).not_to_have_text(told)


def test_owners_and_where_it_looks_are_drawn_when_asked_for(visit: Visit) -> None:
    page = visit(**PHONE)
    page.goto(f"/analysis/root_bound(side=5)#turns={CLAIMED}&at=11")
    await_machine(page, "root_bound(side=5)")
    page.get_by_role("switch", name="analyse").check()
    expect(page.locator("root-board .ghost").first).to_be_visible(timeout=PREPARING)
    page.get_by_role("checkbox", name="best turns").uncheck()
    expect(page.locator("root-board .ghost")).to_have_count(0)
    page.get_by_label("heat map").check()
    expect(page.locator("root-board .heat").first).to_be_visible()
    expect(page.locator("root-board .expected").first).to_be_visible()
    page.get_by_label("expected ownership").uncheck()
    expect(page.locator("root-board .expected")).to_have_count(0)
    expect(page.locator("#depth")).to_have_text(re.compile("^By the network: "))
    expect(page.get_by_label("first thought")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_search_speaks_where_no_network_knows_the_board(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis/root_bound(side=3)")
    page.get_by_role("switch", name="analyse").check()  # its kernels are compiled when somebody asks
    expect(page.locator("#depth")).to_have_text(re.compile("^By search: "), timeout=PREPARING)
    expect(page.get_by_label("expected ownership")).to_be_visible()
    expect(page.get_by_label("first thought")).to_be_hidden()


def test_an_end_is_no_position_to_think_about(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis/root_and_thorn#turns=Me3,Me8,pass,pass&at=4")
    await_machine(page, "root_and_thorn")
    page.get_by_role("switch", name="analyse").check()
    for told in ("#prompt", "#depth"):
        expect(page.locator(told)).to_contain_text("Two passes end the game. A draw, 1 to 1")
    page.locator("#back").click()
    expect(page.locator("#lines tbody button").first).to_be_visible()
    expect(page.locator("root-board .expected").first).to_be_visible()
    expect(page.locator("#depth")).to_have_text(re.compile("^By the network: "))


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_variations_are_a_tree(visit: Visit) -> None:
    page = visit()
    tried(page)
    assert listed(page) == ["1. C3", "2. E1", "2. B4", "3. G5", "3. F9", "4. A4"]
    expect(page.locator("#turns .variation")).to_have_count(1)
    assert page.locator("#turns .path").all_inner_texts() == ["1. C3", "2. B4", "3. G5"]
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#turns [aria-current]")).to_have_text("2. B4")
    expect(point(page, "G5").locator(".piece")).to_have_count(0)
    page.get_by_role("button", name="Make it the main line").click()
    assert listed(page) == ["1. C3", "2. B4", "2. E1", "3. F9", "4. A4", "3. G5"]
    page.keyboard.press("End")
    expect(page.locator("#turns [aria-current]")).to_have_text("3. G5")
    page.get_by_role("button", name="2. E1").click()
    expect(point(page, "E1").locator(".piece")).to_have_count(1)
    page.get_by_role("button", name="Delete from here").click()
    expect(page.locator("#turns [aria-current]")).to_have_text("1. C3")
    assert listed(page) == ["1. C3", "2. B4", "3. G5"]


def test_a_turn_of_two_pieces_is_one_turn(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis/root_bound(side=4)#turns=a1&at=1")
    expect(point(page, "c3")).to_have_class(re.compile("may"))
    point(page, "c3").click()
    expect(page.get_by_role("button", name="Begin this turn again")).to_be_visible()
    expect(point(page, "c3").locator(".piece:not(.coming)")).to_have_count(1)
    point(page, "g2").click()
    expect(page.locator("#turns [aria-current]")).to_have_text("2. c3 g2")


def test_a_refused_point_says_why(visit: Visit) -> None:
    page = visit()
    page.goto(BOARD)
    play(page, "C3")
    point(page, "C3").click()
    expect(page.locator("#said")).to_have_text("There is already a stone on C3. rule 3.1")
    expect(page.locator("#said a")).to_have_attribute("href", "/rules/hexbo#r3.1")
    expect(page.locator("root-board .lit").first).to_be_visible()
    page.goto("/analysis/root_and_thorn")
    expect(page.locator("root-board .may").first).to_be_visible()
    point(page, "a9").click()
    expect(page.locator("#said")).to_contain_text("Your Maple must stand in your own half")


# --- links, records, pictures -----------------------------------------------------------------------------------------


def test_a_link_holds_the_whole_tree(visit: Visit) -> None:
    page = visit()
    tried(page)
    link = page.get_by_label("Link to this analysis").input_value()
    assert link == page.url and link.endswith("/analysis/hexbo(side=5)#turns=C3,E1(B4,G5),F9,A4&at=4")
    other = visit()
    other.goto(link)
    expect(other.locator("#turns [aria-current]")).to_have_text("3. G5")
    assert listed(other) == listed(page)
    expect(point(other, "G5").locator(".piece")).to_have_count(1)
    expect(point(other, "E1").locator(".piece")).to_have_count(0)


def test_a_link_may_name_its_rules_too(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis#rules=root_down&turns=c2-a4(b2-b4)&at=2")
    expect(page.locator("h1")).to_have_text("Root Down")
    expect(page.locator("#turns [aria-current]")).to_have_text("1. b2-b4")
    assert page.url.endswith("/analysis/root_down#turns=c2-a4(b2-b4)&at=2")


def test_a_link_that_is_wrong_shows_what_of_it_is_right(visit: Visit) -> None:
    page = visit(quiet="422")
    page.goto(f"{BOARD}#turns=C3,C3,D3&at=3")
    expect(page.locator("#said")).to_contain_text("there is already a stone on C3")
    expect(page.locator("#turns [aria-current]")).to_have_text("1. C3")
    play(page, "E1")


def saved(page: Page, name: str, place: Path) -> Path:
    """What comes of a button that saves something."""
    with page.expect_download() as coming:
        page.get_by_role("button", name=name).click()
    made = place / coming.value.suggested_filename
    coming.value.save_as(made)
    return made


def test_a_record_goes_out_and_comes_in_again(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    page.goto("/analysis/hexbo(side=5,players=3)#turns=A1,resign+1,E1&at=3")
    expect(page.locator("#turns [aria-current]")).to_have_text("2. E1")
    record = saved(page, "Download the record", tmp_path)
    match = hg.read(record.read_text())
    assert match.turns == ("A1", "E1") and "resign 1" in record.read_text()
    other = visit()
    other.goto("/analysis")
    other.get_by_label("or choose a file").set_input_files(record)
    expect(other.locator("h1")).to_have_text("Hexbo, side 5, 3 players")
    expect(other.locator("#turns [aria-current]")).to_have_text("2. E1")
    assert listed(other) == ["1. A1", "resign 1", "2. E1"]


def test_a_record_keeps_variations(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    tried(page)
    tree = listed(page)
    record = saved(page, "Download the record", tmp_path)
    assert "Variations: C3,E1(B4,G5),F9,A4\n" in record.read_text()
    assert hg.read(record.read_text()).turns == ("C3", "E1", "F9", "A4"), "the game is the main line"
    other = visit()
    other.goto("/analysis/tanbo")
    other.get_by_label("or choose a file").set_input_files(record)
    expect(other.locator("#turns .variation")).to_have_count(1)
    assert listed(other) == tree


def test_turns_alone_are_read_for_the_board_that_lies_there(visit: Visit) -> None:
    page = visit()
    page.goto(BOARD)
    page.get_by_label("Game record, or turns alone").fill("1. C3 2. E1 F9\n4. A4")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#turns [aria-current]")).to_have_text("4. A4")


# --- setting up -------------------------------------------------------------------------------------------------------


def test_a_position_is_set_up_by_pressing_the_board(visit: Visit) -> None:
    page = visit(**PHONE)
    page.goto(BOARD)
    page.get_by_role("button", name="Set up a position").click()
    page.get_by_role("button", name="Empty the board").click()
    expect(page.locator("#said")).to_contain_text(re.compile("[Tt]here is no stone on the board"))
    expect(page.get_by_role("button", name="Play from here")).to_be_disabled()
    for seat, name in (("Black", "B2"), ("White", "G7"), ("White", "C3"), ("White", "C3")):
        page.get_by_role("radio", name=seat).check()
        before = page.locator("root-board .piece").count()
        point(page, name).tap()
        expect(page.locator("root-board .piece")).not_to_have_count(before)
    page.get_by_label("To move").select_option("White")
    page.get_by_role("button", name="Play from here").click()
    expect(page.get_by_label("Position as text")).to_have_value(re.compile(" 1$"))
    expect(page.locator("root-board .piece")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.go_back()
    expect(page.locator("root-board .piece")).to_have_count(6)


def test_a_game_is_started_with_an_agreed_set_up(visit: Visit) -> None:
    page = visit()
    page.goto("/analysis/root_down#setup")
    page.get_by_role("radio", name="South: root").check()
    point(page, "d4").click()
    expect(page.locator("#palette-why")).to_contain_text("more than 8")
    expect(page.locator("#palette").get_by_role("button", name="Play the machine")).to_be_disabled()
    page.get_by_role("radio", name="take off").check()
    point(page, "b2").click()
    page.locator("#palette").get_by_role("button", name="Play the machine").click()
    page.wait_for_url("**/games/*")
    expect(point(page, "d4").locator(".root")).to_have_count(1)


def test_what_cannot_be_read_is_said_and_not_lost(visit: Visit) -> None:
    page = visit(quiet="422")
    page.goto(BOARD)
    page.get_by_label("Game record, or turns alone").fill("Game: hexbo(side=5)\n\n1. B3\n2. B3\n")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#said")).to_contain_text("Line 4: illegal move 'B3'")
    expect(page.get_by_label("Game record, or turns alone")).to_have_value("Game: hexbo(side=5)\n\n1. B3\n2. B3")
    page.get_by_label("Position as text").fill("###")
    page.get_by_role("button", name="Set up the position").click()
    expect(page.locator("#said")).to_have_text("The number of rows is 1: hexbo(side=5) has 9, joined by /")
    expect(page.get_by_label("Position as text")).to_have_value("###")


def test_pictures_of_a_position(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    page.goto(BOARD)
    play(page, "C3", "E1")
    drawn = saved(page, "Image (SVG)", tmp_path)
    picture = ElementTree.parse(drawn).getroot()
    assert picture.tag.endswith("svg") and drawn.name == "hedgerow-hexbo-2.svg"
    assert "hr-seat-0" in drawn.read_text() and 'class="last"' in drawn.read_text()
    page.goto("/analysis/hexbo(side=5)#turns=C3,E1,resign+0&at=3")
    expect(page.locator("#prompt")).to_contain_text("Black resigned")
    assert re.search(r'data-point="E1"(?:(?!</g></g>).)*class="last"', saved(page, "Image (SVG)", tmp_path).read_text())
    painted = saved(page, "Image (PNG)", tmp_path).read_bytes()
    assert painted[:8] == b"\x89PNG\r\n\x1a\n" and len(painted) > 20_000
    assert int.from_bytes(painted[16:20]) == 1600 and 1000 < int.from_bytes(painted[20:24]) < 2400


# --- how a game went --------------------------------------------------------------------------------------------------

WENT = "d2-f4 f7-d5 e2-c4 d7-b5 c2-b1 g7-g8 b2-a2 b7-a7"
"""North throws the game away with the last turn."""
SLOW = """() => {
  const asked = window.fetch;
  window.fetch = async (...of) => { await new Promise((on) => setTimeout(on, 700)); return asked(...of); };
}"""
"""The server takes its time: keys go on from where one went, not from what is shown."""


def test_the_graph_leads_to_every_turn(visit: Visit) -> None:
    page = visit()
    page.goto(f"/analysis?rules=root_down&turns={WENT.replace(' ', '+')}")
    await_machine(page, "root_down")
    page.get_by_role("button", name="Draw the win graph").click()
    expect(page.locator("#table tbody tr")).to_have_count(9, timeout=120_000)
    box = page.locator("#curves").bounding_box()
    assert box
    page.evaluate(SLOW)
    page.locator("#curves").click(position={"x": box["width"] * 3 / 8, "y": 20})
    expect(page.locator("#turns [aria-current]")).to_have_text("3. e2-c4")
    slider = page.get_by_role("slider", name="Turn")
    slider.press("ArrowRight")
    expect(page.locator("#turns [aria-current]")).to_have_text("4. d7-b5")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"Turn 4: South \d+ %, North \d+ %"))
    worst = page.locator("#falls button").first
    expect(worst).to_have_text(re.compile(r"^Turn 8: North played b7-a7; \S+ was better by \d+ %\.$"))
    worst.click()
    expect(page.locator("#turns [aria-current]")).to_have_text("7. b2-a2")
    expect(page.locator("root-board .lit").first).to_be_visible()


# --- without scripts --------------------------------------------------------------------------------------------------


def test_it_works_without_scripts(visit: Visit) -> None:
    page = visit(java_script_enabled=False)
    page.goto("/analysis?rules=root_down&turns=c2-a4+f7-h5&turn=1")
    expect(page.locator("#turns [aria-current]")).to_have_text("1. c2-a4")
    page.get_by_role("link", name="Next turn").click()
    expect(page.locator("#turns [aria-current]")).to_have_text("2. f7-h5")
    page.get_by_role("button", name="What does the engine think?").click()
    expect(page.locator("#found")).to_contain_text("Root Down after turn 2 of 2 (f7-h5); South is to move.")
    page.get_by_role("button", name="Previous turn").click()
    expect(page.locator("#found")).to_contain_text("Root Down after turn 1 of 2 (c2-a4); North is to move.")
    page.get_by_role("link", name="Hexbo", exact=True).click()
    page.locator("select[name=with-side]").select_option("5")
    page.get_by_role("button", name="Set up", exact=True).click()
    expect(page.locator("h1")).to_have_text("Hexbo, side 5")
