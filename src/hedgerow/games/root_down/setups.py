"""Set-ups and boards as text: eight ranks from 8 to 1, `RKD` for South, `rkd` for North, digits for empty squares."""

from __future__ import annotations

import re

from hedgerow.boards import square

BOARD = square(8, squares=True)
GLYPHS = ".RKDrkd"
"""What a board's values look like: empty, then root, kicker, diminished kicker of South and of North."""
ROOTS = (1, 4)
MOST_PIECES = 8  # a side, RULES 1.4
STANDARD = "2r2r2/1kkkkkk1/8/8/8/8/1KKKKKK1/2R2R2"  # RULES 1.3
AROUND = tuple(tuple(point for point in steps if point >= 0) for steps in BOARD.steps)
"""For every point, the up to eight points beside it. RULES 1.1"""


def read_setup(text: str) -> str:
    """The canonical spelling of a set-up; raises ValueError saying what is wrong.

    >>> read_setup("2r2r2/1kkkkkk1/8/44/......../8/1KKKKKK1/2R..R2")
    'standard'
    """
    board = read_ranks(text)
    for seat, name in enumerate(("South", "North")):
        pieces = count_pieces(board, seat)
        if pieces > MOST_PIECES:
            raise ValueError(f"{name} has {pieces} pieces, more than {MOST_PIECES}")
    if pair := adjacent_roots(board):
        raise ValueError(f"the roots on {pair[0]} and {pair[1]} are beside each other")
    spelled = spell_ranks(board)
    return "standard" if spelled == STANDARD else spelled


def read_ranks(text: str) -> bytes:
    """The board that eight ranks describe; raises ValueError."""
    ranks = text.split("/", 8)
    if len(ranks) != 8:
        raise ValueError(f"there are {'fewer' if len(ranks) < 8 else 'more'} than eight ranks")
    return b"".join(_read_rank(8 - index, rank) for index, rank in enumerate(ranks))


def _read_rank(number: int, text: str) -> bytes:
    if wrong := re.search(r"[^RKDrkd.1-8]", text):
        raise ValueError(f"{wrong[0]!r} in rank {number} is no piece")
    squares = "".join("." * int(glyph) if glyph.isdecimal() else glyph for glyph in text[:9])
    if len(squares) != 8:
        raise ValueError(f"rank {number} has {'fewer' if len(squares) < 8 else 'more'} than eight squares")
    return bytes(GLYPHS.index(glyph) for glyph in squares)


def spell_ranks(board: bytes) -> str:
    """The canonical text of a board.

    >>> spell_ranks(bytes(63) + b"\\x01")
    '8/8/8/8/8/8/8/7R'
    """
    ranks = "/".join("".join(GLYPHS[board[point]] for point in row) for row in BOARD.rows)
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), ranks)


def count_pieces(board: bytes, seat: int) -> int:
    """How many pieces a seat has on the board."""
    return sum(board.count(1 + 3 * seat + kind) for kind in range(3))


def adjacent_roots(board: bytes) -> tuple[str, str] | None:
    """The names of two roots beside each other, if there are any."""
    for point, value in enumerate(board):
        for other in AROUND[point] if value in ROOTS else ():
            if board[other] in ROOTS:
                return BOARD.names[point], BOARD.names[other]
    return None
