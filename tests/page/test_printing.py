"""Paper from the pages in a real browser: the links are there, follow what is on the board, and give PDFs."""

from __future__ import annotations

import re

import pytest
from browsing import PHONE, Visit, point, start
from playwright.sync_api import Locator, Page, expect

import hedgerow as hg
from hedgerow.paper.packed import packed
from pdfs import info_of, text_of

pytestmark = pytest.mark.xdist_group("page_printing")


def pdf_behind(page: Page, link: Locator) -> bytes:
    """What a link gives."""
    answer = page.context.request.get(link.get_attribute("href") or "")
    assert answer.ok and answer.headers["content-type"] == "application/pdf", answer.text()
    return answer.body()


def test_a_game_s_rules_offer_its_kit(visit: Visit) -> None:
    page = visit()
    page.goto("/rules/rootbound")
    page.get_by_role("link", name="On paper").click()
    paper = page.locator("#paper")
    expect(paper.get_by_role("link")).to_have_count(6)
    expect(paper.get_by_role("link", name="Boards for pencils")).to_be_in_viewport()
    assert "Claimed points" in text_of(pdf_behind(page, paper.get_by_role("link", name="Boards for pencils")))


@pytest.mark.parametrize("how", [{}, PHONE])
def test_a_game_offers_its_board_and_in_the_end_its_plate(visit: Visit, how: dict[str, object]) -> None:
    page = visit(**how)
    where = start(page, "hexbo(side=5)")
    page.get_by_text("Print", exact=True).click()
    plate = page.get_by_role("link", name="The game as a plate")
    expect(page.get_by_role("link", name="This position")).to_be_visible()
    expect(plate).to_be_hidden()
    assert "Hexbo, side 5" in text_of(pdf_behind(page, page.get_by_role("link", name="An empty board")))
    page.context.request.post(f"/api{where}/resign")
    expect(plate).to_be_visible()
    expect(page.get_by_role("link", name="Print it as a plate")).to_be_visible()
    assert "HEXBO" in text_of(pdf_behind(page, plate))


def test_the_analysis_prints_what_lies_on_its_board(visit: Visit) -> None:
    match = hg.Match("hexbo(side=5)")
    match.play("C3 E1 F9")
    match.tags |= {"Black": "Ann", "White": "Bo"}
    page = visit()
    page.goto(f"/replay/{packed(match.record())}")
    expect(page.locator("#turns button")).to_have_count(3)
    plate, sheet = page.locator("#plate"), page.locator("#sheet")
    expect(sheet).to_have_attribute("href", re.compile(r"record=.*&turn=3$"))
    assert info_of(pdf_behind(page, plate))["Title"] == "Hexbo: Ann and Bo"
    page.locator("#back").click()
    expect(sheet).to_have_attribute("href", re.compile(r"&turn=2$"))
    assert "After 2 turns" in text_of(pdf_behind(page, sheet))
    other = next(text for text in match.after(2).legal() if text != "F9")
    expect(point(page, other)).to_have_class(re.compile("may"))
    point(page, other).click()
    expect(sheet).to_have_attribute("href", re.compile(rf"turns=C3\+E1\+{other}$"))
    assert "After 3 turns" in text_of(pdf_behind(page, sheet))
    assert "3 turns" in text_of(pdf_behind(page, plate))


def test_without_scripts_too(visit: Visit) -> None:
    page = visit(java_script_enabled=False)
    page.goto("/analysis?rules=tanbo(size=9)&turns=B1+B9&turn=1")
    assert "After 1 turn\n" in text_of(pdf_behind(page, page.locator("#sheet")))
    assert "2 turns" in text_of(pdf_behind(page, page.locator("#plate")))
