"""The protocol: what a game is, what its rules offer, and the errors everything shares.

A `Game` is a name with options; with the options settled it becomes `Rules`. Rules judge positions, which are values:
`play` returns a new one. An action is a number, the smallest choice (a ply); a turn is a run of actions by one player.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources
from typing import Any, Generic, Protocol, TypeVar

from hedgerow.boards import Board, Symmetry
from hedgerow.scene import Mark, Scene

Value = int | str


class HedgerowError(ValueError):
    """Everything Hedgerow refuses: the message quotes what was wrong, then gives a `hint:`.

    >>> issubclass(IllegalMove, HedgerowError) and issubclass(HedgerowError, ValueError)
    True
    """


class UnknownGame(HedgerowError):
    """There is no game of that name.

    >>> split_name("hexbo(side=5")
    Traceback (most recent call last):
    hedgerow.game.UnknownGame: cannot read the game 'hexbo(side=5'; hint: write it like hexbo(side=5)
    """


class BadOption(HedgerowError):
    """The game has no such option, or the option no such value.

    >>> Option("side", (10, 5), "points a side").settle("hexbo", "6")
    Traceback (most recent call last):
    hedgerow.game.BadOption: hexbo cannot have side='6'; hint: side is 10 or 5
    """


class UnreadableMove(HedgerowError):
    """The text is not the spelling of any move of this game.

    >>> import hedgerow as hg
    >>> hg.Match("tanbo").play("hello")
    Traceback (most recent call last):
    hedgerow.game.UnreadableMove: cannot read 'hello'; hint: points are spelled like K10
    """


class BadRecord(HedgerowError):
    """The text of a game or position cannot be read; the message names the line of a record.

    >>> import hedgerow as hg
    >>> hg.read("Game: chess")
    Traceback (most recent call last):
    hedgerow.game.BadRecord: line 1: no game 'chess'; hint: there are hexbo, root_and_thorn, root_bound, root_down, \
rootbound, tanbo
    """


@dataclass(frozen=True)
class Reason:
    """Why an action is refused. `str(reason)` is one friendly sentence.

    >>> reason = Reason("occupied", "There is already a piece on c4.", ("c4",), "2.1")
    >>> print(reason, reason.code, reason.points, reason.clause)
    There is already a piece on c4. occupied ('c4',) 2.1
    """

    code: str
    text: str
    points: tuple[str, ...] = ()
    """The names of the points that forbid it: pieces first of all."""
    clause: str = ""
    """The number of the rule in the game's RULES.md."""

    def __str__(self) -> str:
        return self.text


class IllegalMove(HedgerowError):
    """A move that can be read but not played; `reason` says why.

    >>> import hedgerow as hg
    >>> hg.Match("tanbo").play("A1")
    Traceback (most recent call last):
    hedgerow.game.IllegalMove: illegal move 'A1': there is already a stone on A1 (Tanbo rule 3.1)
    """

    def __init__(self, move: str, reason: Reason, title: str) -> None:
        text = reason.text.rstrip(".")
        if text[1:2].islower() or text[1:2] == " ":
            text = text[0].lower() + text[1:]
        clause = f" ({title} rule {reason.clause})" if reason.clause else ""
        super().__init__(f"illegal move {move!r}: {text}{clause}")
        self.move = move
        self.reason = reason


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    >>> Outcome("passes", (45, 38), (0,), (1, 2)).winners
    (0,)
    """

    reason: str
    scores: tuple[int, ...] | None
    """One number per seat; None where the game has no score."""
    winners: tuple[int, ...]
    """The winning seats; () is a draw."""
    places: tuple[int, ...]
    """The rank of every seat from 1, shared by those who share it."""


def outcome_of_scores(reason: str, scores: Sequence[int], tie: int | None = None) -> Outcome:
    """Two seats, the higher score wins; an equal score is `tie`'s, or a draw.

    >>> outcome_of_scores("passes", (3, 3)).places
    (1, 1)
    """
    first, second = scores
    if first == second and tie is None:
        return Outcome(reason, (first, second), (), (1, 1))
    winner = tie if first == second and tie is not None else int(second > first)
    return Outcome(reason, (first, second), (winner,), (1, 2) if winner == 0 else (2, 1))


@dataclass(frozen=True)
class Option:
    """One option of a game: its values (the first is the default), or a reader of free text."""

    name: str
    values: tuple[Value, ...]
    about: str
    read: Callable[[str], str] | None = None
    """For free text: returns the canonical spelling or raises ValueError saying what is wrong."""
    free: str = ""
    """What free text may be, for people."""

    @property
    def default(self) -> Value:
        return self.values[0]

    @property
    def allowed(self) -> str:
        """The values as people read them: "10 or 5", "3 to 10", "standard, or eight ranks".

        >>> Option("side", (7, 3, 4, 5, 6), "points a side").allowed
        '3 to 7'
        """
        if self.free:
            return f"{self.default}, or {self.free}"
        numbers = sorted(value for value in self.values if isinstance(value, int))
        if len(numbers) == len(self.values) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
            return f"{numbers[0]} to {numbers[-1]}"
        return " or ".join(str(value) for value in self.values)

    def settle(self, game: str, text: str) -> Value:
        """The value that `text` spells."""
        for value in self.values:
            if str(value) == text:
                return value
        wrong = f"{game} cannot have {self.name}={_short(text)}"
        if self.read:
            try:
                return self.read(text)
            except ValueError as error:
                wrong += f": {error}"
        raise BadOption(f"{wrong}; hint: {self.name} is {self.allowed}")


@dataclass(frozen=True)
class Actions:
    """The numbering of actions: `plane * points + point`, then the extras.

    >>> actions = Actions(100, ("M", "U", "B", "O"), ("pass",))
    >>> actions.size, actions.id(2, 5), actions.split(205), actions.extra(0)
    (401, 205, (2, 5), 400)
    """

    points: int
    planes: tuple[str, ...] = ("place",)
    extras: tuple[str, ...] = ()
    directed: bool = False
    """The planes are the board's directions, so they turn with it."""

    @property
    def size(self) -> int:
        return self.points * len(self.planes) + len(self.extras)

    def id(self, plane: int, point: int) -> int:
        return plane * self.points + point

    def extra(self, index: int) -> int:
        return self.points * len(self.planes) + index

    def split(self, action: int) -> tuple[int, int]:
        """(plane, point); the plane of an extra is the number of planes, its point its index."""
        return divmod(action, self.points)

    def turned(self, action: int, symmetry: Symmetry) -> int:
        """The same action on the turned or mirrored board."""
        plane, point = self.split(action)
        if plane >= len(self.planes):
            return action
        return self.id(symmetry.directions[plane] if self.directed else plane, symmetry.points[point])


