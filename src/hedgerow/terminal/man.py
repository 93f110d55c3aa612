"""`hedgerow man`: the manual page, made of the same words as the help."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from hedgerow.terminal import ending

REVIEWED = "2026-11-16"
"""When its words were last gone over as a whole."""
MANNERS = """Data goes to standard output, talk to standard error. A game is named like hexbo, or with its options like
hexbo:side=5,players=3. A file of a game is a record, a game report of Abstract Play or SGF; - is standard input."""
EXAMPLES = (
    ("hedgerow play", "play in the terminal"),
    ("hedgerow play hexbo:side=5 --level 3", "play a small Hexbo against the machine"),
    ("hedgerow replay game.txt", "step through a game"),
    ("hedgerow convert game.txt game.gif", "make a film of it"),
    ("hedgerow convert game.txt sheet.pdf --turns 10,20,30", "three positions on paper"),
    ("hedgerow analyse game.txt --seconds 10", "ask the engine about its last position"),
    ("hedgerow arena tanbo:size=9 level:3 level:4 --games 20", "let two players meet"),
    ("hedgerow serve", "serve games to browsers"),
)
ENVIRONMENT = (
    ("NO_COLOR", "If it is set, nothing is written in colours."),
    (ending.DEBUG, "If it is set, an unexpected error shows its traceback."),
    ("HEDGEROW_GAMES", "Folders with games from outside the package, separated like those of PATH."),
    ("HEDGEROW_SERVER", "The server that hedgerow command asks."),
    ("HEDGEROW_TOKEN", "Who you are on a server."),
    ("HEDGEROW_SMTP", "The mail server that hedgerow serve sends by."),
    ("HEDGEROW_MAIL_ADDRESS", "What people write to, to play by mail."),
)
EXITS = (
    (ending.DONE, "It is done."),
    (
        ending.FAILED,
        "Something failed that the command line cannot help: a full disk, a closed pipe, a refusal, a fault.",
    ),
    (
        ending.WRONG,
        "The command line, a file or a move is wrong; one line on standard error says what, and gives a hint.",
    ),
    (ending.HUNG_UP, "The terminal was closed while a game was played or shown in it; the game is kept."),
    (ending.STOPPED, "It was stopped by Ctrl-C."),
)


def man() -> None:
    """Print the manual page; `hedgerow man | man -l -` shows it."""
    print(page(), end="")


def page() -> str:
    """The manual page in roff."""
    import typer

    from hedgerow import __version__
    from hedgerow.terminal.cli import ABOUT, COMMANDS, app

    group: Any = typer.main.get_command(app)
    lines = [
        f'.TH HEDGEROW 1 {REVIEWED} "Hedgerow {__version__}" "User Commands"',
        ".SH NAME",
        r"hedgerow \- the home of the root games",
        ".SH SYNOPSIS",
        ".B hedgerow",
        r"[\fICOMMAND\fR [\fIARGUMENTS\fR]]",
        ".SH DESCRIPTION",
        roff(ABOUT),
        ".PP",
        roff(MANNERS),
        ".SH COMMANDS",
    ]
    for heading, inside in COMMANDS.items():
        lines.append(f".SS {roff(heading)}")
        for name in inside:
            lines += _command(f"hedgerow {name}", group.commands[name])
    lines += [".SH EXIT STATUS", *_list((str(code), about) for code, about in EXITS)]
    lines += [roff("hedgerow check ends with 1 where it warns and with 2 where it finds faults.")]
    lines += [".SH ENVIRONMENT", *_list(ENVIRONMENT)]
    lines += [".SH EXAMPLES", *_list(EXAMPLES)]
    return "\n".join(lines) + "\n"


def roff(text: str) -> str:
    """Words as roff spells them.

    >>> roff("--turns .5")
    '\\\\-\\\\-turns .5'
    """
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    plain = plain.replace("…", "...").replace("–", r"\(en").replace("→", r"\(->").replace("`", r"\(ga")
    plain = re.sub(r"[^\x00-\x7f]", lambda found: rf"\[u{ord(found[0]):04X}]", plain)
    lines = textwrap.wrap(" ".join(plain.split()), 79, break_long_words=False, break_on_hyphens=False)
    return "\n".join(rf"\&{line}" if line[:1] in (".", "'") else line for line in lines)


def _list(rows: Any) -> Iterator[str]:
    for term, about in rows:
        yield from (".TP", rf".B {roff(term)}", roff(about))


def _command(path: str, command: Any) -> Iterator[str]:
    """A command: how it is called, what it does, its options; then the commands in it."""
    words = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join(rf"\fI{roff(_metavar(param))}\fR" for param in words)
    more = r" [\fIOPTIONS\fR]" if options else ""
    yield from (".TP", rf"\fB{roff(path)}\fR {usage}{more}".rstrip())
    told = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    yield from _paragraphs(told)
    if about := [f"{_metavar(param)}: {param.help}" for param in words if param.help]:
        yield from (".IP", roff("; ".join(about) + "."))
    if options:
        yield ".RS"
        for option in options:
            yield from _option(option)
        yield ".RE"
    for name, inside in getattr(command, "commands", {}).items():
        yield from _command(f"{path} {name}", inside)


def _paragraphs(told: list[str]) -> Iterator[str]:
    for number, text in enumerate(text for text in told if text):
        if number:
            yield ".IP"
        yield roff(text)


def _metavar(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _option(option: Any) -> Iterator[str]:
    names = ", ".join(rf"\fB{roff(name)}\fR" for name in [*option.opts, *option.secondary_opts])
    value = "" if getattr(option, "is_flag", False) else rf" \fI{roff(_metavar(option))}\fR"
    yield from (".TP", f"{names}{value}")
    yield roff(f"{(option.help or '').strip()} {_default(option.default)}".rstrip())


def _default(value: Any) -> str:
    """What an option is when nothing is said, where that is worth saying."""
    told = isinstance(value, int | float | str) and not isinstance(value, bool) and value != ""
    return f"Default: {value}." if told else ""
