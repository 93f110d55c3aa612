"""What calls for somebody, wherever they are on the pages: challenges, games that have begun, turns, refusals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.play.clocks import Control
from hedgerow.serve.store import mailbox, streams
from hedgerow.serve.store.rows import NewsRow
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.streams import FRESH

SHOWN = 2
"""How many things are shown at once: a phone has little room."""


class Call(NamedTuple):
    """One thing that calls for somebody."""

    kind: Literal["challenge", "begun", "turn", "declined"]
    game: str
    rules: str = ""
    by: str = ""
    """Who challenges them."""
    control: Control = Control()
    rated: bool = False
    text: str = ""
    """What a notice says."""
    others: int = 0
    """In how many other games it is their turn, too."""

    @property
    def key(self) -> str:
        """What tells it from others."""
        return f"{self.kind}:{self.game}"


class Live(NamedTuple):
    """Everything that calls for somebody, and the games of theirs that wait for others."""

    calls: Sequence[Call] = ()
    waiting: Sequence[str] = ()

    @property
    def shown(self) -> Sequence[Call]:
        """The first of them."""
        return self.calls[:SHOWN]

    @property
    def more(self) -> int:
        """How many others there are."""
        return len(self.calls) - len(self.shown)


NO_NEWS = Live()


async def live_for(connection: AsyncConnection, account: int, here: str, unread: bool) -> Live:
    """What calls for an account but the game that it looks at, `here`; refusals only where something is `unread`."""
    at = now()
    rows = [row for row in await streams.news(connection, account, at) if row.id != here]
    told = await mailbox.unread_of(connection, account, "declined", at - FRESH) if unread else []
    refusals = [Call("declined", row.game or "", text=row.text) for row in told if row.game != here]
    calls = sorted((call for row in rows for call in _calls(row, at)), key=lambda call: ORDER.index(call.kind))
    turns = [call for call in calls if call.kind == "turn"]
    one = [turns[0]._replace(others=len(turns) - 1)] if turns else []  # the most urgent, for all of them
    calls = [*refusals, *(call for call in calls if call.kind != "turn"), *one]
    return Live(calls, [row.id for row in rows if row.state == "open" and row.account is not None])


ORDER = ("challenge", "begun", "turn")


def _calls(row: NewsRow, at: int) -> Iterator[Call]:
    control = Control(row.clock, row.base_ms, row.increment_ms)  # type: ignore[arg-type]
    if row.state == "open":
        if row.account is None:
            yield Call("challenge", row.id, row.rules, row.by, control, row.rated)
    elif row.version == 0 and row.others and (row.clock == "live" or (row.begun or 0) > at - FRESH):
        yield Call("begun", row.id, row.rules)
    elif row.to_move == row.seat and (row.others or row.clock != "none"):
        yield Call("turn", row.id, row.rules)
