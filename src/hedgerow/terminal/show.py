"""`hedgerow show FILE`: the position in a record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow import draw
from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.terminal import files, pictures
from hedgerow.terminal.arguments import Json, RecordFile
from hedgerow.terminal.records import match_in
from hedgerow.terminal.talk import colourful, emit


def show(
    file: RecordFile,
    turn: Annotated[int | None, typer.Option(help="Show the position after this many turns.")] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Print an SVG picture.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Print a PNG picture.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print a PDF.")] = False,
    as_json: Json = False,
) -> None:
    """Show the game in a record: its board, whose turn it is, or how it ended."""
    asked = [name for name, wanted in (("svg", svg), ("png", png), ("pdf", pdf), ("json", as_json)) if wanted]
    if len(asked) > 1:
        raise HedgerowError(f"--{asked[0]} and --{asked[1]} at once; hint: one of them")
    match = match_in(file, turn)
    if as_json:
        emit(_told(match))
    elif asked:
        _picture(match, asked[0])
    else:
        print(draw.text(match.scene(), color=colourful(sys.stdout)))
        turns = f"{len(match.turns)} turn{'s' * (len(match.turns) != 1)}"
        print(f"\n{match.rules.name}, {turns}. {match.prompt}")


def _picture(match: Match, name: str) -> None:
    if name != "svg":
        files.refuse_terminal(f"a {name.upper()}", f"hedgerow show game.txt --{name} > board.{name}")
    files.write(Path("-"), pictures.POSITIONS[name]([(match, match.prompt)], pictures.Look()))


def _told(match: Match) -> dict[str, Any]:
    outcome = match.outcome
    return {
        "game": match.rules.name,
        "tags": match.tags,
        "turns": list(match.turns),
        "to_move": None if outcome else match.to_move,
        "cells": match.cells(),
        "position": match.position(),
        "prompt": match.prompt,
        "outcome": outcome
        and {
            "reason": outcome.reason,
            "scores": outcome.scores,
            "winners": outcome.winners,
            "places": outcome.places,
        },
    }
