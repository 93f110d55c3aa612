"""A game as it stood after one of its turns, by the number that letters tell: what was taken back counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.serve.play.live import LiveGame, replay
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries

if TYPE_CHECKING:
    from hedgerow.serve.play.snapshot import Snapshot
    from hedgerow.serve.store import Store


async def after_turn(store: Store, game: Snapshot, number: int) -> Snapshot:
    """The game after the turn of that number, 0 for its start; raises Refused where there was none yet."""
    async with store.read() as connection:
        row = await queries.game_row(connection, game.id)
        rows = await queries.turn_rows(connection, game.id)
    if row is None or number > len(rows):
        raise Refused("not_found", f"no turn {number} yet; hint: turn {len(rows) + 1} is next, and 0 is the start")
    live = LiveGame(row, game.seats)
    await replay(live, rows[:number])
    return live.settle()
