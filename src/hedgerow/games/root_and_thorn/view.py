"""Root and Thorn as people see it: the scene, what to press, how moves and positions are spelled, the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hedgerow.game import BadRecord, Reason, UnreadableMove, listed
from hedgerow.game.effects import Effect
from hedgerow.games.root_and_thorn.plain import (
    BIRCH,
    MAPLE,
    OAK,
    RANGE,
    SUPPLY,
    SUPPORT,
    TOKENS,
    UNDERGROWTH,
    ThornPlain,
    ThornPosition,
    piece,
    tokens_left,
)
from hedgerow.scene import Hint, Scene, Tray


class RootAndThorn(ThornPlain):
    """The rules of Root and Thorn, and their looks."""

    far = (1,)
    passes = True
    glossary = (
        ("maple", "Maple", "planted first, one for each player; the enemy grows no Undergrowth beside it."),
        ("undergrowth", "Undergrowth", "grows beside any token of yours, and is cleared by the enemy's trees."),
        (
            "birch",
            "Birch",
            "takes the place of Undergrowth with two more of yours beside it, and clears three spaces far.",
        ),
        (
            "oak",
            "Oak",
            "takes the place of Undergrowth with three more of yours beside it, and clears five spaces far.",
        ),
        ("claimed", "Enclosed space", "hatched when the game is over: only its owner's tokens are around it."),
    )

    def spell(self, position: ThornPosition, action: int) -> str:
        token, point = self.actions.split(action)
        return "pass" if token == len(TOKENS) else self.actions.planes[token] + self.board.names[point]

    def read(self, position: ThornPosition, text: str) -> int | Reason:
        if text.lower() == "pass":
            return self.actions.extra(0)
        if text.lower() == "done":
            return Reason("one_action", "A turn is one action, and ends by itself.", (), "3.5")
        if not re.fullmatch(r"[MUBOmubo][A-Za-z]\d{1,3}", text):
            raise UnreadableMove(
                f"cannot read {text[:40]!r}; hint: a token and a space like Ue4 (M, U, B or O), or pass"
            )
        point = self.point(text[1:], "1.1")
        return point if isinstance(point, Reason) else self.actions.id("MUBO".index(text[0].upper()), point)

    def clicks(self, position: ThornPosition, action: int) -> tuple[str, ...]:
        """The space, then the tree, which is not asked for on an empty space: only one token may stand there."""
        token, point = self.actions.split(action)
        if token == len(TOKENS):
            return ("pass",)
        return (self.board.names[point], TOKENS[token]) if token in RANGE else (self.board.names[point],)

    def puts(self, position: ThornPosition, action: int) -> str:
        token = self.actions.split(action)[0]
        return "" if token == len(TOKENS) else TOKENS[token].lower()

    def hint(self, position: ThornPosition, action: int) -> Hint | None:
        """The range of a tree and the Undergrowth that it clears; the spaces beside a Maple."""
        token, point = self.actions.split(action)
        if token == MAPLE:
            enemy, beside = self.seats[1 - position.to_move], self.board.neighbours[point]
            words = f"{enemy} may not grow Undergrowth on {listed(self.board.names[q] for q in beside)}."
            return Hint(words, reach=(point, *beside))
        if token not in RANGE:
            return None
        removed = self.cleared(position, point, RANGE[token])
        words = f"{TOKENS[token]} (range {RANGE[token]}): {self._cleared_words(position, removed)}."
        return Hint(words, words, TOKENS[token][0], (), self._within(point, RANGE[token]), (), tuple(removed))

    def effects(self, before: ThornPosition, actions: Sequence[int], after: ThornPosition) -> Iterator[Effect]:
        """The Undergrowth that a new tree cleared. RULES 4"""
        token, point = self.actions.split(actions[0])
        for seat, gone in self.lost(before, after).items():
            tree = f"{{{before.to_move}:'s}} {TOKENS[token]} on {self.board.names[point]}"
            yield Effect(f"{tree} cleared {{{seat}:'s}} Undergrowth: {{what}}.", removed=gone, noun="token", alone=True)

    def _cleared_words(self, position: ThornPosition, removed: list[int]) -> str:
        if not removed:
            return "clears nothing"
        return (
            f"clears {self.seats[1 - position.to_move]} Undergrowth on {listed(self.board.names[q] for q in removed)}"
        )

    def _within(self, point: int, reach: int) -> tuple[int, ...]:
        """The spaces so many steps away along files and ranks, or fewer. RULES 4.2"""
        row, column = self.board.cells[point]
        steps = ((q, abs(other - row) + abs(file - column)) for q, (other, file) in enumerate(self.board.cells))
        return tuple(q for q, far in steps if far <= reach)

    def kinds(self, position: ThornPosition) -> dict[str, tuple[int, ...]]:
        """The Undergrowth of both players on which a tree may be planted. RULES 3.3, 3.4"""
        found: dict[str, tuple[int, ...]] = {}
        for seat in (0, 1):
            then = replace(position, to_move=seat)
            for point in (p for p, value in enumerate(position.board) if value == piece(seat, UNDERGROWTH)):
                beside = len(self.support(then, point))
                trees = [t for t in SUPPORT if beside >= SUPPORT[t] and self.left(then, seat, t)]
                if trees:
                    word = f"may become {listed([TOKENS[tree] for tree in trees], 'or')}"
                    found[word] = (*found.get(word, ()), point)
        return dict(sorted(found.items()))

    def prompt(self, position: ThornPosition) -> str:
        outcome, seat = self.outcome(position), position.to_move
        if outcome:
            scores = " to ".join(str(score) for score in sorted(outcome.scores or (), reverse=True))
            won = f"{self.seats[outcome.winners[0]]} wins" if outcome.winners else "A draw"
            return f"Two passes end the game. {won}, {scores}, counting tokens and the spaces they enclose."
        if not self.has_maple(position, seat):
            return f"Plant your Maple anywhere in your half, ranks {('1 to 5', '6 to 10')[seat]}."
        tokens = {self.actions.split(action)[0] for action in self.placements(position)}
        words = {UNDERGROWTH: "grow Undergrowth", BIRCH: "plant a Birch", OAK: "plant an Oak"}
        choices = ", ".join(words[token] for token in sorted(tokens))
        return f"{choices[0].upper()}{choices[1:]}, or pass{self._ending(position)}."

    def _ending(self, position: ThornPosition) -> str:
        """What a pass now would do, where it ends the game: it is the second, or the other player is passed over."""
        if position.passes:
            return " (a pass now ends the game)"
        if self.play(position, self.actions.extra(0)).passes == 2:
            return f" (a pass now ends the game: {self.seats[1 - position.to_move]} has nothing to place)"
        return ""

    def trays(self, position: ThornPosition) -> tuple[Tray, ...]:
        kinds = [(seat, token, name.lower()) for seat in (0, 1) for token, name in enumerate(TOKENS)]
        found = (Tray(seat, name, self.left(position, seat, token)) for seat, token, name in kinds)
        return tuple(tray for tray in found if tray.count)

    def scene(self, position: ThornPosition, last: tuple[int, ...] = (), highlights: tuple[int, ...] = ()) -> Scene:
        over = position.passes == 2
        owners = self.owners(position) if over else []
        return Scene(
            board=self.board,
            marks=self.marks(position),
            title=self.game.title + ("" if self.returns else ", removed Undergrowth is discarded"),
            description=self._description(position),
            seats=self.seats,
            to_move=None if over else position.to_move,
            claimed=tuple((p, seat) for p, seat in enumerate(owners) if seat >= 0 and not position.board[p]),
            last=last,
            highlights=highlights,
            trays=self.trays(position),
            divide=5,
        )

    def _description(self, position: ThornPosition) -> str:
        parts = []
        for seat in (0, 1):
            on_board = [(position.board.count(piece(seat, t)), name) for t, name in enumerate(TOKENS)]
            there = ", ".join(f"{count} {name}" for count, name in on_board if count) or "no tokens"
            parts.append(f"{self.seats[seat]} has {there} on the board and {tokens_left(self, position, seat)} left.")
        return " ".join(parts)

    def extras(self, position: ThornPosition) -> dict[str, str]:
        words = {"passes": str(position.passes)} if position.passes else {}
        if not self.returns and position.supply != self._supply(position.board):
            words["supply"] = f"{position.supply[0]},{position.supply[1]}"
        return words

    def _supply(self, board: bytes) -> tuple[int, int]:
        """Undergrowth left if none was discarded."""
        dark, light = (SUPPLY[UNDERGROWTH] - board.count(piece(seat, UNDERGROWTH)) for seat in (0, 1))
        return dark, light

    def revive(self, board: bytes, to_move: int, extras: dict[str, str]) -> ThornPosition:
        self._check_tokens(board)
        passes, supply = extras.pop("passes", "0"), self._supply(board)
        if passes not in ("0", "1", "2"):
            raise BadRecord(f"cannot have passes={passes[:20]}; hint: 0, 1 or 2")
        if "supply" in extras and not self.returns:
            supply = self._read_supply(extras.pop("supply"), supply)
        if extras:
            raise BadRecord(
                f"no word {next(iter(extras))[:20]!r} here; hint: passes" + ("" if self.returns else ", supply")
            )
        return self.passed_over(ThornPosition(board, to_move, int(passes), supply))

    def _read_supply(self, text: str, most: tuple[int, int]) -> tuple[int, int]:
        match = re.fullmatch(r"(\d{1,2}),(\d{1,2})", text)
        if not match or int(match[1]) > most[0] or int(match[2]) > most[1]:
            raise BadRecord(f"cannot have supply={text[:20]}; hint: Undergrowth left, at most {most[0]},{most[1]} here")
        return int(match[1]), int(match[2])

    def _check_tokens(self, board: bytes) -> None:
        for seat, name in enumerate(self.seats):
            counts = [board.count(piece(seat, token)) for token in range(4)]
            for token, count in enumerate(counts):
                if count > SUPPLY[token]:
                    raise BadRecord(f"{count} {name} {TOKENS[token]} on the board; hint: there are {SUPPLY[token]}")
            if counts[MAPLE] and not any(board[point] == piece(seat, MAPLE) for point in self.halves[seat]):
                raise BadRecord(f"the {name} Maple stands in the wrong half; hint: Dark has ranks 1 to 5")
