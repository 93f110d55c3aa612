"""Mail against a real SMTP server: the queue, tries again, links in mails, and one click that ends them."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from boxes import HERE, PASSWORD, Box, browser, games, link_in, make_due, number_of, person, text_of
from fastapi import FastAPI
from places import until
from serving import running
from sqlalchemy import insert, select, update

from hedgerow.game import HedgerowError
from hedgerow.serve.people import letter_texts, mail
from hedgerow.serve.people.smtp import Smtp
from hedgerow.serve.process import operator
from hedgerow.serve.process.run import check_mail
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import people
from hedgerow.serve.store.schema import accounts, mails, now

pytestmark = pytest.mark.anyio


async def test_a_password_is_reset_by_mail(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as other:
        await person(mailing, ann, box, "Ann")
        for who in ("nobody at all", "nobody@example.net", "ANN", "ann@EXAMPLE.net"):
            assert "Check your mail" in (await other.post("/reset", data={"who": who})).text
        await mailing.state.server.post.deliver()
        assert [message["To"] for message in box.mails] == ["ann@example.net"] * 2
        first, second = (link_in(message, "reset") for message in sorted(box.mails, key=number_of))
        assert "does not hold" in (await other.post(first, data={"password": "a new password"})).text
        assert (await other.post(second, data={"password": "short"})).status_code == 422
        assert (await other.post(second, data={"password": "a new password"})).status_code == 303
        assert (await other.post(second, data={"password": "a third password"})).status_code == 404
        assert (await ann.get("/api/me")).json() == {"account": None}
        assert (await ann.post("/api/sign-in", json={"name": "Ann", "password": PASSWORD})).status_code == 401
        assert (await ann.post("/api/sign-in", json={"name": "Ann", "password": "a new password"})).status_code == 200


async def reset_link(app: FastAPI, client: httpx.AsyncClient, box: Box) -> str:
    box.mails.clear()
    assert (await client.post("/api/reset", json={"who": "Ann"})).status_code == 202
    await app.state.server.post.deliver()
    return link_in(box.mails[-1], "reset")


async def new_password(app: FastAPI, ann: httpx.AsyncClient) -> None:
    assert (await ann.post("/api/account/password", json={"old": PASSWORD, "new": "mine alone again"})).is_success


async def new_password_on_the_page(app: FastAPI, ann: httpx.AsyncClient) -> None:
    assert (await ann.post("/account/password", data={"old": PASSWORD, "new": "mine alone again"})).is_success


async def new_address(app: FastAPI, ann: httpx.AsyncClient) -> None:
    assert (await ann.put("/api/account/mail", json={"mail": "new@example.net"})).is_success


async def no_address(app: FastAPI, ann: httpx.AsyncClient) -> None:
    assert (await ann.post("/account/mail", data={"mail": ""})).status_code == 303


async def by_the_operator(app: FastAPI, ann: httpx.AsyncClient) -> None:
    await operator.reset_password(app.state.server.store, "Ann")


async def banned_for_a_while(app: FastAPI, ann: httpx.AsyncClient) -> None:
    await operator.ban(app.state.server.store, "Ann", True)
    await operator.ban(app.state.server.store, "Ann", False)


async def deleted(app: FastAPI, ann: httpx.AsyncClient) -> None:
    assert (await ann.post("/api/account/delete", json={"password": PASSWORD})).is_success


CHANGES = (
    new_password,
    new_password_on_the_page,
    new_address,
    no_address,
    by_the_operator,
    banned_for_a_while,
    deleted,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_a_link_does_not_outlive_what_it_is_about(change: Any, mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as thief:
        await person(mailing, ann, box, "Ann")
        link = await reset_link(mailing, thief, box)
        await change(mailing, ann)
        refused = await thief.post(link, data={"password": "the thief's own"})
        assert refused.status_code == 404 and "does not hold any more" in refused.text
        assert (await thief.post("/api/sign-in", json={"name": "Ann", "password": "the thief's own"})).is_error


async def test_a_link_that_was_not_sent_yet_does_not_go_out(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        await mailing.state.server.post.send_link(
            "reset", (await ann.get("/api/me")).json()["account"]["id"], "ann@example.net"
        )
        await new_password(mailing, ann)
        assert await mailing.state.server.post.deliver() == 0 and not box.mails


async def test_a_link_for_an_older_address_confirms_nothing(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        account = (await ann.get("/api/me")).json()["account"]["id"]
        await ann.put("/api/account/mail", json={"mail": "one@example.net"})
        await mailing.state.server.post.deliver()
        (asked,) = (message for message in box.mails if message["To"] == "one@example.net")
        link = link_in(asked, "confirm")
        for mail in ("two@example.net", "one@example.net"):
            async with mailing.state.server.store.write() as connection:
                await people.change(connection, account, mail=mail)
        assert (await ann.post(link)).status_code == 404


async def test_whoever_asks_for_a_link_learns_nothing_by_the_time_it_takes(mailing: FastAPI, box: Box) -> None:
    """Ann's row is held meanwhile: an answer that waited for anything about her would not come."""
    server = mailing.state.server
    async with browser(mailing) as ann, browser(mailing) as stranger:
        await person(mailing, ann, box, "Ann")
        async with server.store.write() as connection:
            await connection.execute(update(accounts).where(accounts.c.name == "Ann").values(seen=now()))
            for who in ("Ann", "ann@example.net", "nobody", "nobody@example.net", "no\0body"):
                async with asyncio.timeout(10):
                    assert (await stranger.post("/api/reset", json={"who": who})).status_code == 202
        await server.post.deliver()
        assert {message["To"] for message in box.mails} == {"ann@example.net"} and len(box.mails) == 2


