"""The words of the pages: all collected, none forgotten, and another language where there is one."""

from __future__ import annotations

import asyncio
import gettext
import json
import re
import runpy
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from markupsafe import Markup
from serving import running

from hedgerow.game import HedgerowError
from hedgerow.games import game, games
from hedgerow.lessons import lesson_of
from hedgerow.serve.settings import Settings
from hedgerow.serve.web import pages, texts

HEDGE = """
msgid ""
msgstr ""
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);\\n"

#: templates/page.html
msgid "Lobby"
msgstr "Vorzimmer"

#, fuzzy
msgid "Archive"
msgstr "not sure"

#: wording.py
#, python-format
msgid "%(num)s day a turn"
msgid_plural "%(num)s days a turn"
msgstr[0] "one (%(num)s)"
msgstr[1] "two (%(num)s)"
msgstr[2] "many (%(num)s)"

#: static/game.js
#, python-brace-format
msgid "{n} </script>"
msgid_plural "{n} pieces"
msgstr[0] "a"
msgstr[1] "b"
msgstr[2] "c"
"""


@pytest.fixture
def catalogs() -> Iterator[None]:
    """Catalogs are read anew, before and after."""
    texts.languages.cache_clear()
    yield
    texts.languages.cache_clear()


def test_every_text_is_collected() -> None:
    made = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "words.py"))
    kept = (texts.HERE / "words.pot").read_text(encoding="utf-8")
    assert made["written"](made["collected"]()) == kept, "texts have changed; hint: make words"


def test_a_translation_is_begun_and_renewed(tmp_path: Path) -> None:
    made = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "words.py"))
    made["renewed"].__globals__["SERVE"] = tmp_path
    for name in ("templates", "static", "words"):
        (tmp_path / name).mkdir()
    (tmp_path / "templates" / "page.html").write_text('{{ _("Lobby") }} {{ _("Hedge") }}', encoding="utf-8")
    (tmp_path / "words" / "de.po").write_text('msgid "Hedge"\nmsgstr "Hecke"\n', encoding="utf-8")
    (tmp_path / "words" / "de.po").write_text(made["renewed"]("de"), encoding="utf-8")
    words = texts.read_language(tmp_path / "words" / "de.po").words
    assert words.gettext("Hedge") == "Hecke" and words.gettext("Lobby") == "Lobby"
    assert words.info()["plural-forms"].startswith("nplurals=2")


@pytest.mark.parametrize(
    "po",
    [
        b'msgid "Hedge"\nhello\n',
        b'msgid "Hedge"\nmsgid "Haie"\n',
        b'msgid "Hedge"\nmsgstr "\xff"\n',
        b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=import os;\\n"\n',
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=hedge\\n"\n\nmsgid "a"\nmsgstr "b"\n',
    ],
)
def test_a_catalog_that_cannot_be_read_is_named_with_a_hint(tmp_path: Path, po: bytes) -> None:
    (tmp_path / "xx.po").write_bytes(po)
    with pytest.raises(HedgerowError, match=r"cannot read the translation .*xx\.po: .*; hint: "):
        texts.read_language(tmp_path / "xx.po")


@pytest.mark.anyio
async def test_a_page_speaks_as_the_browser_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, catalogs: None
) -> None:
    (tmp_path / "xx.po").write_text(HEDGE, encoding="utf-8")
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    async with running(Settings(data=tmp_path / "data", engines=0)) as app:
        base = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann:
            there, here = await asyncio.gather(
                ann.get("/lobby", headers={"Accept-Language": "xx-YY,en;q=0.5"}),
                ann.get("/lobby", headers={"Accept-Language": "en,xx;q=0.5"}),
            )
    assert '<html lang="xx"' in there.text and ">Vorzimmer</a>" in there.text and ">Archive</a>" in there.text
    for clock in ("one (1)", "many (3)", "many (7)"):
        assert clock in there.text
    found = re.search(r'<script type="application/json" id="words">(.*?)</script>', there.text)
    words = json.loads(found[1]) if found else {}
    assert words["{n} </script>"] == ["a", "b", "c"] and words[""][:4] == "2012" and len(words) == 2
    assert '<html lang="en"' in here.text and "Vorzimmer" not in here.text and 'id="words"' not in here.text
    assert "Accept-Language" in there.headers["vary"]


# --- a language in which every text stands in brackets ----------------------------------------------------------------


class Brackets(gettext.NullTranslations):
    """A language that shows which words could be translated."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


BRACKETS = texts.Language("qq", Brackets(), Markup(""))
OWN = (
    "aim",
    "pieces",
    "happened",
    "count",
    "rules",
    "origin",
    "board",
    "prompt",
    "turns",
    "said",
    "do",
    "then",
    "seats",
    "reason",
    "forms",
)
"""The parts of pages, by id or class, in which the games speak for themselves."""
SILENT = ("svg", "script", "style", "code", "root-board", "noscript")
READ_OUT = ("aria-label", "title", "alt", "placeholder", "content")


class Reading(HTMLParser):
    """Everything that a person reads in a page, but not boards and what the games say themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.inside: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        own = (
            tag in SILENT
            or {values.get("id"), values.get("class")} & {*OWN}
            or (values.get("name") or "").startswith("with-")
        )
        silent = bool(own) or bool(self.inside and self.inside[-1])
        if tag not in ("input", "meta", "link", "br", "img"):
            self.inside.append(silent)
        if not silent and not (tag == "meta" and values.get("name") != "description"):
            self.read += [values[name] or "" for name in READ_OUT if name in values]

    def handle_endtag(self, tag: str) -> None:
        self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not (self.inside and self.inside[-1]):
            self.read.append(data)


