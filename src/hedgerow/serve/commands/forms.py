"""The one table of commands: how each is written, what it does, and who may give it.

The parser reads the same text that help shows. In a form, words that are no slots stand for themselves, `[ ]` may be
left out, `+` is one or more, `*` none or more, and `|` separates what can be chosen from; `=` marks a word that stands
for itself although there is a slot of that name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Literal

from hedgerow.games import game as game_of
from hedgerow.games import games as game_names

Proof = Literal["none", "game", "account", "word", "new"]
"""Who may give a command: anybody, a player of the game, the owner of the account, the owner with the mail word
whichever way it comes, somebody who has no account yet."""

SECRETS = {"password": "secret", "old": "secret", "new": "fresh"}
"""The slots that are struck out of everything, and where a command keeps them."""
CREDENTIALS = ("userid", "password", "old")
"""What is left out by those who are known: signed in, or through a secret reply address."""

NAME = r"[^\s#=|\-][^#=|\n]{0,39}"
TURN_WORD = r"(?:[A-Za-z]{1,3}\d{1,3}(?:-?[A-Za-z]{1,2}\d{1,3})?|pass|done)"
SLOTS = {
    "userid": NAME,
    "to": NAME,
    "password": r"\S{1,200}",
    "old": r"\S{1,200}",
    "new": r"\S{1,200}",
    "address": r"[^\s@<>\"]+@[^\s@<>\"]+",
    "days": r"\d{1,3}",
    "board": r"\d{1,9}",
    "board[#move]": r"\d{1,9}(?:#\d{1,6})?",
    "#move": r"#\d{1,6}",
    "turn": TURN_WORD,
    "pass[#move]": r"pass(?:#\d{1,6})?",
    "turn[#move]": rf"(?:{TURN_WORD}(?:#\d{{1,6}})?|#\d{{1,6}})",
    "turn[#move],turn": rf"(?:{TURN_WORD}(?:#\d{{1,6}})?,?|#\d{{1,6}},?|if|then|,)",
    "subject": r"\S{1,40}",
    "game": "",
    "-option": r"[-–—−]{1,2}[A-Za-z_]\w{0,30}(?:=\S{0,150})?",
}
"""What may stand in a slot, as a pattern; a `game` is checked by its name."""
REPEATED = ("turn", "turn[#move]", "turn[#move],turn")
"""Slots of one or more words: a turn may be several."""


@dataclass(frozen=True)
class Element:
    """One place of a form: a slot, or words to choose from, and how often it may stand there."""

    name: str
    choices: tuple[str, ...]
    least: int
    most: int

    def fits(self, word: str) -> bool:
        """Whether a word may stand here."""
        if self.choices:
            return word.casefold() in self.choices
        if self.name == "game":
            return spelled_game(word) is not None
        return re.fullmatch(SLOTS[self.name], word, re.IGNORECASE) is not None


MANY = 100


def element_of(text: str) -> Element:
    """An element as it is written in the table.

    >>> element_of("[all|next]"), element_of("to+").least
    (Element(name='which', choices=('all', 'next'), least=0, most=1), 1)
    """
    optional = text.startswith("[")
    inner = text[1:-1] if optional else text
    count = inner[-1] if inner[-1] in "+*…" else ""
    inner = inner.rstrip("+*…") if count else inner
    repeated = bool(count) or inner in REPEATED
    least = 0 if optional or count == "*" else 1
    choices = () if inner in SLOTS else tuple(inner.removeprefix("=").split("|"))
    return Element("which" if choices else inner, choices, least, MANY if repeated else 1)


@dataclass(frozen=True)
class Form:
    """A command: its name, the ways to write it, what it does, who may give it, and where help lists it."""

    name: str
    shape: str
    about: str
    topic: str
    proof: Proof = "none"
    text: bool = False
    """The body of the mail is its text."""

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The places of the form, without the game before it."""
        return tuple(element_of(part) for part in self.shape.removeprefix("game ").split(" "))

    @property
    def of_game(self) -> bool:
        """A game stands before it."""
        return self.shape.startswith("game ")

    @property
    def has_board(self) -> bool:
        """It is about one game, which tells what is played in it: the game's name before it may be left out."""
        return any(element.name in ("board", "board[#move]") for element in self.elements)

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        """The words that it begins with: `all show` has two."""
        found = []
        for element in self.elements:
            if not element.choices or not element.least:
                break
            found.append(element.choices)
        return tuple("|".join(choices) for choices in found)

    def is_about(self, subject: str) -> bool:
        """Whether help about a subject tells of this form."""
        return subject in (self.name, self.topic, *self.verbs[0].split("|"))

    def usage(self, game: str | None = None, known: bool = False) -> str:
        """The form for people; those who are `known` need not say who they are."""
        shape = self.shape.replace("turn[#move],turn", "turn[#move], turn…")
        if known and self.proof in ("game", "account"):
            shape = " ".join(part for part in shape.split(" ") if part not in CREDENTIALS)
        if game and self.of_game:
            shape = f"{game} {shape.removeprefix('game ')}"
        return shape.replace("|", " | ").replace("=", "") + (" [: text]" if self.text else "")