async def test_a_game_is_one_mail_and_one_click_ends_them_all(mailing: FastAPI, box: Box) -> None:
    post = mailing.state.server.post
    async with browser(mailing) as ann, browser(mailing) as bo, browser(mailing) as stranger:
        await person(mailing, ann, box, "Ann")
        await person(mailing, bo, box, "Bo")
        played = await games(ann, bo, 3)
        await mailing.state.server.notices.stop()
        assert await post.deliver() == 0 and not box.mails  # whoever plays on the page may see it there
        answered = (await bo.get(f"/api/games/{played[0]}")).json()["legal"][0]["text"]
        await bo.post(f"/api/games/{played[0]}/turns", json={"number": 1, "text": answered})
        told = (await bo.get("/api/notices")).json()
        await make_due(mailing)
        await post.deliver()
        mine = [message for message in box.mails if message["To"] == "bo@example.net"]
        assert {link_in(message, "games") for message in mine} == {f"/games/{game}" for game in played[1:]}
        assert len({message["Subject"] for message in mine}) == 2 and told["unread"] in (2, 3)
        assert {row["game"] for row in told["notices"]} == set(played)
        await make_due(mailing)
        assert await post.deliver() == 0  # nothing is said twice
        assert {message["List-Unsubscribe-Post"] for message in mine} == {"List-Unsubscribe=One-Click"}
        where = mine[0]["List-Unsubscribe"].strip(" \r\n<>").removeprefix(HERE)
        assert where in text_of(mine[0]) and "No more mails?" in (await stranger.get(where)).text
        assert (await bo.get("/api/account/mail")).json()["turn_mails"]
        webmail = {"Origin": "https://webmail.example.com", "Sec-Fetch-Site": "cross-site"}
        one_click = await stranger.post(where, data={"List-Unsubscribe": "One-Click"}, headers=webmail)
        assert one_click.status_code == 200 and not (await bo.get("/api/account/mail")).json()["turn_mails"]
        assert (await stranger.post("/unsubscribe/abcdefghijklmnopqrstuvwxyz")).status_code == 404
        box.mails.clear()
        await games(ann, bo, 1)
        await make_due(mailing)
        await post.deliver()
        assert not [message for message in box.mails if message["To"] == "bo@example.net"]


