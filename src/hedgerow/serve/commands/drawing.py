"""A game in characters, for answers that are read as text: as letters tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hedgerow.serve.play.letters import invited, news, sitting

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


class Drawn(NamedTuple):
    """A board as text: its number, its rules, and the drawing between whose turn it is and who plays."""

    game: str
    number: int
    rules: str
    text: str


async def drawn(server: Server, game: str, account: int | None) -> Drawn:
    """The board of a game that an account, or somebody without one, may see; raises Refused."""
    shot = await server.games.look(game)
    shot.check_visible(account)
    mine = account is not None and shot.state == "playing" and shot.seat_of(account) == shot.to_move
    due = (await server.games.get(game)).due if mine else None
    asked = await invited(server.games, shot)
    lines = [*news(shot, due, mine), "", str(shot.match), "", *sitting(shot, account, asked)]
    return Drawn(shot.id, await server.boards.number(game), shot.match.rules.name, "\n".join(lines))
