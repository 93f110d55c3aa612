"""Root Down said plainly: which kickers are activated, how far they move, what they kick, who wins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hedgerow.boards import Symmetry
from hedgerow.game import (
    Actions,
    Game,
    Outcome,
    Piece,
    Position,
    Reason,
    Rules,
    Value,
    listed,
    outcome_of_scores,
    turned_board,
)
from hedgerow.games.root_down.setups import AROUND, BOARD, STANDARD, count_pieces, read_ranks

KINDS = ("root", "kicker", "diminished")
ROOT, KICKER, DIMINISHED = range(3)
QUIET_END = 200  # RULES 5.3


@dataclass(frozen=True, slots=True)
class DownPosition(Position):
    """Pieces, the player to move, and what the ends without a capture need."""

    quiet: int = 0
    """Moves in a row that captured nothing."""
    earlier: tuple[bytes, ...] = ()
    """The boards before these moves, oldest first, as far as known; none are kept when repetition does not count."""


def piece(seat: int, kind: int) -> int:
    """The value of a piece on the board."""
    return 1 + 3 * seat + kind


def kick_table(seat: int) -> bytes:
    """What every value of a board becomes when a piece of this seat kicks it. RULES 4.2 to 4.5"""
    table = bytearray(range(7))
    table[piece(seat, ROOT)] = piece(seat, KICKER)
    table[piece(1 - seat, ROOT)] = piece(1 - seat, DIMINISHED)
    table[piece(1 - seat, DIMINISHED)] = 0
    return bytes(table)


KICKED = (kick_table(0), kick_table(1))


def moved(before: bytes, after: bytes) -> tuple[int, int]:
    """Where the piece that moved between two boards came from and landed; nothing was captured."""
    source = next(point for point in range(64) if before[point] and not after[point])
    target = next(point for point in range(64) if after[point] and not before[point])
    return source, target


class DownPlain(Rules[DownPosition]):
    """The judge of Root Down."""

    end_clauses: ClassVar = {"stuck": "5.1", "repetition": "5.2", "quiet": "5.3"}
    seats = ("South", "North")
    pieces = tuple(
        Piece(glyph if seat == 0 else glyph.lower(), f"{seat}{glyph}", seat, kind)
        for seat in (0, 1)
        for glyph, kind in zip("RKD", KINDS)
    )

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        super().__init__(game, options)
        self.board = BOARD
        self.actions = Actions(64, ("n", "ne", "e", "se", "s", "sw", "w", "nw"), directed=True)
        self.own_roots = options["activating_roots"] == "own"
        self.repetition = int(options["repetition"])
        setup = str(options["setup"])
        self.setup = read_ranks(STANDARD if setup == "standard" else setup)

    def start(self) -> DownPosition:
        return DownPosition(self.setup, 0)

    def legal(self, position: DownPosition) -> list[int]:
        return [] if self.dragged_on(position) else self.moves(position)

    def moves(self, position: DownPosition) -> list[int]:
        """Every kicker of the player to move in every direction it can go. RULES 3"""
        board, found = position.board, []
        for point in self.kickers(board, position.to_move):
            distance = len(self.companions(board, point))
            for direction in range(8) if distance else ():
                path = self.path(point, direction, distance)
                if len(path) == distance and not any(board[square] for square in path):  # RULES 3.5, 3.6
                    found.append(self.actions.id(direction, point))
        return sorted(found)

    def kickers(self, board: bytes, seat: int) -> list[int]:
        """A player's kickers, diminished or not. RULES 1.2"""
        kinds = (piece(seat, KICKER), piece(seat, DIMINISHED))
        return [point for point, value in enumerate(board) if value in kinds]

    def activators(self, board: bytes, point: int) -> list[int]:
        """The roots beside a kicker that activate it. RULES 2.1"""
        own = piece(self.seat_at(board, point), ROOT)
        roots = (own,) if self.own_roots else (piece(0, ROOT), piece(1, ROOT))
        return sorted(q for q in AROUND[point] if board[q] in roots)

    def companions(self, board: bytes, point: int) -> list[int]:
        """The other kickers of the same player beside the roots that activate a kicker: its distance. RULES 2.2"""
        seat = self.seat_at(board, point)
        kinds = (piece(seat, KICKER), piece(seat, DIMINISHED))
        beside = {q for root in self.activators(board, point) for q in AROUND[root]}
        return sorted(q for q in beside if q != point and board[q] in kinds)

    def seat_at(self, board: bytes, point: int) -> int:
        """Whose piece stands there."""
        return (board[point] - 1) // 3

    def path(self, point: int, direction: int, distance: int) -> list[int]:
        """The squares a piece goes over, the one it lands on last; fewer where the board ends. RULES 3.4"""
        path: list[int] = []
        while len(path) < distance and (point := self.board.steps[point][direction]) >= 0:
            path.append(point)
        return path

    def play(self, position: DownPosition, action: int) -> DownPosition:
        direction, point = self.actions.split(action)
        target = self.path(point, direction, len(self.companions(position.board, point)))[-1]
        board = self.kicked_down(position.board, point, target)
        captured = board.count(0) > position.board.count(0)
        earlier = () if captured or not self.repetition else (*position.earlier, position.board)
        return DownPosition(board, 1 - position.to_move, 0 if captured else position.quiet + 1, earlier)

    def kicked_down(self, board: bytes, point: int, target: int) -> bytes:
        """The board after the piece on a point has put its root down on a target. RULES 4"""
        seat, after = self.seat_at(board, point), bytearray(board)
        after[point] = 0
        after[target] = piece(seat, ROOT)
        for square in AROUND[target]:
            after[square] = KICKED[seat][after[square]]
        return bytes(after)

    def outcome(self, position: DownPosition) -> Outcome | None:
        reason = self.dragged_on(position) or ("" if self.moves(position) else "stuck")  # RULES 5.1
        return (
            outcome_of_scores(reason, self.scores(position), tie=1 - position.to_move) if reason else None
        )  # RULES 5.5

    def dragged_on(self, position: DownPosition) -> str:
        """Why a game is over although there are moves left, or "" if it is not. RULES 5.2, 5.3"""
        if self.repetition and self.occurrences(position) >= self.repetition:
            return "repetition"
        return "quiet" if position.quiet >= QUIET_END else ""

    def occurrences(self, position: DownPosition) -> int:
        """How often this board was there with this player to move, now included."""
        return 1 + position.earlier[-2::-2].count(position.board)

    def scores(self, position: DownPosition) -> tuple[int, int]:
        """Captured pieces and activated kickers. RULES 5.4"""
        south, north = (self.captured(position, seat) + len(self.activated(position.board, seat)) for seat in (0, 1))
        return south, north

    def captured(self, position: DownPosition, seat: int) -> int:
        """How many enemy pieces of the set-up a player has captured."""
        return count_pieces(self.setup, 1 - seat) - count_pieces(position.board, 1 - seat)

    def activated(self, board: bytes, seat: int) -> list[int]:
        """A player's activated kickers."""
        return [point for point in self.kickers(board, seat) if self.activators(board, point)]

    def turned(self, position: DownPosition, symmetry: Symmetry) -> DownPosition:
        earlier = tuple(turned_board(board, symmetry) for board in position.earlier)
        return replace(super().turned(position, symmetry), earlier=earlier)

    def forbids(self, position: DownPosition, action: int) -> Reason | None:
        direction, point = self.actions.split(action)
        return self.forbids_mover(position, point) or self._forbids_path(position, point, direction)

    def forbids_mover(self, position: DownPosition, point: int) -> Reason | None:
        """Why whatever stands on a point cannot move at all."""
        board, name, value = position.board, self.board.names[point], position.board[point]
        if not value:
            return Reason("empty", f"There is no piece on {name}.", (), "3.1")
        if self.seat_at(board, point) != position.to_move:
            return Reason("not_yours", f"The piece on {name} is {self.seats[1 - position.to_move]}'s.", (name,), "3.1")
        if value == piece(position.to_move, ROOT):
            return Reason("is_root", f"The piece on {name} is a root, and roots do not move.", (name,), "3.2")
        roots = [self.board.names[root] for root in self.activators(board, point)]
        if not roots:
            text = f"The kicker on {name} is not activated: no root{' of yours' * self.own_roots} stands beside it."
            return Reason("not_active", text, (name,), "3.3")
        if not self.companions(board, point):
            beside = f"the root{'s' * (len(roots) > 1)} on {listed(roots)}"
            text = f"The kicker on {name} cannot move: no other kicker of yours is beside {beside}."
            return Reason("alone", text, (name, *roots), "3.4")
        return None

    def _forbids_path(self, position: DownPosition, point: int, direction: int) -> Reason | None:
        """Why an activated kicker cannot go its distance in a direction."""
        board, names = position.board, self.board.names
        companions = self.companions(board, point)
        path = self.path(point, direction, len(companions))
        if len(path) < len(companions):
            text = f"{self.distance_text(board, point)}, and that is off the board."
            return Reason("off_board", text, self.distance_points(board, point), "3.5")
        blockers = tuple(names[square] for square in sorted(path) if board[square])
        if blockers:
            stand = "stands" if len(blockers) == 1 else "stand"
            text = f"{listed(blockers)} {stand} in the way from {names[point]} to {names[path[-1]]}."
            return Reason("blocked", text, blockers, "3.6")
        return None

    def distance_text(self, board: bytes, point: int) -> str:
        """How far a kicker goes and why: "The kicker on b2 moves exactly 1 square, for c2 beside the root on c1"."""
        names, companions = self.board.names, self.companions(board, point)
        squares = "1 square, for" if len(companions) == 1 else f"{len(companions)} squares, one for each of"
        roots = [names[root] for root in self.company_roots(board, point)]
        beside = f"the root{'s' * (len(roots) > 1)} on {listed(roots)}"
        company = f"{listed(names[q] for q in companions)} beside {beside}"
        return f"The kicker on {names[point]} moves exactly {squares} {company}"

    def company_roots(self, board: bytes, point: int) -> list[int]:
        """The roots that activate a kicker and have other kickers of its player beside them: they set its distance."""
        companions = self.companions(board, point)
        return [root for root in self.activators(board, point) if any(q in AROUND[root] for q in companions)]

    def distance_points(self, board: bytes, point: int) -> tuple[str, ...]:
        """The kickers and roots that set the distance of a kicker, by name."""
        found = [*self.companions(board, point), *self.company_roots(board, point)]
        return tuple(self.board.names[q] for q in sorted(found))
