"""What a board on a page needs to know of a match: what may be pressed, what has just happened, and a picture."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from pydantic import BaseModel, Field

from hedgerow.game import Outcome, Reason, Rules, UnreadableMove
from hedgerow.game.rules import P
from hedgerow.match import Match
from hedgerow.scene import Hint
from hedgerow.serve.play.state import CALLED_OFF
from hedgerow.serve.play.views.looks import drawn
from hedgerow.told import Told, told

POINTS = ("path", "reach", "changed", "removed")
"""Where a hint has points."""
CALLED_OFF_PROMPT = "The game was called off."


class HintView(BaseModel):
    """What an action does, for those who have not chosen it yet: sentences, and the points they are about."""

    words: str
    lead: str = Field(description="what to say when somebody has begun to choose it")
    mark: str = Field(description="a letter or a number that stands for it on the board")
    path: list[str]
    reach: list[str]
    changed: list[str]
    removed: list[str]


class ActionView(BaseModel):
    """Something that may be done now: its text, what a person presses for it, and what it would do."""

    text: str
    clicks: list[str]
    puts: str = Field(default="", description="the kind of the piece that it puts on the board")
    hint: HintView | None = None
    ends: str | None = Field(default=None, description="how a pass ends the game for whoever passes: win, draw or lose")


class TrayView(BaseModel):
    """Pieces beside the board: how many of a kind a seat has left, or has captured."""

    seat: int
    kind: str
    count: int


class OutcomeView(BaseModel):
    """How the game ended."""

    reason: str
    scores: list[int] | None
    winners: list[int]
    places: list[int]


class RemovedView(BaseModel):
    """The pieces of a seat that the last turn took off the board."""

    seat: str
    points: list[str]


class BoardView(BaseModel):
    """A match as a board shows it."""

    to_move: int | None
    prompt: str
    turns: list[str]
    turn_goes_on: bool
    legal: list[ActionView]
    outcome: OutcomeView | None
    removed: list[RemovedView]
    told: str = Field(default="", description="what the last turn did, in words")
    standing: list[int] | None = Field(description="the scores if everybody passed now, where that ends the game")
    count: list[int] | None = Field(default=None, description="the count as it stands, where a game counts")
    phase: str = Field(default="", description="the part of the game that this is")
    did: HintView | None = Field(default=None, description="what the last action did, where there is more to see of it")
    kinds: dict[str, list[str]] = Field(default={}, description="pieces that look alike and are not, by what they are")
    supplies: list[TrayView] = []
    far: list[int] = Field(default=[], description="the seats that sit at the upper side of the picture")
    svg: str | None = None


def _bare(view: object) -> dict[str, object]:
    """A view without what it does not have."""
    return {name: value for name, value in vars(view).items() if value is not None}


encode = msgspec.json.Encoder(enc_hook=_bare).encode
"""Messages with views in them as JSON."""


def board_view(
    match: Match,
    playing: bool = True,
    outcome: Outcome | None = None,
    turns: Sequence[str] | None = None,
    last: Told | None = None,
) -> BoardView:
    """A match as it stands, without a picture; `outcome` is how a game ended that was called off.

    `turns` are those of the match, and `last` what the last of them did, where that is known already.
    """
    rules, position, outcome = match.rules, match.plain, outcome or match.outcome
    called_off = outcome is CALLED_OFF
    if_passed = None if outcome else standing(match)
    return BoardView(
        to_move=None if outcome else match.to_move,
        prompt=CALLED_OFF_PROMPT if called_off else match.prompt,
        turns=list(match.turns if turns is None else turns),
        turn_goes_on=not outcome and match.mid_turn,
        legal=offered(match) if playing and not outcome else [],
        outcome=OutcomeView(**vars(outcome)) if outcome else None,
        removed=removed(match),
        told=found.words() if (found := last or told(match)) else "",
        standing=if_passed,
        count=if_passed if rules.passes or outcome else running(match),
        phase="" if outcome else rules.phase(position),
        did=did(match),
        kinds={kind: [rules.board.names[p] for p in points] for kind, points in rules.kinds(position).items()},
        supplies=[TrayView(**vars(tray)) for tray in rules.trays(position)],
        far=list(rules.far),
    )


def shown(match: Match, playing: bool = True, picture: bool = True, reader: int | None = None) -> BoardView:
    """The same with a picture as the reader likes it, seen from their seat."""
    view = board_view(match, playing)
    if picture:
        view.svg = drawn(match.scene(), far=reader in match.rules.far)
    return view


def offered(match: Match) -> list[ActionView]:
    """Every action that may be played now, as a board offers it."""
    rules, position = match.rules, match.plain
    return [_offered(rules, position, action) for action in rules.legal(position)]


def _offered(rules: Rules[P], position: P, action: int) -> ActionView:
    hint = rules.hint(position, action)
    return ActionView(
        text=rules.spell(position, action),
        clicks=list(rules.clicks(position, action)),
        puts=rules.puts(position, action),
        hint=hint_view(rules, hint) if hint else None,
        ends=_ends(rules, position, action) if rules.passes and action >= rules.actions.extra(0) else None,
    )


def _ends(rules: Rules[P], position: P, action: int) -> str | None:
    """How an action ends the game for whoever does it; None where the game goes on."""
    outcome = rules.outcome(rules.play(position, action))
    if outcome is None:
        return None
    return "win" if position.to_move in outcome.winners else "lose" if outcome.winners else "draw"


def hint_view(rules: Rules[P], hint: Hint) -> HintView:
    """A hint with names for points."""
    points = {name: [rules.board.names[p] for p in getattr(hint, name)] for name in POINTS}
    return HintView(words=hint.words, lead=hint.lead, mark=hint.mark, **points)


def did(match: Match) -> HintView | None:
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
    return hint_view(rules, hint) if hint else None


def removed(match: Match) -> list[RemovedView]:
    """Whose pieces went off the board with the last turn, other than those that its player moved.

    >>> m = Match("tanbo(size=9)"); m.play("A2"); removed(m)
    []
    """
    then = match.copy()
    then.undo_turn()
    rules, before, now = match.rules, then.plain.board, match.plain.board
    names, pressed = rules.board.names, match.last_turn.replace("-", " ").split()
    gone = [point for point, piece in enumerate(before) if piece and not now[point] and names[point] not in pressed]
    lost: dict[int, list[str]] = {}
    for point in gone:
        lost.setdefault(rules.pieces[before[point] - 1].seat, []).append(names[point])
    return [RemovedView(seat=rules.seats[seat], points=lost[seat]) for seat in sorted(lost)]


def running(match: Match) -> list[int] | None:
    """The count as it stands between two turns; None where a game counts nothing.

    >>> running(Match("root_down")), running(Match("tanbo"))
    ([6, 6], None)
    """
    found = None if match.mid_turn else match.rules.scores(match.plain)
    return list(found) if found else None


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
