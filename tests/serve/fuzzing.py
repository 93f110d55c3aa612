"""What fuzz tests share: a real server process on either database, what is nasty, and what must hold of every answer.

`HEDGEROW_FUZZ` is how many cases there are in all, `HEDGEROW_SEED` what they are made of; every case depends on the
seed, its kind and its number alone, so that one can be sent again by itself.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import secrets
import subprocess
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from serving import empty_database
from wire import Answer, answers, exchange

from hedgerow.tools.serve_bench import Visitor, free_port, server_process

SEED = os.environ.get("HEDGEROW_SEED", "1")
CASES = int(os.environ.get("HEDGEROW_FUZZ", "800"))
SHARES = {"described": 0.4, "requests": 0.3, "bytes": 0.12, "frames": 0.08, "messages": 0.1}
"""Which part of the cases is of which kind; each goes to both databases."""
FLAT = 64
"""How many MB a server may have grown after a run, compared with after its first cases."""
TOGETHER = 8
"""How many cases are under way at once."""


def number_of(kind: str) -> int:
    """How many cases of a kind go to one database."""
    return max(4, round(CASES * SHARES[kind] / 2))


def chance_of(kind: str, number: int) -> random.Random:
    """The dice of one case."""
    return random.Random(f"{SEED} {kind} {number}")


def memory_of(process: int) -> float:
    """How many MB of memory a process has now."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@dataclass
class Target:
    """A server that is besieged, and somebody who is known there."""

    port: int
    process: subprocess.Popen[str]
    people: list[Visitor] = field(default_factory=list)
    games: list[str] = field(default_factory=list)

    @property
    def memory(self) -> float:
        """In MB."""
        return memory_of(self.process.pid)

    def renew(self) -> None:
        """Two new people and their games: the old ones may have been resigned, blocked or renamed."""
        people = [Visitor(self.port), Visitor(self.port)]
        for person in people:
            name = f"Player {secrets.token_hex(5)}"
            person.ask("POST", "/api/sign-up", {"name": name, "password": "under the hedge"})
        games = []
        for rules in ("hexbo(side=5)", "root_bound(side=4)", "root_down"):
            games.append(people[0].ask("POST", "/api/games", {"rules": rules, "opponent": "friend"})["id"])
            people[1].ask("POST", f"/api/games/{games[-1]}/join")
        self.people, self.games = people, games

    def check_answers(self) -> None:
        """It is still there."""
        assert self.process.poll() is None, "the server has ended"
        assert Visitor(self.port).ask("GET", "/readyz")["status"] == "ready"


def listened(process: subprocess.Popen[str]) -> None:
    """Reads what a server says, and repeats every kind of error once."""
    said: set[str] = set()
    for line in process.stderr or ():
        if re.match(r"\S*(Error|Exception)", line) and line[:60] not in said:
            said.add(line[:60])
            print(line, end="")


