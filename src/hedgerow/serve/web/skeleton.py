"""A part of a page that is the same for many readers: rendered once with holes in it, then filled for every reader.

A template is given a `HoleView` and `Holes` instead of values. What they put into the text marks where a value comes
later; filling it in costs a fraction of rendering the template again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from markupsafe import Markup, escape

from hedgerow.serve.play.views.game import SLOT, GameView

OPEN, CLOSE = "\ue000", "\ue001"
"""Around a hole; what fills one is never looked through, so that it may hold them."""
HOLE = re.compile(f"{OPEN}(.)([^{CLOSE}]*){CLOSE}")

Values = Mapping[str, str]
Fill = Callable[[GameView, Values], str]


def _hole(kind: str, name: str) -> Markup:
    return Markup(f"{OPEN}{kind}{name}{CLOSE}")


class Holes:
    """Stands for an object whose attributes, or a mapping whose items, are filled in later; some may be `known`."""

    def __init__(self, prefix: str = "", sign: str = "=", **known: object) -> None:
        self._prefix, self._sign = prefix, sign
        self.__dict__ |= known

    def __getattr__(self, name: str) -> Markup:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Markup:
        return _hole(self._sign, self._prefix + name)


class HoleView:
    """Stands for a `GameView`: what parts of a page show of it."""

    slots = Holes(sign="#")
    flags = _hole("*", "")

    def when(self, flags: str) -> Markup:
        """The attributes of a part of the page that is there with these flags.

        >>> Skeleton(HoleView().when("!over")).filled(GameView(frozenset({"over"})), {})
        Markup(' data-when="!over" hidden')
        """
        return Markup(' data-when="{}"').format(flags) + _hole("?", flags)

    def text(self, words: str, kind: str = "", flags: str = "", tag: str = "span") -> Markup:
        """An element of words with slots in them.

        >>> made = Skeleton(HoleView().text("{name-0} won"))
        >>> made.filled(GameView(frozenset(), {"name-0": "Ann"}), {})
        Markup('<span data-text="{name-0} won">Ann won</span>')
        """
        attributes = Markup(' class="{}"').format(kind) if kind else ""
        there = self.when(flags) if flags else ""
        return Markup(f'<{tag}{attributes}{there} data-text="{escape(str(words))}">{_hole("~", words)}</{tag}>')

    def link(self, slot: str) -> Markup:
        """The attributes of a link whose address is in a slot."""
        return Markup(f' data-link="{slot}"') + _hole("@", slot)

    def either(self, *choices: tuple[str, str]) -> Markup:
        """The word of the first flag that is there."""
        return _hole("|", " ".join(f"{flag}={word}" for flag, word in choices))


class Skeleton:
    """A text with holes."""

    def __init__(self, text: str) -> None:
        self._parts: list[str | Fill] = []
        at = 0
        for found in HOLE.finditer(text):
            self._parts += [text[at : found.start()], FILLS[found[1]](found[2])]
            at = found.end()
        self._parts.append(text[at:])

    def filled(self, view: GameView, values: Values) -> Markup:
        """The text with everything filled in; `values` are escaped unless they are markup."""
        return Markup("".join(part if isinstance(part, str) else part(view, values) for part in self._parts))


# --- what fills a hole ------------------------------------------------------------------------------------------------


def _value(name: str) -> Fill:
    return lambda _view, values: escape(values[name])


def _slot(name: str) -> Fill:
    return lambda view, _values: escape(view.slots.get(name, ""))


def _hidden(wanted: str) -> Fill:
    parts = [(word.removeprefix("!"), not word.startswith("!")) for word in wanted.split()]

    def fill(view: GameView, _values: Values) -> str:
        for flag, needed in parts:
            if (flag in view.flags) != needed:
                return " hidden"
        return ""

    return fill


def _words(words: str) -> Fill:
    wanted, *more = SLOT.findall(words) or [""]
    if more or not wanted:
        return lambda view, _values: escape(view.filled(words))
    before, after = words.split(f"{{{wanted}}}", 1)

    def fill(view: GameView, _values: Values) -> str:
        found = view.slots.get(wanted)
        return escape(f"{before}{found}{after}") if found else ""

    return fill


def _link(slot: str) -> Fill:
    def fill(view: GameView, _values: Values) -> str:
        return f' href="{escape(view.slots[slot])}"' if slot in view.slots else ""

    return fill


def _either(choices: str) -> Fill:
    pairs = [pair.split("=") for pair in choices.split()]
    return lambda view, _values: next((word for flag, word in pairs if flag in view.flags), "")


def _flags(_: str) -> Fill:
    return lambda view, _values: " ".join(sorted(view.flags))


FILLS: Mapping[str, Callable[[str], Fill]] = {
    "=": _value,
    "#": _slot,
    "?": _hidden,
    "~": _words,
    "@": _link,
    "|": _either,
    "*": _flags,
}
