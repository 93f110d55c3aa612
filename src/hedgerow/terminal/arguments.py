"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.terminal import completing

GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="like hexbo or hexbo:side=5,players=3", autocompletion=completing.games),
]
RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="a record, SGF or a report; - for standard input")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
