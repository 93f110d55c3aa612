"""Root and Thorn said plainly: what may be placed where, what a new tree clears, who owns which space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hedgerow.boards import Symmetry, square
from hedgerow.game import Actions, Game, Outcome, Piece, Position, Reason, Rules, Value, listed, outcome_of_scores

TOKENS = ("Maple", "Undergrowth", "Birch", "Oak")
MAPLE, UNDERGROWTH, BIRCH, OAK = range(4)
SUPPLY = (1, 25, 5, 3)  # RULES 1.2
SUPPORT = {BIRCH: 2, OAK: 3}  # RULES 3.3, 3.4
RANGE = {BIRCH: 3, OAK: 5}  # RULES 4.2
CLAUSE = {MAPLE: "2.1", UNDERGROWTH: "3.1", BIRCH: "3.3", OAK: "3.4"}


@dataclass(frozen=True, slots=True)
class ThornPosition(Position):
    """Tokens, the player to move, passes in a row, and each player's Undergrowth still to place."""

    passes: int = 0
    supply: tuple[int, int] = (SUPPLY[UNDERGROWTH], SUPPLY[UNDERGROWTH])


def piece(seat: int, token: int) -> int:
    """The value of a token on the board."""
    return 1 + 4 * seat + token


class ThornPlain(Rules[ThornPosition]):
    """The judge of Root and Thorn."""

    end_clauses: ClassVar = {"passes": "5.2"}
    seats = ("Dark", "Light")
    pieces = tuple(
        Piece(name[0] if seat == 0 else name[0].lower(), f"{seat}{name[0]}", seat, name.lower())
        for seat in (0, 1)
        for name in TOKENS
    )

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        super().__init__(game, options)
        self.board = square(10, squares=True)
        self.actions = Actions(len(self.board), tuple(name[0] for name in TOKENS), ("pass",))
        self.returns = options["removed"] == "return"
        self.halves = (range(50, 100), range(50))  # RULES 1.1: Dark's ranks are the lower rows

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Those that keep both halves: as it is, and left for right."""
        dark = self.halves[0]
        return tuple(s for s in self.board.symmetries if all(s.points[point] in dark for point in dark))

    def start(self) -> ThornPosition:
        return ThornPosition(bytes(len(self.board)), 0)

    def legal(self, position: ThornPosition) -> list[int]:
        if position.passes == 2:
            return []
        placements = self.placements(position)
        planted = self.has_maple(position, position.to_move)
        return [*placements, self.actions.extra(0)] if planted else placements  # RULES 2.2

    def placements(self, position: ThornPosition) -> list[int]:
        """Every token the player to move may place, and where."""
        board, seat = position.board, position.to_move
        if not self.has_maple(position, seat):
            return [self.actions.id(MAPLE, point) for point in self.halves[seat] if not board[point]]  # RULES 2.1
        found = [self.actions.id(UNDERGROWTH, point) for point in self.growing_spaces(position)]
        undergrowth = piece(seat, UNDERGROWTH)
        supported = [(point, len(self.support(position, point))) for point in range(100) if board[point] == undergrowth]
        for tree in (BIRCH, OAK):
            if self.left(position, seat, tree):
                found += [self.actions.id(tree, point) for point, support in supported if support >= SUPPORT[tree]]
        return found

    def growing_spaces(self, position: ThornPosition) -> list[int]:
        """Where the player to move may place Undergrowth. RULES 3.1, 3.2"""
        board, seat = position.board, position.to_move
        if not position.supply[seat]:
            return []
        mine = range(piece(seat, MAPLE), piece(seat, OAK) + 1)
        near = {q for point in range(100) if board[point] in mine for q in self.board.neighbours[point]}
        return sorted(point for point in near if not board[point] and not self.enemy_maples(position, point))

    def enemy_maples(self, position: ThornPosition, point: int) -> list[int]:
        """The enemy Maple, if it is adjacent to this space."""
        maple = piece(1 - position.to_move, MAPLE)
        return [q for q in self.board.neighbours[point] if position.board[q] == maple]

    def support(self, position: ThornPosition, point: int) -> list[int]:
        """The Undergrowth of the player to move that is adjacent."""
        undergrowth = piece(position.to_move, UNDERGROWTH)
        return sorted(q for q in self.board.neighbours[point] if position.board[q] == undergrowth)

    def has_maple(self, position: ThornPosition, seat: int) -> bool:
        return piece(seat, MAPLE) in position.board

    def left(self, position: ThornPosition, seat: int, token: int) -> int:
        """How many of a token are left in the supply: trees never come back."""
        if token == UNDERGROWTH:
            return position.supply[seat]
        return SUPPLY[token] - position.board.count(piece(seat, token))

    def play(self, position: ThornPosition, action: int) -> ThornPosition:
        token, point = self.actions.split(action)
        if token == len(TOKENS):
            return self.hand_over(replace(position, passes=position.passes + 1))
        seat, board, supply = position.to_move, bytearray(position.board), list(position.supply)
        board[point] = piece(seat, token)
        if token == UNDERGROWTH:
            supply[seat] -= 1
        elif token != MAPLE:
            removed = self.cleared(position, point, RANGE[token])
            for space in removed:
                board[space] = 0
            if self.returns:  # RULES 4.4
                supply[seat] += 1
                supply[1 - seat] += len(removed)
        return self.hand_over(replace(position, board=bytes(board), supply=(supply[0], supply[1]), passes=0))

    def cleared(self, position: ThornPosition, point: int, reach: int) -> list[int]:
        """The enemy Undergrowth within reach of a new tree. RULES 4.2"""
        undergrowth = piece(1 - position.to_move, UNDERGROWTH)
        row, column = divmod(point, 10)
        return [
            space
            for space in range(100)
            if position.board[space] == undergrowth and abs(space // 10 - row) + abs(space % 10 - column) <= reach
        ]

    def hand_over(self, position: ThornPosition) -> ThornPosition:
        """The next player's turn."""
        return self.passed_over(replace(position, to_move=1 - position.to_move))

    def passed_over(self, position: ThornPosition) -> ThornPosition:
        """Players who can place nothing are passed over, which counts as a pass. RULES 5.1"""
        while position.passes < 2 and not self.placements(position):
            position = replace(position, to_move=1 - position.to_move, passes=position.passes + 1)
        return position

    def outcome(self, position: ThornPosition) -> Outcome | None:
        if position.passes < 2:
            return None
        return outcome_of_scores("passes", self.scores(position))  # RULES 5.2, 5.4

    def scores(self, position: ThornPosition) -> tuple[int, int]:
        """Tokens, and empty spaces in regions that touch only one player's tokens. RULES 5.3"""
        owners = self.owners(position)
        return owners.count(0), owners.count(1)

    def owners(self, position: ThornPosition) -> list[int]:
        """The seat that owns every space, -1 where nobody does."""
        owners = [(value - 1) // 4 if value else -1 for value in position.board]
        seen = [value > 0 for value in position.board]
        for space in range(100):
            if not seen[space]:
                region, touched = self.region(position, space, seen)
                if len(touched) == 1:
                    for point in region:
                        owners[point] = min(touched)
        return owners

    def region(self, position: ThornPosition, space: int, seen: list[bool]) -> tuple[list[int], set[int]]:
        """The empty region of a space and the seats it touches."""
        region, touched = [space], set()
        seen[space] = True
        for point in region:
            for q in self.board.neighbours[point]:
                if position.board[q]:
                    touched.add((position.board[q] - 1) // 4)
                elif not seen[q]:
                    seen[q] = True
                    region.append(q)
        return region, touched

    def forbids(self, position: ThornPosition, action: int) -> Reason | None:
        token, point = self.actions.split(action)
        planted = self.has_maple(position, position.to_move)
        if not planted and token != MAPLE:
            return Reason("maple_first", "First plant your Maple.", (), "2.2")
        if token == len(TOKENS):
            return None
        if planted and token == MAPLE:
            return Reason("none_left", "Your Maple is already planted.", (), "3.6")
        if not self.left(position, position.to_move, token):
            return Reason("none_left", f"You have no {TOKENS[token]} left in your supply.", (), "3.6")
        if token in SUPPORT:
            return self._forbids_tree(position, token, point)
        return self._forbids_space(position, token, point)

    def _forbids_space(self, position: ThornPosition, token: int, point: int) -> Reason | None:
        """Why Undergrowth, or the Maple, may not be placed here."""
        name, names = self.board.names[point], self.board.names
        if position.board[point]:
            return Reason(
                "occupied", f"There is already a {self.kind(position, point)} on {name}.", (name,), CLAUSE[token]
            )
        if token == MAPLE:
            if point in self.halves[position.to_move]:
                return None
            ranks = ("1 to 5", "6 to 10")[position.to_move]
            return Reason("other_half", f"Your Maple must stand in your own half, ranks {ranks}.", (), "2.1")
        maples = [names[q] for q in self.enemy_maples(position, point)]
        if maples:
            text = f"Undergrowth may not be placed beside the enemy Maple, and {name} is beside {maples[0]}."
            return Reason("maple_ban", text, tuple(maples), "3.2")
        mine = range(piece(position.to_move, MAPLE), piece(position.to_move, OAK) + 1)
        if not any(position.board[q] in mine for q in self.board.neighbours[point]):
            return Reason("no_neighbour", f"{name} touches no tree or Undergrowth of yours.", (), "3.1")
        return None

    def _forbids_tree(self, position: ThornPosition, token: int, point: int) -> Reason | None:
        """Why a Birch or an Oak may not be placed here."""
        name, value, needed = self.board.names[point], position.board[point], SUPPORT[token]
        article = "A Birch" if token == BIRCH else "An Oak"
        if not value:
            return Reason(
                "no_undergrowth", f"{article} grows on Undergrowth of yours; {name} is empty.", (), CLAUSE[token]
            )
        if value != piece(position.to_move, UNDERGROWTH):
            text = f"{article} grows on Undergrowth of yours; {name} holds a {self.kind(position, point)}."
            return Reason("occupied", text, (name,), CLAUSE[token])
        beside = tuple(self.board.names[q] for q in self.support(position, point))
        if len(beside) < needed:
            has = f"{name} has only {listed(beside)}" if beside else f"{name} has none"
            text = f"{article} needs {needed} other Undergrowth of yours beside it; {has}."
            return Reason("support", text, (name, *beside), CLAUSE[token])
        return None

    def kind(self, position: ThornPosition, point: int) -> str:
        """What stands on a space, in words: "Light Birch"."""
        seat, token = divmod(position.board[point] - 1, 4)
        return f"{self.seats[seat]} {TOKENS[token]}"


def tokens_left(rules: ThornPlain, position: ThornPosition, seat: int) -> str:
    """The supply in words: "3 Oak and 20 Undergrowth"."""
    counts = [(rules.left(position, seat, token), name) for token, name in enumerate(TOKENS)]
    return listed(f"{count} {name}" for count, name in counts if count) or "nothing"
