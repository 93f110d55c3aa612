"""Signing up by mail, over a real mail server; what people see of mail words, vacations, challenges and messages."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
from boxes import PASSWORD, Box, browser, link_in, make_due, person, text_of
from fastapi import FastAPI
from sqlalchemy import insert, select, update

from hedgerow.serve.commands.accounts import confirm_signup
from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play.clocks import DAY
from hedgerow.serve.process import operator
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.schema import accounts, letters, now, one_time_tokens

pytestmark = pytest.mark.anyio

WORD = "wren-and-robin-9"
NUMBERS = iter(range(1_000_000))


async def stranger(server: Server) -> Sender:
    """Whoever sends the next letter."""
    row = {"digest": str(next(NUMBERS)), "received": now(), "sender": "", "recipient": "play@example.org", "tries": 0}
    async with server.store.write() as connection:
        number = (await connection.execute(insert(letters).values(**row).returning(letters.c.id))).scalar_one()
    return Sender("mail", address="dora@example.net", where="mail", once=Once(number, 0))


async def write(server: Server, line: str, body: str = "") -> Answer:
    (answer,) = await carry_out(server, await stranger(server), line, body)
    return answer


async def names(server: Server) -> list[str]:
    async with server.store.read() as connection:
        return list((await connection.execute(select(accounts.c.name))).scalars())


async def asked(mailing: FastAPI, box: Box, line: str = f"signup Dora {WORD}") -> str:
    """Somebody signs up by mail; the token in the mail that asks them."""
    server: Server = mailing.state.server
    sender = await stranger(server)
    for _ in range(2):  # the letter comes twice
        (answer,) = await carry_out(server, sender, line, "")
        assert answer.ok and WORD not in repr(answer)
    await server.post.deliver()  # type: ignore[union-attr]
    (message,) = box.mails
    box.mails.clear()
    return link_in(message, "signup").rsplit("/", 1)[1]


async def test_an_account_is_there_when_the_mail_was_answered(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    token = await asked(mailing, box)
    assert await names(server) == []
    with pytest.raises(Refused):
        await server.mail_words.prove("Dora", WORD, "mail")
    sender = await stranger(server)
    answers = [await confirm_signup(server, sender, token) for _ in range(2)]
    assert answers[0].ok and answers[0] == answers[1] and "Dora" in answers[0].text
    dora = await server.mail_words.prove("dora", WORD, "mail")
    mail = await server.own_mail.of(dora)
    assert mail.mail == "dora@example.net" and mail.confirmed
    with pytest.raises(Refused, match="does not hold"):
        await confirm_signup(server, await stranger(server), token)
    assert await names(server) == ["Dora"]


async def test_or_its_link_followed_and_then_a_password_chosen(mailing: FastAPI, box: Box) -> None:
    token = await asked(mailing, box, f"add Dora {WORD} dora@example.org")
    async with browser(mailing) as dora:
        assert (await dora.get(f"/signup/{token}")).status_code == 200 and not await names(mailing.state.server)
        assert "Dora" in (await dora.post(f"/signup/{token}")).text
        signed_in = await dora.post("/api/sign-in", json={"name": "Dora", "password": WORD})
        assert signed_in.status_code == 401, "a mail word opens no session"
        await dora.post("/reset", data={"who": "dora@example.org"})
        await mailing.state.server.post.deliver()
        link = link_in(box.mails[-1], "reset")
        assert (await dora.post(link, data={"password": PASSWORD})).status_code == 303
        assert (await dora.post("/api/sign-in", json={"name": "Dora", "password": PASSWORD})).status_code == 200


async def test_who_may_not_sign_up(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    token = await asked(mailing, box)
    await server.accounts.sign_up("D0ra", PASSWORD, None, None)
    with pytest.raises(Refused, match="taken"):
        await server.sign_ups.confirm(token)
    for line in (f"signup Dora {WORD}", f"signup admin {WORD}", "signup Eve password", f"signup Eve {WORD} no@wh ere"):
        assert not (await write(server, line)).ok
    server.accounts.registration = "invitation"
    assert "not open" in (await write(server, f"signup Eve {WORD}")).text
    await server.post.deliver()  # type: ignore[union-attr]
    assert not box.mails and await names(server) == ["D0ra"]


async def test_a_sign_up_ends_after_a_while(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    token = await asked(mailing, box)
    async with server.store.write() as connection:
        await connection.execute(update(one_time_tokens).values(expires=now() - 1))
    with pytest.raises(Refused, match="does not hold"):
        await server.sign_ups.confirm(token)


async def test_nobody_is_flooded_with_them(mailing: FastAPI, box: Box) -> None:
    answers = [await write(mailing.state.server, f"signup Dora{n} {WORD}") for n in range(8)]
    assert [answer.ok for answer in answers] == [True] * 5 + [False] * 3 and "too many mails" in answers[-1].text


async def test_another_address_for_who_plays_by_mail_alone(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    dora = await server.sign_ups.confirm(await asked(mailing, box))
    assert (await write(server, f"change address Dora {WORD} new@example.net")).ok
    await server.post.deliver()  # type: ignore[union-attr]
    told = {str(message["To"]): message for message in box.mails}
    assert set(told) == {"dora@example.net", "new@example.net"}
    assert (await server.own_mail.of(dora)).mail == "dora@example.net"
    assert "new@example.net takes its place" in (await write(server, f"change address Dora {WORD}")).text
    await server.own_mail.confirm(link_in(told["new@example.net"], "confirm").rpartition("/")[2])
    assert (await server.own_mail.of(dora)).mail == "new@example.net"
    await server.accounts.new_password(dora.id, PASSWORD)
    refused = await write(server, f"change address Dora {WORD} other@example.net")
    assert not refused.ok and "sign in" in refused.text, "or the mail word would be worth the account"


async def test_challenges_and_messages_come_by_mail(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
    dora = await server.sign_ups.confirm(await asked(mailing, box))
    challenge = await write(server, f"hexbo challenge -small -password={WORD} Dora Ann")
    assert challenge.ok and challenge.account == dora.id
    assert (await write(server, f"message Dora {WORD} Ann", "Shall we?")).ok
    await make_due(mailing)
    await server.post.deliver()  # type: ignore[union-attr]
    texts = sorted(text_of(message) for message in box.mails if message["To"] == "ann@example.net")
    assert len(texts) == 2 and texts[1].startswith("Shall we?")
    assert (
        "Dora challenges you to hexbo(side=5), friendly, 3 days" in texts[0] and "accept as its first line" in texts[0]
    )
    (letter,) = (message for message in box.mails if "Hexbo" in message["Subject"])
    proof = await server.reply_addresses.read(letter["Reply-To"])
    assert proof is not None and proof[1] == challenge.game
    ann_by_mail = replace(await stranger(server), account=Account(proof[0], "person", "Ann"), game=proof[1])
    (accepted,) = await carry_out(server, ann_by_mail, f"Re: {letter['Subject']}", "accept")
    assert accepted.ok and (await server.games.look(proof[1] or "")).state == "playing"


async def test_a_challenge_with_a_live_clock_and_its_refusal_come_by_mail(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    async with browser(mailing) as ann, browser(mailing) as bo:
        for client, name in ((ann, "Ann"), (bo, "Bo")):
            await person(mailing, client, box, name)
        asked = {"rules": "tanbo", "opponent": "named", "name": "Bo", "clock": {"kind": "live"}}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        for client, to, words in (
            (bo, "bo@example.net", "Ann challenges you to tanbo, friendly, 5 minutes and 3 seconds for each turn."),
            (ann, "ann@example.net", "Bo declined the challenge."),
        ):
            await server.notices.stop()  # until they are written
            await make_due(mailing)
            await server.post.deliver()  # type: ignore[union-attr]
            letters = [text_of(message) for message in box.mails if message["To"] == to]
            assert any(words in text for text in letters), letters
            if client is bo:
                assert (await bo.post(f"/api/games/{game}/cancel")).status_code == 200


async def test_an_operator_writes_to_everybody(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        await server.sign_ups.confirm(await asked(mailing, box))
        await server.accounts.sign_up("Eve", PASSWORD, "eve@example.net", None)  # an address that is not confirmed
        await operator.operator(server.store, "dora", True)
        assert (await write(server, f"broadcast Dora {WORD}", "Welcome,\nall of you!")).ok
        await server.post.deliver()  # type: ignore[union-attr]
        assert sorted(message["To"] for message in box.mails) == ["ann@example.net", "dora@example.net"]
        assert "Welcome,\nall of you!" in text_of(box.mails[0])
        assert "Welcome, all of you!" in (await ann.get("/notices")).text


async def test_the_account_page_makes_and_revokes_a_mail_word(mailing: FastAPI, box: Box) -> None:
    server: Server = mailing.state.server
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        page = (await ann.post("/account/mail-word")).text
        word = page.split("<code>")[1].split("</code>")[0]
        assert (await server.mail_words.prove("Ann", word, "mail")).name == "Ann"
        assert word not in (await ann.get("/account")).text
        assert (await ann.post("/account/mail-word/end")).status_code == 303
        with pytest.raises(Refused):
            await server.mail_words.prove("Ann", word, "mail")
        assert (await ann.get("/api/account/mail-word")).json() == {"made": None}
        made = await ann.post("/api/account/mail-word", json={"word": WORD})
        assert made.json() == {"word": WORD} and made.headers["cache-control"] == "no-store"
        assert (await ann.post("/api/account/mail-word", json={"word": PASSWORD})).status_code == 422
        assert (await ann.delete("/api/account/mail-word")).status_code == 204


async def test_a_vacation_is_seen_on_the_page(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        game = await begun(ann, bo)
        assert "on vacation until" not in shown(await bo.get(f"/games/{game}"))
        assert (await ann.post("/account/vacation", data={"days": "10"})).status_code == 303
        assert "You are on vacation until" in (await ann.get("/account")).text
        assert "on vacation until" in shown(await bo.get(f"/games/{game}"))
        told = (await ann.get("/api/account/vacation")).json()
        assert told["left"] == 20 and abs(told["until"] - now() - 10 * DAY) < 60_000
        clock = (await bo.get(f"/api/games/{game}")).json()["clock"]
        assert clock["left"][0] == 13 * DAY, "what the page counts down"
        assert (await ann.post("/account/vacation", data={"days": "many"})).status_code == 422
        assert (await ann.put("/api/account/vacation", json={"days": 0})).json() == {"until": None, "left": 29}
        assert "on vacation until" not in shown(await bo.get(f"/games/{game}"))


async def begun(ann: httpx.AsyncClient, bo: httpx.AsyncClient) -> str:
    asked = {"rules": "hexbo(side=5)", "opponent": "friend", "clock": {"kind": "days", "days": 3}}
    game: str = (await ann.post("/api/games", json=asked)).json()["id"]
    assert (await bo.post(f"/api/games/{game}/join")).status_code == 200
    return game


def shown(answer: httpx.Response) -> str:
    """What can be seen of a page."""
    from serving import seen

    return seen(answer.text)
