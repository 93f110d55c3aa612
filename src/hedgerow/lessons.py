"""Lessons and drawn examples, as games keep them in `lesson.txt`: positions, what to do, and what is said then."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from hedgerow.games import game as game_of
from hedgerow.match import Match
from hedgerow.scene import Scene as Picture

ANY = "any"
FILE = "lesson.txt"


@dataclass(frozen=True)
class Scene:
    """A position to show: which rules, where from, and the points to light."""

    rules: str
    position: str | None
    light: tuple[str, ...] = ()
    turns: str = ""
    """A game from its start that leads there: no position is shown that cannot arise."""

    def match(self) -> Match:
        """The position, ready to be played on."""
        return Match(self.rules, position=self.position)

    def picture(self) -> Picture:
        """What is drawn of it."""
        return self.match().scene(self.light)


@dataclass(frozen=True)
class Figure:
    """A drawn example that stands below a clause of the rules."""

    clause: str
    says: str
    scene: Scene


@dataclass(frozen=True)
class Step:
    """One small thing to do: a turn out of some, or a point to press that is refused."""

    title: str
    says: str
    do: str
    then: str
    scene: Scene
    wanted: tuple[str, ...] = ()
    """The turns that are right; ("any",) takes every one. Empty where a point is to be refused."""
    refused: str = ""
    """The move that the rules refuse, as it is spelled."""
    code: str = ""
    press: tuple[str, ...] = ()
    """What is pressed to try that move."""
    claims: dict[str, str] = field(default_factory=dict)
    """What the step says comes of it, for the tests: removed, claimed, becomes, score, winner."""

    def handed(self) -> dict[str, object]:
        """What the script on the page is handed: no rule, only what to compare with."""
        return {
            "rules": self.scene.rules,
            "position": self.scene.position,
            "light": self.scene.light,
            "wanted": self.wanted,
            "refused": self.refused,
            "press": self.press,
        }


@dataclass(frozen=True)
class Lesson:
    """What a game brings to its page: how it plays, the board to begin on, drawn examples and steps."""

    about: str
    play: str
    middle: str = ""
    """Turns on that board that lead into the middle of a game."""
    figures: tuple[Figure, ...] = ()
    steps: tuple[Step, ...] = ()

    def drawn_below(self, clause: str) -> tuple[Figure, ...]:
        """The drawn examples that stand below a clause of the rules."""
        return tuple(figure for figure in self.figures if figure.clause == clause)


@cache
def lesson_of(name: str) -> Lesson:
    """The lesson of a game; one without a `lesson.txt` has no steps.

    >>> lesson_of("tanbo").play
    'tanbo(size=9)'
    """
    game = game_of(name)
    written = game.file(FILE)
    if written is None:
        return Lesson(game.about, name)
    blocks = [_block(text) for text in written.split("\n\n") if text.strip()]
    head = blocks[0]
    return Lesson(
        head["about"],
        head["play"],
        head.get("middle", ""),
        tuple(_figure(block, head["play"]) for block in blocks if "figure" in block),
        tuple(_step(block, head["play"]) for block in blocks if "step" in block),
    )


@cache
def rules_of(name: str) -> str:
    """The rules of a game as they are written down."""
    return game_of(name).rules_text()


def _block(text: str) -> dict[str, str]:
    """The lines `key: words` of a block; a key that comes again goes on, and indented lines are the rows of a board.

    >>> _block("say: One\\nsay: two.\\n  . #\\n . .")
    {'say': 'One two.', 'rows': '.#/..'}
    """
    found: dict[str, str] = {}
    for line in text.strip("\n").splitlines():
        if line.startswith(" "):
            found["rows"] = "/".join([*filter(None, [found.get("rows")]), line.replace(" ", "")])
        elif not line.startswith("#"):
            key, words = line.split(":", 1)
            found[key] = f"{found.get(key, '')} {words.strip()}".strip()
    return found


def _scene(block: dict[str, str], usual: str) -> Scene:
    rules, turns = block.get("rules", usual), block.get("turns", "")
    drawn = f"{block['rows']} {block.get('to move', '0')}" if "rows" in block else None
    position = _reached(rules, turns) if turns and not drawn else drawn
    return Scene(rules, position, tuple(block.get("light", "").split()), turns)


def _reached(rules: str, turns: str) -> str:
    match = Match(rules)
    match.play(turns)
    return match.position()


def _figure(block: dict[str, str], usual: str) -> Figure:
    return Figure(block["figure"], block["say"], _scene(block, usual))


def _step(block: dict[str, str], usual: str) -> Step:
    refused, _, code = block.get("refused", "").partition(" ")
    told = ("removed", "claimed", "becomes", "score", "winner")
    return Step(
        block["step"],
        block["say"],
        block["do"],
        block["then"],
        _scene(block, usual),
        tuple(turn.strip() for turn in block.get("want", "").split("|") if turn.strip()),
        refused,
        code,
        tuple(block.get("press", refused).split()),
        {key: block[key] for key in told if key in block},
    )
