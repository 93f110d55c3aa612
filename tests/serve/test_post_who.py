"""Who may by mail: what proves a sender, who is answered, and that no two machines ever write to each other."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from mailing import Correspondent, Office, begun, handed_over, office, plain, written
from serving import rows

from hedgerow.tools.serve_bench import random_game

TURNS = [text for _, text in random_game("hexbo(side=5)", 1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def post(folder: Path) -> Iterator[Office]:
    with office(str(folder)) as opened:
        yield opened


def done(folder: Path) -> None:
    """Waits until every letter that is here is carried out."""
    end = time.monotonic() + 200
    while rows(folder / "hedgerow.db", "SELECT id FROM letters WHERE due IS NOT NULL"):
        assert time.monotonic() < end
        time.sleep(0.05)


def turns_of(folder: Path, board: int) -> list[object]:
    asked = f"SELECT text FROM turns JOIN boards ON boards.game = turns.game WHERE boards.number = {board}"
    return [text for (text,) in rows(folder / "hedgerow.db", f"{asked} ORDER BY turns.number")]


def letter_of(player: Correspondent, board: int) -> EmailMessage:
    """A letter about a game, whose secret address plays in it."""
    answer = player.ask(f"hexbo showas @ {board}")
    assert "+" in answer["Reply-To"], answer.as_string()
    return answer


def test_a_from_line_proves_nothing_and_is_answered_once_a_day(post: Office, folder: Path) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    thief = post.stranger("thief")
    forged = [written("ann@example.net", "play@example.org", f"hexbo move {board} ann {w} A1") for w in ("x", "y", "z")]
    before = len(post.boxes.boxes[ann.address])
    for mail in forged:
        handed_over(post.mail_in, mail, thief.address)
    done(folder)
    ann.ask("hexbo showas @ all")
    answers = post.boxes.boxes[ann.address][before:]
    assert sum("wrong" in plain(mail) for mail in answers) <= 1
    assert turns_of(folder, board) == []


def test_strangers_get_one_answer_a_day(post: Office, folder: Path) -> None:
    eve = post.stranger("eve")
    assert "hexbo" in plain(eve.ask("help")).lower()
    for _ in range(3):
        eve.write("help")
    done(folder)
    time.sleep(1.5)
    assert len(post.boxes.boxes[eve.address]) == 1


def test_who_answers_a_letter_about_no_game_may_ask_as_often_as_they_like_and_do_nothing(
    post: Office, folder: Path
) -> None:
    hal = post.stranger("hal")
    hal.write("signup @")
    letter = hal.reply(hal.next("confirm"), "yes")
    assert "Welcome, hal" in plain(letter) and "game move board userid password" in plain(letter)
    ann = post.person("ann")
    board = begun("hexbo", [hal, ann], "-small")
    for _ in range(3):
        assert "here on" in plain(hal.reply(letter, "list"))
        assert "INITIAL SETUP" in plain(hal.reply(letter, "hexbo help"))
    refused = [
        f"hexbo move {board} {TURNS[0]}",
        "change password new-word-9x7q",
        "vacation 5",
        TURNS[0],
        "message ann: hi",
    ]
    refused += ["hexbo challenge ann", f"hexbo resign {board}", "signoff"]
    answer = plain(hal.reply(letter, "\n".join(["multiple", *refused])))
    assert answer.count("Refused:") == len(refused), answer
    assert turns_of(folder, board) == []
    assert "one game alone" not in plain(hal.ask(f"hexbo move {board} @ {TURNS[0]}"))


def test_whoever_has_proven_who_they_are_is_told_what_was_wrong(post: Office, folder: Path) -> None:
    ivy = post.person("ivy")
    for wrong, hint in (
        ("hexbo mvoe 1 @ c4", "hexbo move board userid password turn"),
        ("hexbo move 1 @", "hexbo move board userid password turn"),
        (f"hexbo challenge -size=3 -password={ivy.word} ivy", "-side"),
        ("hexbo challenge @", "cannot have 1 player:"),
        ("hexbo challenge @ IVY", "listed twice"),
        ("vacation @ soon", "vacation userid password [days]"),
    ):
        answer = ivy.ask(wrong)
        assert hint in plain(answer) and ivy.word not in answer.as_string()
    before = len(post.boxes.boxes[ivy.address])
    ivy.write("hexbo mvoe 1 ivy not-the-word c4")
    done(folder)
    assert len(post.boxes.boxes[ivy.address]) == before


def test_a_mail_that_was_forged_is_not_answered(post: Office, folder: Path) -> None:
    fay = post.stranger("fay")
    fay.write("help", Authentication_Results="mx.example.org; dmarc=fail header.from=example.net")
    done(folder)
    time.sleep(1.5)
    assert not post.boxes.boxes[fay.address]


def test_a_secret_address_plays_in_its_own_game_alone(post: Office, folder: Path) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    one, other = begun("hexbo", [ann, bo], "-small"), begun("hexbo", [ann, bo], "-small")
    letter = letter_of(ann, one)
    for command in (f"hexbo move {other} {TURNS[0]}", "change password new-word-9x7q", "vacation 5"):
        sent = ann.write(command, to=letter["Reply-To"])
        assert "one game alone" in plain(ann.answer_to(sent)), command
    assert turns_of(folder, other) == []
    assert "is played" in plain(ann.reply(letter, TURNS[0]))
    assert turns_of(folder, one) == [TURNS[0]]


def test_a_secret_address_of_somebody_else_or_made_up_proves_nothing(post: Office, folder: Path) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    secret = str(letter_of(ann, board)["Reply-To"])
    tag = re.search(r"\+([a-z2-7]+)@", secret)
    assert tag
    wrong = secret.replace(tag[1], tag[1][:-1] + ("a" if tag[1][-1] != "a" else "b"))
    handed_over(post.mail_in, written("ann@example.net", wrong, TURNS[0]))
    done(folder)
    assert turns_of(folder, board) == []
    handed_over(post.mail_in, written("ann@example.net", secret.upper(), TURNS[0]))  # mail servers may fold case
    done(folder)
    assert turns_of(folder, board) == [TURNS[0]]


def test_a_mail_that_comes_again_plays_once_and_is_answered_once(post: Office, folder: Path) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    mail = written(ann.address, str(letter_of(ann, board)["Reply-To"]), TURNS[0])
    for _ in range(3):
        handed_over(post.mail_in, mail)
    ann.answer_to(mail)
    done(folder)
    time.sleep(1.5)
    same = [m for m in post.boxes.boxes[ann.address] if str(m["In-Reply-To"]).strip() == mail["Message-ID"]]
    assert len(same) == 1 and turns_of(folder, board) == [TURNS[0]]


MACHINES = {
    "auto-reply": ({"Auto_Submitted": "auto-replied"}, None),
    "list": ({"List_Id": "<games.example.org>"}, None),
    "bulk": ({"Precedence": "bulk"}, None),
    "null sender": ({}, ""),
    "absence": ({"X_Auto_Response_Suppress": "All"}, None),
}


@pytest.mark.parametrize(("headers", "sender"), MACHINES.values(), ids=MACHINES)
def test_machines_are_neither_obeyed_nor_answered(
    post: Office, folder: Path, headers: dict[str, str], sender: str | None
) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    secret = str(letter_of(ann, board)["Reply-To"])
    mail = written(ann.address, secret, TURNS[0], **headers)
    handed_over(post.mail_in, mail, sender)
    done(folder)
    ann.ask("hexbo showas @ all")
    assert turns_of(folder, board) == []
    assert mail["Message-ID"] not in {str(m["In-Reply-To"]).strip() for m in post.boxes.boxes[ann.address]}


def test_our_own_letters_that_come_back_start_no_loop(post: Office, folder: Path) -> None:
    ann = post.person("ann")
    letter = ann.ask("hexbo showas @ all")
    before = len(post.boxes.envelopes)
    for to in ("play@example.org", str(letter["Reply-To"] or "play@example.org")):
        handed_over(post.mail_in, letter, ann.address, to)
        plainly = written("play@example.org", to, "help")
        handed_over(post.mail_in, plainly, "play@example.org", to)
    done(folder)
    time.sleep(1.5)
    assert len(post.boxes.envelopes) == before


BOUNCE = """\
From: MAILER-DAEMON@example.net
To: {to}
Subject: Undelivered Mail
Message-ID: <{number}.bounce@example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=r

