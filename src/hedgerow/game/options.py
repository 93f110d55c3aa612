"""A game: its name, its options, and how rules are made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

from hedgerow.game.errors import BadOption, HedgerowError, UnknownGame, short
from hedgerow.game.measured import Measured

if TYPE_CHECKING:
    from hedgerow.game.rules import Fast, Rules

Value = int | str


@dataclass(frozen=True)
class Option:
    """One option of a game: its values (the first is the default), or a reader of free text."""

    name: str
    values: tuple[Value, ...]
    about: str
    read: Callable[[str], str] | None = None
    """For free text: returns the canonical spelling or raises ValueError saying what is wrong."""
    free: str = ""
    """What free text may be, for people."""
    why: str = ""
    """Why there are no other values, for people who asked for one."""

    @property
    def default(self) -> Value:
        return self.values[0]

    @property
    def allowed(self) -> str:
        """The values as people read them: "10 or 5", "3 to 10", "standard, or eight ranks".

        >>> Option("side", (7, 3, 4, 5, 6), "points a side").allowed
        '3 to 7'
        """
        if self.free:
            return f"{self.default}, or {self.free}"
        numbers = sorted(value for value in self.values if isinstance(value, int))
        if len(numbers) == len(self.values) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
            return f"{numbers[0]} to {numbers[-1]}"
        return " or ".join(str(value) for value in self.values)

    def settle(self, game: str, text: str) -> Value:
        """The value that `text` spells."""
        for value in self.values:
            if str(value) == text:
                return value
        wrong = f"{game} cannot have {self.name}={short(text)}" + (f": {self.why}" if self.why else "")
        if self.read:
            try:
                return self.read(text)
            except ValueError as error:
                wrong += f": {error}"
        raise BadOption(f"{wrong}; hint: {self.name} is {self.allowed}")


@dataclass(frozen=True)
class Game:
    """A game: what it is called, whose it is, its options, and how rules are made of settled options."""

    name: str
    title: str
    designer: str
    about: str
    options: tuple[Option, ...]
    rules: Callable[[Game, dict[str, Value]], Rules[Any]]
    kernels: Callable[[Any], Fast]
    """Given Rules, the compiled twin; importing it is left until it is asked for."""
    check: Callable[[dict[str, Value]], None] = field(default=lambda options: None)
    """Raises BadOption where values that are right alone do not go together."""
    measured: Measured = field(default_factory=Measured)
    """What was measured and chosen about it."""
    aim: str = ""
    """One sentence: how it is won."""

    def settle(self, given: Mapping[str, str]) -> dict[str, Value]:
        """A value for every option: the one given, or the default."""
        known = {option.name for option in self.options}
        for name in given:
            if name not in known:
                hint = f"it has {', '.join(o.name for o in self.options) or 'none'}"
                raise BadOption(f"{self.name} has no option {short(name)}; hint: {hint}")
        settled = {o.name: o.settle(self.name, given[o.name]) if o.name in given else o.default for o in self.options}
        self.check(settled)
        return settled

    def spelled(self, settled: Mapping[str, Value]) -> str:
        """The canonical name: options that are not at their default, in table order."""
        parts = [f"{o.name}={settled[o.name]}" for o in self.options if settled[o.name] != o.default]
        return f"{self.name}({','.join(parts)})" if parts else self.name

    def rules_text(self) -> str:
        """RULES.md of the game's folder."""
        found = self.file("RULES.md")
        if found is None:
            raise HedgerowError(f"{self.name} has no RULES.md; hint: CONTRIBUTING.md says what a game's folder holds")
        return found

    def file(self, name: str) -> str | None:
        """The text of a file in the game's folder; None where it has no such file."""
        place = resources.files(f"hedgerow.games.{self.name}").joinpath(name)
        return place.read_text(encoding="utf-8") if place.is_file() else None


def later(module: str) -> Callable[[Any], Fast]:
    """The `kernels` of a module that is imported only when they are asked for, because it imports Numba."""
    return lambda rules: import_module(module).kernels(rules)


_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\)|:(.*))?\s*", re.DOTALL)


def split_name(text: str) -> tuple[str, dict[str, str]]:
    """The name of a game and the options written behind it, in brackets or after a colon.

    >>> split_name("hexbo(side=5, players=3)") == split_name("hexbo:side=5,players=3")
    True
    """
    match = _NAME.fullmatch(text) if isinstance(text, str) else None
    if not match:
        raise UnknownGame(f"cannot read the game {short(text)}; hint: write it like hexbo(side=5)")
    options: dict[str, str] = {}
    for part in (match[2] or match[3] or "").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not equals or key in options:
            raise BadOption(f"cannot read the option {short(part)}; hint: name=value, each name once")
        options[key] = value
    return match[1], options
