"""`hedgerow gtp`: other programs play with Hedgerow."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow.terminal import completing


def gtp(
    game: Annotated[
        str, typer.Option(metavar="GAME", help="The game to begin with.", autocompletion=completing.games)
    ] = "root_bound",
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Who answers genmove; whoever plays the game best, in 2 seconds, if nobody is named.",
            autocompletion=completing.players,
        ),
    ] = None,
) -> None:
    """Play through the Go Text Protocol, version 2, on stdin and stdout."""
    from hedgerow.search.gtp import main

    main(game, player)
