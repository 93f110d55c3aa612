"""A game on a server, as a table: what was chosen of a turn is kept here until it is whole, then the server judges."""

from __future__ import annotations

import time
from typing import Any

from hedgerow.game import HedgerowError, Reason
from hedgerow.match import Match
from hedgerow.terminal.play.wire import Line, Server

OFFERS = {"draw": "a draw", "undo": "to take back", "abort": "to call the game off", "rematch": "another game"}


class RemoteTable:
    """A game that is played or watched on a server."""

    local = False

    def __init__(self, server: Server, game: str, rules: str) -> None:
        self.server, self.game = server, game
        self.base = Match(rules)
        self.line: Line | None = None
        self.version = 0
        """Counts what the screen should notice."""
        self.number = 0
        """The version of the game at the server: the number of the next turn."""
        self.names: list[str] = ["?"] * self.base.rules.players
        self.you: int | None = None
        self.state = "connecting"
        self.offers: list[dict[str, Any]] = []
        self.trouble = "connecting…"
        self.over_words = ""
        self._pending: list[str] = []
        self._sent: str | None = None
        self._left: list[int] | None = None
        self._spent_ms = 0
        self._since = time.monotonic()

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def match(self) -> Match:
        if not self._pending:
            return self.base
        then = self.base.copy()
        then.play(" ".join(self._pending))
        return then

    @property
    def mine(self) -> bool:
        here = self.state == "playing" and self.base.outcome is None
        return here and self.you == self.base.to_move and self._sent is None

    @property
    def near(self) -> int | None:
        return self.you

    @property
    def note(self) -> str:
        if self.trouble:
            return f"Not connected: {self.trouble}"
        if self.over_words:
            return self.over_words
        if self.state == "open":
            return "Waiting until every seat is taken."
        told = [f"{self._who(offer)} offers {OFFERS.get(offer['kind'], offer['kind'])}." for offer in self.offers]
        if told:
            return " ".join(told)
        if self._sent is not None:
            return f"Sending {self._sent}…"
        return "" if self.you is not None else f"You watch. {self.base.rules.seats[self.base.to_move]} is to move."

    def _who(self, offer: dict[str, Any]) -> str:
        seat = offer.get("seat")
        return "You" if seat == self.you else self.names[seat] if isinstance(seat, int) else "Somebody"

    def clocks(self) -> list[float] | None:
        if self._left is None:
            return None
        left = [ms / 1000 for ms in self._left]
        if self.state == "playing" and self.base.outcome is None:
            mover = self.base.to_move
            left[mover] = max(0.0, left[mover] - self._spent_ms / 1000 - (time.monotonic() - self._since))
        return left

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, text: str) -> None:
        if self.you is None:
            raise HedgerowError("you watch this game; hint: join one that has a free seat")
        then, chosen = self.match.copy(), list[str]()
        for word in text.split() or [""]:
            if chosen and not then.mid_turn:
                raise HedgerowError(f"more than one turn, it ended before {word!r:.42}; hint: one turn at a time")
            then.play(word)
            chosen.append(then.last_word)
        self._pending += chosen
        if not then.mid_turn:
            self._send_turn()

    def _send_turn(self) -> None:
        turn = " ".join(self._pending)
        thought = max(0, int((time.monotonic() - self._since) * 1000))
        try:
            self._send({"type": "turn", "number": self.number, "text": turn, "thought": thought})
        except HedgerowError:
            self._pending = []
            raise
        self._sent = turn

    def _send(self, message: dict[str, Any]) -> None:
        if self.line is None:
            raise HedgerowError("the line to the server is down; hint: it is tried again, wait a moment")
        self.line.send(message)

    def take_back(self) -> str:
        if self._pending and self._sent is None:
            return f"took back {self._pending.pop()}"
        self._send({"type": "offer", "kind": "undo"})
        return "you ask to take back; the others have to agree"

    def resign(self) -> str:
        self._send({"type": "resign"})
        return "You give up."

    def draw(self) -> str:
        self._send({"type": "offer", "kind": "draw"})
        return "You offer a draw."

    def say(self, verb: str, words: str) -> str:
        if verb == "say":
            if not words:
                raise HedgerowError("nothing to say; hint: say and some words")
            room = "players" if self.you is not None else "watchers"
            self._send({"type": "chat", "room": room, "text": words})
            return ""
        open_ones = [offer for offer in self.offers if offer.get("seat") != self.you]
        if not open_ones:
            raise HedgerowError(f"nothing to {verb} to; hint: nobody has offered anything")
        self._send({"type": verb, "kind": open_ones[0]["kind"]})
        return f"You {verb}."

    # --- hearing ------------------------------------------------------------------------------------------------------

    def heed(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        """Takes over what the line tells: what there is to say of it, and the reason where a turn was refused."""
        kind = message.get("type", "")
        heeded = getattr(self, f"_on_{kind}", None)
        self.version += kind in ("state", "event", "refused", "lost", "gone", "seats", "offers")
        found: tuple[str, Reason | None] = heeded(message) if heeded else ("", None)
        return found

    def _on_state(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        self.trouble = ""
        same = message["version"] == self.number and self._sent is not None
        self._take(message)
        self.names = [name or "?" for name in message["seats"]]
        self.you, self.state, self.offers = message["you"], message["state"], message["offers"]
        self._spent_ms = max(0, message["at"] - message["since"])
        if same and self._sent is not None:
            self._pending, turn = self._sent.split(), self._sent
            self._send({"type": "turn", "number": self.number, "text": turn})  # it was cut off; it is played once
            self._sent = turn
        else:
            self._pending, self._sent = [], None
        return "", None

    def _on_event(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        turn, self.offers = message["turn"], []
        self._take(message)
        self._pending, self._sent, self._spent_ms = [], None, 0
        if self.state == "open" and message["to_move"] is not None:
            self.state = "playing"
        side = self.base.rules.seats[turn["seat"]] if 0 <= turn["seat"] < self.base.rules.players else ""
        told = {"resign": f"{side} resigned.", "flag": f"{side} ran out of time.", "draw": "A draw was agreed."}
        told |= {"undo": "A turn was taken back.", "abort": "The game was called off.", "sit": "Somebody sat down."}
        return told.get(turn["kind"], ""), None

    def _take(self, message: dict[str, Any]) -> None:
        """The match, its number and clocks, and whether it is over."""
        if message.get("match") is not None:
            self.base = message["match"]
        self.number, self._left, self._since = message["version"], message["clocks"], time.monotonic()
        if message["outcome"] is not None:
            self.state = "over"
            self.over_words = "" if self.base.outcome else f"The game is over: {message['outcome']['reason']}."

    def _on_refused(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        self._pending, self._sent = [], None
        words = str(message["message"])
        said = f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"
        return said, Reason(message["code"], said, tuple(message["points"] or ()), message.get("clause") or "")

    def _on_offers(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        self.offers = message.get("offers", [])
        return "", None

    def _on_chat(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        return f"{message['name']}: {message['text']}", None

    def _on_rematch(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        return "Another game between you has begun; it is in the list.", None

    def _on_seats(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        view = message["view"]
        self.names = [seat["name"] or "?" for seat in view["seats"]]
        self.you, self.state = view["you"], view["state"]
        clock = view["clock"]
        self._left, self._spent_ms = clock["left"], max(0, clock["now"] - clock["since"])
        self._since = time.monotonic()
        return "", None

    def _on_lost(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        self.trouble = f"{message['why']}; trying again in {message['pause']} s"
        return "", None

    def _on_gone(self, message: dict[str, Any]) -> tuple[str, Reason | None]:
        self.trouble, self.state = str(message["why"]), "over"
        return f"The line is closed: {message['why']}.", None
