"""The language of play by mail: every form is read as itself however it is typed, and no secret is ever quoted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.games import games
from hedgerow.serve.commands import forms
from hedgerow.serve.commands.forms import EVERY, FORMS, Form
from hedgerow.serve.commands.help import game_help, helped, overview
from hedgerow.serve.commands.language import Board, Command, Wrong, parse
from hedgerow.serve.refusals import Refused

SECRET = "wxyz-2345-abcd"
FRESH = "mnpq-6789-efgh"
SAID = {
    "userid": "Ann",
    "to": "Bo",
    "password": SECRET,
    "old": SECRET,
    "new": FRESH,
    "address": "ann@example.org",
    "days": "7",
    "board": "12",
    "board[#move]": "12#5",
    "#move": "#5",
    "turn": "c4",
    "turn[#move]": "B4#5",
    "turn[#move],turn": "B4#5",
    "pass[#move]": "pass#5",
    "subject": "move",
    "game": "hexbo",
}
"""What is said in every slot."""


def said(form: Form, game: str = "hexbo") -> list[str]:
    """The words of a form, with everything that may be left out."""
    words = [element.choices[-1] if element.choices else SAID.get(element.name, "-small") for element in form.elements]
    return [game, *words] if form.of_game else words


def only(text: str, body: str = "", signed_in: bool = False, speaker: str = "") -> Command:
    """The one command of a text."""
    (found,) = parse(text, body, signed_in=signed_in, speaker=speaker)
    assert isinstance(found, Command), found
    return found


def wrong(text: str, body: str = "", signed_in: bool = False) -> Wrong:
    (found,) = parse(text, body, signed_in=signed_in)
    assert isinstance(found, Wrong), found
    return found


READ = [form for form in EVERY if form.name != "multiple"]
forms_of = st.sampled_from(READ)


@st.composite
def typed(draw: st.DrawFn) -> tuple[Form, str]:
    """A form as somebody may type it: any case, spaces, folded lines, and what mail programs put before it."""
    form, game = draw(forms_of), draw(st.sampled_from(games()))
    words = said(form, game if draw(st.booleans()) else game.replace("_", " "))
    words = [
        word if word in SAID.values() else draw(st.sampled_from([word, word.upper(), word.title()])) for word in words
    ]
    gap = st.sampled_from([" ", "  ", "\t", "\r\n ", "\u00a0"])
    before = draw(st.sampled_from(["", "Re: ", "RE:", "Re: AW: ", "Fwd: ", "[games] ", "Re[2]: "]))
    return form, before + "".join(word + draw(gap) for word in words)


@given(typed())
def test_every_form_is_read_as_itself(given_form: tuple[Form, str]) -> None:
    form, text = given_form
    found = only(text)
    assert found.name == form.name
    secrets = {element.name for element in form.elements} & set(forms.SECRETS)
    assert found.secret == (SECRET if secrets else None) and found.fresh == (FRESH if "new" in secrets else None)
    assert SECRET not in repr(found) and FRESH not in repr(found)
    assert SECRET not in found.line and FRESH not in found.line


@given(forms_of)
def test_who_is_known_leaves_name_and_password_out(form: Form) -> None:
    if form.proof in ("game", "account") and form.name != "challenge":
        words = [word for word in said(form) if word not in ("Ann", SECRET)]
        found = only(" ".join(words), signed_in=True)
        assert (found.name, found.secret) == (form.name, None)


@given(forms_of)
def test_who_is_known_may_say_it_all_the_same(form: Form) -> None:
    if form.proof in ("game", "account", "word") and form.name != "challenge":
        found = only(" ".join(said(form)), signed_in=True, speaker="ann")
        assert (found.name, found.secret, found.words["userid"]) == (form.name, SECRET, "Ann")


@given(st.text(max_size=300), st.text(max_size=600), st.booleans())
def test_no_text_is_too_strange(text: str, body: str, signed_in: bool) -> None:
    found = parse(text, body, signed_in=signed_in)
    assert found and len(found) <= 51
    assert all(isinstance(one, Wrong) or one.name in {form.name for form in EVERY} for one in found)


WORDS = st.sampled_from(
    [*sorted(forms.LITERALS), *games(), *SAID.values(), "#", "-", "=", '"', "-x=", "B4", "Ann B", "…"]
)


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, max_size=12), st.booleans())
def test_no_sentence_of_our_own_words_is_too_strange(text: list[str], body: list[str], signed_in: bool) -> None:
    for one in parse(" ".join(text), "\n".join(body), signed_in=signed_in):
        assert isinstance(one, Wrong) or one.name in {form.name for form in EVERY}


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    """A command with its password, and a mistake in it: a word dropped, moved, doubled, misspelt or put before."""
    words = said(draw(st.sampled_from([form for form in READ if form.proof != "none" and form.name != "challenge"])))
    place = draw(st.integers(0, len(words) - 1))
    word = words.pop(place)
    match draw(st.sampled_from(["drop", "move", "double", "misspell", "before"])):
        case "move":
            words.insert(draw(st.integers(0, len(words))), word)
        case "double":
            words[place:place] = [word, word]
        case "misspell" if word not in (SECRET, FRESH):
            words.insert(place, word[::-1])
        case "before":
            words[place:place] = [draw(st.sampled_from(["please", "x", "12", "help!"])), word]
    return " ".join(words)


@given(spoiled())
def test_no_mistake_brings_a_secret_into_what_is_quoted(text: str) -> None:
    for one in parse(text, signed_in=False):
        for secret in (SECRET, FRESH):
            assert secret not in (one.unproven if isinstance(one, Command) else f"{one.line} {one.why}")


# --- what stands in the slots -----------------------------------------------------------------------------------------


def test_slots() -> None:
    assert only("hexbo show 12 7#3").words == {"boards": (Board(12), Board(7, 3))}
    assert only("hexbo show Ann Bo next").words == {"names": ("Ann", "Bo"), "which": "next"}
    assert only("root bound move 3 Ann word c4 d6#8").words == {
        "board": 3,
        "userid": "Ann",
        "turn": "c4 d6",
        "number": 8,
    }
    assert only("tanbo move 3 B4 #8", signed_in=True).words == {"board": 3, "turn": "B4", "number": 8}
    assert only('message Ann word "Bo Jay" cy').words == {"userid": "Ann", "names": ("Bo Jay", "cy")}
    assert only("list Hexbo root-down").words == {"games": ("hexbo", "root_down")}
    assert only("all show", signed_in=True).words == {"which": ""}
    assert only("all show next", signed_in=True).words == {"which": "next"}
    assert only("hexbo queue 3 if B4 then C5, D6 then E7", signed_in=True).words["turns"] == ("B4", "C5", "D6", "E7")
    assert only("queue 3 C5#9", signed_in=True).words == {"board": 3, "turns": ("C5",), "number": 9}
    assert only("propose", signed_in=True).words == {"which": ""}
    assert only("propose undo", signed_in=True).words == {"which": "undo"}


def test_a_challenge() -> None:
    found = only("hexbo challenge –small -days=7 Ann Bo -password=abc -rated Cy")
    assert found.words == {
        "names": ("Ann", "Bo", "Cy"),
        "options": {"small": "yes", "days": "7", "rated": "yes"},
        "userid": "Ann",
    }
    assert found.secret == "abc" and found.line == "hexbo challenge -small -days=7 Ann Bo -password=*** -rated Cy"
    assert only("hexbo challenge Ann Bo -userid=Bo -password=abc").words["userid"] == "Bo"
    assert "userid" not in only("hexbo challenge Ann Bo", signed_in=True).words
    assert "-side" in wrong("hexbo challenge -size=9 Ann Bo").why
    assert "twice" in wrong("hexbo challenge -small -small Ann Bo").why
    assert "names who plays" in wrong("hexbo challenge -small").why


# --- where commands stand ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["B4", "Re: b4", "Re: [Hexbo 12: help – resign]", "", "Re: thanks for the game"])
def test_a_bare_turn_in_subject_or_first_line(subject: str) -> None:
    bare = re.fullmatch(r"(?:Re: )?b4", subject, re.I)
    found = only(subject, "" if bare else "\nB4\n\nGood game!\nhelp me\n", signed_in=True)
    assert (found.name, found.words["turn"].upper()) == ("move", "B4")


def test_bare_turns() -> None:
    assert only("c4 d6#3", signed_in=True).words == {"turn": "c4 d6", "number": 3}
    assert only("pass", signed_in=True).name == "pass"
    assert only("b2-b4", signed_in=True).words == {"turn": "b2-b4"}
    assert "move board userid password turn" in wrong("B4").why


def test_several_commands() -> None:
    found = parse("Multiple", "help\n\n hexbo show 3 \nhexbo moov 3 Ann word B4\nmultiple\n", signed_in=False)
    assert [one.name if isinstance(one, Command) else None for one in found] == ["help", "show", None, None]
    found = parse("", "hexbo show 3\nhelp\nSee you\nresign", signed_in=True)
    assert [one.name for one in found if isinstance(one, Command)] == ["show", "help"]
    many = parse("multiple", "help\n" * 60, signed_in=False)
    assert len(many) == 51 and isinstance(many[-1], Wrong)
    assert "without commands" in wrong("multiple").why


def test_the_body_is_the_text_of_messages_alone() -> None:
    assert only("message Ann word Bo", "Hello\nBo").body == "Hello\nBo"
    assert only("help", "Hello").body == ""
    chat, *more = parse("", "chat\nhelp me\nplease", signed_in=True)
    assert isinstance(chat, Command) and chat.body == "help me\nplease" and not more


def texts(body: str, subject: str = "multiple", **who: bool) -> list[tuple[str, str]]:
    """The commands of a mail, by name, each with its text."""
    found = parse(subject, body, **({"signed_in": False} | who))
    return [(one.name, one.body) if isinstance(one, Command) else ("", one.why) for one in found]


def test_a_text_stands_after_a_colon() -> None:
    assert only("hexbo chat 12 Ann word: Good luck: both").body == "Good luck: both"
    assert only("message Ann word Bo Cy : Hello").words["names"] == ("Bo", "Cy")
    assert only("message Ann word Bo: Hello", "and\ngoodbye").body == "Hello\n\nand\ngoodbye"
    assert only("chat: Good luck", signed_in=True).body == "Good luck"
    assert only("Re: chat 12:", "Good luck", signed_in=True).body == "Good luck"
    assert only("hexbo chat 12 Ann word: Good luck").line == "hexbo chat 12 Ann ***"
    assert texts("chat 3: Well\nB4\n\nSee you", "", signed_in=True) == [("chat", "Well"), ("move", "")]


def test_in_multiple_a_text_stands_below_its_command_up_to_the_next() -> None:
    body = f"""
        hexbo chat 12 Ann {SECRET}
        Good luck!

        All the best, and help me if you can:
        help me!
        hexbo move 12 Ann {SECRET} c4
        message Ann {SECRET} Bo: Hello
        hexbo show 12
        chat 13 Ann {SECRET}
        help
    """
    said = "Good luck!\n\nAll the best, and help me if you can:\nhelp me!"
    assert texts(body) == [
        ("chat", said),
        ("move", ""),
        ("message", "Hello"),
        ("show", ""),
        ("chat", ""),
        ("help", ""),
    ]


def test_no_text_tells_a_password() -> None:
    body = f"chat 12 Ann {SECRET}\nHello\nhexbo mvoe 12 Ann {SECRET} c4"
    for subject in ("multiple", ""):
        (chat, said), *more = texts(body, subject)
        assert (chat, said) == ("chat", "Hello") and SECRET not in repr(more)
    assert only(f"chat 12 Ann {SECRET}", f"My word is {SECRET}.").body == "My word is ***."


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("hexbo mvoe 3 Ann word B4", "hexbo move board userid password turn[#move]"),
        ("hexbo move 3 Ann word", "hexbo move board userid password turn[#move]"),
        ("standing", "game standings"),
        ("show Ann Bo", "game show userid+"),
        ("hexbo resing 3 Ann word", "hexbo resign board userid password"),
        ("hexbo chalenge Ann Bo", "hexbo challenge [-option…] userid+"),
        ("change adress Ann word", "change address userid password [address…]"),
        ("vacation Ann word soon", "vacation userid password [days]"),
        ("hexbo vacation Ann word", "vacation userid password [days]"),
        ("chess help", "help"),
        ("hexbo", "hexbo help"),
        ("", "help"),
    ],
)
def test_the_nearest_right_form(text: str, form: str) -> None:
    found = wrong(text)
    assert form in found.why and "; hint: " in found.why and "word" not in found.line


def test_long_lines_are_refused_quickly() -> None:
    assert "characters" in wrong("message " + "a " * 5000).why
    assert "characters" in wrong("hexbo move 1 Ann word " + "B4 " * 200).why


# --- help -------------------------------------------------------------------------------------------------------------


def test_help_tells_every_form() -> None:
    text = overview()
    assert all(form.usage() in text for form in FORMS)
    assert "confirm" in helped(["submit"]) and "resign" in helped(["playing"])
    assert helped(["commands"]) == text
    assert only("hexbo help move").words == {"subject": ("move",)} and only("hexbo help").words == {}
    assert helped(["Hexbo"]) == helped([], "hexbo") == game_help("hexbo")
    with pytest.raises(Refused, match="no help"):
        helped(["chess"])


@pytest.mark.parametrize("name", games())
def test_a_game_has_help_in_the_manner_of_the_sheet(name: str) -> None:
    text = game_help(name)
    assert text.startswith("Help For ") and f"{name} challenge [ -small | -beginner ]" in text
    assert "1.1  " in text and "INITIAL SETUP" in text and "Positions as text" not in text and "`" not in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_hexbo_says_why_four_or_five_cannot_play() -> None:
    text = " ".join(game_help("hexbo").split())
    assert "hexbo challenge [ -small | -beginner ] [ -option... ] userid1 userid2 [ ... userid6 ]" in text
    assert "Four or five players cannot play because there is not a fair and symmetrical starting position." in text
