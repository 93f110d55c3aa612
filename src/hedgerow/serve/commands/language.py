"""Reading commands: from the subject and the body of a mail, or from a box, to what is to be done. Knows no database.

Whatever is quoted of a command has its passwords struck out; of a line that could not be understood only words of the
language are quoted, because anything else may be one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypedDict

from hedgerow.serve.commands import forms
from hedgerow.serve.commands.forms import CREDENTIALS, EVERY, Element, Form
from hedgerow.serve.people.names import skeleton_of

STRUCK = "***"
HIDDEN = "…"
MOST_CHARS, MOST_WORDS, MOST_COMMANDS = 2_000, 100, 50
MOST_PROOFS, SHORTEST = 4, 8
"""How many pairs of words may be a name and a mail word, and how long the second is at least."""

REPLY = re.compile(r"(?:(?:re|aw|sv|vs|antw|odp|rif|ref|fwd?|wg|tr)(?:\[\d+\])?\s?[:：]|\[[^\]]{0,60}\])\s?", re.I)
"""What mail programs and lists put before a subject; that of a mail about a game is all in brackets."""
WORDS = re.compile(r'"([^"\n]{1,60})"|(\S+)')
BARE = re.compile(rf"{forms.TURN_WORD}(?:#\d{{1,6}})?(?:\s+(?:{forms.TURN_WORD}(?:#\d{{1,6}})?|#\d{{1,6}}))*", re.I)
HERE = ("board", "board[#move]")
"""What is left out in answer to a mail about a game."""
OPTION = re.compile(forms.SLOTS["-option"])
QUEUE = re.compile(r"\s*(?:,|\bthen\b|\bif\b)\s*", re.I)
COLON = re.compile(r"\s?:(?:\s+|$)")
"""What stands between a command and its text on the same line."""


@dataclass(frozen=True)
class Board:
    """A board by its number, now or after a turn."""

    number: int
    move: int | None = None


class Words(TypedDict, total=False):
    """What was said in the slots of a form; slots that were left out are not there."""

    userid: str
    """Who gives the command, or whom it is about (`all show`)."""
    names: tuple[str, ...]
    """People: whom a challenge seats, whose boards are to be shown, whom a message is for."""
    board: int
    boards: tuple[Board, ...]
    turn: str
    """A turn, or several for `preview`, with single spaces."""
    turns: tuple[str, ...]
    """Conditional turns, one after the other."""
    number: int
    """The number of the turn that a turn is meant for."""
    which: str
    """What was chosen: `next`, `draw`; empty where nothing was."""
    options: dict[str, str]
    """Of a challenge, by name; "yes" where no value was given."""
    address: tuple[str, ...]
    days: int
    games: tuple[str, ...]
    subject: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """One command, understood."""

    name: str
    game: str | None
    """The game that was named, if one was; where there is a board, the board tells."""
    words: Words
    body: str = field(default="", repr=False)
    secret: str | None = field(default=None, repr=False)
    """The mail word that proves who speaks; for `signup` the new one."""
    fresh: str | None = field(default=None, repr=False)
    """The new mail word of `change password`."""
    line: str = ""
    """The command as it was given, its secrets struck out."""

    @property
    def form(self) -> Form:
        """The first form of that name."""
        return next(form for form in EVERY if form.name == self.name)

    @property
    def unproven(self) -> str:
        """As much as may be quoted where the password does not hold: it may stand in the wrong place."""
        return _safe(self.line.split())


@dataclass(frozen=True)
class Wrong:
    """A line that is no command: why, and what would be one."""

    why: str
    line: str = ""
    """As much of it as may be quoted."""
    proofs: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Pairs of words in it that may be a name and a mail word: whoever proves who they are is told what was wrong."""


