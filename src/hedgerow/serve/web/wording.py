"""Days, clocks, games, players and endings in the reader's words, for templates."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache, lru_cache

from hedgerow.games import game as game_of
from hedgerow.games import games, make
from hedgerow.search.findings import percents
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.play.views.lists import ChallengeView
from hedgerow.serve.refusals import sentences
from hedgerow.serve.web.stages import level, stage
from hedgerow.serve.web.texts import _, _n, language

MACHINE = re.compile(r"Machine, level\((\d+)\)")


def day(at: int | None) -> str:
    """The day of a time.

    >>> day(951_782_400_000), day(None)
    ('2000-02-29', 'never')
    """
    return _("never") if at is None else datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


def span(left: int) -> str:
    """How long that is, roughly.

    >>> span(2 * 86_400_000 + 5), span(7_260_000), span(61_000)
    ('2 days', '2 hours', '1 minute')
    """
    if left >= DAY:
        return _n("%(num)s day", "%(num)s days", left // DAY)
    if left >= 3_600_000:
        return _n("%(num)s hour", "%(num)s hours", left // 3_600_000)
    if left >= 60_000:
        return _n("%(num)s minute", "%(num)s minutes", left // 60_000)
    return _n("%(num)s second", "%(num)s seconds", left // 1000)


def whole(left: int) -> int:
    """A time without what `span` does not show of it.

    >>> whole(2 * DAY + 5), whole(7_265_000), whole(61_234), whole(1_999)
    (172800000, 7200000, 60000, 1000)
    """
    unit = next((unit for unit in (DAY, 3_600_000, 60_000) if left >= unit), 1_000)
    return left - left % unit


def clock(game: ChallengeView) -> str:
    """The clock of a game in a list."""
    return control(Control(game.clock, game.base_ms, game.increment_ms))


def control(control: Control) -> str:
    """A clock.

    >>> control(Control("live", 180_000, 2_000)), control(Control("days", 86_400_000)), control(Control())
    ('3 minutes, plus 2 seconds a turn', '1 day a turn', 'no clock')
    """
    if control.kind == "live":
        minutes, seconds = f"{control.base_ms / 60_000:g}", f"{control.increment_ms / 1000:g}"
        return _("%(minutes)s minutes, plus %(seconds)s seconds a turn", minutes=minutes, seconds=seconds)
    if control.kind == "days":
        return _n("%(num)s day a turn", "%(num)s days a turn", control.base_ms // DAY)
    return _("no clock")


def titled(rules: str) -> str:
    """A game by its title, with the options that are not the usual ones.

    >>> titled("hexbo"), titled("root_bound(side=5)"), titled("hexbo(side=5,players=3)")
    ('Hexbo', 'Root Bound, side 5', 'Hexbo, side 5, 3 players')
    """
    return _titled(rules, language())


@lru_cache(maxsize=1024)
def _titled(rules: str, _language: str) -> str:
    found = make(rules)
    chosen = [(o.name, found.options[o.name]) for o in found.game.options if found.options[o.name] != o.default]
    words = [_("%(n)s players", n=value) if name == "players" else f"{name} {value}" for name, value in chosen]
    return ", ".join([found.game.title, *words]).replace("_", " ")


def ladder_title(ladder: str) -> str:
    """A ladder: its game, and how many play it where they are not two.

    >>> ladder_title("hexbo/3"), ladder_title("tanbo/2")
    ('Hexbo for 3', 'Tanbo')
    """
    name, _slash, players = ladder.partition("/")
    title = game_of(name).title
    return title if players == "2" else _("%(game)s for %(players)s", game=title, players=players)


def called(name: str) -> str:
    """What somebody is called: a machine by its level, others by their names.

    >>> called("Machine, level(3)"), called("Ann")
    ('Machine, level 3', 'Ann')
    """
    found = MACHINE.fullmatch(name)
    return _("Machine, level %(level)s", level=found[1]) if found else name


def level_of(name: str) -> int | None:
    """The level of a machine of that name.

    >>> level_of("Machine, level(3)"), level_of("Ann")
    (3, None)
    """
    found = MACHINE.fullmatch(name)
    return int(found[1]) if found else None


def ending(reason: str) -> str:
    """Why a game is over, in a word or two.

    >>> ending("passes"), ending("something new")
    ('count', 'something new')
    """
    words = {
        "resignation": _("resignation"),
        "time": _("time"),
        "agreement": _("agreement"),
        "called off": _("called off"),
    }
    return words.get(reason) or _said().get(reason, reason)


@cache
def _said() -> dict[str, str]:
    """What the games themselves say for the reasons of their outcomes."""
    return {reason: words for name in games() for reason, words in game_of(name).measured.endings.items()}


FILTERS = {
    "day": day,
    "span": span,
    "clock": clock,
    "control": control,
    "titled": titled,
    "called": called,
    "level": level,
    "stage": stage,
    "level_of": level_of,
    "ending": ending,
    "sentences": sentences,
    "percents": percents,
}
"""By the names that templates use."""
