"""How many mails a second a server reads, carries out and answers: turns of many games, over SMTP both ways.

Players answer letters as people do, from their own addresses to the secret one of the game, each when the one
before was answered. A mail counts when its answer has arrived. The server is a process of its own, on SQLite.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import re
import secrets
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.game import HedgerowError
from hedgerow.games import make
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import people, queries
from hedgerow.serve.store.queries import NewSeat
from hedgerow.serve.store.schema import now
from hedgerow.tools.serve_bench import free_port, open_files, random_game, run, server_process

ADDRESS = "play@example.org"
URL = "https://play.example.org"
ANSWERED = re.compile(rb"^In-Reply-To:\s*(<[^>]+>)", re.MULTILINE | re.IGNORECASE)
LINES = 16
"""How many connections bring mails in."""
PATIENCE = 60.0
"""Seconds after which a mail without an answer counts as lost."""


@dataclass
class Correspondence:
    """A game, its players' addresses and the secret ones they write to, and the turns that they will play."""

    game: str
    players: list[tuple[str, str]]
    turns: list[tuple[int, str]]
    played: int = 0


def options(smtp: int, mail_in: int, url: str = URL) -> list[str]:
    """How the server is started."""
    mail = ["--smtp", f"smtp://127.0.0.1:{smtp}", "--mail-from", ADDRESS, "--public-url", url]
    mail += ["--mail-address", ADDRESS]
    return [*mail, "--mail-in", f"127.0.0.1:{mail_in}", "--engines", "0", "--no-limits"]


async def prepared(folder: str, rules: str, games: int, database: str | None = None) -> list[Correspondence]:
    """Games by correspondence between people with confirmed addresses, for a server that is to start."""
    settings = Settings(data=Path(folder), database=database, engines=0, mail_address=ADDRESS)
    server = await Server.start(settings)  # which sends nothing yet
    try:
        return [await _correspondence(server, rules, number) for number in range(games)]
    finally:
        await server.stop()


async def _correspondence(server: Server, rules: str, number: int) -> Correspondence:
    players = []
    async with server.store.write() as connection:
        for seat in range(make(rules).players):
            name = f"player{number}-{seat}"
            row: dict[str, Any] = {"kind": "person", "name": name, "folded": name, "mail": f"{name}@example.net"}
            row |= {"mail_key": secrets.token_hex(16), "confirmed": now(), "created": now(), "seen": now()}
            row |= {"by_mail": now() + 1}  # letters about turns go to them at once
            players.append(await queries.add_account(connection, **row))
    seats: list[NewSeat] = [{"account": account} for account in players]
    live = await server.games.create(make(rules).name, players[0], seats, Control("days", 3 * DAY, 0), False)
    written = []
    async with server.store.read() as connection:
        for account in players:
            owner = await people.account_row(connection, account)
            secret = server.reply_addresses.address_for(owner, live.id) if owner else None
            assert owner is not None and owner.mail is not None and secret is not None
            written.append((owner.mail, secret))
    return Correspondence(live.id, written, random_game(rules, number))


# --- mail servers -----------------------------------------------------------------------------------------------------


SAID = {b"QUIT": b"221 bye\r\n", b"EHLO": b"250-here\r\n250-SIZE 10000000\r\n250 PIPELINING\r\n"}
"""What a mail server answers to commands; to all others "250 OK"."""


@dataclass
class Sink:
    """A mail server for everybody's mailbox: it takes everything, and knows which mails were answered."""

    answers: dict[str, asyncio.Future[bytes]] = field(default_factory=dict)
    others: int = 0
    pictures: int = 0
    """How many mails had one."""
    size: int = 0
    """How many bytes they had."""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from the greeting to the end."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.write(b"220 here\r\n")
            while line := await reader.readline():
                verb = line[:4].upper()
                if verb == b"DATA":
                    writer.write(b"354 go on\r\n")
                    self._taken(await reader.readuntil(b"\r\n.\r\n"))
                writer.write(SAID.get(verb, b"250 OK\r\n"))
                if verb == b"QUIT":
                    break
        writer.close()

    def _taken(self, mail: bytes) -> None:
        self.pictures += b"\r\nContent-Type: image/png" in mail
        self.size += len(mail)
        found = ANSWERED.search(mail)
        waits = self.answers.pop(found[1].decode(), None) if found else None
        if waits is None:
            self.others += 1
        elif not waits.done():
            waits.set_result(mail)

    @contextlib.asynccontextmanager
    async def listening(self, port: int) -> AsyncIterator[None]:
        """It is there."""
        server = await asyncio.start_server(self.take, "127.0.0.1", port, limit=1 << 24)
        yield
        server.close()