def parse(text: str, body: str = "", *, signed_in: bool, speaker: str = "") -> list[Command | Wrong]:
    """The commands of a mail or a box, in order.

    The first line is the subject; where that is no command, the first lines of the body are. Those who are `signed_in`
    need not say who they are; `speaker` is their name.

    >>> [told.name for told in parse("Re: B4", signed_in=True)]
    ['move']
    """
    reader = _Reader(signed_in, skeleton_of(speaker) if speaker else "")
    subject = " ".join(text[: 2 * MOST_CHARS].split())
    while found := REPLY.match(subject):
        subject = subject[found.end() :]
    if subject.casefold() == "multiple":
        return _every_line(reader, body)
    if subject and (_begins(subject) or not body.strip()):
        return [reader.read(subject, body)]
    read = _first_lines(reader, body)
    if subject and (not read or isinstance(read[0], Wrong)):
        return [reader.read(subject, body)]
    return read or [Wrong("there is no command; hint: `help` tells which there are")]


def _begins(line: str) -> bool:
    """Whether a line begins like a command: with a verb after the game, or as a bare turn."""
    command, _ = _parted(line[:MOST_CHARS])
    _, rest = forms.game_before(command.split()[:4])
    return bool(rest and rest[0].casefold() in forms.VERBS) or BARE.fullmatch(command) is not None


def _every_line(reader: _Reader, body: str) -> list[Command | Wrong]:
    """The commands of a body, one a line; below one that has a text stands that."""
    lines, found = _lines(body), list[Command | Wrong]()
    if not any(lines):
        return [Wrong("`multiple` without commands; hint: write them into the body, one a line")]
    while lines and len(found) < MOST_COMMANDS:
        line = lines.pop(0)
        text = _text_below(reader, line, lines)
        found += [reader.read(line, "\n".join(text))] if line else []
        del lines[: len(text)]
    if left := sum(map(bool, lines)):
        found.append(
            Wrong(f"{left} lines more; hint: the first {MOST_COMMANDS} commands were read, send the rest again")
        )
    return found


def _first_lines(reader: _Reader, body: str) -> list[Command | Wrong]:
    """The commands that a body begins with: up to a blank line, or a line that begins like none."""
    lines, found = _lines(body.strip()), list[Command | Wrong]()
    if lines[0].casefold() == "multiple":
        return _every_line(reader, "\n".join(lines[1:]))
    while lines and len(found) < MOST_COMMANDS and (not found or _begins(lines[0])):
        line = lines.pop(0)
        text = _text_below(reader, line, lines)
        found.append(reader.read(line, "\n".join(text)))
        del lines[: len(text)]
    return found


def _lines(body: str) -> list[str]:
    """The lines of a body, with single spaces; at least one."""
    return [" ".join(line.split()) for line in body.splitlines()] or [""]


# --- texts ------------------------------------------------------------------------------------------------------------


def _parted(line: str) -> tuple[str, str]:
    """A command, and the text that stands after its colon, where it is one that has a text.

    >>> _parted("hexbo chat 12: Good luck: all of you"), _parted("Note: help")
    (('hexbo chat 12', 'Good luck: all of you'), ('Note: help', ''))
    """
    command, *text = COLON.split(line, maxsplit=1)
    _, rest = forms.game_before(command.split()[:4])
    has_text = bool(rest) and any(form.text for form in forms.named(rest[0].casefold()))
    return (command, text[0]) if text and has_text else (line, "")


def _text_below(reader: _Reader, line: str, below: list[str]) -> list[str]:
    """The lines below a command that are its text: none where it stands after a colon, otherwise up to a command.

    A line with a password of the same mail is a command, well written or not: nobody else is to read it.
    """
    command = reader.alone(line)
    if not isinstance(command, Command) or not command.form.text or command.body:
        return []
    read = [(other, reader.alone(other)) for other in below]
    secrets = {command.secret, *(other.secret for _, other in read if isinstance(other, Command))} - {None}
    ends = (_is_command(other) or any(word in secrets for word in words.split()) for words, other in read)
    return below[: next((count for count, end in enumerate(ends) if end), len(below))]


