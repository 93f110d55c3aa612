"""A match: rules and what has been played so far. It is the only thing here that changes.

>>> m = Match("hexbo(side=5)")
>>> m.play("B3"); m.to_move, m.turns
(1, ('B3',))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from hedgerow import draw
from hedgerow.game import BadRecord, HedgerowError, IllegalMove, Outcome, Position, Reason, Rules, UnreadableMove
from hedgerow.games import make
from hedgerow.record import RecordLine, bad_line, read_record, write_record

ENDINGS = {"resign": "resignation", "flag": "time", "draw": "agreement"}
COMPUTED = ("Game", "Position", "Result", "Reason", "Scores")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened: an action, or a seat that left, or an agreed draw; and the position after it."""

    position: Position
    word: str
    action: int = -1
    event: str = ""
    seat: int = -1
    outcome: Outcome | None = None
    ended: Outcome | None = None
    """How the game ended with it, by an event or by the rules; judged once, when it happens."""


class Match:
    """A game in play: `play`, `undo`, `legal`, `outcome`, `record`.

    >>> Match("tanbo")
    <Match tanbo: Grow a root: place a stone that touches exactly one of yours.>
    """

    def __init__(self, game: str | Rules[Any], *, position: str | None = None) -> None:
        self.rules: Rules[Any] = game if isinstance(game, Rules) else make(game)
        start = self.rules.start()
        self._begin: Position = start if position is None else self.rules.parse(position)
        self._steps: list[Step] = []
        self.tags: dict[str, str] = {"Date": date.today().isoformat()}
        """Free headers of the record: the players by the name of their seat, the date, the event."""
        self.tags.update((seat, "?") for seat in self.rules.seats)

    def __repr__(self) -> str:
        return f"<Match {self.rules.name}: {self.prompt}>"

    def __str__(self) -> str:
        return draw.text(self.scene())

    def _repr_svg_(self) -> str:
        return self.svg()

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def plain(self) -> Any:
        """The position now, as a value that the rules understand.

        >>> m = Match("tanbo"); m.rules.legal(m.plain)[:3]
        [1, 11, 13]
        """
        return self._steps[-1].position if self._steps else self._begin

    @property
    def begin(self) -> Any:
        """The position that the match began with, as a value.

        >>> m = Match("tanbo"); m.play("A2"); m.begin == m.rules.start()
        True
        """
        return self._begin

    @property
    def actions(self) -> tuple[int, ...]:
        """The number of every action so far, -1 where somebody left or a draw was agreed.

        >>> m = Match("tanbo"); m.play("A2"); m.actions
        (1,)
        """
        return tuple(step.action for step in self._steps)

    @property
    def to_move(self) -> int:
        """The seat whose turn it is, from 0.

        >>> Match("root_down").to_move
        0
        """
        seat: int = self.plain.to_move
        return seat

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on.

        >>> m = Match("tanbo"); m.resign(0); m.outcome
        Outcome(reason='resignation', scores=None, winners=(1,), places=(2, 1))
        """
        return self._steps[-1].ended if self._steps else self.rules.outcome(self._begin)

    def legal(self) -> list[str]:
        """The spelling of every action legal now, sorted; empty when the game is over.

        >>> Match("root_down").legal()[:3]
        ['b2-b4', 'b2-d4', 'c2-a4']
        """
        if self.outcome:
            return []
        position = self.plain
        return sorted(self.rules.spell(position, action) for action in self.rules.legal(position))

    def why_not(self, text: str) -> Reason | None:
        """None if the move may be played now, else the Reason why not.

        >>> str(Match("root_and_thorn").why_not("Ma9"))
        'Your Maple must stand in your own half, ranks 1 to 5.'
        """
        try:
            self.copy().play(text)
        except IllegalMove as refused:
            return refused.reason
        except UnreadableMove as unread:
            return Reason("unreadable", f"{str(unread)[:1].upper()}{str(unread)[1:]}.")
        return None

    def cells(self) -> dict[str, str]:
        """The code of every piece by the name of its point.

        >>> Match("root_down").cells()["c1"]
        '0R'
        """
        return self.rules.cells(self.plain)

    @property
    def prompt(self) -> str:
        """One sentence: what the player to move may do now, or how the game ended.

        >>> Match("root_and_thorn").prompt
        'Plant your Maple anywhere in your half, ranks 1 to 5.'
        """
        step, seats = self._steps[-1] if self._steps else None, self.rules.seats
        if step is None or step.outcome is None:
            return self.rules.prompt(self.plain)
        if step.event == "draw":
            return "A draw was agreed."
        left = "resigned" if step.event == "resign" else "ran out of time"
        return f"{seats[step.seat]} {left}: {seats[step.outcome.winners[0]]} wins."

    @property
    def turns(self) -> tuple[str, ...]:
        """What was played, a text per turn; the last turn may be unfinished.

        >>> m = Match("root_bound(side=4)"); m.play("a1 c3 g2 d4"); m.turns
        ('a1', 'c3 g2', 'd4')
        """
        return tuple(line.text for line in self._lines() if not line.event)

    @property
    def last_word(self) -> str:
        """How the last action is spelled; empty at the start.

        >>> m = Match("root_bound(side=4)"); m.play("a1 C3"); m.last_word
        'c3'
        """
        return self._steps[-1].word if self._steps else ""

    @property
    def last_turn(self) -> str:
        """What was played last, as far as it goes; empty at the start, and where somebody has left since.

        >>> m = Match("root_bound(side=4)"); m.play("a1 c3"); m.last_turn
        'c3'
        """
        return " ".join(step.word for step in self._last_turn() if not step.event)

    @property
    def mid_turn(self) -> bool:
        """The player to move has begun a turn that has not ended.

        >>> m = Match("root_bound(side=4)"); m.play("a1 c3"); m.mid_turn
        True
        """
        return self.outcome is None and self.rules.mid_turn(self.plain)

    def scene(self, highlights: tuple[str, ...] = ()) -> draw.Scene:
        """The picture of the position, with the last turn marked.

        >>> len(Match("tanbo(size=9)").scene().marks)
        4
        """
        points, over = self.rules.board.point, self.outcome is not None
        last = tuple(points[name] for name in self._last_clicks() if name in points)
        if unknown := [name for name in highlights if name not in points]:
            raise HedgerowError(f"no point {unknown[0]!r:.40} to highlight; hint: like {self.rules.board.names[0]}")
        scene = self.rules.scene(self.plain, last, tuple(points[name] for name in highlights))
        turn = self.prompt if over else f"{self.rules.seats[self.to_move]} is to move."
        return replace(scene, to_move=None if over else self.to_move, description=f"{scene.description} {turn}")

    def svg(self) -> str:
        """The position as an SVG picture.

        >>> Match("tanbo(size=9)").svg().startswith("<svg")
        True
        """
        return draw.svg(self.scene())

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, text: str) -> None:
        """Plays one action or several, all or none: raises IllegalMove or UnreadableMove and changes nothing.

        >>> m = Match("root_and_thorn"); m.play("Me3 Me8 Ue4"); m.turns
        ('Me3', 'Me8', 'Ue4')
        """
        before = len(self._steps)
        if not isinstance(text, str):
            raise UnreadableMove(f"cannot read {text!r:.40}; hint: a move is text")
        try:
            for word in text.split() or [""]:
                self._play_word(word)
        except BaseException:
            del self._steps[before:]
            raise

    def _play_word(self, word: str) -> None:
        rules, position = self.rules, self.plain
        action = rules.read(position, word)
        self._refuse_if_over(word)
        if isinstance(action, Reason):
            raise IllegalMove(word, action, rules.game.title)
        if reason := rules.forbids(position, action):
            raise IllegalMove(word, reason, rules.game.title)
        after = rules.play(position, action)
        ended = rules.outcome(after)
        self._steps.append(Step(after, rules.spell(position, action), action, ended=ended))

    def play_turn(self, text: str) -> None:
        """Plays exactly one turn, or the rest of one: raises as `play` does, and where the turn does not end there.

        >>> m = Match("root_bound(side=4)"); m.play_turn("a1"); m.play_turn("c3 g2"); m.turns
        ('a1', 'c3 g2')
        """
        before = len(self._steps)
        try:
            for word in (text.split() if isinstance(text, str) else None) or [text]:
                if len(self._steps) > before and not self.mid_turn:
                    raise self._no_turn(text, "several_turns", f"more than one turn, it ended before {word!r:.42}")
                self.play(word)
            if self.mid_turn:
                raise self._no_turn(text, "unfinished", f"unfinished turn; hint: {self.prompt}")
        except HedgerowError:
            del self._steps[before:]
            raise

    def _no_turn(self, text: str, code: str, why: str) -> IllegalMove:
        return IllegalMove(text[:80], Reason(code, why), self.rules.game.title)

    def resign(self, seat: int) -> None:
        """A seat gives up; the last seat still in wins at once.

        >>> m = Match("hexbo(players=3)"); m.resign(1); m.resign(0); m.outcome.places
        (2, 3, 1)
        """
        self._leave("resign", seat)

    def flag(self, seat: int) -> None:
        """A seat has run out of time, which ends its game like a resignation.

        >>> m = Match("root_bound"); m.flag(0); m.outcome.reason
        'time'
        """
        self._leave("flag", seat)

    def agree_draw(self) -> None:
        """The players still in agree on a draw.

        >>> m = Match("root_down"); m.agree_draw(); m.outcome.winners
        ()
        """
        self._refuse_if_over("draw")
        places = tuple(place or 1 for place in self.rules.placed(self.plain))
        outcome = Outcome(ENDINGS["draw"], None, (), places)
        self._steps.append(Step(self.plain, "draw", event="draw", outcome=outcome, ended=outcome))

    def _leave(self, event: str, seat: int) -> None:
        rules, position, word = self.rules, self.plain, f"{event} {seat}"
        self._refuse_if_over(word)
        if type(seat) is not int or seat not in range(rules.players) or rules.placed(position)[seat]:
            clause = rules.end_clauses.get("elimination", "")
            reason = Reason("not_in", f"There is no seat {seat} still in the game.", (), clause)
            raise IllegalMove(word, reason, rules.game.title)
        if rules.players > 2:
            position = rules.retire(position, seat)
            ended = rules.outcome(position)
            outcome = ended and replace(ended, reason=ENDINGS[event])
        else:
            outcome = Outcome(ENDINGS[event], None, (1 - seat,), (2, 1) if seat == 0 else (1, 2))
        ended = outcome or rules.outcome(position)
        self._steps.append(Step(position, word, event=event, seat=seat, outcome=outcome, ended=ended))

    def _refuse_if_over(self, word: str) -> None:
        if outcome := self.outcome:
            raise IllegalMove(word, self.rules.game_over(outcome.reason), self.rules.game.title)

    def undo(self) -> None:
        """Takes back one action (or a resignation); nothing happens at the start.

        >>> m = Match("tanbo"); m.play("A2"); m.undo(); m.turns
        ()
        """
        if self._steps:
            self._steps.pop()

    def undo_turn(self) -> None:
        """Takes back the last turn, finished or not.

        >>> m = Match("root_bound(side=4)"); m.play("a1 c3 g2"); m.undo_turn(); m.turns
        ('a1',)
        """
        del self._steps[len(self._steps) - len(self._last_turn()) :]

    def copy(self) -> Match:
        """Another match in the same position with the same past.

        >>> m = Match("tanbo"); other = m.copy(); other.play("A2"); m.turns
        ()
        """
        other = object.__new__(Match)  # without setting up a position to forget at once
        other.rules, other._begin = self.rules, self._begin
        other._steps, other.tags = self._steps.copy(), dict(self.tags)
        return other

    def after(self, turns: int) -> Match:
        """The same match after so many of its turns, with whoever left before the next one.

        >>> m = Match("hexbo(side=5,players=3)"); m.play("A1"); m.resign(1); m.play("E1")
        >>> then = m.after(1); then.turns, then.to_move
        (('A1',), 2)
        """
        groups, then = self._groups(), self.copy()
        played = [number for number, group in enumerate(groups) if not group[0].event]
        if type(turns) is not int or not 0 <= turns <= len(played):
            raise HedgerowError(f"no turn {turns!r:.20} in this game; hint: it has {len(played)}, and 0 is its start")
        kept = groups[: played[turns]] if turns < len(played) else groups
        del then._steps[sum(map(len, kept)) :]
        return then

    def _groups(self) -> list[list[Step]]:
        """The steps by turn; an event stands alone."""
        groups: list[list[Step]] = []
        going = False
        for step in self._steps:
            if going and not step.event:
                groups[-1].append(step)
            else:
                groups.append([step])
            going = not step.event and self.rules.mid_turn(step.position)
        return groups

    def _last_turn(self) -> list[Step]:
        """The steps of the last turn, found from the end."""
        start = len(self._steps) - 1
        if start < 0:
            return []
        while start > 0 and not self._steps[start].event and self._goes_on(self._steps[start - 1]):
            start -= 1
        return self._steps[start:]

    def _last_clicks(self) -> list[str]:
        """What was pressed for the last turn, also where somebody has left since."""
        if self._steps and self._steps[-1].event:
            earlier = self.copy()
            earlier.undo()
            return earlier._last_clicks()
        last = self._last_turn()
        before = [self._begin, *(step.position for step in self._steps[-len(last) - 1 :])][-len(last) - 1 : -1]
        return [name for position, step in zip(before, last) for name in self.rules.clicks(position, step.action)]

    def _goes_on(self, step: Step) -> bool:
        return not step.event and self.rules.mid_turn(step.position)

    # --- as text ------------------------------------------------------------------------------------------------------

    def position(self) -> str:
        """The position as text; `Match(name, position=text)` goes on from it.

        >>> Match("tanbo(size=9)").position()
        '........./.#.....O./........./........./........./........./........./.O.....#./......... 0'
        """
        return self.rules.write(self.plain)

    def record(self) -> str:
        """The whole game as text; `read` gives it back.

        >>> m = Match("hexbo(side=5)"); m.play("B3"); read(m.record()).turns
        ('B3',)
        """
        if clash := [key for key in self.tags if str(key).title() in COMPUTED]:
            raise BadRecord(f"the tag {clash[0]!r} is written by the match itself; hint: choose another name")
        computed = self._computed_tags()
        first = {key: computed.pop(key) for key in ("Game", "Position") if key in computed}
        return write_record(first | self.tags | computed, self._lines())

    def _computed_tags(self) -> dict[str, str]:
        tags = {"Game": self.rules.name}
        if self._begin != self.rules.start():
            tags["Position"] = self.rules.write(self._begin)
        outcome = self.outcome
        if outcome is None:
            return tags | {"Result": "*"}
        winners = " and ".join(self.rules.seats[seat] for seat in outcome.winners)
        tags |= {"Result": f"{winners} wins" if winners else "draw", "Reason": outcome.reason}
        return tags | ({"Scores": " ".join(map(str, outcome.scores))} if outcome.scores else {})

    def _lines(self) -> list[RecordLine]:
        return [
            RecordLine(0, " ".join(step.word for step in group), group[0].event, group[0].seat)
            for group in self._groups()
        ]


def read(text: str) -> Match:
    """The match that a record tells; raises BadRecord naming the line.

    >>> read("Game: tanbo\\n\\n1. A2\\n2. A4\\n")
    Traceback (most recent call last):
    hedgerow.game.errors.BadRecord: line 4: illegal move 'A4': A4 touches no stone of yours (Tanbo rule 3.2)
    """
    record = read_record(text)
    tags = dict(record.tags)
    for key in tags:
        if key.title() in COMPUTED and key not in COMPUTED:
            raise bad_line(record.tag_lines[key], f"the header {key!r}; hint: it is spelled {key.title()}")
    match = _begin(tags, record.tag_lines)
    match.tags = {key: value for key, value in tags.items() if key not in COMPUTED}
    for line in record.lines:
        try:
            _replay(match, line)
        except BadRecord:
            raise
        except HedgerowError as error:
            raise bad_line(line.number, error) from error
    _check_tags(match, record.tags, record.tag_lines)
    return match


def _begin(tags: dict[str, str], tag_lines: dict[str, int]) -> Match:
    if "Game" not in tags:
        raise bad_line(1, "no Game header; hint: begin with a line like `Game: hexbo(side=5)`")
    try:
        rules = make(tags["Game"])
    except HedgerowError as error:
        raise bad_line(tag_lines["Game"], error) from error
    try:
        return Match(rules, position=tags.get("Position"))
    except HedgerowError as error:
        raise bad_line(tag_lines["Position"], error) from error


def _replay(match: Match, line: RecordLine) -> None:
    if line.event == "draw":
        return match.agree_draw()
    if line.event:
        return match._leave(line.event, line.seat)
    steps = match._steps
    if steps and match._goes_on(steps[-1]):
        raise bad_line(line.number, "the turn before is unfinished; hint: one line per turn")
    match.play(line.text)
    if len(match._last_turn()) != len(line.text.split()):
        raise bad_line(line.number, "more than one turn; hint: one line per turn")


def _check_tags(match: Match, tags: dict[str, str], tag_lines: dict[str, int]) -> None:
    """Headers that the play itself tells must agree with it."""
    computed = match._computed_tags()
    for key in ("Result", "Reason", "Scores"):
        if key in tags and tags[key] != computed.get(key):
            raise bad_line(
                tag_lines[key], f"{key} {tags[key][:40]!r} where the play gives {computed.get(key, 'none')!r}"
            )