class Line:
    """A connection over which mails go in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def opened(cls, port: int) -> Line:
        """A connection that has been greeted."""
        line = cls(*await asyncio.open_connection("127.0.0.1", port))
        await line._heard(b"2")
        await line._say(b"EHLO here\r\n", b"2")
        return line

    async def _say(self, text: bytes, code: bytes) -> None:
        self.writer.write(text)
        await self._heard(code)

    async def _heard(self, code: bytes) -> None:
        while True:
            said = await self.reader.readline()
            if not said.startswith(code):
                raise HedgerowError(f"a mail was not accepted: {said!r:.80}; hint: is it our server?")
            if said[3:4] != b"-":
                return

    async def send(self, sender: str, to: str, mail: bytes) -> None:
        """Hands a mail over as Postfix does, speaking ahead; it is accepted when this returns."""
        self.writer.write(f"MAIL FROM:<{sender}>\r\nRCPT TO:<{to}>\r\nDATA\r\n".encode())
        for code in (b"2", b"2", b"3"):
            await self._heard(code)
        await self._say(mail + b"\r\n.\r\n", b"2")


def turn_mail(sender: str, to: str, turn: str, identifier: str) -> bytes:
    """A turn as somebody's mail program sends it, above the quoted turn mail."""
    headers = {"From": sender, "To": to, "Subject": "Re: Hexbo: it is your turn", "Message-ID": identifier}
    headers |= {"Date": "Mon, 16 Nov 2026 10:00:00 +0000", "MIME-Version": "1.0"}
    headers |= {"Content-Type": 'text/plain; charset="utf-8"', "Content-Transfer-Encoding": "8bit"}
    quoted = ["> It is your turn.", *["> . . . . . . . . ."] * 15]
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", turn, "", "On Monday, Hedgerow wrote:", *quoted]).encode()


# --- the measurement --------------------------------------------------------------------------------------------------


@dataclass
class Load:
    """People who write and wait for answers, over a few connections."""

    sink: Sink
    lines: asyncio.Queue[Line] = field(default_factory=asyncio.Queue)
    taken: list[float] = field(default_factory=list)
    """How many seconds each mail took to be accepted."""
    times: list[float] = field(default_factory=list)
    """How many seconds passed until the answer to each mail was here."""

    spent: float = 0.0
    cpu: float = 0.0
    """Of the server, and of the process that draws boards for it."""
    drawing: float = 0.0
    own_cpu: float = 0.0
    """Of this process: everybody's mail programs and mail servers."""

    async def all_play(self, games: list[Correspondence], end: float) -> None:
        """All games at once, a turn at least."""
        async with asyncio.TaskGroup() as group:
            for game in games:
                group.create_task(self.play(game, end))

    async def play(self, game: Correspondence, end: float) -> None:
        """One turn of a game after the other, until the time is over or the game is."""
        while game.played < len(game.turns):
            seat, turn = game.turns[game.played]
            sender, to = game.players[seat]
            identifier = f"<{game.game}.{game.played}@example.net>"
            answer = self.sink.answers[identifier] = asyncio.get_running_loop().create_future()
            line = await self.lines.get()
            begun = time.perf_counter()
            await line.send(sender, to, turn_mail(sender, to, turn, identifier))
            self.lines.put_nowait(line)
            self.taken.append(time.perf_counter() - begun)
            try:
                await asyncio.wait_for(answer, PATIENCE)
            except TimeoutError:
                raise HedgerowError(f"a mail was not answered in {PATIENCE:.0f} s; hint: this is a defect") from None
            self.times.append(time.perf_counter() - begun)
            game.played += 1
            if time.perf_counter() >= end:
                return


