"""A real Postfix of its own, set up as docs/mail.md says: a pipe, an alias and LMTP into a server, and answers out.

It is skipped, with a line, where Debian's package is missing or this is not root.
"""

from __future__ import annotations

import asyncio
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
from mailing import Correspondent, Mailboxes, handed_over, mailboxes, plain, written
from serving import REQUIRED

from hedgerow.tools import mail_bench
from hedgerow.tools.mail_bench import Correspondence
from hedgerow.tools.serve_bench import free_port, server_process

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


TOLD = ("SENDER", "RECIPIENT", "ORIGINAL_RECIPIENT", "EXTENSION", "LOCAL", "USER", "DOMAIN")
"""What Postfix says by the environment of an alias's program."""
RELAY = """#!{python}
import os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect("{socket}")
told = [name + "=" + value for name, value in os.environ.items() if name in {told}]
for words in (sys.argv[1:], told):
    line.sendall("\\0".join(words).encode() + b"\\n")
line.sendall(sys.stdin.buffer.read())
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
            arguments, told = (brought.readline().rstrip(b"\n").decode().split("\0") for _ in range(2))
            env = {name: value for name, value in os.environ.items() if name not in TOLD}
            env |= dict(one.split("=", 1) for one in told if one)
            words = [*command, *(word for word in arguments if word)]
            done = subprocess.run(words, input=brought.read(), env=env, timeout=60)
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
    program.write_text(RELAY.format(python="/usr/bin/python3", socket=path, told=TOLD))
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
    put(folder, port, boxes, main, transport, master)


def set_up_alias(folder: Path, port: int, boxes: int, command: list[str]) -> None:
    """The same with an alias for all addresses, as in the manual."""
    alias = block("/etc/aliases")
    told = re.search(r'"\|(.*?)"', alias)
    assert told, "docs/mail.md shows no alias"
    (folder / "aliases").write_text(alias.replace(told[1], " ".join(command)))
    main = f"mydestination = example.org\nalias_maps = hash:{folder}/aliases\nrecipient_delimiter = +\n"
    put(folder, port, boxes, main, [], "")
    subprocess.run(["postalias", "-c", str(folder), f"hash:{folder}/aliases"], check=True, capture_output=True)


def put(folder: Path, port: int, boxes: int, main: str, transport: list[str], master: str) -> None:
    """Writes the files of a Postfix that sends to everybody's mailboxes, and what else it is to do."""
    settings = SETTINGS.format(folder=folder)
    if "mydestination" in main:
        settings = settings.replace("relay_domains = example.org, ", "relay_domains = ")
    maps = "" if "transport_maps" in main else f"transport_maps = regexp:{folder}/transport\n"
    (folder / "main.cf").write_text(settings + main + maps)
    (folder / "master.cf").write_text(SERVICES.format(port=port) + master)
    (folder / "transport").write_text("\n".join([*transport, rf"/@example\.net$/ smtp:[127.0.0.1]:{boxes}"]) + "\n")
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
@pytest.mark.parametrize("way", ["pipe and LMTP", "alias"])
def test_a_game_goes_through_postfix(folder: Path, tmp_path: Path, lent_postgres: str, way: str) -> None:
    assert not missing()
    port, lmtp = free_port(), free_port()
    (game,) = asyncio.run(mail_bench.prepared(str(tmp_path), "hexbo(side=5)", 1, lent_postgres))
    command = [sys.executable, "-m", "hedgerow", "mail", "--stdin", "--database", lent_postgres]
    mail = ["--smtp", f"smtp://127.0.0.1:{port}", "--mail-from", "play@example.org"]
    mail += ["--mail-address", "play@example.org", "--public-url", "http://play.example.org"]
    mail += ["--mail-in", f"lmtp://127.0.0.1:{lmtp}"] if way != "alias" else []
    with mailboxes() as (boxes, box), runnable(folder, command) as program:
        if way == "alias":
            set_up_alias(folder, port, box, program)
        else:
            set_up(folder, port, lmtp, box, program)
        served = server_process(str(tmp_path), "--database", lent_postgres, "--engines", "0", "--no-limits", *mail)
        with postfix(folder), served:
            try:
                played(boxes, port, game)
            except AssertionError:
                print((folder / "log").read_text()[-5000:])
                raise


def played(boxes: Mailboxes, port: int, game: Correspondence) -> None:
    """Two people play by answering; reports of failed delivery and other machines do nothing and get no answer."""
    (first, secret), (other, _) = game.players
    turns = [text for _, text in game.turns]
    people = [Correspondent(address.partition("@")[0], boxes, port) for address in (first, other)]
    people[0].write("Re: your turn", turns[0], to=secret)
    letter = people[1].next("It is your turn, turn 2")
    machines = [
        written(other, str(letter["Reply-To"]), turns[1]),
        written(other, str(letter["Reply-To"]), turns[1], Auto_Submitted="auto-replied"),
    ]
    for sender, mail in zip(("", other), machines):
        handed_over(port, mail, sender)
    assert "Plays a turn" in plain(people[1].ask("help move"))  # to the address without an extension
    assert "turn 2" in plain(people[1].reply(letter, turns[1]))
    answered = {str(mail["In-Reply-To"]).strip() for mail in boxes.boxes[other]}
    assert not answered & {mail["Message-ID"] for mail in machines}
