"""Commands that are loaded when they are asked for: a group made of a table of names and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command that starts quickly."""

    def get_help_option(self, ctx: Any) -> Any:
        return _not_asked(super().get_help_option(ctx))


def _not_asked(option: Any) -> Any:
    """Gives --help the default it means: where it is None, Typer loads Pydantic, a tenth of a second, to look at it."""
    if option is not None and option.default is None:
        option.default = False
    return option


class Shelf(MutableMapping[str, Any]):
    """Commands by name; one that is a place, like `hedgerow.terminal.games:games`, is imported when it is taken."""

    def __init__(self, places: Mapping[str, Mapping[str, str]], made: Mapping[str, Any]) -> None:
        self.panels = {name: panel for panel, inside in places.items() for name in inside}
        self.found: dict[str, Any] = {name: place for inside in places.values() for name, place in inside.items()}
        self.found |= made

    def __getitem__(self, name: str) -> Any:
        if isinstance(self.found[name], str):
            self.found[name] = loaded(name, self.found[name], self.panels[name])
        return self.found[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self.found[name] = command

    def __delitem__(self, name: str) -> None:
        del self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def loaded(name: str, place: str, panel: str) -> Any:
    """The command, or the group of commands, that is a function or a Typer at a place."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    command: Any = typer.main.get_group(found) if isinstance(found, typer.Typer) else _alone(name, found)
    command.name, command.rich_help_panel = name, panel
    return command


def _alone(name: str, function: Any) -> Any:
    app = typer.Typer(add_completion=False)
    app.command(name, cls=Command)(function)
    return typer.main.get_command(app)


def group_of(places: Mapping[str, Mapping[str, str]]) -> type[TyperGroup]:
    """The class of a group whose commands stand in a table: by heading, then by name."""

    class Contents(TyperGroup):
        """What is added to the app by hand is in it too."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands = Shelf(places, self.commands)

        def get_help_option(self, ctx: Any) -> Any:
            return _not_asked(super().get_help_option(ctx))

    return Contents
