"""Mail words prove who somebody is by mail, and nothing else; guessing them is slow, and using them again is quick."""

from __future__ import annotations

import time

import pytest

from hedgerow.serve.people.accounts import Account, digest
from hedgerow.serve.people.mail_words import new_word
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import people
from hedgerow.serve.store.schema import now

pytestmark = pytest.mark.anyio

PASSWORD, WORD = "under the hedge 7", "wren-and-robin-9"


async def signed_up(server: Server, name: str = "Ann Ivy") -> Account:
    return (await server.accounts.sign_up(name, PASSWORD, None, None))[0]


async def refused(server: Server, name: str, word: str, where: str = "here") -> str:
    with pytest.raises(Refused) as caught:
        await server.mail_words.prove(name, word, where)
    return caught.value.code


async def test_a_word_proves_its_account_and_no_other(server: Server) -> None:
    ann, bo = await signed_up(server), await signed_up(server, "Bo")
    word = await server.mail_words.make(ann.id)
    assert await server.mail_words.prove("ann_IVY", word, "here") == ann
    assert await refused(server, "Bo", word) == "signed_out"
    assert await refused(server, "Nobody", word) == "signed_out"
    assert await refused(server, "Ann Ivy", word.upper()) == "signed_out"
    assert await server.mail_words.made(ann.id) and await server.mail_words.made(bo.id) is None


async def test_a_word_opens_no_session_and_a_password_proves_nothing(server: Server) -> None:
    ann = await signed_up(server)
    word = await server.mail_words.make(ann.id)
    with pytest.raises(Refused, match="password is wrong"):
        await server.accounts.sign_in("Ann Ivy", word)
    assert await refused(server, "Ann Ivy", PASSWORD) == "signed_out"
    with pytest.raises(Refused, match="with a space"):
        await server.mail_words.set(ann.id, PASSWORD)


@pytest.mark.parametrize("word", ["two words here", "short", "password", "annivy12"])
async def test_some_words_are_refused(server: Server, word: str) -> None:
    ann = await signed_up(server)
    with pytest.raises(Refused):
        await server.mail_words.set(ann.id, word)
    assert await server.mail_words.made(ann.id) is None


async def test_a_mail_word_does_not_become_the_password(server: Server) -> None:
    ann = await signed_up(server)
    await server.mail_words.set(ann.id, WORD)
    with pytest.raises(Refused, match="is your mail word"):
        await server.accounts.new_password(ann.id, WORD)
    token = "t" * 32
    async with server.store.write() as connection:
        row = {"kind": "reset", "token": digest(token), "account": ann.id, "about": "", "created": now()}
        await people.add_one_time_token(connection, **row, expires=now() + 10_000)
    with pytest.raises(Refused, match="is your mail word"):
        await server.own_mail.reset(token, WORD, "here")
    await server.accounts.sign_in("Ann Ivy", PASSWORD)
    await server.own_mail.reset(token, "another hedge 8", "here")
    await server.accounts.sign_in("Ann Ivy", "another hedge 8")


async def test_the_accounts_own_password_is_no_mail_word(server: Server) -> None:
    ann, _ = await server.accounts.sign_up("Ann", WORD, None, None)
    with pytest.raises(Refused, match="is your password"):
        await server.mail_words.set(ann.id, WORD)
    assert await refused(server, "Ann", WORD) == "signed_out"


async def test_a_changed_or_revoked_word_holds_nowhere(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await signed_up(server)
    await server.mail_words.set(ann.id, WORD)
    elsewhere = type(server.mail_words)(server.accounts, server.limits)
    assert await elsewhere.prove("Ann Ivy", WORD, "here") == ann
    second = await server.mail_words.make(ann.id)
    with pytest.raises(Refused):
        await elsewhere.prove("Ann Ivy", WORD, "here")
    assert await elsewhere.prove("Ann Ivy", second, "here") == ann
    assert await server.mail_words.revoke(ann.id) and not await server.mail_words.revoke(ann.id)
    for words in (server.mail_words, elsewhere):
        with pytest.raises(Refused):
            await words.prove("Ann Ivy", second, "here")


async def test_proving_again_costs_no_hash(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await signed_up(server)
    word = await server.mail_words.make(ann.id)

    async def never(*_: object) -> bool:
        raise AssertionError("a hash")

    monkeypatch.setattr(server.accounts.hashing, "fits", never)
    begun = time.perf_counter()
    for _ in range(100):
        assert await server.mail_words.prove("Ann Ivy", word, "here") == ann
    assert time.perf_counter() - begun < 5


async def test_whoever_guesses_locks_himself_out_and_nobody_who_is_known(server: Server) -> None:
    ann = await signed_up(server)
    word = await server.mail_words.make(ann.id)
    codes = [await refused(server, "Ann Ivy", new_word(), "there") for _ in range(10)]
    assert codes[0] == "signed_out" and codes[-1] == "too_many"
    assert await server.mail_words.prove("Ann Ivy", word, "there") == ann
    assert await server.mail_words.prove("Ann Ivy", word, "elsewhere") == ann


async def test_who_is_banned_or_gone_proves_nothing(server: Server) -> None:
    from hedgerow.serve.process import operator

    ann, bo = await signed_up(server), await signed_up(server, "Bo")
    words = [await server.mail_words.make(each.id) for each in (ann, bo)]
    await operator.ban(server.store, "Ann Ivy", True)
    assert await refused(server, "Ann Ivy", words[0]) == "banned"
    await server.accounts.delete(bo.id)
    assert await refused(server, "Bo", words[1]) == "signed_out"
    assert await server.mail_words.made(bo.id) is None


async def test_guests_have_none(server: Server) -> None:
    guest, _ = await server.accounts.guest()
    with pytest.raises(Refused, match="with a name"):
        await server.mail_words.make(guest.id)


def test_new_words_differ_and_can_be_typed() -> None:
    words = {new_word() for _ in range(100)}
    assert len(words) == 100 and all(len(word) == 14 and word == word.lower() for word in words)
