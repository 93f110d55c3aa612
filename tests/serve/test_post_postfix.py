"""A real Postfix of its own, set up as docs/mail.md says: a pipe and LMTP into a server, and answers out through it.

It is skipped, with a line, where Debian's package is missing or this is not root.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mailing import Mailboxes, Office, begun, free_port, handed_over, mailboxes, plain, written
from serving import REQUIRED, empty_database

from hedgerow.tools.serve_bench import random_game, server_process

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "mail.md").read_text(encoding="utf-8")
SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
SETTINGS = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file_prefixes = {folder}
maillog_file = {folder}/log
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.org
mydestination =
alias_maps =
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
smtp_dns_support_level = disabled
smtp_host_lookup = native
relay_domains = example.org, example.net
queue_run_delay = 2s
minimal_backoff_time = 2s
maximal_backoff_time = 4s
"""


def missing() -> str:
    """Why there can be no Postfix here; empty where there can."""
    if not shutil.which("postfix"):
        return "Postfix is not installed; hint: apt install postfix"
    return "" if os.geteuid() == 0 else "Postfix is started by root alone; hint: run the tests as root"


def block(about: str) -> str:
    """The lines of docs/mail.md after a path in a code block."""
    found = re.findall(rf"^# {re.escape(about)}\n(.*?)(?=^```|^# /)", DOCS, re.MULTILINE | re.DOTALL)
    return "\n".join(found)


RELAY = """#!{python}
import socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect("{socket}")
line.sendall("\\0".join(sys.argv[1:]).encode() + b"\\n" + sys.stdin.buffer.read())
line.shutdown(socket.SHUT_WR)
sys.exit(int(line.recv(10)))
"""
"""What Postfix's pipe runs where its user may not run this Python: it hands everything to somebody who may."""


def relayed(listening: socket.socket, command: list[str]) -> None:
    """Runs the command for everybody who asks, with what they say and bring."""
    while True:
        try:
            line, _ = listening.accept()
        except OSError:
            return
        with line, line.makefile("rb") as brought:
            arguments = brought.readline().rstrip(b"\n").decode().split("\0")
            done = subprocess.run([*command, *arguments], input=brought.read(), timeout=60)
            line.sendall(str(done.returncode).encode())


@contextmanager
def runnable(folder: Path, command: list[str]) -> Iterator[list[str]]:
    """The command as `nobody` can run it."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", "import hedgerow.serve.post.pipe"], user="nobody", group="nogroup", timeout=60
        )
        direct = tried.returncode == 0
    except PermissionError:
        direct = False
    if direct:
        yield command
        return
    program, path = folder / "relay", folder / "relay.sock"
    program.write_text(RELAY.format(python="/usr/bin/python3", socket=path))
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o777)
        listening.listen()
        threading.Thread(target=relayed, args=(listening, command), daemon=True).start()
        yield [str(program)]
        listening.shutdown(socket.SHUT_RDWR)


def set_up(folder: Path, port: int, lmtp: int, boxes: int, command: list[str]) -> None:
    """Writes the files of a Postfix: pipe for the plain address, LMTP for the secret ones, as in the manual."""
    master = block("/etc/postfix/master.cf")
    told = re.search(r"argv=(.*?) --from", master)
    assert told, "docs/mail.md shows no pipe"
    master = master.replace(told[1], " ".join(command)).replace("user=hedgerow", "user=nobody")
    main = (
        block("/etc/postfix/main.cf").replace("/etc/postfix", str(folder)).replace("relay_domains = example.org\n", "")
    )
    by_lmtp, by_pipe = re.findall(r"^/\^play.*$", block("/etc/postfix/transport"), re.MULTILINE)
    transport = [by_lmtp.replace(r"(\+.*)?", r"\+.*").replace("2400", str(lmtp)), by_pipe.replace(r"(\+.*)?", "")]
    transport.append(rf"/@example\.net$/ smtp:[127.0.0.1]:{boxes}")
    (folder / "main.cf").write_text(SETTINGS.format(folder=folder) + main)
    (folder / "master.cf").write_text(SERVICES.format(port=port) + master)
    (folder / "transport").write_text("\n".join(transport) + "\n")
    (folder / "queue").mkdir()
    (folder / "data").mkdir()
    shutil.chown(folder / "data", pwd.getpwnam("postfix").pw_uid)


@contextmanager
def postfix(folder: Path) -> Iterator[None]:
    """A Postfix with these files; it is stopped at the end."""
    command = ["postfix", "-c", str(folder)]
    started = subprocess.run([*command, "start"], capture_output=True, text=True)
    try:
        assert started.returncode == 0, started.stderr + (folder / "log").read_text()
        yield
    finally:
        subprocess.run([*command, "stop"], capture_output=True)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that Postfix's own user can reach."""
    with tempfile.TemporaryDirectory(prefix="hedgerow-postfix-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.mark.skipif(bool(missing()) and not REQUIRED, reason=missing())
def test_a_game_goes_through_postfix(folder: Path, tmp_path: Path) -> None:
    assert not missing()
    port, lmtp = free_port(), free_port()
    with mailboxes() as (boxes, box), empty_database() as database:
        command = [sys.executable, "-m", "hedgerow", "mail", "--stdin", "--database", database]
        with runnable(folder, command) as pipe:
            set_up(folder, port, lmtp, box, pipe)
            mail = ["--smtp", f"smtp://127.0.0.1:{port}", "--mail-from", "play@example.org", "--mail-address"]
            mail += [
                "play@example.org",
                "--mail-in",
                f"lmtp://127.0.0.1:{lmtp}",
                "--public-url",
                "http://play.example.org",
            ]
            with (
                postfix(folder),
                server_process(str(tmp_path), "--database", database, "--engines", "0", "--no-limits", *mail),
            ):
                try:
                    played(boxes, port)
                except AssertionError:
                    print((folder / "log").read_text()[-5000:])
                    raise


def played(boxes: Mailboxes, port: int) -> None:
    """Two people sign up, begin and play; reports of failed delivery and other machines get no answer."""
    office = Office(boxes, port, 0)
    ann, bo = office.person("ann"), office.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    turns = [text for _, text in random_game("hexbo(side=5)", 1)]
    letters = [
        next(mail for mail in reversed(boxes.boxes[who.address]) if "+" in mail["Reply-To"]) for who in (ann, bo)
    ]
    for number, text in enumerate(turns[:5]):  # in answer to letters, whose addresses have an extension
        letters[number % 2] = (ann, bo)[number % 2].reply(letters[number % 2], text)
        assert f"turn {number + 1}" in plain(letters[number % 2])
    machines = [
        written(bo.address, str(letters[1]["Reply-To"]), turns[5]),
        written(bo.address, str(letters[1]["Reply-To"]), turns[5], Auto_Submitted="auto-replied"),
    ]
    for sender, mail in zip(("", bo.address), machines):
        handed_over(port, mail, sender)
    assert "turn 6" in plain(bo.ask(f"hexbo showas @ {board}"))
    answered = {str(mail["In-Reply-To"]).strip() for mail in boxes.boxes[bo.address]}
    assert not answered & {mail["Message-ID"] for mail in machines}
