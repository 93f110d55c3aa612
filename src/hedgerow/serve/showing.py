"""What a board on a page needs to know of a match: a picture, what may be pressed, and what has just happened."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hedgerow import draw
from hedgerow.match import Match
from hedgerow.search.turns import goes_on


class ActionTold(BaseModel):
    """Something that may be done now: its text, and what a person presses for it."""

    text: str
    clicks: list[str]


class EndTold(BaseModel):
    """How the game ended."""

    reason: str
    scores: list[int] | None
    winners: list[int]
    places: list[int]


class RemovedTold(BaseModel):
    """The pieces of a seat that the last turn took off the board."""

    seat: str
    points: list[str]


class BoardTold(BaseModel):
    """A match as a board shows it."""

    to_move: int | None
    prompt: str
    turns: list[str]
    turn_goes_on: bool
    legal: list[ActionTold]
    outcome: EndTold | None
    removed: list[RemovedTold]
    standing: list[int] | None = Field(description="the scores if everybody passed now, where that ends the game")
    svg: str | None


def shown(match: Match, playing: bool = True, picture: bool = True) -> BoardTold:
    """A match as it stands; drawing takes some milliseconds, so this is for a thread."""
    rules, position, outcome = match.rules, match.plain, match.outcome
    actions = rules.legal(position) if playing and not outcome else []
    return BoardTold(
        to_move=None if outcome else match.to_move,
        prompt=match.prompt,
        turns=list(match.turns),
        turn_goes_on=goes_on(match),
        legal=[ActionTold(text=rules.spell(position, a), clicks=list(rules.clicks(position, a))) for a in actions],
        outcome=EndTold(**vars(outcome)) if outcome else None,
        removed=removed(match),
        standing=standing(match),
        svg=draw.svg(match.scene()) if picture else None,
    )


def removed(match: Match) -> list[RemovedTold]:
    """Whose pieces went off the board with the last turn, other than those that its player moved.

    >>> m = Match("tanbo(size=9)"); m.play("A2"); removed(m)
    []
    """
    before = match.copy()
    before.undo_turn()
    names, seats = match.rules.board.names, match.rules.seats
    here = {mark.point for mark in match.scene().marks}
    pressed = {word for step in match.turns[-1:] for word in step.replace("-", " ").split()}
    gone = [mark for mark in before.scene().marks if mark.point not in here and names[mark.point] not in pressed]
    return [
        RemovedTold(seat=seat, points=[names[mark.point] for mark in gone if mark.seat == number])
        for number, seat in enumerate(seats)
        if any(mark.seat == number for mark in gone)
    ]


def standing(match: Match) -> list[int] | None:
    """The scores if everybody passed from here on; None where nobody may, or the game would not end with it.

    >>> m = Match("root_and_thorn"); m.play("Me3 Me8"); standing(m)
    [1, 1]
    """
    rules, position = match.rules, match.plain
    if match.outcome or not rules.actions.extras or rules.mid_turn(position):
        return None
    for _ in range(rules.players):
        if rules.forbids(position, rules.actions.extra(0)):
            return None
        position = rules.play(position, rules.actions.extra(0))
        if (outcome := rules.outcome(position)) is not None:
            return list(outcome.scores) if outcome.scores else None
    return None