@dataclass(frozen=True)
class Piece:
    """One kind of piece of one seat: its glyph in text, its code in `cells()`, its kind in a Scene."""

    glyph: str
    code: str
    seat: int
    kind: str = "stone"


def stones(players: int) -> tuple[Piece, ...]:
    """One plain stone per seat, drawn as on the Hexbo sheet."""
    return tuple(Piece("#OX@*%"[seat], str(seat), seat) for seat in range(players))


@dataclass(frozen=True, slots=True)
class Position:
    """A position as a value: `board[point]` is 0 when empty, else 1 + the index of the piece in `rules.pieces`."""

    board: bytes
    to_move: int


P = TypeVar("P", bound=Position)


class Fast(Protocol):
    """Compiled rules on arrays of records, for people who do research and for the search."""

    def warm(self, progress: Callable[[str], None] | None = None) -> None: ...
    def new(self, count: int = 1) -> Any: ...
    def pack(self, position: Position) -> Any: ...
    def unpack(self, states: Any, index: int = 0) -> Any: ...
    def legal(self, states: Any) -> Any: ...
    def play(self, states: Any, actions: Any) -> None: ...
    def pick(self, states: Any, seed: int) -> Any: ...
    def results(self, states: Any) -> Any: ...
    def playouts(self, count: int, seed: int = 0, threads: int = 1) -> Any: ...
    def perft(self, depth: int) -> int: ...


