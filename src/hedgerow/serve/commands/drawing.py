"""A game in characters, for answers that are read as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hedgerow.serve.play.snapshot import Snapshot

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


class Drawn(NamedTuple):
    """A board as text: its number, what it is, and the drawing with who plays below it."""

    game: str
    number: int
    rules: str
    text: str


async def drawn(server: Server, game: str, account: int | None) -> Drawn:
    """The board of a game that an account, or somebody without one, may see; raises Refused."""
    shot = await server.games.look(game)
    shot.check_visible(account)
    lines = [str(shot.match), "", *sitting(shot, account), "", shot.board.prompt]
    return Drawn(shot.id, await server.boards.number(game), shot.match.rules.name, "\n".join(lines))


def sitting(shot: Snapshot, account: int | None) -> list[str]:
    """Who plays what: colours and the characters that stand for them."""
    rules = shot.match.rules
    lines = []
    for seat, chair in enumerate(shot.seats):
        glyphs = "".join(dict.fromkeys(piece.glyph for piece in rules.pieces if piece.seat == seat))
        words = [f"{rules.seats[seat]} ({glyphs}): {chair.name or 'nobody yet'}"]
        words += ["you"] if account is not None and chair.account == account else []
        words += ["to move"] if seat == shot.to_move and shot.begun else []
        words += [f"place {shot.places[seat]}"] if shot.places[seat] else []
        lines.append(", ".join(words))
    return lines