--r
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; {address}
Action: failed
Status: 5.1.1

--r--
"""


def test_an_address_that_bounces_is_paused(post: Office, folder: Path) -> None:
    import email
    from email import policy

    gus = post.person("gus")
    for number in range(3):
        gus.ask(f"hexbo showas @ {number + 1}")
        sender, _ = next(pair for pair in reversed(post.boxes.envelopes) if pair[1] == gus.address)
        assert sender.startswith("play+")
        raw = BOUNCE.format(to=sender, number=number, address=gus.address)
        message = email.message_from_string(raw, policy=policy.default)
        assert isinstance(message, EmailMessage)
        handed_over(post.mail_in, message, "", sender)
    done(folder)
    (paused,) = rows(folder / "hedgerow.db", "SELECT paused FROM accounts WHERE name = 'gus'")
    assert paused[0] is not None


def test_headers_cannot_be_smuggled_into_answers(post: Office) -> None:
    ann = post.person("ann")
    sent = written(ann.address, "play@example.org", "x")
    del sent["Subject"]
    sent["Subject"] = "=?utf-8?q?help_hexbo=0D=0ABcc=3A_all=40example=2Enet?="
    handed_over(post.mail_in, sent)
    ann.ask("hexbo showas @ all")
    assert not post.boxes.boxes["all@example.net"]
    assert all("Bcc" not in mail for mail in post.boxes.boxes[ann.address])
