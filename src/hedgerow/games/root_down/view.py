"""Root Down as people see it: the scene, what to press, how moves and positions are spelled, the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hedgerow.game import BadRecord, Reason, UnreadableMove, listed
from hedgerow.game.effects import Effect
from hedgerow.games.root_down.plain import DIMINISHED, KINDS, QUIET_END, DownPlain, DownPosition, moved, piece
from hedgerow.games.root_down.setups import AROUND, adjacent_roots, count_pieces, read_ranks, spell_ranks
from hedgerow.scene import Hint, Scene, Tray

ENDS = {
    "stuck": "{mover} has no move.",
    "repetition": "The same position came up for the third time.",
    "quiet": f"{QUIET_END} moves in a row captured nothing.",
}


class RootDown(DownPlain):
    """The rules of Root Down, and their looks."""

    far = (1,)
    glossary = (
        ("root", "Root", "does not move, and activates the kickers beside it."),
        (
            "kicker",
            "Kicker",
            "moves when a root stands beside it, one square for each other kicker of yours by that root.",
        ),
        (
            "diminished",
            "Diminished kicker",
            "a root that the enemy kicked: it moves like a kicker, and the next kick of the enemy captures it.",
        ),
    )

    def spell(self, position: DownPosition, action: int) -> str:
        return "-".join(self.clicks(position, action))

    def read(self, position: DownPosition, text: str) -> int | Reason:
        if text.lower() in ("pass", "done"):
            return Reason("must_move", "You may not pass: move a kicker.", (), "3.1")
        match = re.fullmatch(r"([A-Za-z]\d{1,3})-?([A-Za-z]\d{1,3})", text)
        if not match:
            raise UnreadableMove(f"cannot read {text[:40]!r}; hint: two squares like b2-b4, from and to")
        point, target = self.point(match[1], "1.1"), self.point(match[2], "1.1")
        if isinstance(point, Reason):
            return point
        if isinstance(target, Reason):
            return target
        return self.forbids_mover(position, point) or self._read_target(position, point, target)

    def _read_target(self, position: DownPosition, point: int, target: int) -> int | Reason:
        """The action of a kicker that can move, or the Reason why it never lands there."""
        names = self.board.names
        for direction in range(8):
            path = self.path(point, direction, 7)
            if target in path:
                break
        else:
            text = f"A kicker must move: {names[point]} is where it stands."
            if point != target:
                text = f"{names[point]} and {names[target]} are not on a straight line."
            return Reason("not_straight", text, (), "3.4")
        companions = self.companions(position.board, point)
        distance = 1 + path.index(target)
        if distance != len(companions):
            text = f"{self.distance_text(position.board, point)}, not {distance}."
            return Reason("distance", text, self.distance_points(position.board, point), "3.4")
        return self.actions.id(direction, point)

    def clicks(self, position: DownPosition, action: int) -> tuple[str, ...]:
        """The kicker, then the square it lands on."""
        direction, point = self.actions.split(action)
        distance = len(self.companions(position.board, point)) if position.board[point] else 0
        path = [point, *self.path(point, direction, distance)]
        return self.board.names[point], self.board.names[path[-1]]

    def puts(self, position: DownPosition, action: int) -> str:
        return ""

    def hint(self, position: DownPosition, action: int) -> Hint:
        """How far the kicker goes, and whom its kick changes or captures where it lands."""
        direction, point = self.actions.split(action)
        board, companions = position.board, self.companions(position.board, point)
        path = (point, *self.path(point, direction, len(companions)))
        around = AROUND[path[-1]]
        after = self.kicked_down(board, point, path[-1])
        changed = tuple(q for q in around if q != point and after[q] and after[q] != board[q])
        removed = tuple(q for q in around if q != point and board[q] and not after[q])
        return Hint(
            words=f"{self.spell(position, action)}: {self._kicked(board, after, (*changed, *removed))}.",
            lead=f"{self.distance_text(board, point)}.",
            mark=str(len(companions)),
            path=path,
            reach=tuple(around),
            changed=changed,
            removed=removed,
        )

    def _kicked(self, board: bytes, after: bytes, points: tuple[int, ...]) -> str:
        """What a kick does, in words: "captures the diminished kicker on c5 and makes the root on d4 a kicker"."""
        names, seats = self.board.names, self.seats
        parts = []
        for q in sorted(points):
            owner = seats[self.seat_at(board, q)]
            if not after[q]:
                parts.append(f"captures {owner}'s diminished kicker on {names[q]}")
            else:
                kind = "diminished kicker" if KINDS[(after[q] - 1) % 3] == "diminished" else "kicker"
                parts.append(f"makes {owner}'s root on {names[q]} a {kind}")
        return listed(parts) or "kicks nothing that changes"

    def effects(self, before: DownPosition, actions: Sequence[int], after: DownPosition) -> Iterator[Effect]:
        """What the kick captured, and which roots it made kickers. RULES 4"""
        mover, hint = before.to_move, self.hint(before, actions[0])
        if hint.removed:
            words = f"{{{mover}}} captured {{{1 - mover}:'s}} diminished {_plural('kicker', hint.removed)} on {{what}}."
            yield Effect(words, removed=hint.removed, noun="square")
        for seat, kind in ((1 - mover, "a diminished kicker"), (mover, "a kicker")):
            if points := tuple(q for q in hint.changed if self.seat_at(before.board, q) == seat):
                became = f"became {kind}" if len(points) == 1 else f"each became {kind}"
                words = f"{{{seat}:'s}} {_plural('root', points)} on {{what}} {became}."
                yield Effect(words, gained=points, noun="square")

    def kinds(self, position: DownPosition) -> dict[str, tuple[int, ...]]:
        """The kickers that are activated; those that can move at all, by how far."""
        found: dict[str, tuple[int, ...]] = {}
        for point in sorted(p for seat in (0, 1) for p in self.activated(position.board, seat)):
            far = len(self.companions(position.board, point))
            word = f"{far} square{'s' * (far != 1)} to move"
            found[word] = (*found.get(word, ()), point)
        weak = (piece(0, DIMINISHED), piece(1, DIMINISHED))
        still = {point for points in found.values() for point in points}
        if lost := tuple(p for p, value in enumerate(position.board) if value in weak and p not in still):
            found["diminished and not activated"] = lost
        return dict(sorted(found.items()))

    def prompt(self, position: DownPosition) -> str:
        outcome = self.outcome(position)
        if outcome:
            south, north = outcome.scores or (0, 0)
            winner = self.seats[outcome.winners[0]]
            tie = ", for a tie goes against the player to move" if south == north else ""
            end = ENDS[outcome.reason].format(mover=self.seats[position.to_move])
            return f"{end} {winner} wins, {max(south, north)} to {min(south, north)}{tie}."
        return f"Move one of your activated kickers in a straight line: {self._movers(position)}."

    def _movers(self, position: DownPosition) -> str:
        """The kickers that can move by how far they go: "b2 or c2 exactly 2 squares; d4 exactly 1 square"."""
        movers = sorted({self.actions.split(action)[1] for action in self.moves(position)})
        by_distance: dict[int, list[str]] = {}
        for point in movers:
            by_distance.setdefault(len(self.companions(position.board, point)), []).append(self.board.names[point])
        return "; ".join(
            f"{listed(by_distance[distance], 'or')} exactly {distance} square{'s' * (distance > 1)}"
            for distance in sorted(by_distance)
        )

    def trays(self, position: DownPosition) -> tuple[Tray, ...]:
        found = (Tray(seat, "captured", self.captured(position, seat)) for seat in (0, 1))
        return tuple(tray for tray in found if tray.count)

    def scene(self, position: DownPosition, last: tuple[int, ...] = (), highlights: tuple[int, ...] = ()) -> Scene:
        return Scene(
            board=self.board,
            marks=self.marks(position),
            title=self._title(),
            description=self._description(position),
            seats=self.seats,
            to_move=None if self.outcome(position) else position.to_move,
            last=last,
            highlights=highlights,
            trays=self.trays(position),
        )

    def _title(self) -> str:
        words = (
            (", only own roots activate", self.own_roots),
            (", repetition does not count", not self.repetition),
            (", own set-up", self.options["setup"] != "standard"),
        )
        return self.game.title + "".join(word for word, said in words if said)

    def _description(self, position: DownPosition) -> str:
        return " ".join(self._side(position, seat) for seat in (0, 1))

    def _side(self, position: DownPosition, seat: int) -> str:
        """One player's pieces, which are activated, and what they captured, in a sentence."""
        board, names = position.board, self.board.names
        parts = []
        for kind, word in enumerate(("root", "kicker", "diminished kicker")):
            points = [names[point] for point, value in enumerate(board) if value == piece(seat, kind)]
            if points:
                parts.append(f"{f'a {word}' if len(points) == 1 else f'{word}s'} on {listed(points)}")
        activated = [names[point] for point in self.activated(board, seat)]
        return (
            f"{self.seats[seat]} has {'; '.join(parts) or 'no pieces'}; "
            f"activated: {listed(activated) or 'none'}; captured: {self.captured(position, seat)}."
        )

    def extras(self, position: DownPosition) -> dict[str, str]:
        """since: the first board known after the last capture, and the moves from there; quiet: if there were more."""
        words = {} if position.quiet == len(position.earlier) else {"quiet": str(position.quiet)}
        boards = [*position.earlier, position.board]
        if len(boards) > 1:
            steps = ("-".join(self.board.names[point] for point in moved(*pair)) for pair in pairwise(boards))
            words["since"] = ",".join([spell_ranks(boards[0]), *steps])
        return words

    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> DownPosition:
        self._check_pieces(board)
        here = spell_ranks(board)
        first, *moves = (extras.pop("since", here) if self.repetition else here).split(",", QUIET_END + 1)
        quiet = extras.pop("quiet", str(len(moves)))
        if extras:
            hint = "quiet, since" if self.repetition else "quiet"
            raise BadRecord(f"no word {next(iter(extras))[:20]!r} here; hint: {hint}")
        if not re.fullmatch(r"[0-9]{1,3}", quiet) or not len(moves) <= int(quiet) <= QUIET_END:
            raise BadRecord(f"cannot have quiet={quiet[:20]}; hint: a number from {len(moves)} to {QUIET_END} here")
        position = self._replay(first, moves, (to_move + len(moves)) % 2, int(quiet) - len(moves))
        if position.board != board:
            raise BadRecord(f"since leads to {spell_ranks(position.board)}; hint: it must lead to {here}")
        return position

    def _check_pieces(self, board: bytes) -> None:
        for seat, name in enumerate(self.seats):
            pieces, most = count_pieces(board, seat), count_pieces(self.setup, seat)
            if pieces > most:
                raise BadRecord(f"{pieces} pieces of {name} on the board; hint: the set-up has {most}")
        if pair := adjacent_roots(board):
            raise BadRecord(f"roots beside each other on {pair[0]} and {pair[1]}; hint: a kick leaves no such roots")

    def _replay(self, first: str, moves: list[str], to_move: int, quiet: int) -> DownPosition:
        """The position after moves that captured nothing."""
        try:
            position = DownPosition(read_ranks(first), to_move, quiet)
        except ValueError as error:
            raise BadRecord(f"cannot read since: {error}; hint: a board, then moves, joined by ,") from None
        self._check_pieces(position.board)
        for text in moves:
            position = self._replayed(position, text)
        return position

    def _replayed(self, position: DownPosition, text: str) -> DownPosition:
        """The position after one move that may be played and captures nothing."""
        try:
            action = self.read(position, text)
        except UnreadableMove as error:
            raise BadRecord(f"since: {error}") from None
        if isinstance(action, Reason) or action not in self.legal(position):
            raise BadRecord(f"since has {text}, which cannot be played there; hint: a board, then moves, joined by ,")
        after = self.play(position, action)
        if not after.quiet:
            raise BadRecord(f"since has {text}, which captures; hint: begin behind the last capture")
        return after


def _plural(noun: str, things: Sequence[object]) -> str:
    return f"{noun}{'s' * (len(things) != 1)}"
