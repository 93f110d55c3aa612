"""A lesson played step by step: the position of a step, what was tried in it, and what is said then.

>>> lesson = Course("tanbo"); lesson.step.title, lesson.number, lesson.done
('Grow a root', 1, False)
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.game import HedgerowError, IllegalMove
from hedgerow.lessons import ANY, Step, lesson_of
from hedgerow.match import Match
from hedgerow.terminal.play import telling
from hedgerow.terminal.play.commands import Answer


class Course:
    """Where somebody is in the lesson of a game."""

    def __init__(self, game: str) -> None:
        self.game, self.steps = game, lesson_of(game).steps
        if not self.steps:
            raise HedgerowError(f"{game} has no lesson; hint: hedgerow rules {game}")
        self.number = 0
        self.match: Match
        self.go(1)

    @property
    def step(self) -> Step:
        """What is to be done now."""
        return self.steps[self.number - 1]

    @property
    def last(self) -> bool:
        """There is no step after this one."""
        return self.number == len(self.steps)

    def go(self, number: int) -> None:
        """To the beginning of a step."""
        self.number = max(1, min(number, len(self.steps)))
        self.done = False
        self.again()

    def again(self) -> None:
        """The position of the step as it was."""
        self.match = self.step.scene.match()

    @property
    def light(self) -> tuple[str, ...]:
        """The points that the step points at, before anything was tried."""
        return self.step.scene.light if not self.match.actions else ()

    def typed(self, text: str) -> Answer:
        """What came of a turn that somebody typed."""
        step, words = self.step, text.lower().replace("-", " ").split()
        if step.refused and words in (step.refused.lower().replace("-", " ").split(), [p.lower() for p in step.press]):
            return self._meant()
        answer = Answer()
        for word in text.split():
            answer = self.played(word)
            if answer.words:
                return answer
        return answer

    def pressed(self, tried: Sequence[str], refused: str) -> Answer:
        """What came of pressing something that may not be."""
        if self.step.refused and list(tried) == list(self.step.press):
            return self._meant()
        return self._refused(refused)

    def _refused(self, text: str) -> Answer:
        reason = self.match.why_not(text)
        if reason is None or not reason.clause:
            return Answer("That is not it. " + self.step.do)
        return Answer(telling.refusal(reason, self.match.rules.game.title), reason.points)

    def _meant(self) -> Answer:
        reason = self.match.why_not(self.step.refused)
        self.done = True
        said = telling.refusal(reason, self.match.rules.game.title) if reason else ""
        return Answer(f"{said} {self.step.then}".strip(), reason.points if reason else (), "finished")

    def played(self, action: str) -> Answer:
        """What came of an action: nothing to say while a turn goes on that may be right."""
        before = self.match.copy()
        try:
            self.match.play(action)
        except IllegalMove:
            return self._refused(action)
        turn, wanted = self.match.last_turn, self.step.wanted
        if self.match.mid_turn and (ANY in wanted or any(one.startswith(f"{turn} ") for one in wanted)):
            return Answer()
        if ANY in wanted or turn in wanted:
            self.done = True
            return Answer(self.step.then, (), "finished")
        self.match = before
        self.again()
        return Answer(f"That may be played, but it is not what was asked. {self.step.do}")
