"""What the engine is asked: a machine's turn, a hint, the best turns. It takes a while, so a thread should ask.

Nothing here is imported from the search until it is needed: it loads Numba.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from hedgerow.game import HedgerowError, Rules
from hedgerow.match import Match
from hedgerow.terminal.play.seats import Seat, thinker_of

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis

Found = TypeVar("Found")

HINT_SECONDS = 1.5
LONGEST_LOOK = 60.0
"""After how many seconds an evaluation that goes on by itself is good enough."""
_ready: set[tuple[str, str]] = set()


def is_ready(rules: Rules[Any], seat: Seat) -> bool:
    """This machine has played here before, so that nothing has to be compiled or loaded for it."""
    return (rules.name, seat.player or "") in _ready


def prepare(rules: Rules[Any], seat: Seat) -> None:
    """Compiles or loads what a machine needs; nobody's clock should run meanwhile."""
    if not is_ready(rules, seat):
        from hedgerow.search.ready import prepare as compile_for

        compile_for(rules, thinker_of(seat).name)
        _ready.add((rules.name, seat.player or ""))


def choose(seat: Seat, match: Match, seconds: float | None = None) -> str:
    """The text of the rest of the turn that a machine plays; `seconds` is what its clock allows."""
    thinker = thinker_of(seat)
    if seconds is not None:
        thinker.seconds = min(seconds, thinker.seconds or seconds)
    return thinker.choose(match)


def best_turn(match: Match, seconds: float = HINT_SECONDS) -> str:
    """The rest of the turn, as whoever plays the game best would play it."""
    from hedgerow.search import player

    return player(f"best(seconds={seconds})").choose(match)


def looks(match: Match, stop: threading.Event, lines: int = 4, seconds: float = LONGEST_LOOK) -> Iterator[Analysis]:
    """What the engine thinks of a position, better and better, until it is stopped."""
    from hedgerow.search.analysis import snapshots

    yield from snapshots(match, seconds=seconds, every=0.4, lines=lines, stop=stop, memory=128)


def in_background(work: Callable[[], Found], patience: Callable[[], None] | None = None, after: float = 1.0) -> Found:
    """What comes of some work in a thread; Ctrl-C is heard meanwhile, and `patience` is called once it takes long."""
    found: list[Found] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # told to whoever waits
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(after)
    if thread.is_alive() and patience:
        patience()
    while thread.is_alive():
        thread.join(0.1)
    if failed:
        raise failed[0]
    return found[0]


# --- hints ------------------------------------------------------------------------------------------------------------


class Hints:
    """A hint in two steps: first where to look, then the turn itself; another position begins anew."""

    def __init__(self) -> None:
        self._position = ""
        self._turn = ""
        self._told = 0

    def known(self, match: Match) -> bool:
        """The engine need not be asked again."""
        return bool(self._turn) and self._position == self._key(match)

    def learn(self, match: Match, turn: str) -> None:
        """The engine has found this turn."""
        self._position, self._turn, self._told = self._key(match), turn, 0

    def next(self, match: Match) -> tuple[str, tuple[str, ...], frozenset[str]]:
        """What to say now, the points of the turn once they are told, and the area to look at before that."""
        if not self.known(match):
            raise HedgerowError("nothing is known of this position; hint: ask for a hint first")
        self._told += 1
        area = area_of(match, self._turn)
        if self._told == 1 and area:
            return "Look around here. Ask again for the turn.", (), area
        return f"Consider {self._turn}.", points_of(match, self._turn), frozenset()

    @staticmethod
    def _key(match: Match) -> str:
        return f"{match.rules.name} {match.position()}"


def points_of(match: Match, turn: str) -> tuple[str, ...]:
    """The points that are pressed for a turn.

    >>> points_of(Match("root_down"), "b2-b4")
    ('b2', 'b4')
    """
    rules, then, found = match.rules, match.copy(), dict[str, None]()
    for word in turn.split():
        action = rules.read(then.plain, word)
        if isinstance(action, int):
            found.update(dict.fromkeys(rules.clicks(then.plain, action)))
        then.play(word)
    return tuple(name for name in found if name in rules.board.point)


def area_of(match: Match, turn: str) -> frozenset[str]:
    """The points near the first one of a turn, which is not in their middle; none for a pass.

    >>> area = area_of(Match("hexbo"), "K4"); len(area) > 7, "K4" in area
    (True, True)
    """
    board = match.rules.board
    points = points_of(match, turn)
    if not points:
        return frozenset()
    first = board.point[points[0]]
    around = board.neighbours[first]
    middle = around[sum(match.plain.board) % len(around)]
    near = {middle, *board.neighbours[middle]}
    near |= {other for point in tuple(near) for other in board.neighbours[point]}
    return frozenset(board.names[point] for point in near | {first})