PLAYER = "board userid password"
TOPICS = {
    "help": "Help",
    "accounts": "Accounts",
    "people": "People",
    "looking": "Looking",
    "beginning": "Beginning a game",
    "playing": "Playing",
    "many": "Several commands",
}
WHICH = "[all|active|inactive|next]"
OFFERS = "[draw|undo|abort|rematch]"

FORMS = (
    Form("help", "help [subject…]", "This help, or what is known about a command or a game.", "help"),
    Form("help", "game help", "How a game is begun and played, and its rules.", "help"),
    Form(
        "signup",
        "signup|add userid password [address…]",
        "An account; a mail to the address asks whether it is yours, and nothing is done before you answer it.",
        "accounts",
        "new",
    ),
    Form("change password", "change =password userid old new", "Another mail word.", "accounts", "account"),
    Form(
        "change address",
        "change =address userid password [address…]",
        "Another mail address, used when you have followed the link of a mail there. Without one, yours is told.",
        "accounts",
        "account",
    ),
    Form(
        "signoff",
        "signoff|delete userid password",
        "Ends your account; your finished games stay, without your name.",
        "accounts",
        "word",
    ),
    Form(
        "vacation",
        "vacation userid password [days]",
        "Your clocks in games by correspondence wait for so many days, within a yearly allowance; 0 ends it.",
        "accounts",
        "account",
    ),
    Form("list", "list [game…]", "Who plays here, or who plays these games.", "people"),
    Form(
        "message",
        "message userid password to+",
        "Sends the text after the colon, or the body of your mail, to others.",
        "people",
        "account",
        text=True,
    ),
    Form(
        "broadcast",
        "broadcast userid password",
        "Sends the text, or the body of your mail, to everybody; operators only.",
        "people",
        "account",
        text=True,
    ),
    Form("standings", "game standings", "The best at a game.", "people"),
    Form("ratings", "game ratings", "Everybody's rating in a game, settled or not.", "people"),
    Form("history", "game history", "The games of a kind that ended last.", "people"),
    Form("all show", "all show userid [next|active]", "Somebody's boards, of all games.", "looking"),
    Form("games", f"game games userid* {WHICH}", "Games by number: being played, or somebody's.", "looking"),
    Form("show", "game show board[#move]+", "Boards, now or as they stood after a turn.", "looking"),
    Form(
        "show", f"game show userid+ {WHICH}", "The boards of people; those being played if you do not say.", "looking"
    ),
    Form(
        "showas",
        "game showas userid password board+",
        "Boards as you see them, your private games too.",
        "looking",
        "account",
    ),
    Form(
        "showas",
        f"game showas userid password {WHICH}",
        "All your boards of a game, or those that wait for you.",
        "looking",
        "account",
    ),
    Form("record", "game record board", "A whole game as text.", "looking"),
    Form("preview", "game preview board turn", "What turns would make of a board; nothing is played.", "looking"),
    Form(
        "challenge",
        "game challenge [-option…] userid+",
        "A new game; seats and the order of turns are as listed.",
        "beginning",
        "account",
    ),
    Form(
        "move",
        f"game move {PLAYER} turn[#move]",
        "Plays a turn; #move is the number of the turn that it is meant for, so that a late mail does no harm.",
        "playing",
        "game",
    ),
    Form("pass", f"game move {PLAYER} pass[#move]", "Passes, where the rules allow it.", "playing", "game"),
    Form(
        "propose",
        f"game move {PLAYER} propose {OFFERS}",
        "Offers a draw, or to take your last turn back, to call the game off, to play again.",
        "playing",
        "game",
    ),
    Form(
        "accept",
        f"game move {PLAYER} accept {OFFERS}",
        "Agrees to a challenge, or to what the others have offered.",
        "playing",
        "game",
    ),
    Form("reject", f"game move {PLAYER} reject {OFFERS}", "Says no to it.", "playing", "game"),
    Form("undo", f"game move {PLAYER} undo", "Asks to take your last turn back.", "playing", "game"),
    Form("resign", f"game move {PLAYER} resign", "Gives up.", "playing", "game"),
    Form("resign", f"game resign {PLAYER}", "Gives up.", "playing", "game"),
    Form(
        "queue",
        f"game queue {PLAYER} turn[#move],turn",
        "Conditional turns: theirs, your answer, and so on; a turn alone is played when it is yours.",
        "playing",
        "game",
    ),
    Form(
        "submit",
        f"game submit {PLAYER} turn[#move]",
        "Shows what a turn would do; `confirm` plays it.",
        "playing",
        "game",
    ),
    Form("confirm", f"game confirm {PLAYER} [#move]", "Plays the turn that you submitted.", "playing", "game"),
    Form(
        "chat",
        f"game chat {PLAYER}",
        "Says the text after the colon, or the body of your mail, at the board.",
        "playing",
        "game",
        text=True,
    ),
    Form(
        "multiple",
        "multiple",
        "The commands stand in the body, one a line; the text of `message` or `chat` after a colon, or below it.",
        "many",
    ),
)
EVERY = (
    *FORMS,
    *(
        Form(form.name, f"game {form.name} {PLAYER} {rest}".strip(), form.about, form.topic, form.proof)
        for form in FORMS
        if form.shape.startswith(f"game move {PLAYER} {form.name}") and form.name != "resign"
        for rest in (form.shape.removeprefix(f"game move {PLAYER} {form.name}").strip(),)
    ),
    Form("help", "game help [subject…]", "What is known about a command, for that game.", "help"),
)
"""The forms, and others that are understood, too: `hexbo accept board userid password`, `hexbo help move`."""

