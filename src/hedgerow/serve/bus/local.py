"""Publish and subscribe by game: the interface of every bus, and the bus of a single process.

What has happened in a game counts up as its version does. A message that carries a version is told once and in order,
however often and from wherever it comes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from hedgerow.serve.bus.frames import framed

log = logging.getLogger("hedgerow.bus")


class Message:
    """What is told: its text, and its websocket frame, made once for all who listen.

    With a `version` it says what took the game to that version; without, it is about something else.
    """

    __slots__ = ("_frame", "text", "version")

    def __init__(self, text: str, version: int | None = None) -> None:
        self.text = text
        self.version = version
        self._frame: bytes | None = None

    @property
    def frame(self) -> bytes:
        """The text as it goes over a websocket."""
        if self._frame is None:
            self._frame = framed(self.text)
        return self._frame


Listener = Callable[[Message], None]
"""Takes a message, at once and without waiting."""


class Bus(Protocol):
    """Publish and subscribe, by game."""

    name: str
    """Which process this is."""
    shared: bool
    """Other processes play the same games."""
    told: dict[str, int]
    """How far those who listen here have been told, by game."""

    def tell_here(self, game: str, message: Message) -> None:
        """Hands a message to those who listen in this process."""

    def publish(self, game: str, message: Message) -> None:
        """Hands one message, written once, to everybody who listens to the game."""

    def subscribe(
        self, game: str, listener: Listener, *, first: bool = False, version: int | None = None
    ) -> Callable[[], None]:
        """Listens to a game until the returned function is called; players come `first`, before those who watch.

        `version` is how much of the game the listener already knows.
        """


class LocalBus:
    """The bus of a single process."""

    name = "here"
    shared = False

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self.told: dict[str, int] = {}

    def publish(self, game: str, message: Message) -> None:
        self.tell_here(game, message)

    def tell_here(self, game: str, message: Message) -> None:
        listeners = self._listeners.get(game)
        if listeners is None:
            return
        if (version := message.version) is not None:
            if version <= self.told.get(game, -1):
                return
            self.told[game] = version
        for listener in listeners:
            try:
                listener(message)
            except Exception:  # whoever cannot hear it keeps nobody else from hearing it
                log.exception("a message about %s was not heard", game)

    def subscribe(
        self, game: str, listener: Listener, *, first: bool = False, version: int | None = None
    ) -> Callable[[], None]:
        if version is not None and self.told.setdefault(game, version) < version:
            listener = _from(version, listener)
        # the list is replaced, not changed, so that a listener may come or go while a message is handed out
        known = self._listeners.get(game, [])
        self._listeners[game] = [listener, *known] if first else [*known, listener]

        def leave() -> None:
            left = [other for other in self._listeners.get(game, ()) if other is not listener]
            if left:
                self._listeners[game] = left
            else:
                self._listeners.pop(game, None)
                self.told.pop(game, None)

        return leave


def _from(known: int, listener: Listener) -> Listener:
    """A listener that is further than the others here, and is not told again what it knows."""

    def listen(message: Message) -> None:
        if message.version is None or message.version > known:
            listener(message)

    return listen
