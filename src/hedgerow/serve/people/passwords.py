"""Passwords that are too easily guessed, by zxcvbn: the commonest, rows of keys, repetitions, one's own name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hedgerow.serve.refusals import Refused

WORDS, LETTERS = re.compile(r"[^@\s]+"), re.compile(r"\W+")
LENGTHS = range(8, 201)
FEW = 6.0
"""So many guesses, as a power of ten, must not be enough; who guesses here is slow, see `limits`."""
LOOKED_AT = 16
"""How many letters are looked at, at either end: zxcvbn takes seconds for long ones that are made for it."""


def check_password(password: str, *about: str | None) -> None:
    """Raises Refused where a password is too short or too easily guessed; `about` is what others know of its owner.

    It takes milliseconds, and a while and some memory the first time: not in an event loop.
    """
    if len(password) not in LENGTHS:
        raise Refused("bad_request", f"a password of {len(password)} characters; hint: at least {LENGTHS[0]}")
    known = {word.casefold() for text in about if text for word in (text, *WORDS.findall(text), LETTERS.sub("", text))}
    parts = {password[:LOOKED_AT], password[-LOOKED_AT:]}
    if password.casefold() in known or all(guesses(part, known) < FEW for part in parts):
        raise Refused("bad_request", "a password that is easily guessed; hint: a few words that do not belong together")


def guesses(password: str, known: Iterable[str]) -> float:
    """How many tries it takes to guess it, as a power of ten.

    >>> guesses("password", []) < 1 < guesses("Ann Ivy 1", ["Ann Ivy"]) < 6 < guesses("under the hedge", [])
    True
    """
    from zxcvbn import zxcvbn

    return float(zxcvbn(password, user_inputs=["hedgerow", *known])["guesses_log10"])
