"""Letters about games over real SMTP: the board twice, threads, secret addresses to answer to, and how fast they go."""

from __future__ import annotations

import asyncio
import random
import re
import time
from concurrent.futures.process import BrokenProcessPool
from email.message import EmailMessage
from typing import Any

import httpx
import pytest
from boxes import HERE, Box, browser, games, link_in, make_due, part_of, person, text_of
from fastapi import FastAPI
from sqlalchemy import select, update

import hedgerow as hg
from hedgerow.serve.commands.language import parse
from hedgerow.serve.people import mail, smtp
from hedgerow.serve.people.letters import Letter, Picture, html_of, written
from hedgerow.serve.people.reply_addresses import mail_address
from hedgerow.serve.play import pictures
from hedgerow.serve.processes import Process
from hedgerow.serve.store import people, talk
from hedgerow.serve.store.schema import accounts, mails, now

pytestmark = pytest.mark.anyio


async def id_of(client: httpx.AsyncClient) -> int:
    number: int = (await client.get("/api/me")).json()["account"]["id"]
    return number


async def sent(app: FastAPI, box: Box, to: str) -> list[EmailMessage]:
    """What comes to somebody when everything that waits is due."""
    box.mails.clear()
    await make_due(app)
    await app.state.server.post.deliver()
    return [message for message in box.mails if message["To"] == to]


async def test_a_letter_has_the_board_in_characters_and_as_a_picture(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        (game,) = await games(ann, bo, 1)
        (letter,) = await sent(mailing, box, "bo@example.net")
    text, page = text_of(letter), part_of(letter, "text/html").get_content()
    match = hg.Match("hexbo(side=5)")
    match.play("A1")
    assert f"\n\n{match}\n\n" in text and "A->#<" in text
    assert re.match(r"It is your turn, turn 2\.\nYou have (2 days|1 day 23 hours) left, until \d+ \w+ \d{4}, ", text)
    assert "Ann (Black) played A1." in text and "Black (#): Ann\nWhite (O): Bo, you, to move" in text
    assert f"{HERE}/games/{game}" in text and f'<a href="{HERE}/games/{game}">' in page
    assert [part.get_content_type() for part in letter.walk()] == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ]
    picture = part_of(letter, "image/png")
    assert picture.get_content().startswith(b"\x89PNG") and picture.get_content_disposition() == "inline"
    assert f'src="cid:{picture["Content-ID"].strip("<>")}"' in page and 'alt="Hexbo' in page
    assert letter["Auto-Submitted"] == "auto-generated" and letter["Subject"] == "[Hexbo 1: Ann – Bo]"
    assert max(map(len, text.splitlines())) < 100


async def test_what_was_removed_is_said(mailing: FastAPI, box: Box) -> None:
    chance, match = random.Random(1), hg.Match("hexbo(side=5)")
    gone: set[str] = set()
    while not gone:
        before = match.cells()
        match.play(chance.choice(match.legal()))
        gone = set(before) - set(match.cells())
    async with browser(mailing) as ann, browser(mailing) as bo:
        for client, name in ((ann, "Ann"), (bo, "Bo")):
            await person(mailing, client, box, name)
        asked = {"rules": "hexbo(side=5)", "opponent": "friend", "clock": {"kind": "days", "days": 2}}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        for number, turn in enumerate(match.turns):
            told = {"number": number, "text": turn}
            assert (await (ann, bo)[number % 2].post(f"/api/games/{game}/turns", json=told)).status_code == 201
        mover = ("ann", "bo")[match.to_move]
        (letter,) = await sent(mailing, box, f"{mover}@example.net")
    (line,) = (line for line in text_of(letter).splitlines() if line.startswith("Removed: "))
    assert set(line.rstrip(".").replace(",", "").split()[1:]) - {"Black", "White"} == gone
    assert str(match) in text_of(letter)


class Broken(Process):
    """A process that dies whatever it is to do."""

    async def do(self, *_: Any) -> Any:
        raise BrokenProcessPool


