#!/usr/bin/env python3
"""A complete bot for a Hedgerow server: accepts challenges, plays them by a named player, comes back when cut off.

    HEDGEROW_TOKEN=hgt_... python examples/bot.py https://play.example.org --player 'uct(iterations=500)'

docs/bots.md says how to get a token. It is read from the environment: everybody on a machine can see its command lines.
"""

import argparse
import http.client
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib import error, request

import hedgerow as hg
from hedgerow.search.naming import seeded

SILENCE = 20  # after so many seconds the connection is taken for dead; the server sends a line every 7


class Refused(Exception):
    """The server said no: a status and a sentence."""


class Server:
    """A Hedgerow server, asked in the name of a token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def open(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        """Asks once, or again where the server says that it is busy; a turn sent twice is played once."""
        data = json.dumps(body).encode() if body else None
        asked = request.Request(self.url + path, data, self.headers, method=method)
        while True:
            try:
                answer: http.client.HTTPResponse = request.urlopen(asked, timeout=SILENCE)
                return answer
            except error.HTTPError as no:
                if no.code < 500 and no.code != 429:
                    raise Refused(no.code, json.loads(no.read())["message"]) from None
                if no.code not in (429, 503):
                    raise
                time.sleep(float(no.headers.get("Retry-After", 1)))

    def ask(self, method: str, path: str, body: Any = None) -> str:
        with self.open(method, path, body) as answer:
            return answer.read().decode()

    def events(self) -> Iterator[dict[str, Any]]:
        """Everything pending, then what happens, until the connection ends."""
        with self.open("GET", "/api/stream") as lines:
            for line in lines:
                yield json.loads(line)


class Bot:
    """What to do about every event; each game has a player of its own, with its own seed, which keeps its tree."""

    def __init__(self, server: Server, player: str, most: int) -> None:
        self.server, self.player, self.most = server, player, most
        self.games: dict[str, Any] = {}

    def heed(self, event: dict[str, Any]) -> None:
        """Does what an event asks for; what comes too late is refused by the server and forgotten here."""
        try:
            if event["type"] == "challenge":
                answer = "join" if len(self.games) < self.most else "cancel"
                self.server.ask("POST", f"/api/games/{event['game']}/{answer}")
            elif event["type"] == "game_began":
                self.games[event["game"]] = hg.player(seeded(self.player, int.from_bytes(os.urandom(4), "big")))
                print(f"{event['game']}: {event['rules']}, {' against '.join(event['seats'])}", flush=True)
            elif event["type"] == "your_turn":
                self.play(event["game"], event["number"])
            elif event["type"] == "game_over" and self.games.pop(event["game"], None):
                print(f"{event['game']}: over, {event['outcome']['reason']}", flush=True)
        except Refused as refused:
            if refused.args[0] == 401:
                raise
            print(f"{event['game']}: {refused.args[1]}", flush=True)

    def play(self, game: str, number: int) -> None:
        """Thinks about a game as its record tells it, and plays."""
        match = hg.read(self.server.ask("GET", f"/api/games/{game}/record"))
        if match.outcome is None:
            text = self.games[game].choose(match)
            self.server.ask("POST", f"/api/games/{game}/turns", {"number": number, "text": text})


def main() -> None:
    """Plays until somebody stops it, or its token is revoked."""
    options = argparse.ArgumentParser(description="A bot for a Hedgerow server; HEDGEROW_TOKEN holds its token.")
    options.add_argument("url", help="of the server, like https://play.example.org")
    options.add_argument("--player", default="level(3)", help="who thinks, like 'uct(iterations=500)' or 'level(5)'")
    options.add_argument("--games", type=int, default=8, help="how many at a time; more challenges are declined")
    asked, pause = options.parse_args(), 1
    hg.player(asked.player)  # a name that is none is said now, not in the first game
    bot = Bot(Server(asked.url, os.environ.get("HEDGEROW_TOKEN", "")), asked.player, asked.games)
    while True:
        begun = time.monotonic()
        try:
            bot.games.clear()  # a stream begins with every game that is going on
            for event in bot.server.events():
                bot.heed(event)
        except Refused as refused:
            sys.exit(f"the server does not let the bot in: {refused.args[1]}")
        except (OSError, http.client.HTTPException) as why:
            print(f"cut off ({why}); trying again in {pause} s", file=sys.stderr, flush=True)
        time.sleep(pause)
        pause = 1 if time.monotonic() - begun > 60 else min(30, 2 * pause)


if __name__ == "__main__":
    main()
