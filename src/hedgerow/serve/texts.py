"""The words of the pages in the reader's language: `_("...")` in templates, scripts and page modules.

English is written where it is used and collected into `words.pot` (`make words`); a translation is a file like
`words/de.po` beside it (docs/translating.md). What the games say themselves (titles, rules, prompts, reasons), notices
as they are kept, and the sentences in which the API refuses something are not among these words.
"""

from __future__ import annotations

import ast
import gettext
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment
from markupsafe import Markup

HERE = Path(__file__).parent
FOLDER = HERE / "words"
"""Where translations are: `de.po`, `pt-BR.po`."""
ENGLISH = "en"


class Entry(NamedTuple):
    """A text, or one for one and one for many, as a catalog has it: where it is used, and what it becomes."""

    where: str
    text: str
    many: str
    told: tuple[str, ...]


class Words:
    """The words of a language; what it does not have stays English."""

    def __init__(self, entries: Mapping[str, Entry], plural: Callable[[int], int], forms: int) -> None:
        self.entries, self.plural, self.forms = entries, plural, forms

    def one(self, text: str) -> str:
        """A text."""
        entry = self.entries.get(text)
        return entry.told[0] if entry else text

    def counted(self, text: str, many: str, n: int) -> str:
        """A text for so many."""
        entry = self.entries.get(text)
        if entry and len(entry.told) == self.forms:
            return entry.told[self.plural(n)]
        return text if n == 1 else many

    def for_scripts(self) -> dict[str, str | list[str]]:
        """The words of the scripts; under the empty text, which form goes with which number below 200."""
        used = [entry for entry in self.entries.values() if ".js" in entry.where]
        if not used:
            return {}
        told: dict[str, str | list[str]] = {"": "".join(str(self.plural(n)) for n in range(200))}
        told |= {entry.text: list(entry.told) if entry.many else entry.told[0] for entry in used}
        return told


ASIS = Words({}, lambda n: int(n != 1), 2)
"""English."""
_spoken: ContextVar[tuple[str, Words]] = ContextVar("spoken", default=(ENGLISH, ASIS))


# --- catalogs ---------------------------------------------------------------------------------------------------------


def entries_of(po: str) -> Iterator[Entry]:
    """The entries of a catalog in gettext's format that are translated, the head first; raises ValueError.

    >>> [*entries_of('#: page.html\\nmsgid "Hedge"\\nmsgstr "He"\\n"cke"\\n')]
    [Entry(where='page.html', text='Hedge', many='', told=('Hecke',))]
    """
    for block in po.replace("\r\n", "\n").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#~")]
        where = " ".join(line[2:].strip() for line in lines if line.startswith("#:"))
        fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in lines)
        fields, key = dict[str, str](), ""
        for line in (line.strip() for line in lines):
            if line.startswith("msg"):
                key, _, line = line.partition(" ")
            if key and line.startswith('"'):
                fields[key] = fields.get(key, "") + str(ast.literal_eval(line))
        told = tuple(value for key, value in fields.items() if key.startswith("msgstr"))
        if told and all(told) and (not fuzzy or not fields["msgid"]):
            yield Entry(where, fields["msgid"], fields.get("msgid_plural", ""), told)


def words_of(po: str) -> Words:
    """The words of a catalog."""
    found = {entry.text: entry for entry in entries_of(po)}
    head = found.pop("").told[0] if "" in found else ""
    forms = next((line for line in head.splitlines() if line.lower().startswith("plural-forms:")), "")
    parts = dict(part.strip().partition("=")[::2] for part in forms.partition(":")[2].split(";") if "=" in part)
    plural: Callable[[int], int] = gettext.c2py(parts.get("plural", "n != 1"))
    return Words(found, lambda n: int(plural(n)), int(parts.get("nplurals", "2")))


@cache
def catalogs() -> Mapping[str, Words]:
    """Every language that there is, by its tag in small letters."""
    found = {path.stem.lower(): words_of(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.po"))}
    return found | {ENGLISH: ASIS}


def chosen(accepted: str, there: Mapping[str, object]) -> str:
    """Which of the languages that are there somebody likes best, by their `Accept-Language`.

    >>> chosen("de-AT,fr;q=0.9", {"en": 0, "fr": 0}), chosen("pt-br, pt;q=0.8", {"pt": 0}), chosen("*;q=x", {"en": 0})
    ('fr', 'pt', 'en')
    """
    asked = []
    for part in accepted[:400].lower().split(","):
        tag, _, weight = part.strip().partition(";q=")
        if (weight or "1").replace(".", "", 1).isdecimal() and float(weight or 1) > 0:
            asked.append((-float(weight or 1), tag))
    for _, tag in sorted(asked, key=lambda one: one[0]):
        for name in (tag, tag.partition("-")[0]):
            if name in there:
                return name
    return ENGLISH


# --- speaking ---------------------------------------------------------------------------------------------------------


def listen(accepted: str) -> None:
    """From here on, until the answer is given, the pages speak as a browser asks."""
    tag = chosen(accepted, catalogs())
    _spoken.set((tag, catalogs()[tag]))


def language() -> str:
    """Which language is spoken."""
    return _spoken.get()[0]


def _(text: str, **values: object) -> str:
    """A text in the reader's language, for page modules; values stand for their `%(name)s`."""
    told = _spoken.get()[1].one(text)
    return told % values if values else told


def _n(text: str, many: str, n: int, **values: object) -> str:
    """A text for one or one for many; the number is `%(num)s`."""
    return _spoken.get()[1].counted(text, many, n) % {"num": n, **values}


def for_scripts() -> Markup:
    """The words of the scripts as JSON that can stand in a page; nothing in English."""
    words = _spoken.get()[1].for_scripts()
    return Markup(json.dumps(words, ensure_ascii=False).replace("<", "\\u003c")) if words else Markup("")


def _marked(text: str, **values: object) -> Markup:
    """A text for a template: values are escaped, the text itself is ours."""
    return Markup(_spoken.get()[1].one(text)) % values if values else _bare(language(), text)


@lru_cache(maxsize=4096)
def _bare(tag: str, text: str) -> Markup:
    return Markup(catalogs()[tag].one(text)) % {}


def speak(environment: Environment) -> None:
    """Gives templates `_`, `gettext`, `ngettext` and `{% trans %}`, in the language of the moment."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: _spoken.get()[1].one(text),
        lambda text, many, n: _spoken.get()[1].counted(text, many, n),
        newstyle=True,
    )
    environment.globals |= {"_": _marked, "language": language, "script_words": for_scripts}
    environment.policies["ext.i18n.trimmed"] = True
