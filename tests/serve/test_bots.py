"""Bots as real processes against a real server: the example plays to the end, the documentation is true, tokens end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import hedgerow as hg
from hedgerow.tools.serve_bench import Visitor, server_process

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 120
"""Seconds that a short game may take on a busy machine."""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0") as (_, port):
        yield port


def signed_up(port: int, name: str) -> Visitor:
    visitor = Visitor(port)
    visitor.ask("POST", "/api/sign-up", {"name": name, "password": "under the hedge"})
    return visitor


def token_of_bot(port: int, name: str) -> tuple[Visitor, str]:
    """The owner of a new bot account, and the bot's token."""
    owner = signed_up(port, name)
    owner.ask("POST", "/api/account/bot")
    return owner, owner.ask("POST", "/api/account/tokens", {"name": "test"})["token"]


def asked(port: int, token: str, method: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def revoke(port: int, cookie: str) -> None:
    """The owner of an account ends its only token."""
    owner = Visitor(port)
    owner.cookie = cookie
    (token,) = owner.ask("GET", "/api/account/tokens")
    owner.line.request("DELETE", f"/api/account/tokens/{token['id']}", headers={"Cookie": cookie})
    assert owner.line.getresponse().status == 204


@contextlib.contextmanager
def bot_process(port: int, token: str, player: str = "random(seed=1)") -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(ROOT / "examples" / "bot.py"), f"http://127.0.0.1:{port}", "--player", player]
    environment = os.environ | {"HEDGEROW_TOKEN": token}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_over(port: int, game: str) -> dict[str, Any]:
    return until(port, game, lambda told: told["state"] == "over")


def until(port: int, game: str, true: Any) -> dict[str, Any]:
    end, visitor = time.monotonic() + PATIENCE, Visitor(port)
    while not true(told := visitor.ask("GET", f"/api/games/{game}?picture=false")):
        assert time.monotonic() < end, told
        time.sleep(0.05)
    return dict(told)


def finished_fairly(told: dict[str, Any]) -> bool:
    """The game was played to its end by its rules."""
    match = hg.Match(told["rules"])
    for turn in told["turns"]:
        match.play(turn)
    return match.outcome is not None and list(match.outcome.winners) == told["outcome"]["winners"]


# --- the example ------------------------------------------------------------------------------------------------------


def test_the_example_plays_a_person_to_the_end(port: int) -> None:
    ann, (_, token) = signed_up(port, "Ann"), token_of_bot(port, "Robo One")
    player = hg.player("random(seed=3)")
    with bot_process(port, token, "uct(iterations=20,seed=1)"):
        asks = {"rules": "root_down", "opponent": "named", "name": "Robo One", "rated": True}
        game = ann.ask("POST", "/api/games", asks)["id"]
        while True:
            told = until(port, game, lambda told: told["state"] == "over" or (told["state"], told["to_move"]) == MINE)
            if told["state"] == "over":
                break
            match = hg.Match("root_down")
            for turn in told["turns"]:
                match.play(turn)
            cookie, ann = ann.cookie, Visitor(port)  # anew, because a line that is not used for long is closed
            ann.cookie = cookie
            ann.ask("POST", f"/api/games/{game}/turns", {"number": told["version"], "text": player.choose(match)})
    assert finished_fairly(told) and [seat["bot"] for seat in told["seats"]] == [False, True]


MINE = ("playing", 0)


def test_two_bots_and_one_of_them_is_cut_off(port: int) -> None:
    (_, one), (_, two) = token_of_bot(port, "Robo Two"), token_of_bot(port, "Robo Three")
    asks = {"rules": "root_down", "opponent": "named", "name": "robo three"}
    game = asked(port, one, "POST", "/api/games", asks)["id"]  # nobody is there yet: it is pending
    with bot_process(port, one):
        with bot_process(port, two, "random(seed=2)"):
            until(port, game, lambda told: told["version"] > 2)
        with bot_process(port, two, "random(seed=5)"):  # and another goes on where it was killed
            told = until_over(port, game)
    assert finished_fairly(told) and all(seat["bot"] for seat in told["seats"])


def test_the_example_comes_back_when_the_server_does_and_goes_when_it_is_revoked(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        process, port = stack.enter_context(server_process(str(tmp_path), "--engines", "0"))
        owner, token = token_of_bot(port, "Robo")
        bot = stack.enter_context(bot_process(port, token))
        game = signed_up(port, "Ann").ask(
            "POST", "/api/games", {"rules": "root_down", "opponent": "named", "name": "Robo"}
        )
        until(port, game["id"], lambda told: told["state"] == "playing")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM)
        stack.enter_context(server_process(str(tmp_path), "--engines", "0", port=port))
        other = signed_up(port, "Bo").ask(
            "POST", "/api/games", {"rules": "root_down", "opponent": "named", "name": "Robo"}
        )
        until(port, other["id"], lambda told: told["state"] == "playing")
        revoke(port, owner.cookie)
        said, _ = bot.communicate(timeout=PATIENCE)
        assert bot.returncode == 1 and "this token does not hold" in said and token not in said


