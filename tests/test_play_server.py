"""`hedgerow play --server` against a really running server: the list, joining, playing live, refusals, coming back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.game import HedgerowError
from hedgerow.terminal.play import lobby
from hedgerow.terminal.play.app import Play
from hedgerow.terminal.play.remote import RemoteTable
from hedgerow.terminal.play.server_screen import RemoteScreen, ServerScreen
from hedgerow.terminal.play.wire import Server, ServerRefused
from hedgerow.tools.serve_bench import Visitor, server_process
from pseudo_terminal import on_terminal

PATIENCE = 60.0


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0") as (_, port):
        yield port


NUMBERS = iter(range(1000))


def signed_up(port: int) -> tuple[Visitor, str]:
    """Somebody new in a browser, and their name."""
    visitor, name = Visitor(port), f"Person {next(NUMBERS)}"
    visitor.ask("POST", "/api/sign-up", {"name": name, "password": "under the hedge"})
    return visitor, name


def asks(visitor: Visitor, method: str, path: str, body: Any = None) -> Any:
    """The same visitor over a new line, because one that is not used for long is closed."""
    again = Visitor(visitor.line.port)
    again.cookie = visitor.cookie
    return again.ask(method, path, body)


def bot_token(port: int) -> tuple[str, str]:
    owner, name = signed_up(port)
    owner.ask("POST", "/api/account/bot")
    return owner.ask("POST", "/api/account/tokens", {"name": "test"})["token"], name


def play_token(port: int) -> tuple[str, str]:
    """A token with which somebody plays in a terminal, and their name."""
    owner, name = signed_up(port)
    return owner.ask("POST", "/api/account/tokens", {"name": "terminal", "plays": True})["token"], name


def at(port: int, token: str | None = None) -> Server:
    return Server(f"http://127.0.0.1:{port}", token)


def until(true: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
    return found


class Following:
    """A table whose line is heard in this thread."""

    def __init__(self, table: RemoteTable) -> None:
        self.table, self.heard, self.lock = table, list[dict[str, Any]](), threading.Lock()
        self.said: list[str] = []
        self.reasons: list[Any] = []
        self.line = lobby.followed(table, self.heard.append)

    def hear(self) -> None:
        while self.heard:
            words, reason = self.table.heed(self.heard.pop(0))
            self.said += [words] if words else []
            self.reasons += [reason] if reason else []

    def until(self, true: Callable[[], Any]) -> Any:
        def heard() -> Any:
            self.hear()
            return true()

        return until(heard)


# --- the table --------------------------------------------------------------------------------------------------------


def test_a_bot_joins_and_plays_live(port: int) -> None:
    ann, _ = signed_up(port)
    game = ann.ask("POST", "/api/games", {"rules": "root_bound(side=4)", "opponent": "lobby", "seat": 0})["id"]
    server = at(port, bot_token(port)[0])
    entry = next(entry for entry in lobby.listed(server) if entry.game == game)
    assert entry.kind == "open" and "waits for somebody" in entry.words
    table = lobby.entered(server, entry)
    following = Following(table)
    following.until(lambda: table.state == "playing")
    assert table.you == 1 and not table.mine and lobby.listed(server)[0].kind == "yours"
    asks(ann, "POST", f"/api/games/{game}/turns", {"number": 0, "text": "a1"})
    following.until(lambda: table.mine)
    table.play("c3")
    assert table.match.mid_turn and table.base.turns == ("a1",), "half a turn is not sent"
    assert table.take_back() == "took back c3" and not table.match.mid_turn
    with pytest.raises(HedgerowError, match="may not touch"):
        table.play("c3 c4")
    table.play("c3 g2")
    assert not table.mine and table.note == "Sending c3 g2…"
    following.until(lambda: len(table.base.turns) == 2)
    assert asks(ann, "GET", f"/api/games/{game}?picture=false")["turns"] == ["a1", "c3 g2"]
    table.say("say", "hello")
    following.until(lambda: any("hello" in words for words in following.said))
    table.draw()
    following.until(lambda: table.offers)
    assert "You offers a draw" in table.note or "offer" in table.note
    following.line.close()


def test_refusals_are_those_of_the_server(port: int) -> None:
    ann, _ = signed_up(port)
    token = ann.ask("POST", "/api/account/tokens", {"name": "test"})["token"]
    bo, _ = signed_up(port)
    game = bo.ask("POST", "/api/games", {"rules": "tanbo(size=9)", "opponent": "lobby", "seat": 0})["id"]
    with pytest.raises(ServerRefused, match=r"may only look.*a token that lets you play") as refused:
        lobby.entered(at(port, token), lobby.by_number(at(port, token), game))
    assert refused.value.code == "forbidden"
    with pytest.raises(ServerRefused) as refused:
        at(port, "hgt_wrong").me()
    assert refused.value.code == "signed_out"
    with pytest.raises(HedgerowError, match="no game"):
        lobby.by_number(at(port), "zzzzzzzzzzzz")
    with pytest.raises(ServerRefused, match="hint:"):
        at(port).sign_in("Nobody here", "wrong")
    with pytest.raises(HedgerowError, match="does not answer"):
        Server("http://127.0.0.1:9").me()
    with pytest.raises(HedgerowError, match="hint: a server is like"):
        Server("ftp://nowhere")


def test_a_turn_that_the_server_refuses_is_told_with_its_points(port: int) -> None:
    server, (bo, _) = at(port, bot_token(port)[0]), signed_up(port)
    entry = lobby.new_game(server, "tanbo(size=9) lobby")
    asks(bo, "POST", f"/api/games/{entry.game}/join")
    table = lobby.entered(server, entry)
    following = Following(table)
    following.until(lambda: table.state == "playing")
    following.line.send({"type": "turn", "number": 0, "text": "A1"})
    following.until(lambda: following.reasons)
    assert following.reasons[0].code and table.base.turns == ()
    following.line.close()


def test_a_person_signs_in_with_name_and_password_and_plays(port: int) -> None:
    _, name = signed_up(port)
    server = at(port)
    server.sign_in(name, "under the hedge")
    assert server.me() == name
    bo, _ = signed_up(port)
    entry = lobby.new_game(server, "root_down lobby")
    asks(bo, "POST", f"/api/games/{entry.game}/join")
    table = lobby.entered(server, entry)
    following = Following(table)
    following.until(lambda: table.state == "playing")
    if table.you == 0:
        table.play("b2-b4")
        following.until(lambda: table.base.turns == ("b2-b4",))
    else:
        asks(bo, "POST", f"/api/games/{entry.game}/turns", {"number": 0, "text": "b2-b4"})
        following.until(lambda: table.mine)
    asks(bo, "POST", f"/api/games/{entry.game}/resign")
    following.until(lambda: table.base.outcome)
    assert "resigned" in " ".join(following.said)
    following.line.close()


def test_a_person_joins_plays_and_talks_with_a_token(port: int) -> None:
    token, name = play_token(port)
    bo, _ = signed_up(port)
    game = bo.ask("POST", "/api/games", {"rules": "root_down", "opponent": "lobby", "seat": 0})["id"]
    server = at(port, token)
    assert server.me() == name
    table = lobby.entered(server, lobby.by_number(server, game))
    following = Following(table)
    following.until(lambda: table.state == "playing")
    asks(bo, "POST", f"/api/games/{game}/turns", {"number": 0, "text": "b2-b4"})
    following.until(lambda: table.mine)
    reply = table.match.legal()[0]
    table.play(reply)
    following.until(lambda: table.base.turns == ("b2-b4", reply))
    table.say("say", "hello")
    following.until(lambda: any("hello" in words for words in following.said))
    seats = asks(bo, "GET", f"/api/games/{game}?picture=false")["seats"]
    assert seats[1]["name"] == name and not seats[1]["bot"]
    following.line.close()


def test_watching_is_looking_only(port: int) -> None:
    (ann, _), (bo, _) = signed_up(port), signed_up(port)
    game = ann.ask("POST", "/api/games", {"rules": "tanbo(size=9)", "opponent": "lobby", "seat": 0})["id"]
    asks(bo, "POST", f"/api/games/{game}/join")
    table = lobby.entered(at(port), lobby.by_number(at(port), f"http://127.0.0.1:{port}/games/{game}"))
    following = Following(table)
    following.until(lambda: table.state == "playing")
    assert table.you is None and table.note.startswith("You watch.")
    with pytest.raises(HedgerowError, match="you watch this game"):
        table.play("A2")
    asks(ann, "POST", f"/api/games/{game}/turns", {"number": 0, "text": "A2"})
    following.until(lambda: table.base.turns == ("A2",))
    following.line.close()


def test_the_line_comes_back_when_the_server_does(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0") as (process, port):
        ann, _ = signed_up(port)
        server = at(port, bot_token(port)[0])
        entry = lobby.new_game(server, "tanbo(size=9) lobby")
        asks(ann, "POST", f"/api/games/{entry.game}/join")
        table = lobby.entered(server, entry)
        following = Following(table)
        following.until(lambda: table.state == "playing")
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        following.until(lambda: table.trouble)
        with pytest.raises(HedgerowError, match="the line to the server is down"):
            table.resign()
        with server_process(str(tmp_path), "--engines", "0", port=port):
            following.until(lambda: not table.trouble)
            mover = table.base.to_move
            if table.you == mover:
                table.play("A2")
            else:
                asks(ann, "POST", f"/api/games/{entry.game}/turns", {"number": 0, "text": "A2"})
            following.until(lambda: table.base.turns == ("A2",))
            following.line.close()


# --- lines of text and the screen -------------------------------------------------------------------------------------


@pytest.mark.parametrize("token_of", [bot_token, play_token])
def test_lines_of_text(port: int, token_of: Callable[[int], tuple[str, str]]) -> None:
    token, name = token_of(port)
    bo, _ = signed_up(port)
    game = bo.ask("POST", "/api/games", {"rules": "root_bound(side=4)", "opponent": "lobby", "seat": 0})["id"]
    command = [sys.executable, "-m", "hedgerow", "play", game, "--server", f"http://127.0.0.1:{port}"]
    client = subprocess.Popen(
        command,
        env=os.environ | {"HEDGEROW_TOKEN": token},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert client.stdin and client.stdout
    seen = ""

    def type_line(text: str) -> None:
        assert client.stdin
        client.stdin.write(f"{text}\n")
        client.stdin.flush()

    def read_until(words: str) -> None:
        nonlocal seen
        assert client.stdout
        while words not in seen:
            line = client.stdout.readline()
            assert line, seen
            seen += line

    read_until("Type a turn, or help.")
    type_line("c3")
    read_until("It is Black's turn; hint: wait for theirs.")
    asks(bo, "POST", f"/api/games/{game}/turns", {"number": 0, "text": "a1"})
    read_until("Black played a1.")
    for text in ("c3", "c4", "g2"):
        type_line(text)
    read_until("may not touch each other")
    read_until("White played c3 g2.")
    type_line("hint")
    read_until("No engine helps in a game on a server")
    type_line("resign")
    read_until("White resigned")
    for text in ("quit", "list", "nonsense", "open zzz", "quit"):
        type_line(text)
    rest, said = client.communicate(timeout=60)
    assert client.returncode == 0 and "Traceback" not in said and f"as {name}" in seen
    assert "cannot do 'nonsense'" in rest.lower() and "No game 'zzz'" in rest
    assert hg.read(asks_text(port, game)).turns == ("a1", "c3 g2")


def asks_text(port: int, game: str) -> str:
    return at(port).ask_text("GET", f"/api/games/{game}/record")


@pytest.mark.parametrize(
    ("url", "words"),
    [("http://127.0.0.1:9", "does not answer"), ("nowhere", "hint: a server is like https://play.example.org")],
)
def test_a_wrong_address_ends_with_a_line(url: str, words: str) -> None:
    command = [sys.executable, "-m", "hedgerow", "play", "--server", url]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_a_token_that_does_not_hold_ends_with_a_line(port: int) -> None:
    command = [sys.executable, "-m", "hedgerow", "play", "--server", f"http://127.0.0.1:{port}", "--token", "hgt_no"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr


@pytest.mark.anyio
async def test_the_screen_lists_joins_and_plays(port: int) -> None:
    token, name = bot_token(port)
    bo, _ = signed_up(port)
    game = bo.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "lobby", "seat": 0})["id"]
    app = Play(server=at(port, token))

    async def awaited(pilot: Any, true: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < end
            await pilot.pause(0.05)
        await pilot.pause()

    async with app.run_test(size=(80, 24)) as pilot:
        await awaited(pilot, lambda: isinstance(app.screen, ServerScreen) and game in app.screen.entries)
        assert f"You are {name}." in str(app.screen.query_one("#who").visual)
        entries = app.screen.query_one("#entries")
        entries.highlighted = entries.get_option_index(game)
        await pilot.press("enter")
        await awaited(pilot, lambda: isinstance(app.screen, RemoteScreen) and app.screen.remote.state == "playing")
        screen = app.screen
        asks(bo, "POST", f"/api/games/{game}/turns", {"number": 0, "text": "A2"})
        await awaited(pilot, lambda: screen.open_to)
        reply = screen.match.legal()[0]
        await pilot.press(*reply, "enter")
        await awaited(pilot, lambda: screen.remote.base.turns == ("A2", reply))
        await pilot.press("f2")
        assert "No engine helps" in str(screen.query_one("#prompt").visual)
        asks(bo, "POST", f"/api/games/{game}/resign")
        await awaited(pilot, lambda: screen.match.outcome)
        await pilot.press(*"quit", "enter")
        await awaited(pilot, lambda: isinstance(app.screen, ServerScreen))


def test_a_person_signs_in_on_a_real_terminal(port: int, tmp_path: Path) -> None:
    _, name = signed_up(port)
    state = {"HEDGEROW_STATE": str(tmp_path)}
    with on_terminal("play", "--server", f"http://127.0.0.1:{port}", **state) as terminal:
        terminal.until("Name (empty for a token or to come as a guest):")
        terminal.press(f"{name}\n")
        terminal.until("Password:")
        terminal.press("under the hedge\n")
        terminal.until(f"You are {name}.")
        assert "under the hedge" not in terminal.text
        terminal.press("ctrl+q")
        assert terminal.end() == 0


@pytest.mark.parametrize("way", ["--token", "HEDGEROW_TOKEN", "asked", "asked for a name"])
def test_a_person_plays_with_a_token_on_a_real_terminal(port: int, tmp_path: Path, way: str) -> None:
    token, name = play_token(port)
    bo, _ = signed_up(port)
    game = bo.ask("POST", "/api/games", {"rules": "tanbo(size=9)", "opponent": "lobby", "seat": 0})["id"]
    arguments = ["--token", token] if way == "--token" else []
    environment = {"HEDGEROW_STATE": str(tmp_path)} | ({way: token} if way == "HEDGEROW_TOKEN" else {})
    url = f"http://127.0.0.1:{port}"
    with on_terminal("play", game, "--server", url, *arguments, **environment) as terminal:
        if way.startswith("asked"):
            terminal.until("Name (empty for a token or to come as a guest):")
            terminal.press("\n" if way == "asked" else f"{token}\n")
        if way == "asked":
            terminal.until("Token (empty to come as a guest):")
            terminal.press(f"{token}\n")
        terminal.until(name)
        assert token not in terminal.text
        asks(bo, "POST", f"/api/games/{game}/turns", {"number": 0, "text": "A2"})
        terminal.until("1. A2")
        reply = at(port).record(game).legal()[0]
        terminal.press(*reply, "enter")
        until(lambda: asks(bo, "GET", f"/api/games/{game}?picture=false")["turns"] == ["A2", reply])
        terminal.press("ctrl+q")
        assert terminal.end() == 0