async def test_a_letter_does_not_wait_for_a_picture_that_cannot_be_had(
    mailing: FastAPI, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While many letters wait, or when drawing fails, the board is in characters in the HTML, too."""
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        await games(ann, bo, 2)
        monkeypatch.setattr(mail, "TOGETHER", 1)
        monkeypatch.setattr(pictures, "HURRIED", 0)
        await make_due(mailing)
        while not box.mails:
            assert await mailing.state.server.post.deliver() == 1
        hurried = list(box.mails)
        monkeypatch.setattr(mail, "TOGETHER", 100)
        monkeypatch.setattr(mailing.state.server.letters.pictures, "process", Broken(0))
        failed = await sent(mailing, box, "bo@example.net")
    assert len(hurried) == len(failed) == 1
    for letter in (*hurried, *failed):
        page = part_of(letter, "text/html").get_content()
        assert "A-&gt;#&lt;. . . . / 7\n" in page.replace("\r", "") and "<img" not in page
        assert "image/png" not in {part.get_content_type() for part in letter.walk()}


async def test_every_turn_since_ones_own_is_told(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo, browser(mailing) as cyd:
        for client, name in ((ann, "Ann"), (bo, "Bo"), (cyd, "Cyd")):
            await person(mailing, client, box, name)
        asked = {"rules": "hexbo(side=5,players=3)", "opponent": "friend", "clock": {"kind": "days", "days": 2}}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        played = []
        for client in (bo, cyd):
            await client.post(f"/api/games/{game}/join")
        for number, client in enumerate((ann, bo, cyd)):
            played.append((await client.get(f"/api/games/{game}")).json()["legal"][0]["text"])
            await client.post(f"/api/games/{game}/turns", json={"number": number, "text": played[-1]})
        (letter,) = await sent(mailing, box, "ann@example.net")
    told = [line for line in text_of(letter).splitlines() if " played " in line]
    assert told == [f"Bo (White) played {played[1]}.", f"Cyd (Red) played {played[2]}."]


async def test_a_game_is_one_thread(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        first, other = await games(ann, bo, 2)
        letters = {link_in(letter, "games")[7:]: letter for letter in await sent(mailing, box, "bo@example.net")}
        for number, client in ((1, bo), (2, ann)):
            turn = (await client.get(f"/api/games/{first}")).json()["legal"][0]["text"]
            await client.post(f"/api/games/{first}/turns", json={"number": number, "text": turn})
        (second,) = await sent(mailing, box, "bo@example.net")
        await ann.post(f"/api/games/{first}/resign")
        (third,) = await sent(mailing, box, "bo@example.net")
    thread = [letters[first], second, third]
    assert len({letter["References"] for letter in thread}) == 1 == len({letter["Subject"] for letter in thread})
    assert len({letter["Message-ID"] for letter in thread}) == 3 and thread[0]["In-Reply-To"] == thread[0]["References"]
    assert letters[other]["References"] != thread[0]["References"]
    assert text_of(third).startswith("The game is over. Black resigned: White wins.")
    assert "To play" not in text_of(third) and "To play, answer this mail" in text_of(second)


async def test_a_secret_address_proves_who_writes_about_which_game(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    addresses = server.reply_addresses
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        first, other = await games(ann, bo, 2)
        letters = await sent(mailing, box, "bo@example.net")
        number = await id_of(bo)
    secret = {link_in(letter, "games")[7:]: str(letter["Reply-To"]) for letter in letters}
    for game in (first, other):
        assert await addresses.read(secret[game]) == (number, game) == await addresses.read(secret[game].upper())
        assert addresses.is_ours(secret[game]) and len(secret[game].partition("@")[0]) <= 64
    local, _, domain = secret[first].partition("@")
    swapped = {"a": "b"}
    for place in range(len("play+"), len(local)):
        wrong = local[:place] + swapped.get(local[place], "a") + local[place + 1 :]
        assert await addresses.read(f"{wrong}@{domain}") is None, place
    for wrong in ("play", "play+", f"{local}a", local[:-1], "play+" + "a" * 5000, "play+ä", "play+oa", "play+oa1"):
        assert await addresses.read(f"{wrong}@{domain}") is None, wrong
    assert await addresses.read(f"{local}@elsewhere.org") is None and not addresses.is_ours("player@mail.example.org")
    async with server.store.write() as connection:
        await people.change(connection, number, banned=now())
    assert await addresses.read(secret[first]) is None
    async with server.store.write() as connection:
        await people.change(connection, number, banned=None, mail_key="another key")
    assert await addresses.read(secret[first]) is None


def test_an_address_that_leaves_no_room_for_secrets_is_refused() -> None:
    assert mail_address("Play <play@example.org>") == "play@example.org"
    for wrong in ("play+x@example.org", f"{'p' * 20}@example.org", "nobody"):
        with pytest.raises(hg.HedgerowError, match="hint:"):
            mail_address(wrong)


async def test_a_name_is_no_command_in_an_answer(mailing: FastAPI, box: Box) -> None:
    """Somebody called `resign` gives nobody's game up, and a long name does not reach beyond the brackets."""
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "resign now")
        await person(mailing, bo, box, "Bo")
        await games(ann, bo, 1)
        (letter,) = await sent(mailing, box, "bo@example.net")
    subject = f"Re: {letter['Subject']}"
    assert "resign" in subject
    assert [command.name for command in parse(subject, "A5", signed_in=True)] == ["move"]  # type: ignore[union-attr]


# --- answers ----------------------------------------------------------------------------------------------------------


