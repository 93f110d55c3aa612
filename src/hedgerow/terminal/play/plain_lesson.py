"""The lesson in lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.draw import text as drawn
from hedgerow.game import HedgerowError
from hedgerow.terminal.play import telling
from hedgerow.terminal.play.commands import Answer
from hedgerow.terminal.play.lesson import Course

if TYPE_CHECKING:
    from hedgerow.terminal.play.plain import PlainGame

HELP = "Type what the step asks for; next, back, again, show, describe, or quit to leave the lesson."


def teach(front: PlainGame, game: str) -> None:
    """Goes through the steps until the last is done, or somebody leaves."""
    course = Course(game)
    front.say(f"The lesson of {course.match.rules.game.title}, {len(course.steps)} steps. {HELP}")
    _begin(front, course)
    while True:
        print("> ", end="", flush=True)
        try:
            line = front.lines.next()
        except EOFError:
            front.say("")
            return
        word = (line or "").lower()
        if word in ("quit", "exit", "q"):
            return
        if word == "next" and course.last:
            front.say("That was the last step.")
            return
        _step(front, course, word, line or "")
        if course.done and course.last:
            front.say("That was the lesson. Well done.")
            return


def _step(front: PlainGame, course: Course, word: str, line: str) -> None:
    moves = {"next": course.number + 1, "": course.number + 1, "back": course.number - 1, "again": course.number}
    if word == "" and not course.done:
        front.say(course.step.do)
    elif word in moves:
        course.go(moves[word])
        _begin(front, course)
    elif word == "show":
        front.say(drawn(course.match.scene(course.light), color=front.color))
    elif word == "describe":
        front.say("\n".join(telling.described(course.match)))
    elif word in ("help", "?"):
        front.say(HELP)
    else:
        _tell(front, course, _tried(course, line))


def _tried(course: Course, line: str) -> Answer:
    try:
        return course.typed(line)
    except HedgerowError as error:
        return Answer(*telling.refused(error))


def _tell(front: PlainGame, course: Course, answer: Answer) -> None:
    if front.boards:
        front.say("\n" + drawn(course.match.scene(answer.points), color=front.color) + "\n")
    front.say(answer.words or course.match.prompt)
    if course.done and not course.last:
        front.say("Type next to go on.")


def _begin(front: PlainGame, course: Course) -> None:
    front.say(f"\nStep {course.number} of {len(course.steps)}: {course.step.title}. {course.step.says}")
    if front.boards:
        front.say("\n" + drawn(course.match.scene(course.light), color=front.color) + "\n")
    front.say(course.step.do)
