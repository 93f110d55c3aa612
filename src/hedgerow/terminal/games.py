"""`hedgerow games` and `hedgerow rules`: what there is to play, and how it is played."""

from __future__ import annotations

import sys
from typing import Any

from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.lessons import lesson_of
from hedgerow.terminal import rulebook
from hedgerow.terminal.arguments import GameName, Json
from hedgerow.terminal.talk import emit


def games(as_json: Json = False) -> None:
    """List the games and their options."""
    found = [game_of(name) for name in game_names()]
    if as_json:
        emit(
            [
                {"name": g.name, "title": g.title, "designer": g.designer, "about": g.about, "options": _options(g)}
                for g in found
            ]
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("game", "what it is", "options with their defaults", box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for g in found:
        options = "\n".join(f"{o.name} = {o.default}; {o.allowed}: {o.about}" for o in g.options)
        table.add_row(f"[bold]{g.name}[/bold]\n{g.title}", f"{g.about}\n[dim]{g.designer}[/dim]", options)
    Console().print(table)


def _options(game: Any) -> list[dict[str, Any]]:
    return [
        {"name": o.name, "default": o.default, "values": list(o.values), "free": o.free, "about": o.about}
        for o in game.options
    ]


def rules(game: GameName, as_json: Json = False) -> None:
    """Read the rules of a game, with drawn examples."""
    settled = make(game)
    if as_json:
        figures = lesson_of(settled.game.name).figures
        drawn = [{"clause": one.clause, "says": one.says, "board": rulebook.board(one)} for one in figures]
        emit({"name": settled.name, "rules": settled.game.rules_text(), "figures": drawn})
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        text = Markdown(rulebook.illustrated(settled.game.name), code_theme="ansi_light")
        Console(width=min(100, Console().width)).print(text)
    else:
        print(rulebook.illustrated(settled.game.name))
