"""Help in plain text, made of the table of forms and of every game's RULES.md, in the manner of the Hexbo sheet."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

from hedgerow import draw
from hedgerow.game import Game
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.lessons import Figure, lesson_of, rules_of
from hedgerow.match import Match
from hedgerow.scene import Scene
from hedgerow.serve.commands import forms
from hedgerow.serve.commands.forms import CHALLENGE_OPTIONS, FORMS, TOPICS, Form
from hedgerow.serve.refusals import Refused

WIDTH = 76
LEFT_OUT = "Positions as text"
"""The chapter of the rules that nobody needs by mail."""
NUMBERS = ("none", "one", "two", "three", "four", "five", "six")
NOTATION = "game is one of our games; [ ] may be left out, | is a choice, + one or more, * none or more."
WAYS = """\
The command stands in the subject of your mail. The password is your mail word: it is made on your account's page, it
is not the password that you sign in with, and it may be left out in answer to a mail about a game. There, a turn alone
is enough, as subject or as the first line. A name with spaces is written with _ or in quotes. The text of a message or
of chat stands after a colon, or in the body. #move is the number of the turn that a turn is meant for, so that a mail
that comes late or twice does no harm."""


def helped(subject: Iterable[str], game: str | None = None) -> str:
    """What is known about a subject: everything in short, a game, a topic or a command; raises Refused."""
    words = list(subject)
    named, rest = forms.game_before(words) if game is None else (game, words)
    if named is not None and not rest:
        return game_help(named)
    if not rest or rest == ["commands"]:
        return overview()
    found = [form for form in FORMS if form.is_about(" ".join(rest))]
    if not found:
        topics = ", ".join((*TOPICS, *game_names()))
        raise Refused("not_found", f"no help about that; hint: help and one of {topics}, or a command")
    return "\n".join(_told(form, named) for form in found)


def overview() -> str:
    """All commands."""
    parts = ["Help", fill(WAYS), fill(NOTATION)]
    for topic, some in by_topic():
        parts.append("\n".join([*heading(TOPICS[topic]), *(_told(form) for form in some)]))
    parts.append(fill(f"Games: {', '.join(game_names())}. `game help` tells how each is begun and played."))
    return "\n\n".join(parts) + "\n"


def by_topic() -> Iterator[tuple[str, list[Form]]]:
    """The forms, topic by topic."""
    for topic, some in groupby(FORMS, key=lambda form: form.topic):
        yield topic, list(some)


def _told(form: Form, game: str | None = None) -> str:
    return f"{form.usage(game)}\n{textwrap.indent(fill(form.about, WIDTH - 4), '    ')}"


# --- a game -----------------------------------------------------------------------------------------------------------


def players_of(game: Game) -> tuple[int, ...]:
    """For how many a game is."""
    found = next((option.values for option in game.options if option.name == "players"), (2,))
    return tuple(sorted(int(count) for count in found))


def challenge_usage(game: Game) -> str:
    """The challenge of a game as the sheet writes it.

    >>> challenge_usage(game_of("hexbo"))
    'hexbo challenge [ -small | -beginner ] [ -option... ] userid1 userid2 [ ... userid6 ]'
    """
    most = max(players_of(game))
    more = "" if most == 2 else " [ userid3 ]" if most == 3 else f" [ ... userid{most} ]"
    return f"{game.name} challenge [ -small | -beginner ] [ -option... ] userid1 userid2{more}"


def challenge_options(game: Game) -> list[tuple[str, str]]:
    """What may stand in a challenge, and what it does."""
    small = lesson_of(game.name).play
    found = [("-small | -beginner", f"the smaller board: {small}" if small != game.name else "the usual board")]
    found += [(f"-{o.name}=…", f"{o.about}: {o.allowed}") for o in game.options if o.name != "players"]
    found += [(f"-{name}", about) for name, about in CHALLENGE_OPTIONS.items() if name not in ("small", "beginner")]
    return [
        (name.replace("-days", "-days=7").replace("-userid", "-userid=…").replace("-password", "-password=…"), about)
        for name, about in found
    ]


def how_many(game: Game) -> str:
    """For how many a game is, in the words of the sheet.

    >>> how_many(game_of("tanbo"))
    'Tanbo supports games with two players.'
    """
    counts = players_of(game)
    words = [NUMBERS[count] for count in counts]
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])}, or {words[-1]}"
    text = f"{game.title} supports games with {listed} players."
    missing = [NUMBERS[count] for count in range(counts[0], counts[-1]) if count not in counts]
    if missing:
        why = "because there is not a fair and symmetrical starting position"
        text += f" {' or '.join(missing).capitalize()} players cannot play {why}."
    return text


@cache
def example_turn(name: str) -> str:
    """A turn as it is written: the second of a game, which in some games is of two pieces.

    >>> example_turn("hexbo"), example_turn("root_bound")
    ('A9', 'a2 a4')
    """
    match = Match(name)
    while len(match.turns) < 2 or match.mid_turn:
        match.play(match.legal()[0])
    return match.turns[1]


def introduction(game: Game) -> str:
    """The first words of a game's help."""
    return (
        f"Welcome to the network {game.title} server. The rules of {game.title} are below. The {game.title} "
        '"challenge" command is described here. Other commands are the same for all games.'
    )


