"""Names that could be taken for others, passwords that everybody would guess; and old accounts go on as they are."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from serving import Visit
from sqlalchemy import update

from hedgerow.serve.people.names import MAX_NAME_CHARS, folded_of, keys_of, named, skeleton_of
from hedgerow.serve.people.passwords import check_password
from hedgerow.serve.process import operator
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries
from hedgerow.serve.store.schema import accounts, now

pytestmark = pytest.mark.anyio

PASSWORD = "under the hedge"

MIXED = ["\u0410nn", "Ann Iv\u0443", "B\u03bf", "Ann\u0661"]
WHOLE = ["\u0412\u041e\u0412", "\u0441\u043e\u0441\u043e", "\u0391\u039d\u039d\u0391"]
"""Cyrillic and Greek that reads as Latin."""
KEPT = [
    "admin",
    "Admin",
    "ADMIN 2",
    "a.d.m.i.n",
    "4dm1n",
    "Administrator",
    "The Admin",
    "Former player",
    "former_PLAYER",
]
KEPT += [
    "Guest 1234",
    "guest1234",
    "Gue5t",
    "Machine",
    "Machine level 3",
    "machine-3",
    "Hedgerow",
    "nobody",
    "Moderator",
]
LONG = ["\u0390" * 20, "\u1f52" * 20]
"""Letters that are three without case."""


@pytest.mark.parametrize("name", [*MIXED, *WHOLE, *KEPT, *LONG, "\u0149" * 10, "Ann\0", "Ann\u200bIvy"])
async def test_nobody_is_called_that(name: str, visit: Visit) -> None:
    async with visit() as ann:
        refused = await ann.post("/api/sign-up", json={"name": name, "password": PASSWORD})
        assert refused.status_code == 422 and "; hint: " in refused.json()["message"], refused.text
        assert (await ann.get("/api/me")).json() == {"account": None}


PEOPLE = [
    "Ann",
    "Stafford",
    "Anna-Lena O'Neil",
    "J\u00fcrgen",
    "\u0418\u0432\u0430\u043d",
    "\u0391\u03bb\u03ad\u03be\u03b7\u03c2",
]
PEOPLE += ["\u592a\u90ce \u3055\u3093", "I\u015f\u0131k", "Wei\u00df", "Adam 3", "Root", "R2D2", "\u05d3\u05d5\u05d3"]


@pytest.mark.parametrize("name", PEOPLE)
async def test_people_are_called_that(name: str, visit: Visit) -> None:
    async with visit() as ann, visit() as there:
        made = await ann.post("/api/sign-up", json={"name": name, "password": PASSWORD})
        assert made.status_code == 200 and made.json()["name"] == name, made.text
        for typed in (name, name.upper(), f" {name.lower()} "):
            answer = await there.post("/api/sign-in", json={"name": typed, "password": PASSWORD})
            assert answer.status_code == 200, typed
        again = await there.post("/api/sign-up", json={"name": name.upper(), "password": PASSWORD})
        assert again.status_code == 409


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Paul", "PauI"),
        ("Ann Ivy", "Ann lvy"),
        ("Ann Ivy", "Ann  Ivy"),
        ("Ann Ivy", "Ann_Ivy"),
        ("Bo0", "Boo"),
        ("Mary", "Rnary"),
        ("Ann", "\u0251nn"),
        ("Ann", "\uff21\uff4e\uff4e"),
    ],
)
async def test_nobody_looks_like_somebody_else(name: str, other: str, visit: Visit) -> None:
    for first, second in ((name, other), (f"{other} 2", f"{name} 2")):
        async with visit() as ann, visit() as thief:
            assert (await ann.post("/api/sign-up", json={"name": first, "password": PASSWORD})).status_code == 200
            refused = await thief.post("/api/sign-up", json={"name": second, "password": PASSWORD})
            assert refused.status_code == 409 and refused.json()["code"] == "taken"


async def test_two_spaces_are_one(visit: Visit) -> None:
    async with visit() as ann:
        made = await ann.post("/api/sign-up", json={"name": " Ann   Ivy ", "password": PASSWORD})
        assert made.json()["name"] == "Ann Ivy"


async def old_account(app: FastAPI, name: str, password: str = PASSWORD) -> int:
    """An account as it was made before names were looked at so closely."""
    server = app.state.server
    kept = server.accounts.hashing.hasher.hash(password)
    async with server.store.write() as connection:
        values = {"kind": "person", "name": name, "folded": name.casefold(), "password": kept}
        return await queries.add_account(connection, **values, created=now(), seen=now())


@pytest.mark.parametrize("name", ["Ann Ivy", "admin", "A  B", "\u0410nn", "M1lly", "Guest 1234", "\u0251nn"])
async def test_old_accounts_go_on_as_they_are(name: str, app: FastAPI, visit: Visit) -> None:
    number = await old_account(app, name, "password")
    async with visit() as ann, visit() as other:
        for typed in (name, name.upper()):
            signed_in = await ann.post("/api/sign-in", json={"name": typed, "password": "password"})
            assert signed_in.status_code == 200 and signed_in.json()["id"] == number
        assert (await operator.user(app.state.server.store, name))["id"] == number
        assert [row["id"] for row in await operator.users(app.state.server.store, name.upper())] == [number]
        taken = await other.post("/api/sign-up", json={"name": name, "password": PASSWORD})
        assert taken.status_code in (409, 422)


async def test_an_old_name_is_not_taken_by_one_that_looks_like_it(app: FastAPI, visit: Visit) -> None:
    for name in ("Paul", "Ann"):
        await old_account(app, name)
    async with visit() as thief:
        for name in ("PauI", "\u0251nn", "ann", "PAU1"):
            answer = await thief.post("/api/sign-up", json={"name": name, "password": PASSWORD})
            assert answer.status_code == 409, name


async def test_who_guesses_may_not_spell_the_name_anew(app: FastAPI, visit: Visit) -> None:
    async with visit() as ann, visit() as guesser:
        await ann.post("/api/sign-up", json={"name": "Paul", "password": PASSWORD})
        codes = []
        for typed in ("Paul", "PauI", "paul", "PAU1", "pau1", "Paul", "PAUL", " paul", "PauI", "Paul"):
            codes.append((await guesser.post("/api/sign-in", json={"name": typed, "password": "a guess"})).status_code)
        assert codes == [401] * 8 + [429] * 2


@given(st.text(max_size=24))
def test_every_name_that_is_taken_fits_its_column(text: str) -> None:
    try:
        name = named(text)
    except Refused:
        return
    assert named(name) == name and 1 <= len(skeleton_of(name)) <= MAX_NAME_CHARS >= len(folded_of(name))
    assert keys_of(name) == keys_of(f" {name} ")


# --- passwords --------------------------------------------------------------------------------------------------------

COMMON = ["password", "12345678", "qwertyuiop", "iloveyou", "P@ssw0rd", "aaaaaaaaaaaa", "a" * 150, "password123"]
COMMON += ["hedgerow", "Ann Ivy1", "annivy123", "ann.ivy@example.net", "abcdefghijkl", "passwordpassword"]


@pytest.mark.parametrize("password", COMMON)
def test_passwords_that_everybody_would_guess(password: str) -> None:
    with pytest.raises(Refused, match="easily guessed; hint: "):
        check_password(password, "Ann Ivy", "ann.ivy@example.net")


@pytest.mark.parametrize(
    "password", [PASSWORD, "correct horse", "xK4!vvQ2pl", "\u043f\u043e\u0434 \u0438\u0432\u043e\u0439 " * 2]
)
def test_passwords_that_are_good_enough(password: str) -> None:
    check_password(password, "Ann Ivy", None)


def test_no_password_takes_long_to_look_at() -> None:
    began = time.monotonic()
    for password in ("4@8({[<369&#!1/|0$5+7%2" * 8, "!1|i7l" * 33, "$5" * 100):
        with contextlib.suppress(Refused):
            check_password(password)
    assert time.monotonic() - began < 10


async def test_a_common_password_is_refused_wherever_one_is_chosen(app: FastAPI, visit: Visit) -> None:
    async with visit() as ann:
        answer = await ann.post("/api/sign-up", json={"name": "Ann Ivy", "password": "password"})
        assert answer.status_code == 422 and "hint: a few words" in answer.json()["message"]
        page = await ann.post("/sign-up", data={"name": "Ann Ivy", "password": "password"})
        assert page.status_code == 422 and "easily guessed" in page.text
        assert (await ann.post("/api/sign-up", json={"name": "Ann Ivy", "password": PASSWORD})).status_code == 200
        for new in ("password", "ann ivy 1"):
            answer = await ann.post("/api/account/password", json={"old": PASSWORD, "new": new})
            assert answer.status_code == 422, new
        number = (await ann.get("/api/me")).json()["account"]["id"]
        async with app.state.server.store.write() as connection:  # an account from before
            kept = app.state.server.accounts.hashing.hasher.hash("password")
            await connection.execute(update(accounts).where(accounts.c.id == number).values(password=kept))
        assert (await ann.post("/api/sign-in", json={"name": "Ann Ivy", "password": "password"})).status_code == 200


def test_what_is_large_is_loaded_when_it_is_needed() -> None:
    code = (
        "import sys, hedgerow.serve.process.app; print({'zxcvbn', 'confusable_homoglyphs', 'limits'} & {*sys.modules})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
