"""The server is killed between receipt and answer, again and again: no letter is lost, and none acts twice.

`HEDGEROW_KILLS` is how often.
"""

from __future__ import annotations

import asyncio
import os
import random
import smtplib
import threading
import time
from pathlib import Path

import pytest
from mailing import PATIENCE, Mailboxes, mailboxes
from serving import rows

from hedgerow.tools import mail_bench
from hedgerow.tools.mail_bench import Correspondence
from hedgerow.tools.serve_bench import free_port, server_process

KILLS = int(os.environ.get("HEDGEROW_KILLS", "2"))
GAMES = 12
RULES = "hexbo(side=5)"


def bring(port: int, game: Correspondence, number: int) -> str:
    """Hands a turn over as a mail server does: again, until it was accepted. Its Message-ID."""
    seat, turn = game.turns[number]
    sender, to = game.players[seat]
    identifier = f"<{game.game}.{number}@example.net>"
    mail = mail_bench.turn_mail(sender, to, turn, identifier)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with smtplib.SMTP("127.0.0.1", port, timeout=10) as line:
                line.sendmail(sender, [to], mail)
            return identifier
        except (OSError, smtplib.SMTPException):
            assert time.monotonic() < end, "the server does not come back"
            time.sleep(0.05)


def answers(boxes: Mailboxes) -> dict[str, set[str]]:
    """The Message-IDs of the answers to every mail, by the Message-ID of that."""
    found: dict[str, set[str]] = {}
    for box in list(boxes.boxes.values()):
        for message in list(box):
            if str(message["Auto-Submitted"]) == "auto-replied":
                found.setdefault(str(message["In-Reply-To"]).strip(), set()).add(str(message["Message-ID"]).strip())
    return found


def wait_for_answers(boxes: Mailboxes, wanted: set[str]) -> None:
    end = time.monotonic() + PATIENCE
    while missing := wanted - set(answers(boxes)):
        assert time.monotonic() < end, f"{len(missing)} mails were not answered"
        time.sleep(0.02)


def wait_until_played(database: Path | str, games: list[Correspondence], number: int) -> None:
    """Until every game has so many turns: nobody writes before it is their turn."""
    end = time.monotonic() + PATIENCE
    ids = ", ".join(f"'{game.game}'" for game in games)
    while rows(database, f"SELECT id FROM games WHERE id IN ({ids}) AND version < {number}"):
        assert time.monotonic() < end, "a turn was lost"
        time.sleep(0.02)


def everybody(port: int, games: list[Correspondence], number: int, sent: set[str]) -> list[threading.Thread]:
    """All games' next turns, each brought by somebody of their own."""
    found = [threading.Thread(target=lambda game=game: sent.add(bring(port, game, number))) for game in games]  # type: ignore[misc]
    for thread in found:
        thread.start()
    return found


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_server_that_is_killed_loses_no_letter_and_does_none_twice(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str
) -> None:
    dice, mail_in, folder = random.Random(13), free_port(), str(tmp_path)
    address = request.getfixturevalue("lent_postgres") if kind == "postgres" else None
    database, place = address or tmp_path / "hedgerow.db", ["--database", address] if address else []
    games = asyncio.run(mail_bench.prepared(folder, RULES, GAMES, address))
    sent: set[str] = set()
    bringing: list[threading.Thread] = []
    with mailboxes() as (boxes, smtp):
        for number in range(KILLS + 1):
            with server_process(folder, *mail_bench.options(smtp, mail_in), *place):
                for thread in bringing:
                    thread.join()
                wait_until_played(database, games, number)
                if number == KILLS:
                    wait_for_answers(boxes, sent)
                else:
                    bringing = everybody(mail_in, games, number, sent)
                    time.sleep(dice.uniform(0, 0.4))  # then it is killed
        found = answers(boxes)
    assert len(sent) == KILLS * GAMES and set(found) == sent and all(len(ids) == 1 for ids in found.values())
    for game in games:
        played = rows(database, f"SELECT text FROM turns WHERE game = '{game.game}' ORDER BY number")
        assert [text for (text,) in played] == [turn for _, turn in game.turns[:KILLS]]
    assert rows(database, "SELECT count(*) FROM letters WHERE due IS NOT NULL OR raw IS NOT NULL") == [(0,)]