def _is_command(read: Command | Wrong) -> bool:
    """Whether a line below a text is a command; "help me" is none."""
    if isinstance(read, Wrong):
        return False
    return read.name != "help" or not read.words.get("subject") or forms.is_subject(read.words["subject"])


class _Reader:
    """Reads lines for somebody."""

    def __init__(self, signed_in: bool, speaker: str) -> None:
        self.signed_in, self.speaker = signed_in, speaker
        self._alone: dict[str, Command | Wrong] = {}

    def alone(self, line: str) -> Command | Wrong:
        """The command of a line without anything below it."""
        if line not in self._alone:
            self._alone[line] = self.read(line, "")
        return self._alone[line]

    def read(self, line: str, body: str) -> Command | Wrong:
        """The command of a line; its text stands after a colon, or is the body, or both."""
        read = self._read(line, body)
        return read if isinstance(read, Command) else replace(read, proofs=_proofs(_parted(line)[0]))

    def _read(self, line: str, body: str) -> Command | Wrong:
        line, text = _parted(line)
        body = f"{text}\n\n{body}" if text and body else text or body
        words = [quoted or plain for quoted, plain in WORDS.findall(line[:MOST_CHARS])]
        if len(line) > MOST_CHARS or len(words) > MOST_WORDS:
            return Wrong(f"a command of {len(line)} characters; hint: one command a line", HIDDEN)
        game, rest = forms.game_before(words)
        verb = rest[0].casefold() if rest else ""
        if verb == "multiple":
            return Wrong("`multiple` stands alone in the subject; hint: the body has the commands", _safe(words))
        if verb in forms.VERBS:
            return self._of_verb(game, verb, words, rest, body)
        if game is None and BARE.fullmatch(line):
            return self._bare_turn(line, words)
        return self._unknown(game, verb, words, rest)

    def _bare_turn(self, line: str, words: list[str]) -> Command | Wrong:
        if not self.signed_in:
            form = next(form for form in EVERY if form.name == "move")
            return Wrong(f"a turn alone is understood in answer to a mail about a game; hint: {form.usage()}", HIDDEN)
        turn, number = _turn(words)
        return Command(_move(turn), None, _numbered({"turn": turn}, number), line=line)

    def _of_verb(self, game: str | None, verb: str, words: list[str], rest: list[str], body: str) -> Command | Wrong:
        able = [form for form in forms.named(verb) if not (form.of_game and game is None and not form.has_board)]
        able = [form for form in able if form.of_game or game is None]
        if verb == "challenge" and game:
            return self._challenge(game, able[0], words, rest)
        for form in able:
            for left_out in self._ways(form, rest):
                if (fitted := _fit(_elements(form, left_out), rest)) is not None:
                    return self._made(form, game, words, fitted, body)
        return self._misfit(game, verb, words, rest)

    def _ways(self, form: Form, rest: list[str]) -> list[tuple[str, ...]]:
        """Which slots may be left out, the likeliest first."""
        if not self.signed_in or form.proof in ("new", "word"):
            return [()]
        known = CREDENTIALS if form.proof != "none" or form.name == "all show" else ()
        says_who = any(self.speaker and skeleton_of(word) == self.speaker for word in rest[1:4])
        ways = [(*known, *HERE), known, HERE, ()]
        return [(), HERE, *ways] if says_who and form.proof != "none" else ways

    def _made(
        self, form: Form, game: str | None, words: list[str], fitted: list[tuple[Element, list[str]]], body: str
    ) -> Command | Wrong:
        """The command whose words stand in these places."""
        said, secrets = _said(form, fitted), dict[str, str]()
        if said.get("turn") == "" or said.get("turns") == ():
            return Wrong(f"there is no turn; hint: {self._usage(form, game)}", _safe(words))
        before, line = len(words) - sum(len(some) for _, some in fitted), list[str]()
        for element, some in fitted:
            if element.name in forms.SECRETS and some:
                secrets[forms.SECRETS[element.name]] = some[0]
                line += [STRUCK]
            else:
                line += [_quoted(word) for word in some]
        name = _move(said["turn"]) if form.name == "move" else form.name
        if name == "pass":
            said["turn"] = "pass"
        told = " ".join([*words[:before], *line])
        secret = secrets.get("secret")
        text = body.replace(secret, STRUCK) if form.text and secret else body if form.text else ""
        return Command(name, game, said, text, secret, secrets.get("fresh"), told)

    # --- challenges ---------------------------------------------------------------------------------------------------

    def _challenge(self, game: str, form: Form, words: list[str], rest: list[str]) -> Command | Wrong:
        """A challenge; its options may stand anywhere among the names."""
        known, options, names = forms.options_of(game), dict[str, str](), list[str]()
        line = words[: len(words) - len(rest) + 1]
        for word in rest[1:]:
            if not OPTION.fullmatch(word):
                names.append(word)
                line.append(_quoted(word))
                continue
            key, _, value = word.lstrip("-–—−").partition("=")
            key = key.casefold()
            if key not in known:
                return Wrong(
                    f"{game} has no such option; hint: {', '.join(f'-{name}' for name in known)}", _safe(words)
                )
            if key in options:
                return Wrong(f"-{key} stands there twice; hint: each option once", _safe(words))
            options[key] = value or "yes"
            line.append(f"-{key}={STRUCK}" if key == "password" else f"-{key}={value}" if value else f"-{key}")
        if not names or not all(form.elements[-1].fits(name) for name in names):
            return Wrong(f"a challenge names who plays, in the order of turns; hint: {form.usage(game)}", _safe(words))
        secret = options.pop("password", None)
        said: Words = {"names": tuple(names), "options": options}
        if secret is not None or "userid" in options:
            said["userid"] = options.pop("userid", names[0])
        return Command("challenge", game, said, secret=secret, line=" ".join(line))

    # --- what is wrong ------------------------------------------------------------------------------------------------

    def _misfit(self, game: str | None, verb: str, words: list[str], rest: list[str]) -> Wrong:
        """The verb is known, the rest does not fit."""
        form = forms.nearest(verb, rest)
        assert form is not None
        needs = form.of_game and game is None and not form.has_board
        why = f"`{verb}` needs a game before it" if needs else f"this does not fit `{verb}`"
        if not form.of_game and game is not None:
            why = f"`{verb}` has no game before it"
        return Wrong(f"{why}; hint: {self._usage(form, game)}", _safe(words))

    def _unknown(self, game: str | None, verb: str, words: list[str], rest: list[str]) -> Wrong:
        """The verb is none of ours."""
        if (form := forms.nearest(verb, rest)) is not None:
            return Wrong(f"no such command; hint: perhaps {self._usage(form, game)}", _safe(words))
        if game is not None:
            return Wrong(f"no such command; hint: `{game} help` tells which there are", _safe(words))
        return Wrong("no such command; hint: `help` tells which there are", _safe(words))

    def _usage(self, form: Form, game: str | None) -> str:
        return form.usage(game if form.of_game else None, self.signed_in)


