"""A server, asked over HTTP and followed over a websocket; whoever asks is known by a token or by a session."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from hedgerow.game import HedgerowError
from hedgerow.match import Match, read

LONGEST = 30.0
"""How many seconds an answer may take."""
PAUSES = (1, 2, 4, 8, 15, 30)
"""How many seconds to wait before the line is tried again: each time longer."""
ENDED, NO_SUCH_GAME = 4001, 1008
"""The codes of a close after which it is not tried again."""
AGENT = "hedgerow play"


class ServerRefused(HedgerowError):
    """The server said no: its code, and the sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Server:
    """A Hedgerow server, and who asks it."""

    def __init__(self, url: str, token: str | None = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise HedgerowError(f"cannot play on {url!r:.60}; hint: a server is like https://play.example.org")
        self.url, self.token, self.cookie = url.rstrip("/"), token, ""

    def headers(self) -> dict[str, str]:
        """Who asks."""
        known = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return known | ({"Cookie": self.cookie} if self.cookie and not self.token else {})

    def ask(self, method: str, path: str, body: Any = None, tries: int = 3) -> Any:
        """What the server answers; raises ServerRefused, or HedgerowError where it does not answer."""
        text = self.ask_text(method, path, body, tries)
        return json.loads(text) if text else None

    def ask_text(self, method: str, path: str, body: Any = None, tries: int = 3) -> str:
        """The same before it is read."""
        data = None if body is None else json.dumps(body).encode()
        headers = self.headers() | {"Content-Type": "application/json", "User-Agent": AGENT}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LONGEST) as answer:
                self._keep_cookie(answer.headers.get_all("Set-Cookie") or [])
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            if error.code in (429, 503) and tries > 1:
                time.sleep(min(5.0, float(error.headers.get("Retry-After") or 1)))
                return self.ask_text(method, path, body, tries - 1)
            raise refusal_in(error) from None
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            raise HedgerowError(f"{self.url} does not answer: {why}; hint: is the address right?") from None

    def _keep_cookie(self, lines: list[str]) -> None:
        for line in lines:
            try:
                found = SimpleCookie(line)
            except CookieError:
                continue
            for name, morsel in found.items():
                if name == "hedgerow":
                    self.cookie = f"{name}={morsel.value}"

    def sign_in(self, name: str, password: str) -> None:
        """Begins a session; raises ServerRefused where the name or the password is wrong."""
        self.ask("POST", "/api/sign-in", {"name": name, "password": password})

    def me(self) -> str:
        """Who asks, by name; empty where nobody is known."""
        account = self.ask("GET", "/api/me")["account"]
        return str(account["name"]) if account else ""

    def record(self, game: str) -> Match:
        """A game as it stands."""
        return read(self.ask_text("GET", f"/api/games/{game}/record"))


def refusal_in(error: urllib.error.HTTPError) -> ServerRefused:
    """What the server says to a request that it refuses."""
    try:
        told = json.load(error)
        return ServerRefused(str(told["code"]), str(told["message"]))
    except (ValueError, KeyError, TypeError):
        return ServerRefused(
            str(error.code), f"the server answers {error.code}; hint: is that address a Hedgerow server?"
        )


class Line(threading.Thread):
    """A game's websocket in a thread of its own: it comes back when it is cut off, and tells everything it hears.

    Every message that changes the game comes with the match as it is then, under `match`.
    """

    def __init__(self, server: Server, game: str, tell: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(daemon=True)
        self.server, self.game, self.tell = server, game, tell
        self.stopped = threading.Event()
        self._socket: Any = None
        self._match: Match | None = None

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message; raises HedgerowError while the line is down."""
        from websockets.exceptions import WebSocketException

        socket = self._socket
        try:
            if socket is None:
                raise OSError
            socket.send(json.dumps(message))
        except (OSError, WebSocketException):
            raise HedgerowError("the line to the server is down; hint: it is tried again, wait a moment") from None

    def close(self) -> None:
        """Hears no more."""
        self.stopped.set()
        if (socket := self._socket) is not None:
            threading.Thread(target=socket.close, daemon=True).start()

    def run(self) -> None:
        failed = 0
        while not self.stopped.is_set():
            why, final, opened = self._follow()
            failed = 0 if opened else failed + 1
            if self.stopped.is_set():
                return
            pause = PAUSES[min(failed, len(PAUSES) - 1)]
            self.tell({"type": "gone" if final else "lost", "why": why, "pause": pause})
            if final:
                return
            self.stopped.wait(pause)

    def _follow(self) -> tuple[str, bool, bool]:
        """Follows until the line is cut: why, whether for good, and whether it was open."""
        from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
        from websockets.sync.client import connect

        address = f"{self.server.url.replace('http', 'ws', 1)}/api/games/{self.game}/socket"
        opened = False
        try:
            with connect(
                address, additional_headers=self.server.headers(), user_agent_header=AGENT, open_timeout=10
            ) as socket:
                self._socket, opened = socket, True
                for text in socket:
                    self._heard(json.loads(text))
        except InvalidStatus as refused:
            return (
                f"the server answers {refused.response.status_code}",
                refused.response.status_code in (401, 404),
                opened,
            )
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else 0
            words = {ENDED: "you are signed out", NO_SUCH_GAME: "there is no such game for you"}
            return words.get(code, "the line was cut"), code in words, opened
        except (OSError, WebSocketException, ValueError, HedgerowError) as error:
            return str(error) or type(error).__name__, False, opened
        finally:
            self._socket = None
        return "the server closed the line", False, opened

    def _heard(self, message: dict[str, Any]) -> None:
        if message.get("type") == "state":
            self._match = self.server.record(self.game)
            message["match"] = self._match.copy()
        elif message.get("type") == "event":
            if not self._goes_on(message):
                self._match = self.server.record(self.game)
            message["match"] = self._match.copy() if self._match else None
        elif message.get("type") == "seats":
            message["view"] = self.server.ask("GET", f"/api/games/{self.game}?picture=false")
        self.tell(message)

    def _goes_on(self, message: dict[str, Any]) -> bool:
        """The match went on by just that turn; else it has to be asked for."""
        turn, match = message["turn"], self._match
        if match is None or turn["kind"] != "turn" or match.outcome or match.to_move != turn["seat"]:
            return False
        try:
            match.play_turn(turn["text"])
        except HedgerowError:
            return False
        mover: int | None = message["to_move"]
        return mover == (None if match.outcome else match.to_move)
