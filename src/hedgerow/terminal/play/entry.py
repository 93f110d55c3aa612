"""`hedgerow play`: what the command line says, and which way of playing it comes to.

Only what every command may import is imported here; the screen, the engine and the network come when they are used.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.game import HedgerowError, UnknownGame

if TYPE_CHECKING:
    from hedgerow.terminal.play.session import Session
    from hedgerow.terminal.play.wire import Server

TOKEN = "hgt_"
"""How an access token of a server begins."""
INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def play(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="like hexbo:side=5, or the file of a game; asks without")
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(metavar="WHO,WHO", help="Who sits where: names of people, levels of machines, like Ann,3."),
    ] = None,
    level: Annotated[int | None, typer.Option(min=1, max=99, help="Play the machine at this level.")] = None,
    side: Annotated[str | None, typer.Option(metavar="SIDE", help="Your side against the machine, like White.")] = None,
    clock: Annotated[str, typer.Option(metavar="MIN+SEC", help="Minutes each and seconds a turn, like 5+3.")] = "none",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last unfinished game.")] = False,
    lesson: Annotated[bool, typer.Option("--lesson", help="Learn the game step by step.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Lines of text instead of the screen.")] = False,
    theme: Annotated[str, typer.Option(metavar="dark|light", help="Colours for a dark or a light room.")] = "dark",
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="Play on a server; a token from your account's page signs in.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="HEDGEROW_TOKEN", show_envvar=True, help="Who you are on the server.")
    ] = None,
) -> None:
    """Play in the terminal: against machines, with others at this keyboard, or on a server."""
    from hedgerow.terminal.play.reader import plain_because

    if theme not in ("dark", "light"):
        raise HedgerowError(f"no theme {theme[:20]!r}; hint: dark or light")
    why = plain_because(plain)
    try:
        if server is not None:
            _on_server(server, token, game, why, theme)
            return
        session = _session(game, seats, level, side, clock, resume)
        if why:
            _in_lines(session, lesson, boards=why != "screen reader")
        else:
            _on_screen(session, lesson, theme)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _session(
    game: str | None, seats: str | None, level: int | None, side: str | None, clock: str, resume: bool
) -> Session | None:
    """The game that the command line names; None where it has to be asked for."""
    from hedgerow.terminal.play import files
    from hedgerow.terminal.play.seats import seated
    from hedgerow.terminal.play.session import opened

    if resume:
        kept = files.unfinished()
        if not kept:
            raise HedgerowError("no unfinished game is kept; hint: hedgerow play begins one")
        return opened(kept[0], files.Keeper(kept[0]))
    if game is None:
        return None
    if os.path.isfile(game):
        session = opened(Path(game))
        if seats:
            session.sit(seated(seats, session.match.rules.players))
        return session
    return _named(game, seats, level, side, clock)


def _named(game: str, seats: str | None, level: int | None, side: str | None, clock: str) -> Session:
    from hedgerow.games import make
    from hedgerow.match import Match
    from hedgerow.terminal.play.clock import control_of
    from hedgerow.terminal.play.seats import USUAL_LEVEL, seated, usual
    from hedgerow.terminal.play.session import Session

    try:
        rules = make(game)
    except UnknownGame as unknown:
        if "." in game or os.sep in game:
            raise HedgerowError(f"no file {game!r:.60}, and no game of that name; hint: hedgerow games") from None
        raise unknown
    sides = [name.lower() for name in rules.seats]
    if side is not None and side.lower() not in sides:
        raise HedgerowError(f"no side {side[:20]!r}; hint: {', '.join(rules.seats)}")
    mine = sides.index(side.lower()) if side else 0
    who = seated(seats, rules.players) if seats else usual(rules, mine, level or USUAL_LEVEL)
    return Session(Match(rules), who, control_of(clock))


def _in_lines(session: Session | None, lesson: bool, boards: bool) -> None:
    from hedgerow.terminal.play.asking import asked_game
    from hedgerow.terminal.play.lines import Lines
    from hedgerow.terminal.play.plain import PlainGame

    lines = Lines()
    front = PlainGame(lines, boards)
    try:
        session = session or asked_game(lines)
    except EOFError:
        print()
        raise HedgerowError("no game was chosen; hint: name one, like hedgerow play hexbo") from None
    if lesson:
        front.lesson(session.match.rules.game.name)
    else:
        front.play(session)


def _on_screen(session: Session | None, lesson: bool, theme: str) -> None:
    from hedgerow.terminal.play.app import Play, run

    if code := run(Play(session, lesson, theme)):
        raise typer.Exit(code)


def _on_server(url: str, token: str | None, game: str | None, why: str, theme: str) -> None:
    """The games of a server; GAME is the number or address of one."""
    from hedgerow.terminal.play import lobby
    from hedgerow.terminal.play.wire import Server

    server = Server(url, token)
    if token is None:
        _sign_in(server)
    server.me()
    entry = lobby.by_number(server, game) if game else None
    if why:
        from hedgerow.terminal.play.lines import Lines
        from hedgerow.terminal.play.plain_server import PlainServer

        front = PlainServer(server, Lines(), boards=why != "screen reader")
        front.run(entry)
        return
    from hedgerow.terminal.play.app import Play, run

    if code := run(Play(theme=theme, server=server, entry=entry)):
        raise typer.Exit(code)


def _sign_in(server: Server) -> None:
    """Asks for name and password or for a token, where there is somebody to ask; what is secret is not shown."""
    from getpass import getpass

    if not (sys.stdin and sys.stdin.isatty()):
        return
    print("A token in HEDGEROW_TOKEN signs in without questions.", file=sys.stderr)
    try:
        name = input("Name (empty for a token or to come as a guest): ").strip()
        if name and not name.startswith(TOKEN):
            server.sign_in(name, getpass("Password: "))
        else:
            server.token = name or getpass("Token (empty to come as a guest): ").strip() or None
    except EOFError:
        raise HedgerowError("nobody signed in; hint: set HEDGEROW_TOKEN, or type a name") from None
