"""Names: what one may be called, how a name is found again, and that none looks like another or like the server's own.

An account is kept under the `skeleton` of its name: what is left when letters that look alike are one. Accounts from
before that are kept under the name without case, and are found by it.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.people import GONE

NAME = re.compile(r"[\w][\w .'-]{0,18}[\w]")
MAX_NAME_CHARS = 40
"""How many letters a name may have as it is looked up: some letters are several without case."""

TOGETHER = (
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"},
    {"CJK", "HANGUL"},
    {"CJK", "BOPOMOFO"},
)
"""Scripts that are written together; any other name has letters of one script."""

ALIKE = str.maketrans({"1": "l", "i": "l", "0": "o"})
"""Letters and digits that look alike in some case and some type."""
PAIRS = (("rn", "m"), ("vv", "w"))
APART = re.compile(r"[\s._'-]+")
SPELLED = str.maketrans("0134578l", "oieastbi")
"""Digits that people write for letters; an l reads as an i."""

RESERVED = {
    "begins": ("admin", "moderator", "hedgerow", "sysadmin"),
    "word": ("operator", "official", "staff", "support", "guest", "machine", "former", "deleted"),
    "whole": (
        *("mod", "mods", "owner", "server", "system", "security", "webmaster", "postmaster", "hostmaster", "abuse"),
        *("engine", "bot", "level", "anyone", "anybody", "everyone", "everybody", "somebody", "nobody"),
        *("anonymous", "unknown", "me", "you", "null", "none", "undefined", GONE),
    ),
}
"""What nobody may be called: beginnings of words, words of a name, and whole names, however they are spelled."""


def folded_of(name: str) -> str:
    """A name without case."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def skeleton_of(name: str) -> str:
    """What is left of a name when letters that look alike are one.

    >>> skeleton_of("Paul") == skeleton_of("PauI") == skeleton_of("p\\u0251u1"), skeleton_of("Ann_Ivy  Moor")
    (True, 'ann lvy moor')
    """
    text = APART.sub(" ", folded_of(name)).strip()
    if scripts_of(text) == {"LATIN"}:
        text = "".join(letter if letter.isascii() else latin_for(letter) or letter for letter in text)
    text = text.translate(ALIKE)
    for pair, letter in PAIRS:
        text = text.replace(pair, letter)
    return text


def keys_of(name: str) -> tuple[str, str]:
    """Under what an account of that name may be kept: the first, if there is one."""
    return folded_of(name), skeleton_of(name)


def scripts_of(name: str) -> set[str]:
    """The scripts of a name's letters, as Unicode calls them.

    >>> scripts_of("Ann 2"), sorted(scripts_of("\\u0410nn"))
    ({'LATIN'}, ['CYRILLIC', 'LATIN'])
    """
    letters = (letter for letter in name if letter.isalnum() and letter not in "0123456789")
    return {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters}


@functools.cache
def _look_alikes() -> dict[str, list[dict[str, str]]]:
    """Unicode's table of letters that look alike; large, and only for names beyond ASCII."""
    from confusable_homoglyphs.confusables import confusables_data

    found: dict[str, list[dict[str, str]]] = confusables_data
    return found


def latin_for(letter: str) -> str | None:
    """The plain letter that another looks like, or None."""
    found = (other["c"] for other in _look_alikes().get(letter, ()))
    return next((other.casefold() for other in found if len(other) == 1 and other.isascii() and other.isalnum()), None)


def named(name: str) -> str:
    """A name as it is kept; raises Refused where it is none, or could be taken for another."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not NAME.fullmatch(name):
        raise Refused("bad_request", f"the name {name!r:.42}; hint: 2 to 20 letters, digits, spaces, . ' _ or -")
    if max(map(len, keys_of(name))) > MAX_NAME_CHARS:
        raise Refused("bad_request", f"the name {name!r:.42} is too long; hint: some of its letters count as several")
    scripts = scripts_of(name)
    if len(scripts) > 1 and not any(scripts <= allowed for allowed in TOGETHER):
        words = " and ".join(sorted(script.capitalize() for script in scripts))
        raise Refused("bad_request", f"the name {name!r:.42} mixes {words} letters; hint: choose one script")
    if scripts and scripts != {"LATIN"} and all(latin_for(letter) for letter in name if letter.isalpha()):
        raise Refused("bad_request", f"the name {name!r:.42} looks like Latin letters; hint: write it with those")
    if is_reserved(name):
        raise Refused("bad_request", f"the name {name!r:.42} is kept for the server; hint: choose another")
    return name


def is_reserved(name: str) -> bool:
    """People could take it for somebody who runs the server, or for nobody.

    >>> [is_reserved(name) for name in ("4dm1n", "Guest 1234", "Former-Player", "The Machine", "Stafford", "Adam")]
    [True, True, True, True, False, False]
    """
    words = [word for word in map(_plain, APART.split(folded_of(name))) if word]
    whole = "".join(words)
    return (
        any(word.startswith(_plain(taken)) for word in (*words, whole) for taken in RESERVED["begins"])
        or any(_plain(taken) in (*words, whole) for taken in RESERVED["word"])
        or any(_plain(taken) == whole for taken in RESERVED["whole"])
    )


def _plain(word: str) -> str:
    """A word without the digits after it, and with letters for those within."""
    return APART.sub("", word.casefold()).rstrip("0123456789").translate(SPELLED)