# --- fitting words into forms -----------------------------------------------------------------------------------------


def _elements(form: Form, left_out: Sequence[str]) -> tuple[Element, ...]:
    return tuple(element for element in form.elements if element.name not in left_out)


def _fit(elements: Sequence[Element], words: list[str]) -> list[tuple[Element, list[str]]] | None:
    """The words in their places, or None; repeated places take as few as will do, so that choices come after names."""
    if not elements:
        return [] if not words else None
    first, rest = elements[0], elements[1:]
    for count in range(min(first.most, len(words)) + 1):
        if count and not first.fits(words[count - 1]):
            return None
        if count >= first.least and (found := _fit(rest, words[count:])) is not None:
            return [(first, words[:count]), *found]
    return None


def _said(form: Form, fitted: list[tuple[Element, list[str]]]) -> Words:
    """What stands in the slots, typed."""
    said: Words = {}
    for element, some in fitted:
        match element.name:
            case "userid" if element.most == 1 and some:
                said["userid"] = some[0]
            case "userid" | "to":
                said["names"] = tuple(some)
            case "board" if element.most == 1:
                said["board"] = int(some[0])
            case "board" | "board[#move]":
                said["boards"] = tuple(map(_board, some))
            case "turn" | "turn[#move]" | "pass[#move]":
                said["turn"], number = _turn(some)
                _numbered(said, number)
            case "turn[#move],turn":
                parts = [part for part in QUEUE.split(" ".join(some)) if part]
                turns = [_turn(part.split()) for part in parts]
                said["turns"] = tuple(turn for turn, _ in turns if turn)
                _numbered(said, next((number for _, number in turns if number is not None), None))
            case "#move" if some:
                said["number"] = int(some[0][1:])
            case "days" if some:
                said["days"] = int(some[0])
            case "address":
                said["address"] = tuple(some)
            case "game":
                said["games"] = tuple(name for word in some if (name := forms.spelled_game(word)))
            case "subject":
                said["subject"] = tuple(word.casefold() for word in some)
            case "which" if not element.least:
                said["which"] = some[0].casefold() if some else ""
    return said


