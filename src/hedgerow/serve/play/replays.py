"""Positions, lines and records that people send: pictures of them, legality, records; work for the workshop.

Text goes in and text or plain values come out, so that a process of its own can do it. All of it takes longer the more
is sent: a game of 500 turns takes a fifth of a second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import BaseModel, Field

from hedgerow import draw
from hedgerow.game import HedgerowError
from hedgerow.match import Match, read
from hedgerow.paper.packed import packed
from hedgerow.record import read_record as taken_apart
from hedgerow.serve.play.moments import Moment, moments_of
from hedgerow.serve.play.views.board import BoardView, shown
from hedgerow.serve.play.views.looks import drawn
from hedgerow.serve.refusals import Refused, refusal_of

MAX_TURNS_CHARS = 20_000
"""How many characters a game may have as text."""
FIRST = "hexbo(side=5)"
"""The board that lies there when nobody asks for another: one for beginners."""


NUMBER = re.compile(r"(?<!\S)\d{1,6}\.(?!\S)")
"""The number of a turn."""


class PositionView(BoardView):
    """A position as a board shows it, and as text."""

    rules: str
    title: str
    seats: list[str]
    position: str


class RecordView(BaseModel):
    """What a record says."""

    rules: str
    position: str | None
    turns: list[str]
    line: list[str] = Field(description="the same, and who left when: `resign 1`, `flag 1` or `draw`")
    tags: dict[str, str]


class Judged(BaseModel):
    """Whether a move may be played, and why not."""

    legal: bool
    code: str = ""
    reason: str = ""
    points: list[str] = []
    clause: str = ""


class SentGame(NamedTuple):
    """A game as somebody sends it: its rules, where from (the start if nowhere), and the words of all turns since."""

    rules: str
    position: str | None = None
    turns: str = ""

    def match(self) -> Match:
        """The match so far; raises where it cannot be played."""
        match = Match(self.rules, position=self.position)
        play_all(match, self.turns)
        return match


def play_all(match: Match, text: str) -> None:
    """Plays turns, and lets leave who left.

    >>> m = Match("hexbo(side=5,players=3)"); play_all(m, "A1 resign 1 E1"); m.turns, m.to_move
    (('A1', 'E1'), 0)
    """
    words = iter(text.split())
    for word in words:
        if word in ("resign", "flag"):
            seat = next(words, "")
            if len(seat) != 1 or not seat.isdecimal():
                raise HedgerowError(f"cannot read {word} {seat!r:.20}; hint: like `{word} 0`, the number of a seat")
            (match.resign if word == "resign" else match.flag)(int(seat))
        elif word == "draw":
            match.agree_draw()
        else:
            match.play(word)


# --- what the API asks for --------------------------------------------------------------------------------------------


def look(line: SentGame) -> bytes:
    """A `PositionView` as JSON."""
    return position_seen(line.match())


def position_seen(match: Match) -> bytes:
    """The same of a match."""
    rules = match.rules
    view = PositionView(
        **dict(shown(match)),
        rules=rules.name,
        title=rules.game.title,
        seats=list(rules.seats),
        position=match.position(),
    )
    return view.model_dump_json().encode()


def judge(line: SentGame, text: str, pressed: Sequence[str] = ()) -> Judged:
    """Whether a move may be played there: the one that is written, or the one that was meant by what was pressed."""
    match = line.match()
    return judged(match, meant(match, pressed) if pressed else text)


def judged(match: Match, text: str) -> Judged:
    """Whether a move may be played now, and the rule that forbids it."""
    reason = match.why_not(text)
    if reason is None:
        return Judged(legal=True)
    return Judged(legal=False, code=reason.code, reason=reason.text, points=list(reason.points), clause=reason.clause)


def meant(match: Match, pressed: Sequence[str]) -> str:
    """The move that somebody meant: like one that begins with the same presses, but with the last one in it.

    >>> meant(Match("root_down"), ["b2", "b5"]), meant(Match("root_and_thorn"), ["a9"])
    ('b2-b5', 'Ma9')
    """
    rules, position, (*before, last) = match.rules, match.plain, pressed
    for action in [] if match.outcome else rules.legal(position):
        clicks = rules.clicks(position, action)
        if (
            list(clicks[: len(before)]) == before
            and (instead := clicks[len(before) :])
            and instead[0] in rules.board.point
        ):
            return rules.spell(position, action).replace(instead[0], last)
    return last


def picture(line: SentGame, theme: str, labels: bool, size: int) -> str:
    """An SVG file."""
    return draw.svg(line.match().scene(), theme, labels, size)


def record_read(text: str) -> RecordView:
    """What a record says."""
    return record_view(read(text))


def record_view(match: Match) -> RecordView:
    """A match as what its record says."""
    start = match.begin == match.rules.start()
    return RecordView(
        rules=match.rules.name,
        position=None if start else match.rules.write(match.begin),
        turns=list(match.turns),
        line=[line.text for line in taken_apart(match.record()).lines],
        tags=match.tags,
    )


def record_written(line: SentGame, tags: dict[str, str]) -> str:
    """A game as text."""
    match = line.match()
    match.tags.update(tags)
    return match.record()


# --- what the engine is asked about -----------------------------------------------------------------------------------


class Question(NamedTuple):
    """A position that somebody wants to know more about; `moments` are those of the whole game, where wanted."""

    rules: str
    position: str
    turn: int
    """How many turns were played before it."""
    turns: int
    """How many the game has."""
    over: bool
    nearby: list[str]
    """This position, and others that are told of or that led to it, as text."""
    moments: list[Moment]


LEADING = 3
"""How many turns before a position are looked at, too: whoever appends turns to a game asks about that game."""


def question(line: SentGame, whole: bool = False, turn: int | None = None) -> Question:
    """A line after one of its turns or after all of them; or, as a whole, every position of it."""
    game = line.match()
    match = game if turn is None else game.after(turn)
    moments = moments_of(match) if whole else []
    nearby = [match.position(), *(moment.position for moment in moments)] if whole else leading(match)
    turns = len(match.turns), len(game.turns)
    return Question(match.rules.name, match.position(), *turns, bool(match.outcome), nearby, moments)


def leading(match: Match) -> list[str]:
    """A position and those before the last turns that led to it, as text.

    >>> m = Match("tanbo(size=9)"); m.play("A2 A8"); len(leading(m))
    3
    """
    then, found = match.copy(), [match.position()]
    while then.actions and len(found) <= LEADING:
        then.undo_turn()
        found.append(then.position())
    return found


# --- what the analysis page shows -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Study:
    """What is on the board of the analysis page: a game, and how it stood after one of its turns."""

    rules: str
    tags: dict[str, str]
    turns: tuple[str, ...]
    turn: int
    """After how many turns it is shown."""
    last: str
    """The turn before that; empty at the start."""
    prompt: str
    position: str
    board: str
    """The picture, as SVG."""
    record: RecordView
    packed: str
    """The record for an address."""
    error: Refused | None = None
    """What was wrong with what was asked for; the game is another then."""
    typed: dict[str, str] = field(default_factory=dict)
    """What somebody typed that could not be read, so that nothing of it is lost."""


def free_study(line: SentGame, turn: int | None, best: Sequence[str] = ()) -> Study:
    """A board as asked for, with the points of the best turn marked; where that cannot be, an empty one and why."""
    try:
        if len(line.rules) > 200 or len(line.position or "") > 2_000 or len(line.turns) > MAX_TURNS_CHARS:
            raise Refused("bad_request", "that is too long; hint: bring a whole game as a record")
        return study_of(line._replace(rules=line.rules or FIRST).match(), turn, best)
    except HedgerowError as error:
        return no_study(line.rules[:200], error, {"position": line.position or ""})


def record_study(record: str, turn: int | None, best: Sequence[str] = ()) -> Study:
    """The same of a record."""
    try:
        return study_of(read(record), turn, best)
    except HedgerowError as error:
        return no_study("", error, {"record": record})


def written_study(text: str, rules: str, position: str = "") -> Study:
    """The same of a record, or of turns alone that go with the rules and the position that lie there.

    >>> written_study("1. A2 2. H1 A3", "tanbo(size=9)").turns, written_study("1. A2 2. Z9", "tanbo(size=9)").typed
    (('A2', 'H1', 'A3'), {'record': '1. A2 2. Z9'})
    """
    if any(line.startswith("Game:") for line in text.splitlines()):
        return record_study(text, None)
    study = free_study(SentGame(rules, position or None, NUMBER.sub(" ", text.replace(";", " "))), None)
    return replace(study, typed={"record": text}) if study.error else study


def no_study(rules: str, error: HedgerowError, typed: dict[str, str]) -> Study:
    """An empty board and what was wrong."""
    try:
        study = study_of(Match(rules), 0)
    except HedgerowError:
        study = study_of(Match(FIRST), 0)
    return replace(study, error=refusal_of(error), typed=typed)


def study_of(match: Match, turn: int | None, best: Sequence[str] = ()) -> Study:
    """A match after a turn, the last if none or no such is asked for."""
    turns = match.turns
    then = match if turn is None else match.after(min(turn, len(turns)))
    return Study(
        rules=match.rules.name,
        tags=match.tags,
        turns=turns,
        turn=len(then.turns),
        last=(then.turns or ("",))[-1],
        prompt=then.prompt,
        position=then.position(),
        board=drawn(then.scene(tuple(dict.fromkeys(best))), styled=False),
        record=record_view(match),
        packed=packed(match.record()),
    )
