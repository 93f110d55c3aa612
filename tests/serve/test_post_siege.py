"""Mails made of anything, over SMTP to a running server: it takes or refuses each, does them all, and does not grow.

`HEDGEROW_FUZZ` is how many fuzzed cases there are in all; an eighth of them are such mails.
"""

from __future__ import annotations

import os
import re
import smtplib
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fuzzing import FLAT, memory_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mailing import PATIENCE, Office, begun, mailboxes, plain
from serving import rows
from test_post_fuzz import HUGE, MAILS, WORDS

from hedgerow.serve.commands import forms
from hedgerow.serve.post.listener import HEARD
from hedgerow.serve.post.receiving import LARGEST
from hedgerow.tools.mail_bench import options
from hedgerow.tools.serve_bench import Visitor, free_port, server_process

pytestmark = pytest.mark.xdist_group("post_siege")
EXAMPLES = max(60, int(os.environ.get("HEDGEROW_FUZZ", "800")) // 8)
RELAXED = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
SENDERS = st.sampled_from(["ann@example.net", "bo@example.net", "", "nobody@example.net", "a" * 60 + "@example.net"])
LONG = EXAMPLES >= 1_000
KINDS = {kind: made for kind, made in HUGE.items() if LONG or kind in ("ten megabytes", "nested", "NUL", "html")}
PLAY = "play@example.org"


@dataclass
class Siege:
    """A server that gets strange mails, and what it says about them."""

    process: subprocess.Popen[str]
    post: Office
    database: Path | str
    addresses: list[str]
    """Where mails go: everybody's address, made up ones, and secret ones that play in a game."""
    trouble: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Reads what the server says, and keeps what should not be there."""
        with suppress(ValueError):  # closed at the end
            for line in self.process.stderr or ():
                if re.search(r"Traceback|letter \d+ failed|could not|Error", line):
                    self.trouble.append(line)

    def send(self, raw: bytes, sender: str, to: str) -> int:
        """Hands a mail over; the code of the answer, whatever it is."""
        with smtplib.SMTP("127.0.0.1", self.post.mail_in, timeout=PATIENCE) as line:
            line.ehlo("here")
            code, _ = line.mail(sender)
            code = line.rcpt(to)[0] if code == 250 else code
            return line.data(raw)[0] if code == 250 else code

    def settled(self) -> float:
        """Waits until every mail is done; how many MB the server has then."""
        end = time.monotonic() + PATIENCE
        while rows(self.database, "SELECT id FROM letters WHERE due IS NOT NULL LIMIT 1"):
            assert time.monotonic() < end, "a mail is not done"
            time.sleep(0.1)
        assert rows(self.database, "SELECT count(*) FROM letters WHERE tries > 0") == [(0,)]
        assert self.process.poll() is None, "the server has ended"
        assert Visitor(self.post.web).ask("GET", "/readyz")["status"] == "ready"
        assert self.trouble == []
        return memory_of(self.process.pid)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def siege(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Siege]:
    folder, mail_in = tmp_path_factory.mktemp("data"), free_port()
    with ExitStack() as stack:
        lent = request.getfixturevalue("postgres_pool").lend if request.param == "postgres" else None
        address = stack.enter_context(lent()) if lent else None
        boxes, smtp = stack.enter_context(mailboxes())
        place = ["--database", address] if address else []
        process, web = stack.enter_context(server_process(str(folder), *options(smtp, mail_in), *place))
        made = Siege(process, Office(boxes, mail_in, web), address or folder / "hedgerow.db", [])
        threading.Thread(target=made.listen, daemon=True).start()
        made.addresses = [PLAY, "play+oamade-up@example.org", "play+@example.org", *secret_addresses(made.post)]
        yield made


def secret_addresses(post: Office) -> list[str]:
    """Of a game that two people play."""
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    return [str(each.ask(f"hexbo showas @ {board}")["Reply-To"]) for each in (ann, bo)]


COMMANDS = st.lists(st.one_of(st.sampled_from([*sorted(forms.LITERALS), "hexbo", "1", "ann", "B4", ":"]), WORDS))
SUBJECTS = COMMANDS.map(lambda words: " ".join(" ".join(words).split())[:900])


def headed(raw: bytes, subject: str, by_person: bool) -> bytes:
    """A mail that somebody may have written: with a From line and a subject that may be a command."""
    head = f"From: Ann <ann@example.net>\r\nSubject: {subject}\r\n" if by_person else ""
    return head.encode("utf-8", "replace") + raw


def test_mails_of_any_structure_are_taken_and_done(siege: Siege) -> None:
    answered = 0

    @RELAXED
    @given(MAILS, SUBJECTS, st.booleans(), SENDERS, st.sampled_from(range(len(siege.addresses))))
    def sent(raw: bytes, subject: str, by_person: bool, sender: str, to: int) -> None:
        nonlocal answered
        answered += siege.send(headed(raw, subject, by_person), sender, siege.addresses[to]) == 250

    sent()
    before = siege.settled()
    assert answered > EXAMPLES // 2
    sent()
    assert siege.settled() < before + FLAT, "the server grows"


@pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)
def test_huge_mails_are_refused_and_large_ones_done(siege: Siege, made: Callable[[], bytes]) -> None:
    raw = made().replace(b"\n", b"\r\n")
    assert siege.send(raw[: HEARD - 2_000], "ann@example.net", PLAY) == 552
    before = siege.settled()
    large = raw[: LARGEST - 2_000]
    for to in siege.addresses[-2:] * 3:
        assert siege.send(large, "ann@example.net", to) == 250
    assert siege.settled() < before + FLAT, "the server grows"


def test_nobody_is_listened_to_without_end(siege: Siege) -> None:
    before = siege.settled()
    with socket.create_connection(("127.0.0.1", siege.post.mail_in), timeout=PATIENCE) as line:
        line.sendall(f"EHLO x\r\nMAIL FROM:<ann@example.net>\r\nRCPT TO:<{PLAY}>\r\nDATA\r\n".encode())
        with pytest.raises(ConnectionError):  # the line is cut
            for _ in range(100 * HEARD // 60_000):
                line.sendall(b"x" * 60_000)
    assert siege.settled() < before + FLAT, "the server grows"


def test_half_a_mail_is_no_mail(siege: Siege) -> None:
    before = rows(siege.database, "SELECT count(*) FROM letters")
    begun_mail = (
        f"EHLO x\r\nMAIL FROM:<ann@example.net>\r\nRCPT TO:<{siege.addresses[-1]}>\r\nDATA\r\nSubject: resign\r\n"
    )
    for said in (
        begun_mail.encode() + b"\r\nbody\r\n",
        begun_mail[:40].encode(),
        b"\x00\xff" * 5_000 + b"\r\n",
        b"DATA\r\n",
    ):
        with socket.create_connection(("127.0.0.1", siege.post.mail_in), timeout=30) as line:
            line.sendall(said)
    siege.settled()
    assert rows(siege.database, "SELECT count(*) FROM letters") == before


def test_people_are_answered_all_the_same(siege: Siege) -> None:
    cy = siege.post.person(f"cy{EXAMPLES}")
    assert "Help" in plain(cy.reply(cy.ask("vacation @"), "help"))
    siege.settled()