# --- the stream and sockets by token ----------------------------------------------------------------------------------


class Reader(threading.Thread):
    """Reads a stream over a real socket until it ends."""

    def __init__(self, port: int, token: str) -> None:
        super().__init__(daemon=True)
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/stream")
        request.add_header("Authorization", f"Bearer {token}")
        self.lines, self.told = urllib.request.urlopen(request, timeout=30), []
        self.start()

    def run(self) -> None:
        self.told: list[dict[str, Any]] = []
        for line in self.lines:
            self.told.append(json.loads(line))

    def wait(self, kind: str) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while True:
            for event in list(self.told):
                if event["type"] == kind:
                    return event
            assert time.monotonic() < end, self.told
            time.sleep(0.02)


def test_a_stream_and_a_socket_end_with_their_token(port: int) -> None:
    owner, token = token_of_bot(port, "Robo Four")
    reader = Reader(port, token)
    reader.wait("ready")
    game = asked(port, token, "POST", "/api/games", {"rules": "root_down", "opponent": "machine"})["id"]
    assert reader.wait("your_turn")["game"] == game
    where = f"ws://127.0.0.1:{port}/api/games/{game}/socket"
    with connect(where, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        state = json.loads(socket.recv(30))
        assert state["you"] == 0 and state["bots"] == [0, 1]
        socket.send(json.dumps({"type": "turn", "number": 0, "text": hg.Match("root_down").legal()[0]}))
        assert json.loads(socket.recv(30))["type"] in ("event", "watchers")
        revoke(port, owner.cookie)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(30)
    assert closed.value.rcvd and closed.value.rcvd.code == 4001
    reader.join(PATIENCE)
    assert not reader.is_alive() and reader.told[-1] == {"type": "bye", "why": "signed_out"}
    with pytest.raises(HTTPError, match="401"):
        asked(port, token, "GET", "/api/me")
    with pytest.raises(InvalidStatus):
        connect(where, additional_headers={"Authorization": f"Bearer {token}"})


def test_a_persons_token_watches_a_socket_and_does_not_play_on_it(port: int) -> None:
    cy = signed_up(port, "Cy")
    token = cy.ask("POST", "/api/account/tokens", {"name": "watch"})["token"]
    game = cy.ask("POST", "/api/games", {"rules": "root_down", "opponent": "machine"})["id"]
    headers = {"Authorization": f"Bearer {token}", "Origin": "https://elsewhere.test"}
    with connect(f"ws://127.0.0.1:{port}/api/games/{game}/socket", additional_headers=headers) as socket:
        assert json.loads(socket.recv(30))["you"] == 0
        for message in (
            {"type": "turn", "number": 0, "text": hg.Match("root_down").legal()[0]},
            {"type": "resign"},
            {"type": "offer", "kind": "abort"},
            {"type": "chat", "room": "players", "text": "hi"},
        ):
            socket.send(json.dumps(message))
            refused = json.loads(socket.recv(30))
            assert (refused["type"], refused["code"]) == ("refused", "forbidden")
            assert "may only look" in refused["message"]
    assert cy.ask("GET", f"/api/games/{game}?picture=false")["version"] == 0


# --- the documentation ------------------------------------------------------------------------------------------------


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", (ROOT / "docs" / "bots.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_documentation_is_true(port: int, tmp_path: Path) -> None:
    python = blocks("python")
    (tmp_path / "socket.txt").write_text(python[0])
    script = "\n".join(["set -euo pipefail", *(f"{block}\necho" for block in blocks("sh"))])
    script += f'\nexport HEDGEROW GAME TOKEN\n"{sys.executable}" socket.txt'
    environment = os.environ | {"HEDGEROW": f"http://127.0.0.1:{port}"}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert '"kind":"bot","bot":true' in done.stdout and '{"type":"ready"' in done.stdout
    stored = re.findall(r'\{"number":0,"kind":"turn".*?\}', done.stdout)
    assert len(stored) == 2 and stored[0] == stored[1]
    assert "state 1 ['Robo', 'Machine, level(1)'] [0, 1]\npong\n" in done.stdout
    assert len(python) == 1 and len(blocks("sh")) == 6


def test_the_documentation_names_every_event_and_field() -> None:
    from hedgerow.serve.play import streams

    text = (ROOT / "docs" / "bots.md").read_text()
    table = {row[0]: row[1] for row in re.findall(r"^\| `(\w+)` \| .*? \| (.*) \|$", text, re.MULTILINE)}
    for event in vars(streams).values():
        name = getattr(event, "__name__", "")
        if name.endswith("Event") and event.__module__ == streams.__name__ and event is not streams.LookEvent:
            missing = [
                field for field in event.__struct_fields__ if f"`{field}`" not in table[event.__struct_config__.tag]
            ]
            assert not missing, (name, missing)


def test_the_example_is_short() -> None:
    assert len((ROOT / "examples" / "bot.py").read_text().splitlines()) < 120