async def answer(app: FastAPI, **more: Any) -> None:
    post = app.state.server.post
    async with app.state.server.store.write() as connection:
        told = {"kind": "answer", "address": "bo@example.net", "subject": "Re: hexbo show 1", "text": "Here it is."}
        await post.send(**(told | more), connection=connection)


async def test_an_answer_goes_with_what_it_answers(mailing: FastAPI, box: Box) -> None:
    post = mailing.state.server.post
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        first, other = await games(ann, bo, 2)
        number = await id_of(bo)
    await mailing.state.server.notices.stop()
    await answer(mailing, account=number, game=first, games=[other], in_reply_to="<theirs@example.net>")
    await post.deliver()
    letter = box.mails.pop()
    assert letter["Auto-Submitted"] == "auto-replied" and letter["In-Reply-To"] == "<theirs@example.net>"
    assert letter["References"].split()[-1] == "<theirs@example.net>" and f"<game.{first}@" in letter["References"]
    assert (
        text_of(letter).startswith("Here it is.\n\nHexbo 1: Ann – Bo\n\nIt is your turn")
        and letter["List-Unsubscribe"] is None
    )
    assert len([part for part in letter.walk() if part.get_content_type() == "image/png"]) == 2
    assert await mailing.state.server.reply_addresses.read(letter["Reply-To"]) == (number, first)
    await answer(mailing, subject="a\r\nBcc: all@example.net", in_reply_to="<a>\r\nBcc: b@example.net", text="\0\ud800")
    await post.deliver()
    letter = box.mails.pop()
    assert letter["Bcc"] is None and letter["In-Reply-To"] is None and letter["Reply-To"] == "play@mail.example.org"
    assert letter["Subject"] == "a Bcc: all@example.net" and text_of(letter).strip() == "\ufffd\ufffd"


