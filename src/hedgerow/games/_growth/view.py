"""Growing roots as people see them: the scene, the prompt, how moves and positions are spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hedgerow.game import BadRecord, Reason, listed
from hedgerow.game.effects import Effect, counted
from hedgerow.games._growth.plain import MOST_ROOTS, GrowthPlain, GrowthPosition
from hedgerow.scene import Scene

FEW = 4
"""A root with no more points to grow on than this is told apart."""


class GrowthView(GrowthPlain):
    """The looks of Hexbo and Tanbo."""

    glossary = (
        ("stone", "Stone", "placed next to exactly one stone of its own colour; it never moves."),
        ("", "Root", "stones of one colour that hang together. A root with no point left to grow on leaves the board."),
    )

    def spell(self, position: GrowthPosition, action: int) -> str:
        return self.board.names[action]

    def read(self, position: GrowthPosition, text: str) -> int | Reason:
        if text.lower() in ("pass", "done"):
            return Reason("must_place", "You may not pass: place a stone.", (), "3.1")
        return self.point(text, "1.2")

    def clicks(self, position: GrowthPosition, action: int) -> tuple[str, ...]:
        return (self.board.names[action],)

    def prompt(self, position: GrowthPosition) -> str:
        outcome = self.outcome(position)
        if outcome:
            rooted = sum(1 + seat in position.board for seat in range(self.players))
            why = "nobody else has a root left" if rooted == 1 else "everybody else is out"
            return f"{self.seats[outcome.winners[0]]} wins: {why}."
        return "Grow a root: place a stone that touches exactly one of yours."

    def scene(self, position: GrowthPosition, last: tuple[int, ...] = (), highlights: tuple[int, ...] = ()) -> Scene:
        return Scene(
            board=self.board,
            marks=self.marks(position),
            title=self._title(),
            description=self._description(position),
            seats=self.seats,
            to_move=None if self.over(position) else position.to_move,
            last=last,
            highlights=highlights,
        )

    def kinds(self, position: GrowthPosition) -> dict[str, tuple[int, ...]]:
        """The roots that can grow on few points, by how many: without one, a root leaves the board. RULES 4"""
        board, roots = position.board, self.roots(position.board)
        root_of = {point: number for number, root in enumerate(roots) for point in root}
        seats = range(self.players)
        space = [root_of[self.friends(board, s, p)[0]] for s in seats for p in self.root_space(board, s)]
        found: dict[str, tuple[int, ...]] = {}
        for number, root in enumerate(roots):
            if (count := space.count(number)) <= FEW:
                word = f"{counted(count, 'point')} to grow on"
                found[word] = (*found.get(word, ()), *sorted(root))
        return dict(sorted(found.items()))

    def effects(self, before: GrowthPosition, actions: Sequence[int], after: GrowthPosition) -> Iterator[Effect]:
        """The roots that had no point left to grow on; the stone that was placed may have gone with its own. RULES 4"""
        mover, placed = before.to_move, bytearray(before.board)
        placed[actions[0]] = 1 + mover
        grown = replace(before, board=bytes(placed))
        for seat, gone in self.lost(grown, after).items():
            roots = len(self.roots(bytes(1 if point in gone else 0 for point in range(len(placed)))))
            which = f"{{{seat}:'s}} root" if roots == 1 else f"{roots} of {{{seat}:'s}} roots"
            words = f"{{{mover}:'s}} {{turn}} left {which} nowhere to grow: {{what}} died."
            yield Effect(words, removed=gone, noun="stone", alone=True)

    def _title(self) -> str:
        """The game and its size, and the players where they are more than two: "Hexbo, side 5, 3 players"."""
        sizes = [f"{name} {value}" for name, value in self.options.items() if name != "players"]
        crowd = [f"{self.players} players"] if self.players > 2 else []
        return ", ".join([self.game.title, *sizes, *crowd])

    def _description(self, position: GrowthPosition) -> str:
        """Every player's stones and roots in words."""
        owners = [position.board[root[0]] - 1 for root in self.roots(position.board)]
        parts = [
            f"{name} has {counted(position.board.count(1 + seat), 'stone')} in {counted(owners.count(seat), 'root')}"
            + (" and is out" if position.places[seat] else "")
            if seat in owners
            else f"{name} is out"
            for seat, name in enumerate(self.seats)
        ]
        return f"{listed(parts)}."

    def extras(self, position: GrowthPosition) -> dict[str, str]:
        if position.places == self._places_together(position.board):
            return {}
        return {"places": ",".join(str(place) for place in position.places)}

    def _places_together(self, board: bytes) -> tuple[int, ...]:
        """The places if all who are out went out together: what a position without the word `places` means."""
        rooted = [1 + seat in board for seat in range(self.players)]
        return tuple(0 if stones else sum(rooted) + 1 for stones in rooted)

    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> GrowthPosition:
        self._check_roots(board)
        places = self._places_together(board)
        if "places" in extras:
            places = self._read_places(board, extras.pop("places"))
        if extras:
            raise BadRecord(f"no word {next(iter(extras))[:20]!r} here; hint: places")
        position = GrowthPosition(board, to_move, places)
        live = self.live(position)
        if len(live) > 1 and to_move not in live:
            raise BadRecord(f"{self.seats[to_move]} is to move and is out; hint: players without stones are out")
        return position if len(live) > 1 else replace(position, to_move=live[0])

    def _check_roots(self, board: bytes) -> None:
        roots = self.roots(board)
        if not roots:
            raise BadRecord("there is no stone on the board; hint: the winner's roots are never removed")
        if len(roots) > MOST_ROOTS:
            raise BadRecord(f"{len(roots)} roots on the board; hint: there may be {MOST_ROOTS}")
        if bounded := self.bounded_roots(board):
            first = bounded[0][0]
            name = f"{self.seats[board[first] - 1]}'s root on {self.board.names[first]}"
            raise BadRecord(f"{name} cannot grow; hint: it would already have been removed")

    def _read_places(self, board: bytes, text: str) -> tuple[int, ...]:
        """A place per seat, 0 for those still in: one more than the number of seats that did better."""
        hint = f"{self.players} numbers like {','.join(str(place) for place in self._places_together(board))}"
        if not re.fullmatch(rf"[0-{self.players}](,[0-{self.players}]){{{self.players - 1}}}", text):
            raise BadRecord(f"cannot have places={text[:20]}; hint: {hint}")
        places = tuple(int(place) for place in text.split(","))
        for seat, place in enumerate(places):
            behind = 1 + sum(other < place for other in places)
            if (place != behind and (place or 1 + seat not in board)) or not any(p == 0 for p in places):
                raise BadRecord(f"cannot have places={text}: {self.seats[seat]} is not {place}; hint: {hint}")
        return places
