"""`hedgerow print`: games and records on paper, as a PDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from hedgerow.game import BadOption, Rules, UnknownGame, split_name
from hedgerow.games import games, make
from hedgerow.match import Match
from hedgerow.terminal.files import refuse_terminal, write
from hedgerow.terminal.records import match_in
from hedgerow.terminal.stopping import stoppable
from hedgerow.terminal.talk import talk

if TYPE_CHECKING:
    from hedgerow.paper.document import Document

MOST = 100
"""How many games or records go into one PDF."""

Things = Annotated[list[str], typer.Argument(metavar="GAME|FILE...", help="games like hexbo:side=5, or records")]


def print_(
    things: Things,
    leaflet: Annotated[bool, typer.Option("--leaflet", help="GAME: its rules on one or two sheets.")] = False,
    board: Annotated[bool, typer.Option("--board", help="GAME: a board, true to scale with --spacing.")] = False,
    pencil: Annotated[bool, typer.Option("--pencil", help="GAME: small boards to draw on.")] = False,
    pieces: Annotated[bool, typer.Option("--pieces", help="GAME: pieces to cut out.")] = False,
    score: Annotated[bool, typer.Option("--score-sheet", help="GAME: a sheet for writing a game down.")] = False,
    plate: Annotated[bool, typer.Option("--plate", help="FILE: the game as a botanical plate.")] = False,
    puzzle: Annotated[bool, typer.Option("--puzzle", help="FILE: positions to solve, and the answers.")] = False,
    turn: Annotated[list[int] | None, typer.Option(help="FILE: the position after this turn; again for more.")] = None,
    spacing: Annotated[str | None, typer.Option(metavar="LENGTH", help="How far points are apart, like 18mm.")] = None,
    boards: Annotated[int | None, typer.Option(metavar="N", help="How many boards for pencils a sheet has.")] = None,
    columns: Annotated[int | None, typer.Option(min=1, max=6, help="FILE: so many positions side by side.")] = None,
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="FILE: the server that a plate's code opens.")
    ] = None,
    paper: Annotated[str, typer.Option(metavar="a4|letter", help="The sheets.")] = "a4",
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The PDF; - is stdout.")] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that is there.")] = False,
) -> None:
    """Print a game's rules, board, pieces and sheets, all of them unless some are named; or a record's positions."""
    if str(output) == "-":
        refuse_terminal("a PDF", "-o FILE, or a pipe")
    named = {"leaflet": leaflet, "board": board, "pencil": pencil, "pieces": pieces, "score": score}
    parts = [part for part, wanted in named.items() if wanted]
    rules = _games(things)
    if rules:
        _refuse("records", "--plate game.txt", plate=plate, puzzle=puzzle, turn=turn, columns=columns, server=server)
    else:
        _refuse("games", "--board hexbo", **dict.fromkeys(parts, True), spacing=spacing, boards=boards)
    with talk().status("Drawing…"), stoppable():
        if rules:
            document = _kit(rules, parts, paper, spacing, boards)
        else:
            matches = [match_in(Path(thing)) for thing in things]
            document = _of_records(matches, _kind(plate, puzzle), turn or [], paper, columns, server)
        pdf = document.finish()
    file = output or Path(f"{_stem(things[0], rules)}{'-plate' * plate}{'-puzzle' * puzzle}.pdf")
    write(file, pdf, force=force)
    if str(file) != "-":
        _tell(file, document)


def _tell(file: Path, document: Document) -> None:
    sheets = f"{document.pages} sheet{'s' * (document.pages != 1)} of {document.sheet.title}"
    talk().print(f"{file}: {sheets}; print at 100 %", highlight=False, soft_wrap=True, markup=False)


# --- what is asked for ------------------------------------------------------------------------------------------------


def _games(things: Sequence[str]) -> list[Rules[Any]]:
    """The rules that are named, none where records are; raises BadOption for both together, or too many."""
    if len(things) > MOST:
        raise BadOption(f"{len(things)} games or records; hint: at most {MOST} at once")
    found = [make(thing) for thing in things if _is_game(thing)]
    if found and len(found) < len(things):
        raise BadOption("games and records in one PDF; hint: print them one after the other")
    return found


def _is_game(thing: str) -> bool:
    """A name that is no file: so that a slip in it is told by the games, who know what is near."""
    try:
        name = split_name(thing)[0]
    except UnknownGame:
        return False
    except BadOption:
        return True
    return name in games() or not (thing == "-" or Path(thing).exists() or Path(thing).suffix)


def _refuse(whose: str, example: str, **given: object) -> None:
    """Refuses an option that belongs to the other kind of thing."""
    for name, value in given.items():
        if value not in (None, False, []):
            option = {"score": "score-sheet"}.get(name, name)
            raise BadOption(f"--{option} is for {whose}; hint: hedgerow print {example}")


def _kind(plate: bool, puzzle: bool) -> str:
    if plate and puzzle:
        raise BadOption("a plate and puzzles in one PDF; hint: print them one after the other")
    return "plate" if plate else "puzzle" if puzzle else "position"


def _stem(thing: str, rules: Sequence[Rules[Any]]) -> str:
    """What a PDF is called that nobody named: as the game or the record is."""
    if rules:
        return re.sub(r"\W+", "-", rules[0].name).strip("-")[:80]
    return "game" if thing == "-" else Path(thing).stem


# --- drawing ----------------------------------------------------------------------------------------------------------


def _kit(
    rules: Sequence[Rules[Any]], parts: Sequence[str], paper: str, spacing: str | None, boards: int | None
) -> Document:
    from hedgerow.paper.kit import Wishes, kit, spacing_of

    return kit(rules, parts, paper, Wishes(None if spacing is None else spacing_of(spacing), boards))


def _of_records(
    matches: Sequence[Match], kind: str, turns: Sequence[int], paper: str, columns: int | None, server: str | None
) -> Document:
    from hedgerow.paper.plate import plates
    from hedgerow.paper.positions import positions
    from hedgerow.paper.puzzles import puzzle_turn, puzzles

    if kind == "plate":
        if len(turns) > 1:
            raise BadOption(f"a plate after {len(turns)} turns; hint: one --turn, or none for the end")
        return plates([_after(match, *turns) for match in matches], paper, _checked(server))
    if server is not None:
        raise BadOption("--server is for a plate; hint: hedgerow print --plate game.txt --server URL")
    if kind == "puzzle":
        return puzzles([(match, turn) for match in matches for turn in turns or [puzzle_turn(match)]], paper, columns)
    wanted = [_after(match, turn) for match in matches for turn in turns or [len(match.turns)]]
    return positions([(match, _caption(match)) for match in wanted], paper, columns)


def _after(match: Match, turn: int | None = None) -> Match:
    return match if turn is None else match.after(turn)


def _caption(match: Match) -> str:
    """Who plays, where the record tells, and after how many turns."""
    names = [match.tags.get(seat, "?") for seat in match.rules.seats]
    told = " – ".join(names) if any(name not in ("", "?") for name in names) else match.rules.game.title
    return f"{told}, after {len(match.turns)} turn{'s' * (len(match.turns) != 1)}"


def _checked(server: str | None) -> str | None:
    """An address of a server; raises BadOption for what is none."""
    if server is None:
        return None
    try:
        parts = urlsplit(server)
        fine = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
    except ValueError:
        fine = False
    if not fine or not server.isascii() or not server.isprintable() or " " in server or len(server) > 200:
        raise BadOption(f"no server {server[:60]!r}; hint: like https://play.example.org")
    return server
