"""What a board on a page needs to know of a match: a picture, what may be pressed, and what has just happened."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hedgerow.game import Reason, Rules, UnreadableMove
from hedgerow.game.rules import P
from hedgerow.match import Match
from hedgerow.scene import Hint
from hedgerow.search.turns import goes_on
from hedgerow.serve.looks import drawn

POINTS = ("path", "reach", "changed", "removed")
"""Where a hint has points."""


class HintTold(BaseModel):
    """What an action does, for those who have not chosen it yet: sentences, and the points they are about."""

    words: str
    lead: str = Field(description="what to say when somebody has begun to choose it")
    mark: str = Field(description="a letter or a number that stands for it on the board")
    path: list[str]
    reach: list[str]
    changed: list[str]
    removed: list[str]


class ActionTold(BaseModel):
    """Something that may be done now: its text, what a person presses for it, and what it would do."""

    text: str
    clicks: list[str]
    puts: str = Field(default="", description="the kind of the piece that it puts on the board")
    hint: HintTold | None = None


class SupplyTold(BaseModel):
    """Pieces beside the board: how many of a kind a seat has left, or has captured."""

    seat: int
    kind: str
    count: int


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
    did: HintTold | None = Field(default=None, description="what the last action did, where there is more to see of it")
    kinds: dict[str, list[str]] = Field(default={}, description="pieces that look alike and are not, by what they are")
    supplies: list[SupplyTold] = []
    far: list[int] = Field(default=[], description="the seats that sit at the upper side of the picture")
    svg: str | None


def shown(match: Match, playing: bool = True, picture: bool = True, reader: int | None = None) -> BoardTold:
    """A match as it stands, seen from the seat of its reader; drawing takes some milliseconds: for a thread."""
    rules, position, outcome, scene = match.rules, match.plain, match.outcome, match.scene()
    actions = rules.legal(position) if playing and not outcome else []
    return BoardTold(
        to_move=None if outcome else match.to_move,
        prompt=match.prompt,
        turns=list(match.turns),
        turn_goes_on=goes_on(match),
        legal=[offered(rules, position, action) for action in actions],
        outcome=EndTold(**vars(outcome)) if outcome else None,
        removed=removed(match),
        standing=standing(match),
        did=did(match),
        kinds={kind: [rules.board.names[p] for p in points] for kind, points in rules.kinds(position).items()},
        supplies=[SupplyTold(**vars(tray)) for tray in scene.trays],
        far=list(rules.far),
        svg=drawn(scene, far=reader in rules.far) if picture else None,
    )


def offered(rules: Rules[P], position: P, action: int) -> ActionTold:
    """An action as a board offers it."""
    hint = rules.hint(position, action)
    return ActionTold(
        text=rules.spell(position, action),
        clicks=list(rules.clicks(position, action)),
        puts=rules.puts(position, action),
        hint=told(rules, hint) if hint else None,
    )


def told(rules: Rules[P], hint: Hint) -> HintTold:
    """A hint with names for points."""
    points = {name: [rules.board.names[p] for p in getattr(hint, name)] for name in POINTS}
    return HintTold(words=hint.words, lead=hint.lead, mark=hint.mark, **points)


def did(match: Match) -> HintTold | None:
    """What the last action did, as its hint said before; None where there was none, or somebody left.

    >>> m = Match("root_down"); m.play("b2-b4"); did(m).path
    ['b2', 'b3', 'b4']
    """
    before, word, rules = match.copy(), match.last_word, match.rules
    before.undo()
    try:
        action = rules.read(before.plain, word)
    except UnreadableMove:
        return None
    hint = None if isinstance(action, Reason) else rules.hint(before.plain, action)
    return told(rules, hint) if hint else None


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
