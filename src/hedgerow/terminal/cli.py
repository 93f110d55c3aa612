"""The command line: a table of contents. Every command has a module of its own, which is loaded when it is asked for.

Data goes to stdout, talk to stderr; `--json` where a program would read it; mistakes end with a line and exit code 2.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hedgerow import __version__
from hedgerow.terminal.contents import group_of
from hedgerow.terminal.ending import run

COMMANDS = {
    "Games": {
        "play": "hedgerow.terminal.play.entry:play",
        "games": "hedgerow.terminal.games:games",
        "rules": "hedgerow.terminal.games:rules",
    },
    "Records": {
        "show": "hedgerow.terminal.show:show",
        "replay": "hedgerow.terminal.replay.entry:replay",
        "convert": "hedgerow.terminal.convert:convert",
        "analyse": "hedgerow.terminal.analyse:analyse",
        "print": "hedgerow.terminal.print_:print_",
    },
    "Engine": {
        "arena": "hedgerow.terminal.arena:arena",
        "gtp": "hedgerow.terminal.gtp:gtp",
        "perft": "hedgerow.terminal.kernels:perft",
        "warm": "hedgerow.terminal.kernels:warm",
        "bench": "hedgerow.terminal.bench:app",
        "train": "hedgerow.terminal.train:train",
    },
    "Play server": {
        "serve": "hedgerow.terminal.serve:serve",
        "command": "hedgerow.terminal.command:command",
        "mail": "hedgerow.terminal.mail:mail",
        "engine-worker": "hedgerow.terminal.engine_worker:engine_worker",
        "admin": "hedgerow.terminal.admin:app",
        "check": "hedgerow.terminal.check:check",
    },
    "This program": {
        "completion": "hedgerow.terminal.completion:completion",
        "man": "hedgerow.terminal.man:man",
    },
}
"""By heading and name: where each command is, a function or a Typer of several. A new command is a row here."""

ABOUT = "The home of the root games: play them, study them, print them, and serve them to others."
app = typer.Typer(
    cls=group_of(COMMANDS),
    add_completion=False,
    help=ABOUT,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def hedgerow(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        from hedgerow.terminal.greeting import greet

        greet([name for inside in COMMANDS.values() for name in inside])
    else:
        return
    raise typer.Exit


def main() -> None:
    """Runs a command and ends the process, see `ending`."""
    sys.exit(run(app))