@contextmanager
def talkative(folder: str, *options: str, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server process that may say as much as it likes, because somebody reads it."""
    with server_process(folder, *options, port=port) as (process, at):
        reader = threading.Thread(target=listened, args=(process,), daemon=True)
        reader.start()
        try:
            yield process, at
        finally:
            process.kill()
            reader.join(10)


DATABASES = ["sqlite", "postgres"]
on_sqlite = pytest.mark.parametrize("target", DATABASES[:1], indirect=True)
"""For what never comes as far as a database."""


@pytest.fixture(scope="session", params=DATABASES)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """A server process with mail and without limits: they would answer most cases before anything else could."""
    with ExitStack() as stack:
        port = free_port()
        options = ["--engines", "0", "--no-limits", "--smtp", "smtp://127.0.0.1:9", "--mail-from", "us@example.org"]
        options += ["--public-url", f"http://127.0.0.1:{port}"]
        if request.param == "postgres":
            options += ["--database", stack.enter_context(empty_database())]
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        process, _ = stack.enter_context(talkative(folder, *options, port=port))
        made = Target(port, process)
        made.renew()
        yield made


# --- what is nasty ----------------------------------------------------------------------------------------------------

DEEP = 1_900
NASTY = (
    "",
    " ", "\x00", "a\x00b", "\x1b[2J", "\x7f", "\ud800", "a\udfffb", "\ufeff", "\u202e", "\u200d", "é", "e\u0301", "İ",
    "ß" * 30, "ﷺ" * 40, "ΐ" * 38, "🌿" * 20, "аdmin", "Former player", "Guest 1234", "a" * 300, "a" * 5_000, "9" * 400,
    "-1", "-0", "0", "1e999", "1e-9", "nan", "inf", "-inf", "0x10", "1_000", "٣", "²", "2147483648",
    "9223372036854775808", "-9223372036854775809", "true", "null", "None", "undefined", "[]", "{}", "%", "%00", "%zz",
    "%s%n", "../../../etc/passwd", "..%2f..%2f", "//example.org", "\\\\x", "{{7*7}}", "${7*7}",
    "<script>alert(1)</script>", "'; DROP TABLE games; --", "\"'`", "a@[b", "=?utf-8?q??=@x",
    "a@" + "b." * 120 + "org", "\"\"@example.org", "ann@example.org", "ann@localhost", "http://[", "http://[::1",
    "javascript:alert(1)", "\r\nSet-Cookie: a=b", "\n", "\t", "hexbo(side=5)", "hexbo(side=99999999)",
    "hexbo(side=" + "9" * 50 + ")", "hexbo(side=-1,players=0)", "hexbo(" + "side=5," * 30 + ")", "root_bound(",
    "rootbound)(", "root_down(setup=\x00)", "root_down(setup=" + "R" * 150 + ")", "A1", "a1 b2", "A1 " * 700, "pass",
    "done", "resign", "draw", "undo", "abort", "rematch", "players", "watchers", "yes", "on", "A1\n" * 300,
    "[Game \"hexbo\"]\n\nA1", "Game: hexbo\n\nA1\n", "under the hedge", "password", "any", "days", "live", "1 day",
)  # fmt: skip
FIELDS = (
    "rules", "opponent", "turn", "turns", "text", "name", "level", "password", "kind", "sure", "who", "until",
    "turn_mails", "since", "seat", "room", "result", "reason", "rated", "private", "position", "player", "old",
    "number", "new", "mail", "look", "lines", "do", "clock", "before", "game", "wanted", "step", "invitation",
    "record", "with-side", "with-players", "theme", "wait", "minutes", "increment", "days", "token", "thought",
    "after", "limit", "picture", "seconds", "best", "actions", "start",
)  # fmt: skip


EXAMPLES: dict[str, dict[str, object]] = {
    "/games": {
        "rules": "hexbo(side=5)",
        "opponent": "friend",
        "level": 3,
        "seat": 0,
        "name": "Bo",
        "rated": False,
        "private": True,
    }
    | {"clock": {"kind": "live", "minutes": 5, "increment": 3}, "seats": [{"who": "me"}, {"who": "anyone"}]},
    "/sign-up": {"name": "Cy", "password": "under the hedge", "mail": "cy@example.org"},
    "/sign-in": {"name": "Ann", "password": "under the hedge"},
    "/turns": {"number": 0, "text": "A1", "thought": 5},
    "/play": {"number": "0", "text": "A1", "turn": "A1"},
    "/plan": {"lines": [["A1", "B2"], ["A1", "B2", "C3", "D4"]], "number": 0, "text": "A1 B2"},
    "/plan/position": {"turn": 0, "turns": "A1 B2"},
    "/plan/why-not": {"turn": 0, "turns": "A1"},
    "/note": {"text": "a note"},
    "/chat": {"room": "players", "text": "hello"},
    "/report": {"reason": "rude"},
    "/again": {"turn": 0},
    "/positions": {"rules": "hexbo(side=5)", "turns": "A1 B2", "position": None},
    "/why-not": {"rules": "hexbo(side=5)", "turns": "A1", "text": "A1", "action": "A1"},
    "/record": {"text": "Game: hexbo(side=5)\n\nA1\n"},
    "/text": {"rules": "hexbo(side=5)", "line": ["A1"], "turns": "A1"},
    "/graph": {"rules": "hexbo(side=5)", "turns": "A1"},
    "/think": {"rules": "hexbo(side=5)", "turns": "A1", "position": ""},
    "/account/mail": {"mail": "ann@example.org", "turn_mails": True},
    "/reset": {"who": "Ann"},
    "/reset/done": {"token": "x" * 43, "password": "under the hedge"},
    "/tokens": {"name": "my bot"},
    "/settings": {"look": "classic", "theme": "dark"},
    "/password": {"old": "under the hedge", "new": "over the hedge"},
}
"""Bodies as they should be, by the end of the path; one thing in them is made nasty."""


def spoilt(chance: random.Random, path: str) -> dict[str, object] | None:
    """A body for a path that is right but for one field, or two."""
    example = EXAMPLES.get(path) or next((EXAMPLES[end] for end in EXAMPLES if path.endswith(end)), None)
    if example is None:
        return None
    made = dict(example)
    for name in chance.choices(list(made), k=chance.choice((1, 1, 2))):
        made[name] = _spoilt_value(chance, made[name])
    return made


def _spoilt_value(chance: random.Random, value: object) -> object:
    if isinstance(value, dict) and value:
        name = chance.choice(list(value))
        return value | {name: _spoilt_value(chance, value[name])}
    if isinstance(value, list) and value and chance.random() < 0.7:
        return [*value, _spoilt_value(chance, value[0])] * chance.choice((1, 1, 3, 60))
    if isinstance(value, int | float) and chance.random() < 0.7:
        return chance.choice((-1, 0, 1e-9, 1e-300, 1.5, 2**31, 2**63, 10**30, -(10**30), 1e300, True, None))
    return nasty(chance) if chance.random() < 0.9 else chance.choice((None, [], {}, 3, [[]], True))


def nasty(chance: random.Random) -> str:
    """A text that somebody should have thought of."""
    roll = chance.random()
    if roll < 0.75:
        return chance.choice(NASTY)
    if roll < 0.9:
        return chance.choice(NASTY) + chance.choice(NASTY)
    return "".join(
        chr(chance.choice((chance.randrange(128), chance.randrange(0x3000)))) for _ in range(chance.randrange(40))
    )


def nasty_json(chance: random.Random, depth: int = 0) -> str:
    """JSON, or nearly: every kind of value in every place."""
    roll = chance.random()
    if roll < 0.35 or depth > 3:
        return quoted(nasty(chance))
    if roll < 0.55:
        return chance.choice(
            ("0", "-1", "5", "1e999", "-1e-999", "9" * 400, "1.5", "true", "null", "NaN", "Infinity", "2147483648")
        )
    if roll < 0.7:
        return "[" + ",".join(nasty_json(chance, depth + 1) for _ in range(chance.randrange(5))) + "]"
    if roll < 0.97:
        return nasty_object(chance, depth)
    deep = chance.choice((DEEP, 10_000))
    return chance.choice(("[" * deep + "]" * deep, '{"a":' * deep + "1" + "}" * deep, "[" * deep))


def nasty_object(chance: random.Random, depth: int = 0) -> str:
    """An object whose names are mostly ours."""
    names = [chance.choice(FIELDS) if chance.random() < 0.9 else nasty(chance) for _ in range(chance.randrange(7))]
    return "{" + ",".join(f"{quoted(name)}:{nasty_json(chance, depth + 1)}" for name in names) + "}"


def quoted(text: str) -> str:
    """As JSON spells it; now and then a lone surrogate, which no text can hold, goes through as an escape."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"' + "".join(c if " " <= c < "\ud800" or "\ue000" <= c < "\U00010000" else _escape(c) for c in escaped) + '"'
    )


