"""The messages of a game's websocket, both ways; `sockets` sends and receives them."""

from __future__ import annotations

import msgspec

from hedgerow.game import Outcome
from hedgerow.serve.bus.local import Message
from hedgerow.serve.play.offers import Kind, Offer
from hedgerow.serve.play.state import Happened
from hedgerow.serve.play.talk import ChatRoom
from hedgerow.serve.play.views.board import ActionView, encode


class TurnMessage(msgspec.Struct, tag_field="type", tag="turn"):
    """Play this turn; `thought` is how many milliseconds the player's machine counted."""

    number: int
    text: str
    thought: int | None = None


class ResignMessage(msgspec.Struct, tag_field="type", tag="resign"):
    """Give up."""


class OfferMessage(msgspec.Struct, tag_field="type", tag="offer"):
    """Offer something to the others (`undo`, `draw`, `abort`, `rematch`), or agree to what another has offered."""

    kind: Kind


class AgreeMessage(msgspec.Struct, tag_field="type", tag="agree"):
    """Agree to what another has offered."""

    kind: Kind


class DeclineMessage(msgspec.Struct, tag_field="type", tag="decline"):
    """Say no to an offer, or take back one's own."""

    kind: Kind


class ChatMessage(msgspec.Struct, tag_field="type", tag="chat"):
    """Say something to the other players, or among those who watch."""

    room: ChatRoom
    text: str


class PingMessage(msgspec.Struct, tag_field="type", tag="ping"):
    """Heartbeat; the reply carries the server's time."""


class WhyMessage(msgspec.Struct, tag_field="type", tag="why"):
    """May this be played, and if not, why?"""

    text: str


class Why(msgspec.Struct, tag_field="type", tag="why"):
    """Whether it may, and the rule that forbids it."""

    text: str
    legal: bool
    reason: str = ""
    points: tuple[str, ...] = ()
    clause: str = ""


class Tried(msgspec.Struct, tag_field="type", tag="tried"):
    """A turn that has only begun: how it may go on."""

    number: int
    text: str
    prompt: str
    legal: list[ActionView]


class Pong(msgspec.Struct, tag_field="type", tag="pong"):
    """The reply to a heartbeat: the server's time, in milliseconds since 1970."""

    at: int


class State(msgspec.Struct, tag_field="type", tag="state"):
    """Where the game stands, and what happened since the version that the client named."""

    version: int
    rules: str
    state: str
    seats: list[str]
    bots: list[int]
    """The seats that programs have."""
    you: int | None
    to_move: int | None
    clocks: list[int] | None
    since: int
    """When the turn that is being thought about began, by the server's time."""
    at: int
    outcome: Outcome | None
    turns: list[Happened]
    offers: list[Offer]
    watchers: int


class Stored(msgspec.Struct, tag_field="type", tag="stored"):
    """That turn was stored already."""

    number: int


class No(msgspec.Struct, tag_field="type", tag="refused"):
    """The message changed nothing, and why."""

    code: str
    message: str
    number: int | None
    version: int | None
    points: tuple[str, ...] = ()
    clause: str = ""
    about: str = ""
    """The type of the message, where it could be read."""


Up = TurnMessage | ResignMessage | OfferMessage | AgreeMessage | DeclineMessage | ChatMessage | PingMessage | WhyMessage
decode = msgspec.json.Decoder(Up).decode


def message_of(message: msgspec.Struct) -> Message:
    """Encoded once, for everybody who is sent it."""
    return Message(encode(message).decode())