async def test_what_is_undone_is_not_sent(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    with pytest.raises(ZeroDivisionError):
        async with server.store.write() as connection:
            await server.post.send("answer", "bo@example.net", "Re", "Text", connection=connection)
            raise ZeroDivisionError
    assert await server.post.deliver() == 0 and not box.mails


async def test_nobody_is_sent_the_board_of_a_private_game(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo, browser(mailing) as stranger:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        await person(mailing, stranger, box, "Cyd")
        asked = {"rules": "tanbo(size=9)", "opponent": "friend", "private": True}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        for client, shown in ((ann, True), (bo, True), (stranger, False)):
            await answer(mailing, account=await id_of(client), game=game)
            await mailing.state.server.post.deliver()
            assert ("Ann" in text_of(box.mails.pop())) == shown
        await answer(mailing, game=game)
        await mailing.state.server.post.deliver()
        assert "Ann" not in text_of(box.mails.pop())


async def test_whoever_plays_by_mail_hears_of_a_turn_at_once(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        await answer(mailing, account=await id_of(bo))
        await server.post.deliver()
        box.mails.clear()
        await games(ann, bo, 1)
        await server.notices.stop()
        assert await server.post.deliver() == 1 and box.mails.pop()["To"] == "bo@example.net"
        async with server.store.write() as connection:  # since seen on the page
            seen = update(accounts).where(accounts.c.name == "Bo").values(seen=now() + 1000)
            await connection.execute(seen)
        await games(ann, bo, 1)
        await server.notices.stop()
        assert await server.post.deliver() == 0


async def test_whoever_plays_by_mail_is_told_what_others_say_and_offer(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        (game,) = await games(ann, bo, 1)
        await server.notices.stop()

        async def told(words: str) -> list[str]:
            assert (await ann.post(f"/api/games/{game}/chat", json={"text": words})).is_success
            await server.notices.stop()
            box.mails.clear()
            await server.post.deliver()
            return [text_of(letter) for letter in box.mails if letter["To"] == "bo@example.net"]

        assert await told("hello") == []  # who plays on the page reads it there
        await answer(mailing, account=await id_of(bo))
        (text,) = [text for text in await told("nice turn") if "nice" in text]
        assert text.startswith("Ann says: nice turn\n\nIt is your turn") and "No more mails like this" in text
        assert (await ann.post(f"/api/games/{game}/offers/draw")).is_success
        (text,) = [text for text in await told("well?") if "draw" in text]
        assert text.startswith("Ann offers a draw. Answer `accept`, or `reject`.\n\n")
        number = await id_of(ann)
        async with server.store.write() as connection:
            await talk.put_mute(connection, await id_of(bo), number, "mute", now())
        assert await told("hello?") == []


async def test_a_letter_that_is_tried_again_does_not_tell_of_a_turn_that_has_passed(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        first, other = await games(ann, bo, 2)
        box.refusals += ["451 later", "451 later"]
        assert not await sent(mailing, box, "bo@example.net") and not box.refusals
        turn = (await bo.get(f"/api/games/{first}")).json()["legal"][0]["text"]
        await bo.post(f"/api/games/{first}/turns", json={"number": 1, "text": turn})
        (letter,) = await sent(mailing, box, "bo@example.net")
        assert link_in(letter, "games") == f"/games/{other}"


async def test_a_sign_up_by_mail_is_confirmed_by_its_link_or_an_answer(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    for name, by_link in (("Dee", True), ("Eve", False)):
        await server.sign_ups.ask(name, "hedge-berry-41", f"{name.lower()}@example.net", "127.0.0.1")
        async with browser(mailing) as somebody:
            await server.post.deliver()
            letter = box.mails.pop()
            assert letter["To"] == f"{name.lower()}@example.net" and "To confirm it, answer this mail" in text_of(
                letter
            )
            link, token = link_in(letter, "signup"), server.reply_addresses.sign_up(letter["Reply-To"].upper())
            assert link == f"/signup/{token}" and await server.reply_addresses.read(letter["Reply-To"]) is None
            assert "Make my account" in (await somebody.get(link)).text
            if by_link:
                assert f"Welcome, {name}" in (await somebody.post(link)).text
            else:
                await server.sign_ups.confirm(token)
            assert (await somebody.post(link)).status_code == 404


# --- the way ----------------------------------------------------------------------------------------------------------


async def test_many_letters_share_few_connections(mailing: FastAPI, box: Box) -> None:
    post, many = mailing.state.server.post, mail.TOGETHER
    async with mailing.state.server.store.write() as connection:
        for number in range(many):
            await post.send("answer", f"p{number}@example.net", "Hello", "Text", connection=connection)
    assert await post.deliver() == many
    assert (
        len({message["To"] for message in box.mails}) == many == len({message["Message-ID"] for message in box.mails})
    )
    assert 1 < len(box.lines) <= smtp.LINES and post.carrier.opened == len(box.lines)
    async with mailing.state.server.store.read() as connection:
        rows = (await connection.execute(select(mails))).all()
    assert all(row.sent and row.due is None and row.tries == 1 for row in rows)


async def test_a_connection_that_the_mail_server_closed_is_not_used(mailing: FastAPI, box: Box) -> None:
    post = mailing.state.server.post
    for number in range(2):
        await answer(mailing)
        assert await post.deliver() == 1 and len(box.mails) == number + 1
        (line,) = post.carrier._idle
        line.transport.write_eof()  # the server sees the end, and hangs up
        while line.fresh:
            await asyncio.sleep(0.01)
    assert post.failed == 0 and post.carrier.opened == 2


async def test_a_server_that_stops_leaves_its_letters_to_the_next(
    mailing: FastAPI, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, slow = mailing.state.server, asyncio.Event()

    async def stuck(*_: Any) -> None:
        await slow.wait()

    monkeypatch.setattr(server.post.carrier, "carry", stuck)
    monkeypatch.setattr(mail, "LEAVING", 0.1)
    await answer(mailing)
    server.post.wake()
    begun = time.monotonic()
    while True:
        async with server.store.read() as connection:
            (row,) = (await connection.execute(select(mails))).all()
        if row.due > now():
            break
        assert time.monotonic() < begun + 20
        await asyncio.sleep(0.01)
    await server.post.stop()
    async with server.store.read() as connection:
        (row,) = (await connection.execute(select(mails))).all()
    assert row.sent is None and row.due <= now() and row.tries == 0


# --- as it is written -------------------------------------------------------------------------------------------------


def test_a_letter_in_html_escapes_and_keeps_what_is_drawn() -> None:
    board = "   1 2\n  / /\nA- . #\n B- O ."
    said = "See https://play.example.org/games/x.\n<b>&\n\n" + board
    letter = Letter("us@example.org", "ann@example.org", "<Hi>", [said], "<1@example.org>")
    page = html_of(letter)
    assert (
        '<a href="https://play.example.org/games/x">https://play.example.org/games/x</a>.<br>\n&lt;b&gt;&amp;' in page
    )
    assert f">{board}</pre>" in page and "<title>&lt;Hi&gt;</title>" in page


def test_names_of_all_scripts_are_written() -> None:
    picture = Picture("A- #", 'a "board"', b"\x89PNG", (10, 20))
    parts = ["Ἀθηνᾶ – Bo 🌱", picture]
    raw = written(Letter("us@example.org", "ann@example.org", "Ἀθηνᾶ 🌱", parts, "<1@example.org>"))
    assert raw.isascii() or b"8bit" in raw
    assert max(map(len, raw.split(b"\r\n"))) <= 998 and b"\n" not in raw.replace(b"\r\n", b"")