NAMED: dict[str, list[Form]] = {}
for _form in EVERY:
    for _verb in _form.verbs[0].split("|"):
        NAMED.setdefault(_verb, []).append(_form)
VERBS = tuple(sorted(NAMED))
"""What a command may begin with, after the game."""
LITERALS = frozenset(
    word for form in EVERY for element in form.elements for choice in element.choices for word in choice.split("|")
)
"""Every word that stands for itself: no secret, so that it may be quoted."""


def spelled_game(text: str) -> str | None:
    """The name of a game, however its words are joined and in any case.

    >>> spelled_game("Root-And_Thorn"), spelled_game("rootbound"), spelled_game("chess")
    ('root_and_thorn', 'rootbound', None)
    """
    name = "_".join(re.split(r"[\s_-]+", text.strip().casefold()))
    return name if name in game_names() else None


def game_before(words: list[str]) -> tuple[str | None, list[str]]:
    """The game that a command begins with, and the rest; a name may be several words.

    >>> game_before(["Root", "Bound", "help"]), game_before(["help"])
    (('root_bound', ['help']), (None, ['help']))
    """
    for count in range(min(3, len(words)), 0, -1):
        if (name := spelled_game(" ".join(words[:count]))) is not None:
            return name, words[count:]
    return None, words


def named(verb: str) -> list[Form]:
    """The forms that begin with a word."""
    return NAMED.get(verb, [])


def is_subject(words: Sequence[str]) -> bool:
    """Whether there is help about that: a game, a topic, or a command."""
    _, rest = game_before(list(words))
    return not rest or rest == ["commands"] or any(form.is_about(" ".join(rest)) for form in FORMS)


def nearest(verb: str, words: list[str]) -> Form | None:
    """The form that was meant, as far as one can tell from its first word; the rest tells forms of one verb apart."""
    close = get_close_matches(verb, VERBS, 1, 0.6)
    if not close:
        return None
    said, second = {word.casefold() for word in words}, words[1].casefold() if len(words) > 1 else ""

    def alike(form: Form) -> tuple[int, bool, int, int]:
        literal = {choice for element in form.elements for choice in element.choices}
        misspelt = len(form.verbs) > 1 and bool(get_close_matches(second, form.verbs[1:2], 1, 0.75))
        wrong = sum(not any(element.fits(word) for element in form.elements) for word in words)
        return len(said & literal) + misspelt, form.name == close[0], -wrong, -abs(len(words) - len(form.elements))

    return max(named(close[0]), key=alike)


CHALLENGE_OPTIONS = {
    "small": "the board for beginners",
    "beginner": "the board for beginners",
    "rated": "it counts for the ratings",
    "private": "only its players see it",
    "days": "how many days there are for each turn",
    "userid": "who asks, where it is not the first one listed",
    "password": "the mail word of who asks",
}
"""What every challenge may have besides the game's own options."""


def options_of(game: str) -> dict[str, str]:
    """The options of a challenge, and what each does."""
    return {
        option.name: option.about for option in game_of(game).options if option.name != "players"
    } | CHALLENGE_OPTIONS
