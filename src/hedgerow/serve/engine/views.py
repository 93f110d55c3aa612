"""What people are told of the engine's searches: an analysis with its best turns, and a game's turning point."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from hedgerow.match import Match

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis


class LineView(BaseModel):
    """One turn and what is expected after it."""

    turn: str
    visits: int = Field(description="how often the search visited it")
    values: list[float] = Field(description="every seat's chance to win; a draw is an equal share")
    lead: float | None = Field(description="the score of seat 0 less that of seat 1, where there are scores")
    proven: int | None = Field(description="the seat that wins by force, -1 for a draw")
    variation: list[str] = Field(description="this turn and those expected after it; the last may be unfinished")
    prior: float | None = Field(description="how likely the network thought its first action before it searched")
    points: list[list[str]] = Field(description="for every action of the turn the points that are pressed for it")


class AnalysisView(BaseModel):
    """What the engine has found out about a position so far."""

    game: str = Field(description="the rules")
    turn: int = Field(description="how many turns were played before it")
    turns: int = Field(description="the last turn that can be asked about")
    position: str
    to_move: int
    engine: str = Field(description="who speaks: `network`, the game's own, or `search` with random games")
    iterations: int = Field(description="random games, or visits of the network's search")
    nodes: int
    seconds: float
    proven: int | None = Field(description="as of a line, for the position itself")
    lines: list[LineView] = Field(description="the best turns, the best first")
    heat: dict[str, float] = Field(description="how much it looks at each point; the hottest has 1")
    scores: list[float] | None = Field(description="the score of every seat that search expects, where there are any")
    lead: float | None = Field(description="the score of seat 0 less that of seat 1 that the network expects")
    policy: dict[str, float] | None = Field(
        description="how likely the network thought each point to be the one to play on before it searched"
    )
    owners: dict[str, list[float]] | None = Field(description="how likely each seat is to own a point in the end")


class TurningPointView(BaseModel):
    """The turn that gave most away."""

    turn: int = Field(description="how many turns were played before it")
    played: str
    better: str
    before: float = Field(description="your chance before it, 0 to 1")
    after: float


class TurningPointSearchView(BaseModel):
    """How far the search for the turning point is; `point` comes with the last line."""

    looked: int
    of: int
    done: bool = False
    point: TurningPointView | None = None


def analysis_view(found: Analysis, match: Match, turn: int, turns: int) -> AnalysisView:
    """What was found of a match after so many of its turns, with the points that are pressed for every turn."""
    lines = [asdict(line) | {"points": points_of(match, line.turn)} for line in found.lines]
    return AnalysisView.model_validate(found.as_dict() | {"turn": turn, "turns": turns, "lines": lines})


def points_of(match: Match, turn: str) -> list[list[str]]:
    """For every action of a turn the points that are pressed for it, without those of buttons beside the board.

    >>> points_of(Match("root_down"), "b2-b4"), points_of(Match("root_and_thorn"), "Me3")
    ([['b2', 'b4']], [['e3']])
    """
    rules, position, found = match.rules, match.plain, list[list[str]]()
    for word in turn.split():
        action = rules.read(position, word)
        assert isinstance(action, int)
        found.append([name for name in rules.clicks(position, action) if name in rules.board.point])
        position = rules.play(position, action)
    return found
