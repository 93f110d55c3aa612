"""Short numbers of games: given when they are first asked for; a private game is shown by its number to its players."""

from __future__ import annotations

from collections import OrderedDict

from hedgerow.serve.play.games import Games
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import boards

KEPT = 10_000
"""How many numbers are remembered; a game keeps its own."""


class Boards:
    """Games by their numbers, and numbers of games."""

    def __init__(self, games: Games) -> None:
        self.games, self.store = games, games.store
        self._numbers: OrderedDict[str, int] = OrderedDict()

    async def number(self, game: str) -> int:
        """The number of a game."""
        if (known := self._numbers.get(game)) is None:
            async with self.store.read() as connection:
                known = (await boards.numbers_of(connection, [game])).get(game)
        if known is None:
            known = await self.store.write_shared(lambda connection: boards.number_of(connection, game))
        self._numbers[game] = known
        if len(self._numbers) > KEPT:
            self._numbers.popitem(last=False)
        return known

    async def find(self, number: int, account: int | None) -> Snapshot:
        """The game of that number, if this account, or somebody without one, may see it; raises Refused."""
        async with self.store.read() as connection:
            game = await boards.game_of(connection, number)
        missing = Refused("not_found", f"no board {number}; hint: `all show` lists yours")
        if game is None:
            raise missing
        known = await self.games.look(game)
        if known.private and not self._concerns(known, account):
            raise missing
        return known

    def _concerns(self, known: Snapshot, account: int | None) -> bool:
        """Numbers are easily guessed, so that an open seat shows a private game to those alone whom it is kept for."""
        invited = any(seat.invited == account and seat.free for seat in known.seats)
        return account is not None and (account == known.creator or invited or known.seat_of(account) is not None)