async def test_a_mail_is_tried_again(mailing: FastAPI, box: Box) -> None:
    post = mailing.state.server.post
    async with browser(mailing) as ann:
        box.refusals += ["451 later", "451 later"]
        await ann.post("/api/sign-up", json={"name": "Ann", "password": PASSWORD, "mail": "ann@example.net"})
        for tries in (1, 2):
            assert await post.deliver() == 1 and await post.deliver() == 0 and not box.mails
            async with mailing.state.server.store.read() as connection:
                row = (await connection.execute(select(mails))).one()
            assert row.tries == tries and row.sent is None and row.due > now() + mail.AGAIN[tries - 1] - 30_000
            await make_due(mailing)
        assert await post.deliver() == 1 and len(box.mails) == 1 and post.failed == 2


async def test_a_mail_is_given_up(mailing: FastAPI, box: Box) -> None:
    post = mailing.state.server.post
    async with browser(mailing) as ann:
        await ann.post("/api/sign-up", json={"name": "Ann", "password": PASSWORD, "mail": "nobody@example.net"})
        assert await post.deliver() == 1
        async with mailing.state.server.store.read() as connection:
            row = (await connection.execute(select(mails))).one()
        assert row.due is None and row.sent is None and not box.mails


SICK = ("a@[b", "=?utf-8?q??=@x", "ann@example.net\nBcc: all@example.net")
"""Addresses that were taken once, or come from an export."""


async def old_mails(app: FastAPI, account: int) -> None:
    async with app.state.server.store.write() as connection:
        for number, address in enumerate(SICK):
            row = {"account": account, "kind": "confirm", "address": address, "subject": "Hello", "body": "Secret"}
            await connection.execute(insert(mails).values(**row, created=now(), due=1 + number, tries=0))


async def test_a_mail_that_cannot_be_a_letter_stands_in_nobodys_way(
    mailing: FastAPI, box: Box, caplog: pytest.LogCaptureFixture
) -> None:
    post = mailing.state.server.post
    async with browser(mailing) as ann, browser(mailing) as bo:
        await person(mailing, ann, box, "Ann")
        await old_mails(mailing, (await ann.get("/api/me")).json()["account"]["id"])
        await bo.post("/api/sign-up", json={"name": "Bo", "password": PASSWORD, "mail": "bo@example.net"})
        await post.deliver()
        assert [message["To"] for message in box.mails] == ["bo@example.net"]
        async with mailing.state.server.store.read() as connection:
            waiting = (await connection.execute(select(mails).where(mails.c.due.is_not(None)))).all()
            left = (await connection.execute(select(mails).where(mails.c.address.in_(SICK)))).all()
        assert not waiting and {row.due for row in left} == {row.sent for row in left} == {None}
        said = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
        assert len(said) == len(SICK) and all(f"mail {row.id} " in " ".join(said) for row in left)
        assert not any(address in caplog.text for address in SICK) and "Secret" not in caplog.text
        assert await post.deliver() == 0
        assert f"\nhedgerow_mails_set_aside_total {len(SICK)}\n" in (await bo.get("/metrics")).text


