"""Limits by mail: whoever floods the server is held up, and nobody else is."""

from __future__ import annotations

import asyncio
import re
import smtplib
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest
from mailing import Correspondent, Office, begun, mailboxes, plain, written
from serving import rows
from test_post_who import done

from hedgerow.serve.people.hashing import LETTERS_EACH, Hashing
from hedgerow.serve.people.limits import Busy, Limits, TooMany, mail_origin
from hedgerow.serve.post.reading import read
from hedgerow.tools.mail_bench import options
from hedgerow.tools.serve_bench import free_port, random_game, server_process

TURNS = [text for _, text in random_game("hexbo(side=5)", 1)]
FLOOD = 120
"""More sign-ups than one host may ask for at once."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def post(folder: Path) -> Iterator[Office]:
    """A server with limits, behind a mail server on the same machine, which says where letters come from."""
    mail_in = free_port()
    with mailboxes() as (boxes, smtp):
        limited = [option for option in options(smtp, mail_in) if option != "--no-limits"]
        with server_process(str(folder), *limited) as (_, web):
            yield Office(boxes, mail_in, web)


def came_from(host: str) -> dict[str, str]:
    """What the mail server on this machine writes above a letter from a host."""
    return {"Received": f"from sender.example (sender.example [{host}]) by mx.example.org (Postfix) with ESMTP id 1"}


def signed_up(folder: Path) -> int:
    ((count,),) = rows(folder / "hedgerow.db", "SELECT count(*) FROM one_time_tokens WHERE kind = 'signup'")
    assert isinstance(count, int)
    return count


def flooded(post: Office, letters: list[EmailMessage]) -> None:
    """Hands many letters over, on one line."""
    with smtplib.SMTP("127.0.0.1", post.mail_in, timeout=60) as line:
        for letter in letters:
            line.send_message(letter, f"{letter['Message-ID'].strip('<>')[:20]}@flood.example", letter["To"])


def sign_ups(senders: list[str], host: str, tag: str) -> list[EmailMessage]:
    """Sign-ups for names and addresses that are all different."""
    return [
        written(sender, "play@example.org", f"signup {tag}{n} 7q9x-hedge-{n} {tag}{n}@example.net", **came_from(host))
        for n, sender in enumerate(senders)
    ]


def test_a_flood_of_sign_ups_from_one_sender_holds_up_nobody_else(post: Office, folder: Path) -> None:
    before = signed_up(folder)
    flooded(post, sign_ups(["flood@flood.example"] * FLOOD, "198.51.100.7", "one"))
    done(folder)
    assert 1 <= signed_up(folder) - before <= 12
    assert post.person("ann").word  # from another address, by way of the same kind of mail server


def test_a_flood_from_one_host_under_many_names_holds_up_nobody_elsewhere(post: Office, folder: Path) -> None:
    before = signed_up(folder)
    senders = [f"flood{n}@flood.example" for n in range(FLOOD)]
    flooded(post, sign_ups(senders, "198.51.100.8", "many"))
    done(folder)
    assert 100 <= signed_up(folder) - before < FLOOD, "who found no room at first has lost nothing by it"
    cal = post.stranger("cal")
    cal.write("signup @", **came_from("203.0.113.5"))
    assert "Welcome" in plain(cal.reply(cal.next("confirm"), "Yes."))


def test_wrong_mail_words_of_somebody_else_do_not_hold_up_the_owner(post: Office, folder: Path) -> None:
    bo, dot = post.person("bo"), post.person("dot")
    wrong = [
        written(
            "thief@flood.example", "play@example.org", f"hexbo games bo wrong-{n}-7q9x", **came_from("198.51.100.9")
        )
        for n in range(20)
    ]
    flooded(post, wrong)
    done(folder)
    board = begun("hexbo", [bo, dot], "-small")
    assert "is played" in plain(bo.ask(f"hexbo move {board} @ {TURNS[0]}"))


def test_a_flood_of_wrong_words_from_many_hosts_holds_up_nobody(post: Office, folder: Path) -> None:
    bo, dot = post.person("bo"), post.person("dot")
    board = begun("hexbo", [bo, dot], "-small")
    letter = bo.ask(f"hexbo showas @ {board}")
    wrong = [
        written(f"t{n}@flood.example", "play@example.org", f"vacation bo wrong-{n}-7q9x", **came_from(f"198.51.{n}.9"))
        for n in range(100)
    ]
    flooded(post, wrong)
    before = waiting(folder)
    assert "is played" in plain(bo.reply(letter, TURNS[0])), "by a secret address"
    assert "1 turn" in plain(bo.ask(f"hexbo showas @ {board}")), "by a word that is known"
    assert before > 0 and waiting(folder) > 0, "the flood was over too soon to tell"
    done(folder)


def waiting(folder: Path) -> int:
    """How many letters are not done."""
    ((count,),) = rows(folder / "hedgerow.db", "SELECT count(*) FROM letters WHERE due IS NOT NULL")
    assert isinstance(count, int)
    return count


@pytest.mark.anyio
async def test_words_are_counted_by_sender_and_host_and_by_name() -> None:
    limits = Limits()
    for _ in range(8):
        await limits.check_origin("mail_word", mail_origin("thief@a.example", "198.51.100.9"), "bo")
    with pytest.raises(TooMany):
        await limits.check_origin("mail_word", mail_origin("thief@a.example", "198.51.100.9"), "bo")
    await limits.check_origin("mail_word", mail_origin("bo@b.example", "198.51.100.9"), "bo")
    with pytest.raises(TooMany):  # made-up senders do not get around it
        for n in range(100):
            await limits.check_origin("mail_word", mail_origin(f"thief{n}@a.example", "198.51.100.9"), "bo")
    await limits.check_origin("mail_word", mail_origin("bo@b.example", "203.0.113.5"), "bo")


@pytest.mark.anyio
async def test_whoever_finds_no_room_for_a_hash_is_not_counted() -> None:
    hashing, free, tried = Hashing(), asyncio.Event(), list[str]()
    ann, bo = mail_origin("ann@a.example", "198.51.100.9"), mail_origin("bo@a.example", "198.51.100.9")

    async def slow() -> None:
        await free.wait()

    async def count() -> None:
        tried.append("bo")

    here = [asyncio.create_task(hashing.fits(None, "7q9x-hedge", ann, slow)) for _ in range(LETTERS_EACH)]
    await asyncio.sleep(0)
    for trying in (hashing.fits(None, "7q9x-hedge", bo, count), hashing.hashed("7q9x-hedge", address=bo, admit=count)):
        with pytest.raises(Busy):
            await trying
    assert not tried
    free.set()
    await asyncio.gather(*here)
    assert not await hashing.fits(None, "7q9x-hedge", bo, count) and tried == ["bo"]
    hashing.stop()


HOSTS = {
    "198.51.100.7": ["from a (a [198.51.100.7]) by mx", "from b (b [203.0.113.9]) by a"],
    "203.0.113.9": ["from localhost (localhost [127.0.0.1]) by mx", "from b ([203.0.113.9] helo=b) by mx"],
    "2001:db8:1:2::/64": ["from a (a [IPv6:2001:db8:1:2:3::4]) by mx"],
    "": ["by mx (Postfix, from userid 0)"],
}


@pytest.mark.parametrize("host", HOSTS)
def test_the_host_is_what_the_last_mail_server_says(host: str) -> None:
    received = "".join(f"Received: {line}; Mon, 16 Nov 2026 10:00:00 +0000\r\n" for line in HOSTS[host])
    assert read(f"{received}From: ann@example.net\r\nSubject: help\r\n\r\n".encode()).host == host


def test_letters_are_counted(post: Office, folder: Path) -> None:
    before = metrics(post)
    gus = post.person("gus")
    gus.ask("hexbo showas @ all")
    gus.write("hexbo showas gus no-such-word-7q9x all")  # an address that proves nothing was answered today already
    gus.write("help", Auto_Submitted="auto-replied")
    done(folder)
    after = metrics(post)
    grown = {name: after[name] - before[name] for name in after if name.startswith("hedgerow_letters")}
    assert grown["hedgerow_letters_received_total"] == 5
    assert grown["hedgerow_letters_obeyed_total"] == 3 and grown["hedgerow_letters_refused_total"] == 1
    assert grown["hedgerow_letters_ignored_total"] == 1 and grown["hedgerow_letters_settled_total"] == 5
    assert grown["hedgerow_letters_answered_total"] == 3 and grown["hedgerow_letters_waiting"] == 0
    assert grown["hedgerow_letters_seconds_total"] > 0
    assert after["hedgerow_mails_sent_total"] >= before["hedgerow_mails_sent_total"] + 3


def metrics(post: Office) -> dict[str, float]:
    """What the server counts."""
    told = httpx.get(f"http://127.0.0.1:{post.web}/metrics").text
    return {name: float(value) for name, value in re.findall(r"^(\w+) (\S+)$", told, re.MULTILINE)}


def test_the_listener_says_where_a_letter_comes_from(post: Office, folder: Path) -> None:
    eve = Correspondent("eve", post.boxes, post.mail_in)
    eve.write("help", **came_from("198.51.100.77"))
    done(folder)
    from hedgerow.serve.post.listener import stamp

    told = stamp("mail.example\r\nX: y", "198.51.100.7") + b"From: ann@example.net\r\nSubject: help\r\n\r\n"
    assert read(told).host == "198.51.100.7" and b"\nX:" not in told
