"""Positions that somebody sets up piece by piece: anything may lie there, and it is said what is still wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from pydantic import BaseModel, Field

from hedgerow.game import HedgerowError, Position, Rules
from hedgerow.games import make
from hedgerow.serve.play.views.looks import drawn
from hedgerow.serve.refusals import Refused

SETUP = "setup"
"""The option of a game in which players may agree on the pieces at the start."""


class SentDraft(NamedTuple):
    """Pieces as rows of text (those of the start if none), who is to move, and what is put where.

    Nothing, or what stands there already, is a piece taken off.
    """

    rules: str
    rows: str = ""
    to_move: int = 0
    point: str = ""
    glyph: str = ""


class PieceView(BaseModel):
    """A kind of piece that may be put on the board."""

    glyph: str = Field(description="how it is written")
    seat: int
    kind: str


class DraftView(BaseModel):
    """What lies on the board, and whether a game can be played from there."""

    rows: str
    to_move: int
    svg: str
    pieces: list[PieceView]
    position: str | None = Field(description="as text, where it can be one")
    wrong: str = Field(description="why it cannot")
    setup: str | None = Field(description="the rules with these pieces at the start, where players may agree on them")
    not_setup: str = Field(description="why players may not")


def drafted(sent: SentDraft) -> DraftView:
    """A draft with a piece put down or taken off.

    >>> view = drafted(SentDraft("root_down", "8/8/8/8/8/8/8/8", 0, "c2", "R"))
    >>> view.rows, view.setup
    ('......../......../......../......../......../......../..R...../........', 'root_down(setup=8/8/8/8/8/8/2R5/8)')
    >>> drafted(SentDraft("tanbo(size=9)", "9/9/9/9/9/9/9/9/9")).wrong
    "there is no stone on the board; hint: the winner's roots are never removed"
    """
    rules = make(sent.rules)
    board = put(rules, sent)
    start = rules.start()
    scene = replace(
        rules.scene(start),
        marks=rules.marks(Position(board, sent.to_move)),
        description=f"{sum(map(bool, board))} pieces on the board.",
        to_move=sent.to_move,
    )
    rows = rules.write_rows(board)
    position, wrong = tried(rules, board == start.board and sent.to_move == start.to_move, f"{rows} {sent.to_move}")
    setup, not_setup = agreed(rules, rows) if sent.to_move == start.to_move else (None, "")
    return DraftView(
        rows=rows,
        to_move=sent.to_move,
        svg=drawn(scene, styled=False),
        pieces=[PieceView(glyph=piece.glyph, seat=piece.seat, kind=piece.kind) for piece in rules.pieces],
        position=position,
        wrong=wrong,
        setup=setup,
        not_setup=not_setup,
    )


def put(rules: Rules[Position], sent: SentDraft) -> bytes:
    """The pieces after that."""
    board = bytearray(rules.read_rows(sent.rows) if sent.rows else rules.start().board)
    if sent.to_move not in range(rules.players):
        raise Refused("bad_request", f"no seat {sent.to_move} to move; hint: 0 to {rules.players - 1}")
    if sent.point:
        point = rules.point(sent.point)
        glyphs = ["", *(piece.glyph for piece in rules.pieces)]
        if not isinstance(point, int) or sent.glyph not in glyphs:
            raise Refused(
                "bad_request", f"cannot put {sent.glyph!r:.10} on {sent.point!r:.10}; hint: one of {glyphs[1:]}"
            )
        piece = glyphs.index(sent.glyph)
        board[point] = 0 if board[point] == piece else piece
    return bytes(board)


def tried(rules: Rules[Position], start: bool, text: str) -> tuple[str | None, str]:
    """The position that a text can be, or why it cannot be one."""
    try:
        return rules.write(rules.start() if start else rules.parse(text)), ""
    except HedgerowError as error:
        return None, str(error)


def agreed(rules: Rules[Position], rows: str) -> tuple[str | None, str]:
    """The rules with these pieces at the start, or why players may not agree on that."""
    if not any(option.name == SETUP and option.free for option in rules.game.options):
        return None, ""
    chosen = ",".join(f"{name}={value}" for name, value in (rules.options | {SETUP: rows}).items())
    try:
        return make(f"{rules.game.name}({chosen})").name, ""
    except HedgerowError as error:
        return None, str(error)