def _board(word: str) -> Board:
    number, _, move = word.partition("#")
    return Board(int(number), int(move) if move else None)


def _turn(words: Sequence[str]) -> tuple[str, int | None]:
    """A turn without the number that it is meant for, and that number.

    >>> _turn(["c4", "d6#3"]), _turn(["B4", "#5"]), _turn(["pass"])
    (('c4 d6', 3), ('B4', 5), ('pass', None))
    """
    number, turn = None, list[str]()
    for word in words:
        text, _, told = word.partition("#")
        number = int(told) if told else number
        turn += [text] if text else []
    return " ".join(turn), number


def _numbered(said: Words, number: int | None) -> Words:
    if number is not None:
        said["number"] = number
    return said


def _move(turn: str) -> str:
    return "pass" if turn.casefold() == "pass" else "move"


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


def _proofs(line: str) -> tuple[tuple[str, str], ...]:
    """What may be a name and a mail word in a line that was not understood, as they stand in most commands.

    >>> _proofs("hexbo mvoe 12 ann wren-and-robin c4"), _proofs("hexbo challenge -password=wren-and-robin ann")
    ((('ann', 'wren-and-robin'),), (('ann', 'wren-and-robin'),))
    """
    words = [quoted or plain for quoted, plain in WORDS.findall(line[:MOST_CHARS])][:20]
    given = [word.partition("=")[2] for word in words if re.match(r"[-–—−]+password=", word, re.I)]
    _, rest = forms.game_before([word for word in words if not OPTION.fullmatch(word)])
    names = [word for word in rest if re.fullmatch(forms.NAME, word) and word.casefold() not in forms.LITERALS]
    pairs = [pair for pair in pairwise(words) if pair[0] in names and len(pair[1]) >= SHORTEST]
    return tuple([*((name, word) for word in given for name in names), *pairs][:MOST_PROOFS])


def _safe(words: Sequence[str]) -> str:
    """As much of a line that was not understood as may be quoted: the words of the language, which are no secrets.

    >>> _safe(["hexbo", "move", "12", "ann", "secret"])
    'hexbo move …'
    """
    game, rest = forms.game_before(list(words))
    kept = [word.casefold() if word.casefold() in forms.LITERALS else HIDDEN for word in rest]
    shown = [*([game] if game else []), *kept]
    return " ".join(word for place, word in enumerate(shown) if word != HIDDEN or shown[place - 1 : place] != [HIDDEN])