@pytest.mark.parametrize("mail", ["a@[b", "=?utf-8?q??=@x"])
async def test_nobody_signs_up_with_what_is_no_address(mail: str, mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        asked = {"name": "Ann", "password": PASSWORD, "mail": mail}
        refused = await ann.post("/api/sign-up", json=asked)
        assert refused.status_code == 422 and "; hint: like ann@example.org" in refused.json()["message"]
        assert "like ann@example.org" in (await ann.post("/sign-up", data=asked)).text
        await person(mailing, ann, box, "Ann")
        assert (await ann.put("/api/account/mail", json={"mail": mail})).status_code == 422
        assert (await ann.post("/account/mail", data={"mail": mail})).status_code == 422
        assert (await ann.get("/api/account/mail")).json()["mail"] == "ann@example.net"


async def test_one_mail_is_sent_by_one_process(mailing: FastAPI, box: Box) -> None:
    post = mailing.state.server.post
    async with browser(mailing) as ann:
        await ann.post("/api/sign-up", json={"name": "Ann", "password": PASSWORD, "mail": "ann@example.net"})
        await asyncio.gather(*(post.deliver() for _ in range(4)))
    assert len(box.mails) == 1


async def test_notices_are_counted_and_read(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as bo:
        (game,) = await games(ann, bo, 1)
        await mailing.state.server.notices.stop()
        told = (await bo.get("/api/notices")).json()
        assert told["unread"] == 1 and told["notices"][0]["game"] == game and "your turn" in told["notices"][0]["text"]
        assert (await ann.get("/api/notices?limit=0")).json() == {"unread": 0, "notices": []}
        assert (await ann.post("/api/notices/read", json={})).status_code == 204
        assert (await bo.get("/api/notices?limit=0")).json()["unread"] == 1
        assert (await bo.post("/api/notices/read", json={"up_to": told["notices"][0]["id"]})).status_code == 204
        assert (await bo.get("/api/notices?limit=0")).json()["unread"] == 0
        await ann.post(f"/api/games/{game}/resign")
        await mailing.state.server.notices.stop()
        assert "over" in (await bo.get("/api/notices")).json()["notices"][0]["text"]


async def test_a_new_address_must_be_confirmed(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        changed = await ann.put("/api/account/mail", json={"mail": "new@example.net", "turn_mails": False})
        kept = {"mail": "ann@example.net", "confirmed": True, "paused": False, "turn_mails": False}
        assert changed.json() == {**kept, "waiting": "new@example.net"}
        assert await arrived(mailing, box) == {
            "ann@example.net": letter_texts.MOVED[True][0],
            "new@example.net": letter_texts.LETTERS["confirm"][0],
        }
        told = {message["To"]: message for message in box.mails}
        assert "new@example.net instead of here" in text_of(told["ann@example.net"])
        assert (await ann.put("/api/account/mail", json={"mail": "no address"})).status_code == 422
        page = await ann.get("/account")
        assert "A mail was sent to new@example.net" in page.text and 'value="new@example.net"' in page.text
        assert (await ann.post(link_in(told["new@example.net"], "confirm"))).is_success
        moved = {**kept, "mail": "new@example.net", "waiting": None}
        assert (await ann.get("/api/account/mail")).json() == moved
        box.mails.clear()
        none = await ann.post("/account/mail", data={"mail": ""})
        assert none.status_code == 303 and (await ann.get("/api/account/mail")).json()["mail"] is None
        assert await arrived(mailing, box) == {"new@example.net": letter_texts.MOVED[False][0]}


async def arrived(app: FastAPI, box: Box) -> dict[str, str]:
    """The subjects of what has come, by address, when everything has gone out."""
    await app.state.server.post.deliver()
    return {str(message["To"]): str(message["Subject"]) for message in box.mails}


async def test_whoever_reads_the_old_address_can_call_another_off(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann, browser(mailing) as thief:
        await person(mailing, ann, box, "Ann")
        await thief.post("/api/sign-in", json={"name": "Ann", "password": PASSWORD})
        await thief.put("/api/account/mail", json={"mail": "thief@example.net"})
        await mailing.state.server.post.deliver()
        (asked,) = (message for message in box.mails if message["To"] == "thief@example.net")
        link = await reset_link(mailing, ann, box)
        assert (await ann.post(link, data={"password": "another hedge 8"})).status_code == 303
        assert (await thief.post(link_in(asked, "confirm"))).status_code == 404
        await ann.post("/api/sign-in", json={"name": "Ann", "password": "another hedge 8"})
        now_there = (await ann.get("/api/account/mail")).json()
        assert (now_there["mail"], now_there["waiting"]) == ("ann@example.net", None)


async def test_an_address_that_is_wanted_no_more_waits_no_more(mailing: FastAPI, box: Box) -> None:
    async with browser(mailing) as ann:
        await person(mailing, ann, box, "Ann")
        for wanted in ("new@example.net", "ann@example.net"):
            await ann.put("/api/account/mail", json={"mail": wanted})
        assert (await ann.get("/api/account/mail")).json()["waiting"] is None
        assert await arrived(mailing, box) == {"ann@example.net": letter_texts.MOVED[True][0]}


async def test_without_a_mail_server_nothing_offers_mail(settings: Settings) -> None:
    async with running(settings) as app, browser(app) as ann:
        await ann.post("/api/sign-up", json={"name": "Ann", "password": PASSWORD, "mail": "ann@example.net"})
        for path in ("/reset", "/reset/x", "/confirm/x", "/unsubscribe/x", "/api/account/mail"):
            assert (await ann.get(path)).status_code == 404, path
        page = (await ann.get("/account")).text.lower()
        assert "</main>" in page and "mail" not in page.partition("<main")[2].partition("</main>")[0]
        assert "/reset" not in (await ann.get("/sign-in")).text
        async with app.state.server.store.read() as connection:
            assert (await connection.execute(select(mails))).all() == []


@pytest.mark.parametrize("url", ["mail.example.org", "http://mail.example.org", "smtp://", "smtp://x:secret@y:port"])
def test_mail_servers_that_are_none(url: str) -> None:
    with pytest.raises(HedgerowError, match="hint: like smtps://") as refused:
        Smtp.of(url, "play@example.org")
    assert "secret" not in str(refused.value)


def test_mail_settings() -> None:
    found = Smtp.of("smtps://me%40example.org:p%40ss@mail.example.org", None)
    assert found == Smtp("mail.example.org", 465, True, "me@example.org", "p@ss", "me@example.org")
    with pytest.raises(HedgerowError, match="nobody to send mail from"):
        Smtp.of("smtp://mail.example.org", None)
    with pytest.raises(HedgerowError, match="--smtp without --public-url"):
        check_mail("smtp://mail.example.org", "a@b", None)
    check_mail("smtp://mail.example.org", "a@b.test", "https://x.test", "play@example.org")
    with pytest.raises(HedgerowError, match="--mail-address without --smtp"):
        check_mail(None, None, "https://x.test", "play@example.org")
    with pytest.raises(HedgerowError, match=r"cannot take mail at 'a\+b@example.org'"):
        check_mail("smtp://mail.example.org", "a@b.test", "https://x.test", "a+b@example.org")


# --- TLS --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate that was made by ourselves, with its key in the same file."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl")
    key, made, both = tmp_path / "key.pem", tmp_path / "cert.pem", tmp_path / "both.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-keyout", str(key), "-out", str(made)], check=True, capture_output=True)
    both.write_bytes(key.read_bytes() + made.read_bytes())
    return both


class Secure(Box):
    """A box that remembers who came over TLS, and who said who he was."""

    def __init__(self) -> None:
        super().__init__()
        self.over_tls: list[bool] = []
        self.users: list[bytes] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.over_tls.append(isinstance(server.transport.get_extra_info("ssl_object"), ssl.SSLObject))
        return await super().handle_DATA(server, session, envelope)

    def known(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        self.users.append(data.login)
        return AuthResult(success=data.password == b"p@ss")


@contextlib.contextmanager
def secure_server(kind: str, certificate: Path) -> Iterator[tuple[Secure, str]]:
    """A mail server that takes nothing in the clear; and its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    box, context = Secure(), ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    tls = {"ssl_context": context} if kind == "smtps" else {"tls_context": context, "require_starttls": True}
    controller = Controller(
        box, hostname="127.0.0.1", port=port, authenticator=box.known, auth_require_tls=kind == "smtp", **tls
    )
    controller.start()
    yield box, f"{kind}://me:p%40ss@127.0.0.1:{port}"
    controller.stop()


@pytest.mark.parametrize("kind", ["smtp", "smtps"])
async def test_mail_goes_out_over_tls(
    kind: str, certificate: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "EVERY", 3600)
    with secure_server(kind, certificate) as (box, url):
        how = {"smtp": url, "mail_from": "play@example.org", "public_url": HERE}
        async with running(replace(settings, **how)) as app, browser(app) as ann:
            post = app.state.server.post
            await ann.post("/api/sign-up", json={"name": "Ann", "password": PASSWORD, "mail": "ann@example.net"})
            await post.deliver()
            await until(lambda: post.failed == 1)  # nobody vouches for the certificate
            assert not box.mails and not box.users
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            await make_due(app)
            await post.deliver()
        assert len(box.mails) == 1 and box.over_tls == [True] and box.users == [b"me"]
