"""Somebody at the page and somebody who only writes mails play each other, in a real browser and over real SMTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import Visit, point
from playwright.sync_api import expect

from hedgerow.tools.mail_bench import options
from hedgerow.tools.serve_bench import free_port, random_game, server_process
from serve.mailing import Office, challenged, game_of, mailboxes, plain

pytestmark = pytest.mark.xdist_group("page_mail")

TURNS = [text for _, text in random_game("hexbo(side=5)", 1)]


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    mail_in, web = free_port(), free_port()
    with mailboxes() as (boxes, smtp):
        told = options(smtp, mail_in, f"http://127.0.0.1:{web}")
        with server_process(str(tmp_path_factory.mktemp("mail")), *told, port=web):
            yield Office(boxes, mail_in, web)


@pytest.fixture(scope="module")
def here(post: Office) -> str:
    return f"http://127.0.0.1:{post.web}"


def test_mail_against_page(visit: Visit, post: Office) -> None:
    ann, page = post.person("ann"), visit()
    asked = {"name": "pat", "password": "under the hedge"}
    assert page.context.request.post("/api/sign-up", data=asked).ok
    board = challenged(ann, "hexbo", "pat", "-small")
    game = game_of(ann, "hexbo", board)
    assert page.context.request.post(f"/api/games/{game}/join").ok
    page.goto(f"/games/{game}")
    letter = ann.ask(f"hexbo move {board} @ {TURNS[0]}")
    for number in range(1, 7, 2):
        expect(page.locator("#turns li")).to_have_count(number)  # it came by mail, and nobody loaded the page again
        point(page, TURNS[number]).click()
        expect(page.locator("#turns li")).to_have_count(number + 1)
        letter = ann.reply(letter, TURNS[number + 1])
        assert f"turn {number + 2}" in plain(letter)
    expect(page.locator("#turns li")).to_have_count(7)
