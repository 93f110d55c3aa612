"""Growing roots said plainly: a stone must touch exactly one friendly stone; roots that cannot grow leave the board."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

from hedgerow.boards import Board
from hedgerow.game import Actions, Game, Outcome, Position, Reason, Rules, Value, listed, stones

SEATS = ("Black", "White", "Red", "Blue", "Green", "Yellow")
MOST_ROOTS = 64
"""More roots than any game has; a position may not have more on the board."""


@dataclass(frozen=True)
class GrowthPosition(Position):
    """Stones, the player to move, and the place of every seat that is out (0: still in)."""

    places: tuple[int, ...]


class GrowthPlain(Rules[GrowthPosition]):
    """The judge of Hexbo and Tanbo."""

    end_clauses: ClassVar = {"elimination": "5.2", "resignation": "5.5", "time": "5.5"}

    def __init__(self, game: Game, options: dict[str, Value], board: Board, players: int) -> None:
        super().__init__(game, options)
        self.board = board
        self.players = players
        self.seats = SEATS[:players]
        self.pieces = stones(players)
        self.actions = Actions(len(board), ("grow",))

    @abstractmethod
    def seeds(self) -> tuple[tuple[int, ...], ...]:
        """The points of every seat's first stones."""

    def start(self) -> GrowthPosition:
        board = bytearray(len(self.board))
        for seat, points in enumerate(self.seeds()):
            for point in points:
                board[point] = 1 + seat
        return GrowthPosition(bytes(board), 0, (0,) * self.players)

    def legal(self, position: GrowthPosition) -> list[int]:
        return [] if self.over(position) else self.root_space(position.board, position.to_move)

    def root_space(self, board: bytes | bytearray, seat: int) -> list[int]:
        """The empty points that touch exactly one stone of a seat: where its roots may grow. RULES 3"""
        touched = bytearray(len(board))
        neighbours, stone = self.board.neighbours, 1 + seat
        for point, value in enumerate(board):
            if value == stone:
                for q in neighbours[point]:
                    touched[q] += 1
        return [point for point, count in enumerate(touched) if count == 1 and not board[point]]

    def friends(self, board: bytes | bytearray, seat: int, point: int) -> list[int]:
        """The stones of a seat that touch a point."""
        return [q for q in self.board.neighbours[point] if board[q] == 1 + seat]

    def play(self, position: GrowthPosition, action: int) -> GrowthPosition:
        board = bytearray(position.board)
        board[action] = 1 + position.to_move
        bounded = self.bounded_roots(board)
        expanded = [root for root in bounded if action in root]
        for root in expanded or bounded:  # RULES 4.2, 4.3
            for point in root:
                board[point] = 0
        return self.hand_over(replace(position, board=bytes(board)))

    def bounded_roots(self, board: bytes | bytearray) -> list[list[int]]:
        """The roots of all players that have no root space. RULES 4.1"""
        roots = self.roots(board)
        root_of = {point: number for number, root in enumerate(roots) for point in root}
        free = {
            root_of[self.friends(board, seat, point)[0]]
            for seat in range(self.players)
            for point in self.root_space(board, seat)
        }
        return [root for number, root in enumerate(roots) if number not in free]

    def roots(self, board: bytes | bytearray) -> list[list[int]]:
        """The connected groups of stones of one colour, in the order of their first points. RULES 2.2"""
        neighbours, left, roots = self.board.neighbours, bytearray(board), []
        for point in range(len(left)):
            if stone := left[point]:
                left[point] = 0
                root = [point]
                for p in root:
                    for q in neighbours[p]:
                        if left[q] == stone:
                            left[q] = 0
                            root.append(q)
                roots.append(root)
        return roots

    def hand_over(self, position: GrowthPosition) -> GrowthPosition:
        """Players without stones are out, with the place that is left; the next player still in moves. RULES 5"""
        live = self.live(position)
        places = tuple(
            place or (0 if seat in live else len(live) + 1)  # RULES 5.4
            for seat, place in enumerate(position.places)
        )
        seats = ((position.to_move + step) % self.players for step in range(1, self.players + 1))
        return GrowthPosition(position.board, next(seat for seat in seats if seat in live), places)

    def live(self, position: GrowthPosition) -> list[int]:
        """The seats that are still in: they have stones on the board and have not left. RULES 5.1, 5.5"""
        return [seat for seat, place in enumerate(position.places) if not place and 1 + seat in position.board]

    def over(self, position: GrowthPosition) -> bool:
        return len(self.live(position)) == 1  # RULES 5.2

    def outcome(self, position: GrowthPosition) -> Outcome | None:
        if not self.over(position):
            return None
        places = tuple(place or 1 for place in position.places)
        return Outcome("elimination", None, (places.index(1),), places)

    def placed(self, position: GrowthPosition) -> tuple[int, ...]:
        return position.places

    def retire(self, position: GrowthPosition, seat: int) -> GrowthPosition:
        """The seat takes no more turns, its stones stay; if it was to move, the next one still in moves. RULES 5.5"""
        if self.players == 2:
            return super().retire(position, seat)
        live = self.live(position)
        if seat not in live:
            return position
        places = tuple(len(live) if other == seat else place for other, place in enumerate(position.places))
        left = replace(position, places=places)
        return self.hand_over(left) if position.to_move == seat or self.over(left) else left

    def forbids(self, position: GrowthPosition, action: int) -> Reason | None:
        name, names = self.board.names[action], self.board.names
        if position.board[action]:
            return Reason("occupied", f"There is already a stone on {name}.", (name,), "3.1")
        friends = tuple(names[q] for q in sorted(self.friends(position.board, position.to_move, action)))
        if not friends:
            return Reason("no_neighbour", f"{name} touches no stone of yours.", (), "3.2")
        if len(friends) > 1:
            text = f"{name} touches {len(friends)} stones of yours, {listed(friends)}; it may touch only one."
            return Reason("several_neighbours", text, friends, "3.3")
        return None