@dataclass(frozen=True)
class Game:
    """A game: what it is called, whose it is, its options, and how rules are made of settled options."""

    name: str
    title: str
    designer: str
    about: str
    options: tuple[Option, ...]
    rules: Callable[[Game, dict[str, Value]], Rules[Any]]
    kernels: Callable[[Any], Fast]
    """Given Rules, the compiled twin; importing it is left until it is asked for."""
    check: Callable[[dict[str, Value]], None] = field(default=lambda options: None)
    """Raises BadOption where values that are right alone do not go together."""

    def settle(self, given: Mapping[str, str]) -> dict[str, Value]:
        """A value for every option: the one given, or the default."""
        known = {option.name for option in self.options}
        for name in given:
            if name not in known:
                hint = f"it has {', '.join(o.name for o in self.options)}"
                raise BadOption(f"{self.name} has no option {_short(name)}; hint: {hint}")
        settled = {o.name: o.settle(self.name, given[o.name]) if o.name in given else o.default for o in self.options}
        self.check(settled)
        return settled

    def spelled(self, settled: Mapping[str, Value]) -> str:
        """The canonical name: options that are not at their default, in table order."""
        parts = [f"{o.name}={settled[o.name]}" for o in self.options if settled[o.name] != o.default]
        return f"{self.name}({','.join(parts)})" if parts else self.name

    def rules_text(self) -> str:
        """RULES.md of the game's folder."""
        folder = resources.files("hedgerow.games").joinpath(self.name)
        return folder.joinpath("RULES.md").read_text(encoding="utf-8")


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

    def why_not(self, position: P, text: str) -> Reason | None:
        """Why the move that `text` spells may not be played now, or None if it may; raises UnreadableMove."""
        action = self.read(position, text)
        if self.outcome(position):
            return Reason("game_over", "The game is over.")
        return action if isinstance(action, Reason) else self.forbids(position, action)

    def write(self, position: P) -> str:
        """The position as text: the rows from the top, the seat to move, then `key=value` words."""
        glyphs = "." + "".join(piece.glyph for piece in self.pieces)
        rows = "/".join("".join(glyphs[position.board[point]] for point in row) for row in self.board.rows)
        words = [f"{key}={value}" for key, value in self.extras(position).items()]
        return " ".join([rows, str(position.to_move), *words])

    def parse(self, text: str) -> P:
        """The position that a text describes; raises BadRecord."""
        rows, *words = text.split() or [""]
        board = self.read_rows(rows)
        seat = words.pop(0) if words and "=" not in words[0] else "0"
        if seat not in [str(number) for number in range(self.players)]:
            raise BadRecord(f"no seat {_short(seat)} to move; hint: 0 to {self.players - 1}")
        extras: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals or key in extras:
                raise BadRecord(
                    f"cannot read {_short(word)}; hint: after the seat come words like key=value, each once"
                )
            extras[key] = value
        return self.revive(board, int(seat), extras)

    def read_rows(self, text: str) -> bytes:
        """Rows from the top joined by `/`: a glyph per piece, `.` for an empty point, digits for several."""
        values = {".": 0} | {piece.glyph: 1 + index for index, piece in enumerate(self.pieces)}
        lines = text.split("/")
        if len(lines) != len(self.board.rows):
            raise BadRecord(f"{len(lines)} rows where {self.name} has {len(self.board.rows)}; hint: join rows by /")
        return bytes(value for line, row in zip(lines, self.board.rows) for value in _read_row(line, len(row), values))

    def point(self, text: str, clause: str = "") -> int | Reason:
        """The point a text names in any case of letters, or the Reason that it is off the board."""
        by_name = self._points_by_folded_name
        if text.lower() in by_name:
            return by_name[text.lower()]
        if not re.fullmatch(r"[A-Za-z]\d{1,3}", text):
            names = self.board.names
            raise UnreadableMove(f"cannot read {_short(text)}; hint: points are spelled like {names[len(names) // 2]}")
        return Reason("off_board", f"There is no point {text} on this board.", (), clause)

    @cached_property
    def _points_by_folded_name(self) -> dict[str, int]:
        return {name.lower(): point for point, name in enumerate(self.board.names)}


def turned_board(board: bytes, symmetry: Symmetry) -> bytes:
    """Every piece moved to where the symmetry takes its point."""
    turned = bytearray(len(board))
    for point, piece in enumerate(board):
        turned[symmetry.points[point]] = piece
    return bytes(turned)


def _read_row(line: str, width: int, values: Mapping[str, int]) -> list[int]:
    if len(line) > 4 * width:
        raise BadRecord(f"row {_short(line)} is too long; hint: it has {width} points")
    row: list[int] = []
    for part in re.findall(r"\d+|.", line):
        if part.isdecimal():
            row += [0] * min(int(part), width + 1)
        elif part in values:
            row.append(values[part])
        else:
            raise BadRecord(f"no piece is drawn {part!r} in row {_short(line)}; hint: {' '.join(values)}")
    if len(row) != width:
        raise BadRecord(f"row {_short(line)} has {len(row)} points; hint: it must have {width}")
    return row


def listed(items: Iterable[str], last: str = "and") -> str:
    """Names as people list them.

    >>> listed(["a1", "b2", "c3"])
    'a1, b2 and c3'
    """
    *head, tail = list(items) or [""]
    return f"{', '.join(head)} {last} {tail}" if head else tail


def _short(text: str) -> str:
    """Quoted, and cut where it is long: messages stay one line."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\)|:(.*))?\s*", re.DOTALL)


def split_name(text: str) -> tuple[str, dict[str, str]]:
    """The name of a game and the options written behind it, in brackets or after a colon.

    >>> split_name("hexbo(side=5, players=3)") == split_name("hexbo:side=5,players=3")
    True
    """
    match = _NAME.fullmatch(text)
    if not match:
        raise UnknownGame(f"cannot read the game {_short(text)}; hint: write it like hexbo(side=5)")
    options: dict[str, str] = {}
    for part in (match[2] or match[3] or "").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not equals or key in options:
            raise BadOption(f"cannot read the option {_short(part)}; hint: name=value, each name once")
        options[key] = value
    return match[1], options