@cache
def game_help(name: str) -> str:
    """Everything about one game: how it is begun, how turns are written, the board, the rules."""
    game = game_of(name)
    turn = example_turn(name)
    parts = [f"Help For {game.title}", "Introduction", fill(introduction(game)), challenge_usage(game)]
    options = [
        textwrap.fill(f"{name}  {about}", WIDTH, initial_indent="    ", subsequent_indent="        ")
        for name, about in challenge_options(game)
    ]
    parts[-1] = "\n".join([parts[-1], "    Start a new game between userid1 and userid2", *options])
    parts += [
        fill(how_many(game)),
        "\n".join([fill(f"A turn is written like {turn}:"), f"    {name} move board userid password {turn}"]),
    ]
    parts.append(_drawn("INITIAL SETUP", Match(name).scene()))
    parts.append(rules_text(name))
    return "\n\n".join(parts) + "\n"


@cache
def rules_text(name: str) -> str:
    """RULES.md as plain text, with every drawn example below its clause, in characters."""
    lesson = lesson_of(name)
    parts, letters, left_out = [f"{game_of(name).title} Rules"], iter("ABCDEFGHJKLMNOPQRSTUVWXYZ"), False
    for block in rules_of(name).split("\n\n"):
        block = block.strip("\n")
        if not block.strip() or block.startswith("# "):
            continue
        if block.startswith("## "):
            left_out = block[3:] == LEFT_OUT
        if left_out:
            continue
        parts.append(plain(block))
        clause = block.split(" ", 1)[0]
        parts += [figure_text(next(letters, "Z"), figure) for figure in lesson.drawn_below(clause)]
    return "\n\n".join(parts)


def figure_text(letter: str, figure: Figure) -> str:
    """A drawn example in characters."""
    return _drawn(f"FIGURE {letter}: {unmarked(figure.says)}", figure.scene.picture())


def _drawn(caption: str, scene: Scene) -> str:
    said = textwrap.fill(caption, WIDTH - 4, initial_indent="  ", subsequent_indent="  ")
    return f"{said}\n\n{textwrap.indent(draw.text(scene), '    ')}"


# --- plain text -------------------------------------------------------------------------------------------------------


def unmarked(text: str) -> str:
    """Words without the signs for code and emphasis.

    >>> unmarked("a *root* with `side=5`")
    'a root with side=5'
    """
    return re.sub(r"`([^`]+)`|\*([^*]+)\*", lambda found: found[1] or found[2], text)


def fill(text: str, width: int = WIDTH) -> str:
    """A paragraph."""
    return textwrap.fill(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)


def heading(text: str) -> list[str]:
    """A heading as the sheet has them."""
    return [text.upper(), "-" * len(text)]


def plain(block: str) -> str:
    """A block of RULES.md: a heading, a list, a table, text to be typed, a clause or a paragraph."""
    if block.startswith("## "):
        return "\n".join(heading(block[3:]))
    if block.startswith("    "):
        return block
    if block.startswith("- "):
        items = re.split(r"\n- ", block[2:])
        return "\n".join(
            textwrap.fill(unmarked(" ".join(i.split())), WIDTH, initial_indent="- ", subsequent_indent="  ")
            for i in items
        )
    if block.startswith("|"):
        return _table(block.splitlines())
    if found := re.fullmatch(r"(\d+\.\d+) (.*)", block, re.DOTALL):
        words = unmarked(" ".join(found[2].split()))
        return textwrap.fill(f"{found[1]}  {words}", WIDTH, subsequent_indent=" " * (len(found[1]) + 2))
    return fill(unmarked(block))


def _table(lines: list[str]) -> str:
    """A table in columns; what is too long goes on below."""
    rows = [[unmarked(cell.strip()) for cell in line.strip("|").split("|")] for line in lines]
    del rows[1]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    before = "".join(" " * (width + 2) for width in widths[:-1])
    told = []
    for row in rows:
        head = "".join(cell.ljust(width + 2) for cell, width in zip(row[:-1], widths))
        told.append(textwrap.fill(row[-1], WIDTH, initial_indent=head, subsequent_indent=before))
    return "\n".join(line.rstrip() for line in told)
