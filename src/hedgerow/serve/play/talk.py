"""Chat: one room for the players and one for the watchers; players see the other after the end.

While a game goes on its players do not hear those who watch, who might help them. Whom somebody has muted or blocked,
he does not hear; who is blocked cannot ask him for games either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Literal

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.bus.local import Bus, Listener, Message
from hedgerow.serve.inputs import printable, tidied
from hedgerow.serve.people.accounts import BOTS, Account
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.play.games import Games, encode
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import GameState
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import talk
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import MuteRow
from hedgerow.serve.store.schema import now

ChatRoom = Literal["players", "watchers"]

MAX_MESSAGE_CHARS = 300
"""How many characters a message may have."""
MAX_TEXT_CHARS = 3_000
"""How many characters a text may have that is said in several messages: one that came by mail."""
MOST_COUNTED = 6
"""As how many messages a text counts at most, where they are limited."""


class ChatEvent(msgspec.Struct, tag_field="type", tag="chat"):
    """Something that somebody said."""

    id: int
    room: str
    account: int
    name: str
    text: str
    at: int
    over: bool = False
    """The game was over when it was said, so that its players hear the watchers, too."""
    bot: bool = False
    """A program said it."""


decode = msgspec.json.Decoder(ChatEvent).decode


def tidy(text: str) -> str:
    """One line of printable text; raises Refused where nothing is left, or too much.

    >>> tidy("  well\\tplayed! ")
    'well played!'
    """
    return tidied(text, MAX_MESSAGE_CHARS, "a message")


def in_messages(text: str) -> list[str]:
    """A text of several paragraphs as messages, each a paragraph or a part of one; raises Refused for too much.

    >>> in_messages("Well\\nplayed!\\n\\n" + "ha " * 150)[0], [len(said) for said in in_messages("ha " * 150)]
    ('Well played!', [299, 149])
    """
    paragraphs = [printable(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
    if not 1 <= sum(map(len, paragraphs)) <= MAX_TEXT_CHARS:
        length = sum(map(len, paragraphs))
        what = f"a text of {length} characters" if length else "there is no text"
        raise Refused("bad_request", f"{what}; hint: 1 to {MAX_TEXT_CHARS} characters, after a colon or in the body")
    return [part for words in paragraphs for part in wrap(words, MAX_MESSAGE_CHARS, break_on_hyphens=False)]


class Talk:
    """Sends and reads chat, and keeps who is muted or blocked."""

    def __init__(self, games: Games, bus: Bus, limits: Limits) -> None:
        self.games = games
        self.bus = bus
        self.limits = limits
        self.store = games.store
        self._muted: dict[int, set[int]] = {}
        """Whom those with an open line here do not hear."""
        self._lines: Counter[int] = Counter()
        """How many lines they have open here."""
        self._read: tuple[Message | None, ChatEvent | None] = (None, None)
        self.after: list[Callable[[Snapshot, Sequence[ChatEvent]], None]] = []
        """Who is told of everything that somebody says at a time."""

    async def say(self, game: str, account: Account, room: ChatRoom, text: str, once: Once | None = None) -> ChatEvent:
        """Stores a message, then tells it."""
        (told,) = await self._say(game, account, room, [tidy(text)], once)
        return told

    async def say_all(
        self, game: str, account: Account, room: ChatRoom, text: str, once: Once | None = None
    ) -> list[ChatEvent]:
        """The same with a longer text, which becomes several messages; all of them are stored, or none."""
        return await self._say(game, account, room, in_messages(text), once)

    async def _say(
        self, game: str, account: Account, room: ChatRoom, texts: Sequence[str], once: Once | None
    ) -> list[ChatEvent]:
        live = await self.games.look(game)
        check(live, account.id, room)
        if room == "watchers" and account.kind == "guest":
            raise Refused("forbidden", "guests only talk in games of their own; hint: sign up, it keeps your games")
        await self.limits.check_everywhere("chat", account.id, min(len(texts), MOST_COUNTED))
        at = now()
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            values = {"game": game, "room": room, "account": account.id, "at": at}
            numbers = [await talk.add_message(connection, **values, text=text) for text in texts]
        told = [
            ChatEvent(number, room, account.id, account.name, text, at, live.over, account.bot)
            for number, text in zip(numbers, texts)
        ]
        for said in told:
            self.bus.publish(f"{game}/chat", Message(encode(said).decode()))
        for listener in self.after:
            listener(live, told)
        return told

    async def read(self, game: str, account: int | None, room: ChatRoom, after: int, limit: int) -> list[ChatEvent]:
        """What was said, as far as this reader may and wants to know."""
        return await self.heard(await self.games.look(game), account, room, limit, after)

    async def heard(
        self, live: GameState, account: int | None, room: ChatRoom, limit: int, after: int = 0
    ) -> list[ChatEvent]:
        """The same, in a game that is at hand."""
        async with self.store.read() as connection:
            return await self.asked(connection, live, account, room, limit, after)

    async def asked(
        self,
        connection: AsyncConnection,
        live: GameState,
        account: int | None,
        room: ChatRoom,
        limit: int,
        after: int = 0,
    ) -> list[ChatEvent]:
        """The same, with a connection."""
        check(live, account, room)
        rows = await talk.messages(connection, live.id, room, account, after, limit)
        return [
            ChatEvent(row.id, row.room, row.account, row.name, row.text, row.at, bot=row.kind in BOTS) for row in rows
        ]

    async def listen(self, live: GameState, account: int | None, tell: Listener) -> Callable[[], None]:
        """Tells a line what is said in the rooms that it may hear, until the returned function is called."""
        seated = account is not None and live.seat_of(account) is not None
        if account is not None and account not in self._muted:
            self._muted[account] = {row.other for row in await self.mutes(account)}
        self._lines[account or 0] += 1

        def hear(message: Message) -> None:
            said = self._decoded(message)
            mine = said.room == ("players" if seated else "watchers") or (seated and said.over)
            if mine and said.account not in self._muted.get(account or 0, ()):
                tell(message)

        off = self.bus.subscribe(f"{live.id}/chat", hear)

        def leave() -> None:
            off()
            self._lines[account or 0] -= 1
            if not self._lines[account or 0]:
                del self._lines[account or 0]
                self._muted.pop(account or 0, None)

        return leave

    def _decoded(self, message: Message) -> ChatEvent:
        """Everybody hears the same message, so it is read once."""
        if self._read[0] is not message:
            self._read = message, decode(message.text)
        assert self._read[1] is not None
        return self._read[1]

    # --- not hearing --------------------------------------------------------------------------------------------------

    async def report(self, account: int, message: int, reason: str) -> None:
        """Brings a message to the operator's notice; only who can hear a message can report it."""
        async with self.store.read() as connection:
            row = await talk.message_row(connection, message)
        if row is None:
            raise Refused("not_found", f"no message {message}; hint: it may be gone already")
        check(await self.games.look(row.game), account, row.room)
        async with self.store.write() as connection:
            await talk.put_report(connection, message, account, tidy(reason), now())

    async def mute(self, account: int, other: int, kind: str | None) -> None:
        """Mutes or blocks an account, or hears it again."""
        if account == other:
            raise Refused("bad_request", "you cannot mute yourself; hint: say nothing")
        async with self.store.write() as connection:
            if kind is None:
                await talk.drop_mute(connection, account, other)
            elif not await talk.is_account(connection, other):
                raise Refused("not_found", f"no account {other}; hint: it may be gone already")
            else:
                await talk.put_mute(connection, account, other, kind, now())
        if (muted := self._muted.get(account)) is not None:
            (muted.discard if kind is None else muted.add)(other)

    async def mutes(self, account: int) -> list[MuteRow]:
        """Whom an account does not hear."""
        async with self.store.read() as connection:
            return await talk.mute_rows(connection, account)


def check(live: GameState, account: int | None, room: str) -> None:
    """Raises Refused unless the account belongs into that room now."""
    seated = account is not None and live.seat_of(account) is not None
    if seated and room == "watchers" and not live.over:
        raise Refused("forbidden", "players hear the watchers after the game; hint: finish it first")
    if not seated and room == "players":
        raise Refused("not_yours", "the players talk among themselves; hint: use the watchers' room")
