"""Mails that come back: counted once each, and after several in a row the address is paused until it is confirmed."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from boxes import Box, browser, games, link_in, make_due, person
from fastapi import FastAPI
from sqlalchemy import select, update

from hedgerow.serve.store import people
from hedgerow.serve.store.mailbox import IN_A_ROW
from hedgerow.serve.store.schema import accounts, mails, now

pytestmark = pytest.mark.anyio


async def letter_to(app: FastAPI, box: Box, client: httpx.AsyncClient, **more: Any) -> str:
    """A letter to Ann goes out; where it comes back to if it does."""
    server = app.state.server
    account = (await client.get("/api/me")).json()["account"]["id"]
    async with server.store.write() as connection:
        row = {"kind": "message", "address": "ann@example.net", "subject": "Hello", "text": "Text", "account": account}
        await server.post.send(**(row | more), connection=connection)
    await server.post.deliver()
    return box.senders[-1]


async def come_back(app: FastAPI, *where: str) -> list[bool]:
    """What a bounce to these addresses of ours does."""
    async with app.state.server.store.write() as connection:
        return [await app.state.server.bounces.came_back(one, connection) for one in where]


async def paused(client: httpx.AsyncClient) -> bool:
    found: bool = (await client.get("/api/account/mail")).json()["paused"]
    return found


async def test_a_mail_may_come_back_before_it_is_written_down_that_it_was_sent(mailing: FastAPI, box: Box) -> None:
    server, carry = mailing.state.server, mailing.state.server.post.carrier.carry

    async def comes_back(sender: str, *others: Any) -> None:
        await carry(sender, *others)
        assert await come_back(mailing, sender) == [True]

    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        server.post.carrier.carry = comes_back
        for _ in range(IN_A_ROW):
            await letter_to(mailing, box, ann)
        assert await paused(ann)


async def test_after_several_bounces_an_address_is_paused_until_it_is_confirmed(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        for number in range(IN_A_ROW):
            assert not await paused(ann)
            where = await letter_to(mailing, box, ann)
            account = (await ann.get("/api/me")).json()["account"]["id"]
            assert server.reply_addresses.is_ours(where) and await server.bounces.account_of(where.upper()) == account
            assert await come_back(mailing, where, where) == [True, False], number
        assert await paused(ann) and "came back" in (await ann.get("/account")).text
        told = (await ann.get("/api/notices")).json()["notices"][0]
        assert "ann@example.net came back" in told["text"] and not told["read"]
        box.mails.clear()
        await letter_to(mailing, box, ann)
        await games(bo, ann, 1)
        await make_due(mailing)
        await server.post.deliver()
        assert not [message for message in box.mails if message["To"] == "ann@example.net"]
        answer = await ann.post("/account/mail", data={"mail": "ann@example.net", "turn_mails": "yes"})
        assert answer.status_code == 303 and await paused(ann)
        await server.post.deliver()
        assert (await ann.post(link_in(box.mails.pop(), "confirm"))).is_success
        assert not await paused(ann) and "came back" not in (await ann.get("/account")).text
        where = await letter_to(mailing, box, ann)
        assert box.mails[-1]["Subject"] == "Hello"
        await come_back(mailing, where)
        assert not await paused(ann)  # it is counted anew


async def test_only_bounces_in_a_row_count_whatever_their_order(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        sent = [await letter_to(mailing, box, ann) for _ in range(2 * IN_A_ROW)]
        for number in (4, 0, 1, 5):
            await come_back(mailing, sent[number])
            assert not await paused(ann)
        await come_back(mailing, sent[3])
        assert await paused(ann)


async def test_a_mail_server_that_knows_nobody_is_a_bounce(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        async with mailing.state.server.store.write() as connection:
            await connection.execute(update(accounts).where(accounts.c.name == "Ann").values(mail="nobody@example.net"))
        for _ in range(IN_A_ROW):
            assert not await paused(ann)
            await letter_to(mailing, box, ann, address="nobody@example.net")
        assert await paused(ann)
        async with mailing.state.server.store.read() as connection:
            rows = (await connection.execute(select(mails).where(mails.c.address == "nobody@example.net"))).all()
        assert all(row.bounced and row.sent is None and row.due is None for row in rows)


async def test_a_new_address_is_not_paused_by_bounces_of_the_old_one(mailing: FastAPI, box: Box) -> None:
    server = mailing.state.server
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        sent = [await letter_to(mailing, box, ann) for _ in range(IN_A_ROW)]
        account = (await ann.get("/api/me")).json()["account"]["id"]
        async with server.store.write() as connection:
            await people.change(connection, account, mail="new@example.net", confirmed=now())
        assert all(await come_back(mailing, *sent)) and not await paused(ann)


async def test_nobody_can_make_up_a_bounce(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        where = await letter_to(mailing, box, ann)
        local, _, domain = where.partition("@")
        wrong = [
            f"{local[:place]}{'a' if local[place] != 'a' else 'b'}{local[place + 1 :]}@{domain}" for place in (-1, 9)
        ]
        wrong += [f"{local}@elsewhere.org", "play@mail.example.org", "play+@mail.example.org", f"{local}a@{domain}", ""]
        assert not any(await come_back(mailing, *wrong))
        assert [await mailing.state.server.bounces.account_of(one) for one in wrong] == [None] * len(wrong)
        secret = mailing.state.server.reply_addresses
        assert await secret.read(where) is None and await come_back(mailing, where) == [True]