COUNTED = ("process_cpu_seconds_total", "hedgerow_boards_seconds_total")


def counted(port: int) -> dict[str, float]:
    """The CPU time that a server has taken so far, as it says itself."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", "/metrics")
    told = line.getresponse().read().decode()
    return {name: float(re.findall(rf"^{name} (\S+)$", told, re.MULTILINE)[0]) for name in COUNTED}


async def load(port: int, mail_in: int, sink: Sink, games: list[Correspondence], seconds: float) -> Load:
    """All games at once; what was measured."""
    work = Load(sink)
    for _ in range(min(LINES, len(games))):
        work.lines.put_nowait(await Line.opened(mail_in))
    await work.all_play(games[:LINES], 0.0)  # whatever has to be loaded is there
    work.taken, work.times, sink.others, sink.pictures, sink.size = [], [], 0, 0, 0
    before, begun, own = counted(port), time.perf_counter(), time.process_time()
    await work.all_play(games, begun + seconds)
    work.spent, work.own_cpu, after = time.perf_counter() - begun, time.process_time() - own, counted(port)
    work.cpu, work.drawing = (after[name] - before[name] for name in COUNTED)
    return work


async def _measured(folder: str, rules: str, games: int, seconds: float) -> Load:
    smtp, mail_in, sink = free_port(), free_port(), Sink()
    played = await prepared(folder, rules, games)
    async with sink.listening(smtp):
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            started = stack.enter_context
            _, port = await loop.run_in_executor(None, started, server_process(folder, *options(smtp, mail_in)))
            return await load(port, mail_in, sink, played, seconds)


def measure(rules: str, games: int, seconds: float) -> dict[str, Any]:
    """Starts a server in a folder of its own, writes to it, and tells how fast it answers."""
    open_files()
    with tempfile.TemporaryDirectory() as folder:
        work = run(_measured(folder, make(rules).name, games, seconds))
    times, taken = sorted(work.times), sorted(work.taken)
    if not times:
        raise HedgerowError("no mail was answered; hint: measure for a longer time")
    return {
        "game": make(rules).name,
        "games": games,
        "mails": len(times),
        "seconds": round(work.spent, 2),
        "mails_per_s": round(len(times) / work.spent, 1),
        "other_mails_out": work.sink.others,
        "accepted_p50_ms": round(1000 * taken[len(taken) // 2], 2),
        "answered_p50_ms": round(1000 * times[len(times) // 2], 2),
        "answered_p99_ms": round(1000 * times[int(0.99 * len(times))], 2),
        "with_picture": round(work.sink.pictures / max(1, len(times) + work.sink.others), 3),
        "bytes_per_mail_out": round(work.sink.size / max(1, len(times) + work.sink.others)),
        "server_cpu_ms_per_mail": round(1e3 * work.cpu / len(times), 2),
        "drawing_cpu_ms_per_mail": round(1e3 * work.drawing / len(times), 2),
        "bench_cpu_ms_per_mail": round(1e3 * work.own_cpu / len(times), 2),
    }


def in_words(told: dict[str, Any]) -> str:
    """The same for people."""
    return (
        f"{told['mails_per_s']:,.0f} mails/s read, carried out and answered ({told['games']} games of {told['game']}); "
        f"accepted after {told['accepted_p50_ms']:.1f} ms, answered after {told['answered_p50_ms']:.0f} ms "
        f"(1 in 100 after {told['answered_p99_ms']:.0f}); {100 * told['with_picture']:.0f} % of what went out had a "
        f"picture; CPU a mail: {told['server_cpu_ms_per_mail']:.2f} ms the server, "
        f"{told['drawing_cpu_ms_per_mail']:.2f} ms drawing, {told['bench_cpu_ms_per_mail']:.2f} ms the bench"
    )
