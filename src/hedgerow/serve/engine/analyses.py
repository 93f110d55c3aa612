"""What people may ask the engine about games and positions, and its answers; pages and API both ask here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.serve.engine import turning_points
from hedgerow.serve.engine.analyst import Analyst, Asked
from hedgerow.serve.engine.views import AnalysisView, TurningPointSearchView, TurningPointView, analysis_view
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.play import continuations, fairplay, replays
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.live import rules_of
from hedgerow.serve.play.replays import Question, SentGame
from hedgerow.serve.play.workshop import Payer, Workshop
from hedgerow.serve.refusals import Refused

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis

ONCE_SECONDS = 2.0
"""How long the engine thinks for a single answer, if nothing else is asked for."""


@dataclass(frozen=True)
class Inquiry:
    """A position that somebody may ask the engine about, and where in its game it stands."""

    match: Match
    turn: int
    """How many turns were played before it."""
    turns: int
    """The last turn that can be asked about."""
    asked: Asked

    def view(self, found: Analysis) -> AnalysisView:
        """What was found, as people are told it."""
        return analysis_view(found, self.match, self.turn, self.turns)


@dataclass(frozen=True)
class GameInquiry:
    """A whole game that somebody may ask the engine about, turn by turn."""

    question: Question
    payer: Payer


class Analyses:
    """Checks that somebody may ask the engine (fair play, limits), and asks it; `analyst` is None where none runs."""

    def __init__(self, games: Games, workshop: Workshop, limits: Limits, analyst: Analyst | None) -> None:
        self.games, self.workshop, self.limits = games, workshop, limits
        self._analyst = analyst

    @property
    def analyst(self) -> Analyst:
        """Who searches; raises Refused where nobody does."""
        if self._analyst is None:
            raise Refused("not_found", "no engine runs here; hint: whoever runs this server has turned it off")
        return self._analyst

    # --- may it be asked? ---------------------------------------------------------------------------------------------

    async def of_game(self, payer: Payer, game: str, turn: int | None, lines: int) -> Inquiry:
        """A game after a turn, or before its end; raises Refused where that may not be asked."""
        known = await self.games.look(game)
        fairplay.check_game(known, payer.account)
        self._check_running()
        match, played, turns = await asyncio.to_thread(before_end, known.match, turn)
        await self._check(payer, match.rules.name, replays.leading(match))
        return Inquiry(match, played, turns, Asked(match.rules.name, match.position(), lines, *payer))

    async def of_line(self, payer: Payer, line: SentGame, lines: int, turn: int | None = None) -> Inquiry:
        """A game that was sent, after a turn or after all; raises Refused where that may not be asked."""
        found = await self._question(payer, line, turn=turn)
        if found.over:
            raise Refused("over", "the game is over; hint: ask about a position before its end")
        match = Match(found.rules, position=found.position)
        return Inquiry(match, found.turn, found.turns, Asked(found.rules, found.position, lines, *payer))

    async def of_whole_line(self, payer: Payer, line: SentGame) -> GameInquiry:
        """A game that was sent, turn by turn; raises Refused where that may not be asked."""
        return GameInquiry(await self._question(payer, line, whole=True), payer)

    async def of_lost_game(self, payer: Payer, game: str) -> tuple[GameInquiry, int]:
        """A game of theirs against machines, turn by turn, and their seat; raises Refused where it is another."""
        known = await self.games.look(game)
        seat, match = continuations.check(known, payer.account), known.match
        line = SentGame(match.rules.name, None, " ".join(replays.record_view(match).line))
        return await self.of_whole_line(payer, line), seat

    async def _question(self, payer: Payer, line: SentGame, whole: bool = False, turn: int | None = None) -> Question:
        self._check_running()
        found = await self.workshop.do(payer, replays.question, line, whole, turn)
        await self._check(payer, found.rules, found.nearby)
        return found

    def _check_running(self) -> None:
        """Raises Refused where no engine runs, before anything is done for the answer."""
        _ = self.analyst

    async def _check(self, payer: Payer, rules: str, positions: list[str]) -> None:
        """Raises Refused where it would help with a rated game, or where somebody asks too often."""
        await fairplay.check(self.games, self.workshop, payer, make(rules), positions)
        self.limits.check("analysis", payer.account or payer.address)

    # --- what it answers ----------------------------------------------------------------------------------------------

    async def answer(self, inquiry: Inquiry, seconds: float | None = None) -> AnalysisView:
        """What the engine has found after so many seconds."""
        async with contextlib.aclosing(self.analyst.study(inquiry.asked, seconds or ONCE_SECONDS)) as study:
            async for found in study:
                return inquiry.view(found)
        raise Refused("later", "the engine found nothing; hint: ask again")

    async def answers(self, inquiry: Inquiry, seconds: float, every: float) -> AsyncGenerator[AnalysisView]:
        """What the engine has found, every so many seconds, each better than the last."""
        async with contextlib.aclosing(self.analyst.study(inquiry.asked, seconds, every)) as study:
            async for found in study:
                yield inquiry.view(found)

    async def chances(self, inquiry: GameInquiry) -> AsyncGenerator[turning_points.Chance]:
        """Every seat's chance, position by position; those that were searched before take no time."""
        asked, payer = inquiry.question, inquiry.payer
        steps = turning_points.chances(self.analyst, rules_of(asked.rules), asked.moments, *payer)
        async with contextlib.aclosing(steps) as each:
            async for chance in each:
                yield chance

    async def turning_point(self, inquiry: GameInquiry, seat: int) -> AsyncGenerator[TurningPointSearchView]:
        """How the search for a seat's worst turn goes on, position by position; the last view has the point."""
        of, found = inquiry.question.turns + 1, list[turning_points.Chance]()
        yield TurningPointSearchView(looked=0, of=of)
        async with contextlib.aclosing(self.chances(inquiry)) as each:
            async for chance in each:
                found.append(chance)
                yield TurningPointSearchView(looked=len(found), of=of)
        worst = turning_points.worst(turning_points.balanced(found), seat)
        point = TurningPointView.model_validate(worst, from_attributes=True) if worst else None
        yield TurningPointSearchView(looked=of, of=of, done=True, point=point)

    async def found_turning_point(self, inquiry: GameInquiry, seat: int) -> TurningPointSearchView:
        """What that search comes to in the end."""
        async with contextlib.aclosing(self.turning_point(inquiry, seat)) as each:
            return [step async for step in each][-1]


def before_end(match: Match, turn: int | None) -> tuple[Match, int, int]:
    """A match after that turn, or before its end; how many turns it then has, and could have.

    Raises Refused where it has no such turn, or was over after it.
    """
    then = match.copy()
    while then.outcome:
        then.undo_turn()
    last = left = len(then.turns)
    if turn is not None and turn > last:
        why = "the game was over" if turn <= len(match.turns) else f"the game has {len(match.turns)} turns"
        raise Refused("bad_request", f"nothing to think about after turn {turn}: {why}; hint: 0 to {last}")
    while turn is not None and left > turn:
        left -= then.actions[-1] != -1  # somebody who leaves is no turn
        then.undo_turn()
    return then, left, last