def _escape(character: str) -> str:
    return character if character > "\uffff" else f"\\u{ord(character):04x}"


# --- what must hold ---------------------------------------------------------------------------------------------------


def check(answer: Answer, about: str) -> None:
    """No failure of ours, nothing of its inside, and the headers that every answer has."""
    assert answer.status < 500, f"{answer.status} {answer.body[:100]!r} to {about}"
    assert b"Traceback" not in answer.body, about
    if answer.status >= 200:
        assert "content-security-policy" in answer.headers, f"{answer.status} without a policy to {about}"


Attempt = Callable[[int], Awaitable[None]]


async def attempts(number: int, attempt: Attempt) -> None:
    """All cases, a few at a time."""
    waiting = iter(range(number))

    async def worker() -> None:
        for at in waiting:
            await attempt(at)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(TOGETHER, number)):
            group.create_task(worker())


def besiege(target: Target, kind: str, attempt: Attempt) -> None:
    """All cases of a kind: each is answered or hung up on, the server still answers, and its memory is flat."""
    number = number_of(kind)
    faults: list[str] = []

    async def tried(at: int) -> None:
        try:
            await attempt(at)
        except AssertionError as error:
            faults.append(f"{kind} {at} of seed {SEED}: {error}")

    asyncio.run(attempts(number // 5, tried))
    before = target.memory
    asyncio.run(attempts(number, tried))
    target.check_answers()
    grown = target.memory - before
    print(f"{number} cases of {kind!r} with seed {SEED}: {len(faults)} faults, {before:.0f} MB {grown:+.0f} MB")
    print(*faults, sep="\n")
    assert not faults, f"{len(faults)} faults of {number}, the first:\n" + "\n".join(faults[:5])
    assert grown < FLAT, f"the server grew by {grown:.0f} MB over {number} cases of {kind!r}"


async def ask(target: Target, request: bytes, quiet: float = 0.25, head: bool = False) -> list[Answer]:
    """Sends one or several requests as they are, and takes apart what came back."""
    return answers(await exchange(target.port, [request], quiet), head)
