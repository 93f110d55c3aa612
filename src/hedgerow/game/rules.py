"""Rules: a game with its options settled, and what every game offers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from hedgerow.boards import Board, Symmetry
from hedgerow.game.effects import Effect
from hedgerow.game.errors import BadRecord, Reason, UnreadableMove, short
from hedgerow.game.options import Game, Value
from hedgerow.game.positions import Actions, Outcome, Piece, Position, read_row, turned_board
from hedgerow.scene import Hint, Mark, Scene, Tray

P = TypeVar("P", bound=Position)


class Fast(Protocol):
    """Compiled rules on arrays of records, for people who do research and for the search."""

    dtype: Any
    boards: Any
    """The tables that every kernel is handed first."""
    identity: tuple[str, ...]
    """The fields of a record that tell positions apart; () is every field."""
    features: tuple[str, ...]
    """The names of what the game itself shows a network."""
    owned: bool
    """Points have owners when the game is over."""
    key_fields: tuple[str, ...]
    """What a transposition table knows positions by; () is `identity`."""

    def warm(self, progress: Callable[[str], None] | None = None) -> None: ...
    def new(self, count: int = 1) -> Any: ...
    def pack(self, position: Position) -> Any: ...
    def unpack(self, states: Any, index: int = 0) -> Any: ...
    def legal(self, states: Any) -> Any: ...
    def play(self, states: Any, actions: Any) -> None: ...
    def pick(self, states: Any, seed: int) -> Any: ...
    def finish(self, states: Any, seed: int) -> Any: ...
    def results(self, states: Any) -> Any: ...
    def show(self, states: Any, cells: Any, width: int, planes: int) -> Any: ...
    def owners(self, states: Any, points: int) -> Any: ...
    def playouts(self, count: int, seed: int = 0, threads: int = 1) -> Any: ...
    def perft(self, depth: int) -> int: ...


class Rules(ABC, Generic[P]):
    """A game with its options settled: plain judgement (plain.py) and looks (view.py) of positions.

    >>> import hedgerow as hg
    >>> rules = hg.make("tanbo(size=9)")
    >>> position = rules.play(rules.start(), rules.legal(rules.start())[0])
    >>> rules.name, position.to_move, rules.outcome(position)
    ('tanbo(size=9)', 1, None)
    """

    board: Board
    actions: Actions
    pieces: tuple[Piece, ...]
    players: int = 2
    seats: tuple[str, ...] = ("Black", "White")
    """What the players are called, in seat order."""
    end_clauses: ClassVar[dict[str, str]]
    """Where RULES.md says that the game is over, by the reason of its Outcome."""

    def __init__(self, game: Game, options: dict[str, Value]) -> None:
        self.game = game
        self.options = options
        self.name = game.spelled(options)

    def __repr__(self) -> str:
        return f"<Rules {self.name}>"

    # --- judgement, in plain.py ---------------------------------------------------------------------------------------

    @abstractmethod
    def start(self) -> P:
        """The position before the first action."""

    @abstractmethod
    def legal(self, position: P) -> list[int]:
        """Every action legal now, in rising order; empty when the game is over."""

    @abstractmethod
    def play(self, position: P, action: int) -> P:
        """The position after a legal action, with all that follows from it. It does not check."""

    @abstractmethod
    def outcome(self, position: P) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def forbids(self, position: P, action: int) -> Reason | None:
        """Why this action may not be played in a game still going on, or None if it may."""

    def mid_turn(self, position: P) -> bool:
        """The player to move has begun this turn and may act again before it ends."""
        return False

    def owners(self, position: P) -> list[int] | None:
        """The seat that owns each point, -1 for nobody; None in a game whose points have no owners."""
        return None

    def placed(self, position: P) -> tuple[int, ...]:
        """The place of every seat that is already out, 0 for those still in."""
        return (0,) * self.players

    def retire(self, position: P, seat: int) -> P:
        """The position after `seat` has left a game that goes on without them (three players or more)."""
        raise NotImplementedError(f"{self.name} ends when a player leaves")

    # --- looks, in view.py --------------------------------------------------------------------------------------------

    @abstractmethod
    def spell(self, position: P, action: int) -> str:
        """The text of an action."""

    @abstractmethod
    def read(self, position: P, text: str) -> int | Reason:
        """The action that a text spells in any case of letters, or the Reason why no action can be meant.

        Raises UnreadableMove for a text that is not a move of this game at all.
        """

    @abstractmethod
    def clicks(self, position: P, action: int) -> tuple[str, ...]:
        """What a person presses, in order, to choose this action: names of points, kinds in the tray, buttons."""

    @abstractmethod
    def prompt(self, position: P) -> str:
        """One sentence: what the player to move may do now, or how the game ended."""

    @abstractmethod
    def scene(self, position: P, last: tuple[int, ...] = (), highlights: tuple[int, ...] = ()) -> Scene:
        """The picture of a position."""

    far: tuple[int, ...] = ()
    """The seats that sit across: at the upper side of the picture."""

    def hint(self, position: P, action: int) -> Hint | None:
        """What somebody wants to see before they choose this action; None where it is plain to see."""
        return None

    def puts(self, position: P, action: int) -> str:
        """The kind of the piece that an action puts on the board; "" where it puts none there, or moves one."""
        return self.pieces[0].kind if action < len(self.board) else ""

    def trays(self, position: P) -> tuple[Tray, ...]:
        """The pieces beside the board: what is left to place, or was captured."""
        return ()

    def kinds(self, position: P) -> dict[str, tuple[int, ...]]:
        """Pieces that look alike and are not, by what the rules call them; empty where there are none now."""
        return {}

    def effects(self, before: P, actions: Sequence[int], after: P) -> Iterator[Effect]:
        """What a turn brought about besides what was played: by default, whose pieces left the board."""
        moved = {point for action in actions for name in self.clicks(before, action) if (point := self._at(name)) >= 0}
        for seat, gone in self.lost(before, after).items():
            if points := tuple(point for point in gone if point not in moved):
                yield Effect(f"{{{seat}}} lost {{what}}.", removed=points)

    def _at(self, name: str) -> int:
        return self.board.point.get(name, -1)

    def lost(self, before: P, after: P) -> dict[int, tuple[int, ...]]:
        """The points where pieces of each seat stood and nothing stands any more."""
        found: dict[int, list[int]] = {}
        for point, piece in enumerate(before.board):
            if piece and not after.board[point]:
                found.setdefault(self.pieces[piece - 1].seat, []).append(point)
        return {seat: tuple(found[seat]) for seat in sorted(found)}

    passes: ClassVar[bool] = False
    """Players may pass, and the game ends when everybody does."""

    def scores(self, position: P) -> tuple[int, ...] | None:
        """The count as it stands; None where a game counts nothing."""
        return None

    def phase(self, position: P) -> str:
        """The part of the game that this is, with what it means, where a game has such parts."""
        return ""

    glossary: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """What is seen on the board: the kind of a piece ("" for none, "claimed" for hatching), its name, what it means."""

    def extras(self, position: P) -> dict[str, str]:
        """What a position holds beyond pieces and the player to move, as words; defaults are left out."""
        return {}

    @abstractmethod
    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> P:
        """The position of those pieces and words; raises BadRecord where it cannot be a position of this game."""

    # --- the same for every game --------------------------------------------------------------------------------------

    @cached_property
    def fast(self) -> Fast:
        """The compiled twin; the first use of each of its kernels compiles it or loads it from the cache."""
        return self.game.kernels(self)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The turns and mirror images under which the rules stay the same, the identity first."""
        return self.board.symmetries

    def turned(self, position: P, symmetry: Symmetry) -> P:
        """The same position on the turned or mirrored board."""
        return replace(position, board=turned_board(position.board, symmetry))

    def without(self, position: P, points: Iterable[int]) -> P:
        """The same position with the pieces on these points taken off the board."""
        board = bytearray(position.board)
        for point in points:
            board[point] = 0
        return replace(position, board=bytes(board))

    def cells(self, position: P) -> dict[str, str]:
        """The code of every piece on the board by the name of its point."""
        names, pieces = self.board.names, self.pieces
        return {names[point]: pieces[piece - 1].code for point, piece in enumerate(position.board) if piece}

    def marks(self, position: P) -> tuple[Mark, ...]:
        """The pieces as a Scene wants them."""
        marks = ((point, self.pieces[piece - 1]) for point, piece in enumerate(position.board) if piece)
        return tuple(Mark(point, piece.seat, piece.kind, piece.glyph) for point, piece in marks)

    def judge(self, position: P, text: str, over: bool = False) -> int | Reason:
        """The action that `text` spells if it may be played now, else the Reason why not; raises UnreadableMove."""
        action = self.read(position, text)
        outcome = self.outcome(position)
        if over or outcome:
            return self.game_over(outcome.reason if outcome else "")
        return action if isinstance(action, Reason) else self.forbids(position, action) or action

    def game_over(self, reason: str) -> Reason:
        """Why nothing may be played in a game that ended for this reason of an Outcome."""
        return Reason("game_over", "The game is over.", (), self.end_clauses.get(reason, ""))

    def write(self, position: P) -> str:
        """The position as text: the rows from the top, the seat to move, then `key=value` words."""
        words = [f"{key}={value}" for key, value in self.extras(position).items()]
        return " ".join([self.write_rows(position.board), str(position.to_move), *words])

    def write_rows(self, board: bytes) -> str:
        """The pieces as rows from the top joined by `/`."""
        glyphs = "." + "".join(piece.glyph for piece in self.pieces)
        return "/".join("".join(glyphs[board[point]] for point in row) for row in self.board.rows)

    def parse(self, text: str) -> P:
        """The position that a text describes; raises BadRecord."""
        if not isinstance(text, str):
            raise BadRecord(f"cannot read the position {short(text)}; hint: a position is text")
        rows, *words = text.split() or [""]
        board = self.read_rows(rows)
        seat = words.pop(0) if words and "=" not in words[0] else "0"
        if seat not in [str(number) for number in range(self.players)]:
            raise BadRecord(f"no seat {short(seat)} to move; hint: 0 to {self.players - 1}")
        extras: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals or key in extras:
                raise BadRecord(f"cannot read {short(word)}; hint: after the seat come words like key=value, each once")
            extras[key] = value
        return self.revive(board, int(seat), extras)

    def read_rows(self, text: str) -> bytes:
        """Rows from the top joined by `/`: a glyph per piece, `.` for an empty point, digits for several."""
        values = {".": 0} | {piece.glyph: 1 + index for index, piece in enumerate(self.pieces)}
        lines = text.split("/")
        if len(lines) != len(self.board.rows):
            wanted = f"hint: {self.name} has {len(self.board.rows)}, joined by /"
            raise BadRecord(f"the number of rows is {len(lines)}; {wanted}")
        return bytes(value for line, row in zip(lines, self.board.rows) for value in read_row(line, len(row), values))

    def point(self, text: str, clause: str = "") -> int | Reason:
        """The point a text names in any case of letters, or the Reason that it is off the board."""
        by_name = self._points_by_folded_name
        if text.lower() in by_name:
            return by_name[text.lower()]
        if not re.fullmatch(r"[A-Za-z]\d{1,3}", text):
            names = self.board.names
            raise UnreadableMove(f"cannot read {short(text)}; hint: points are spelled like {names[len(names) // 2]}")
        return Reason("off_board", f"There is no point {text}: {self._range_of(text[0])}.", (), clause)

    def _range_of(self, letter: str) -> str:
        """Which points a letter has, or which letters the board has."""
        letters = "".join(dict.fromkeys(name[0] for name in self.board.names))
        here = [point for point, name in enumerate(self.board.names) if name[0].lower() == letter.lower()]
        if not here and letter.upper() == "I" and {"H", "J"} <= set(letters):
            return "the letter I is left out"
        if not here:
            return f"the letters go from {min(letters)} to {max(letters)}"
        first, last = (pick(here, key=lambda p: int(self.board.names[p][1:])) for pick in (min, max))
        line = "row" if self.board.cells[first][0] == self.board.cells[last][0] else "file"
        names = self.board.names
        return f"{line} {names[first][0]} goes from {names[first]} to {names[last]}"

    @cached_property
    def _points_by_folded_name(self) -> dict[str, int]:
        return {name.lower(): point for point, name in enumerate(self.board.names)}
