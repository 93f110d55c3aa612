"""How somebody likes the boards: a look, coordinates, motion, which side is near, confirmed turns. Kept in a cookie."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import NamedTuple

from starlette.requests import HTTPConnection

from hedgerow import draw
from hedgerow.draw.themes import LOOKS
from hedgerow.scene import Scene

COOKIE = "looks"
LASTS = 400 * 24 * 60 * 60
"""How many seconds it is kept: as long as browsers keep any."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "look": LOOKS,
    "light": ("system", "day", "night"),
    "coordinates": ("on", "off"),
    "side": ("own", "first"),
    "motion": ("system", "off"),
    "sound": ("off", "on"),
    "confirm": ("off", "on"),
}
"""What may be chosen, and from what; the first is as it is without a choice."""


class Looks(NamedTuple):
    """One choice of each."""

    look: str = "hedgerow"
    light: str = "system"
    coordinates: str = "on"
    side: str = "own"
    motion: str = "system"
    sound: str = "off"
    confirm: str = "off"

    @classmethod
    def chosen(cls, values: Mapping[str, str]) -> Looks:
        """What a form asks for; what it does not say, or what cannot be chosen, is as usual.

        >>> Looks.chosen({"look": "pencil", "sound": "loud"})
        Looks(look='pencil', light='system', coordinates='on', side='own', motion='system', sound='off', confirm='off')
        """
        return cls(**{name: values[name] for name, choices in CHOICES.items() if values.get(name) in choices})

    @classmethod
    def read(cls, cookie: str | None) -> Looks:
        """What a cookie says: `look=pencil.motion=off`.

        >>> Looks.read(Looks(look="sheet").written()).look, Looks.read("?") == Looks()
        ('sheet', True)
        """
        words = (word.partition("=") for word in (cookie or "")[:400].split("."))
        return cls.chosen({name: value for name, _, value in words})

    def written(self) -> str:
        """The cookie: what is not as usual."""
        return ".".join(f"{name}={value}" for name, value in self.unusual.items())

    @property
    def unusual(self) -> dict[str, str]:
        """The choices that somebody made."""
        return {name: value for name, value in self._asdict().items() if value != CHOICES[name][0]}


USUAL = Looks()
_now: ContextVar[Looks] = ContextVar("looks", default=USUAL)


async def notice(connection: HTTPConnection) -> None:
    """Before any route is taken: how whoever asks likes the boards."""
    _now.set(Looks.read(connection.cookies.get(COOKIE)))


def liked() -> Looks:
    """How whoever asks likes the boards."""
    return _now.get()


def like(looks: Looks) -> None:
    """The same for somebody whose work is done elsewhere."""
    _now.set(looks)


def drawn(scene: Scene, far: bool = False, styled: bool = True) -> str:
    """A picture as whoever asks likes it; for somebody who sits at the far side, from there."""
    now = _now.get()
    return draw.svg(scene, now.look, across=far and now.side == "own", styled=styled)