def names() -> list[str]:
    """What is called the same in every language, the longest first."""
    found = ["Hedgerow", "Ann", "Bo", "CC0 1.0", "Firefox", "Linux"]
    found += ["it is your turn.", "the game is over."]  # notices are kept as they were written
    found += ["No game 'nowhere'.", "Is the link complete?"]  # the API's own sentences
    found += ["Game: hexbo(side=5) 1. B3"]  # a record
    for name in games():
        one, lesson = game(name), lesson_of(name)
        found += [one.title, one.about, " ".join(lesson.about.split()), *rules_words(name)]
        found += [words for step in lesson.steps[:1] for words in (step.title, step.says, step.do, step.then)]
    return sorted(filter(None, found), key=len, reverse=True)


def rules_words(name: str) -> Iterator[str]:
    """Options as lists and forms show them."""
    for option in game(name).options:
        yield from (option.about, option.name.replace("_", " "), option.name.replace("_", " ").capitalize())


KNOWN = names()


def forgotten(page: str) -> list[str]:
    """What a page says outside brackets."""
    reading = Reading()
    reading.feed(page)
    rest = "\n".join(" ".join(text.split()) for text in reading.read)
    while rest != (rest := re.sub(r"⟦[^⟦⟧]*⟧", " ", rest)):  # a text may reach over links
        pass
    for name in KNOWN:
        rest = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", rest)
    return [line.strip() for line in rest.split("\n") if re.search(r"[^\W\d_]{2,}", line)]


def test_what_is_forgotten_is_found() -> None:
    assert forgotten('<p aria-label="⟦one⟧">⟦Play ⟦Hexbo⟧ now⟧ 7 Ann</p><svg><title>x y</title></svg>') == []
    assert forgotten('<p aria-label="one two">⟦Play⟧ Hexbo now</p>') == ["one two", "now"]
    assert forgotten('<p>⟦Look <a href="/">here</a>, please⟧</p>') == []


PAGES = (
    *(
        "/",
        "/lobby",
        "/leaders",
        "/leaders?ladder=tanbo/2",
        "/archive",
        "/archive?rules=tanbo",
        "/your-games",
        "/notices",
    ),
    *("/account", "/people/1", "/people/2", "/sign-in", "/sign-up", "/rules", "/learn/hexbo", "/settings", "/analysis"),
    *("/games/nowhere", "/mail", "/mail/tanbo"),
)


@pytest.mark.anyio
async def test_no_text_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "languages", lambda: {"en": texts.ENGLISH, "qq": BRACKETS})
    async with running(Settings(data=tmp_path, engines=0)) as app:
        headers = {"Accept-Language": "qq", "Accept": "text/html", "User-Agent": "Firefox Linux"}
        base = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test", "headers": headers}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo, httpx.AsyncClient(**base) as new:
            for client, name in ((ann, "Ann"), (bo, "Bo")):
                await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
            where = [await begun(ann, bo) for _ in range(3)]
            await bo.post(f"{where[0]}/resign")
            await app.state.server.ratings.stop()
            await ann.post("/games", data={"rules": "tanbo", "opponent": "lobby", "clock": "3+2"})
            await ann.post("/games", data={"rules": "tanbo", "opponent": "machine", "level": "2"})
            paths = [*PAGES, *(f"/rules/{name}" for name in games()), *where]
            read = {path: (await ann.get(path)).text for path in paths}
            found = {path: forgotten(text) for path, text in read.items()}
            found |= {f"{path} to a stranger": forgotten((await new.get(path)).text) for path in PAGES}
            wrong = await new.post("/sign-up", data={"name": "Ann", "password": "under the hedge"})
    assert wrong.status_code == 409 and "⟦Machine, level 2⟧" in read["/your-games"]
    assert not [path for path, text in read.items() if "level(" in text], "people read level 2"
    assert not [f"{path}: {words}" for path, words in found.items() if words]


async def begun(ann: httpx.AsyncClient, bo: httpx.AsyncClient) -> str:
    """A rated game by correspondence."""
    asked = {"rules": "hexbo", "opponent": "friend", "rated": "yes", "clock": "1 day"}
    where: str = (await ann.post("/games", data=asked)).headers["location"]
    await bo.post(f"{where}/join")
    return where


@pytest.mark.anyio
@pytest.mark.parametrize(
    "what", ["ask", "asked", "reset", "confirm", "confirmed", "signup", "signed up", "unsubscribe", "unsubscribed"]
)
async def test_no_text_of_mail_pages_is_forgotten(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "languages", lambda: {"qq": BRACKETS})
    texts.listen("qq")
    try:
        made = await pages.page("mail.html", what=what, token="t", name="t")
        reported = await pages.page("reported.html", game="g")
        assert forgotten(bytes(made.body).decode()) == forgotten(bytes(reported.body).decode()) == []
    finally:
        texts._spoken.set(texts.ENGLISH)
