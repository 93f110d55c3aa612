"""The words of the pages in the reader's language: `_("...")` in templates, scripts and page modules.

English is written where it is used and collected into `words.pot` (`make words`); a translation is a file like
`words/de.po` beside it (docs/translating.md), which Babel compiles for `gettext` when the server starts, so that no
compiled file can be missing or out of date. What the games say themselves (titles, rules, prompts, reasons), notices as
they are kept, and the sentences in which the API refuses something are not among these words.
"""

from __future__ import annotations

import gettext
import json
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment
from markupsafe import Markup

from hedgerow.game import HedgerowError

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

HERE = Path(__file__).parent
FOLDER = HERE / "words"
"""Where translations are: `de.po`, `pt-BR.po`."""


class Language(NamedTuple):
    """A language: its tag as HTML writes it, its words, and those of the scripts as JSON, empty in English."""

    tag: str
    words: gettext.NullTranslations
    scripts: Markup


ENGLISH = Language("en", gettext.NullTranslations(), Markup(""))
_spoken: ContextVar[Language] = ContextVar("spoken", default=ENGLISH)


# --- catalogs ---------------------------------------------------------------------------------------------------------


def read_language(path: Path) -> Language:
    """The language of a catalog in gettext's format; what is not translated or fuzzy stays English."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po  # only where there is a translation

    compiled = BytesIO()
    try:
        catalog = read_po(BytesIO(path.read_bytes()), abort_invalid=True)
        if catalog.locale is None:
            catalog.locale = "en"  # Babel leaves out the catalog's own plural forms where it does not know the language
        write_mo(compiled, catalog)
        compiled.seek(0)
        words = gettext.GNUTranslations(compiled)
    except (PoFileError, ValueError, LookupError) as error:
        raise HedgerowError(
            f"cannot read the translation {path}: {error}; hint: msgfmt --check finds the place"
        ) from None
    return Language(path.stem.lower(), words, script_words(catalog))


def script_words(catalog: Catalog) -> Markup:
    """The words of the scripts as JSON that can stand in a page; under the empty text, which form goes with which
    number below 200."""
    plural = gettext.c2py(catalog.plural_expr)
    told: dict[str, str | list[str]] = {"": "".join(str(int(plural(n))) for n in range(200))}
    for message in catalog:
        forms = [message.string] if isinstance(message.string, str) else [*(message.string or ())]
        in_scripts = any(name.endswith(".js") for name, _line in message.locations)
        if message.id and all(forms) and in_scripts and not message.fuzzy:
            counted = not isinstance(message.id, str)
            told[message.id[0] if counted else str(message.id)] = forms if counted else forms[0]
    return Markup(json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")) if len(told) > 1 else Markup("")


@cache
def languages() -> Mapping[str, Language]:
    """Every language that there is, by its tag in small letters."""
    found = [read_language(path) for path in sorted(FOLDER.glob("*.po"))]
    return {one.tag: one for one in (*found, ENGLISH)}


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
    return ENGLISH.tag


# --- speaking ---------------------------------------------------------------------------------------------------------


def listen(accepted: str) -> None:
    """From here on, until the answer is given, the pages speak as a browser asks."""
    _spoken.set(languages()[chosen(accepted, languages())])


def language() -> str:
    """Which language is spoken."""
    return _spoken.get().tag


def gettext_now(text: str) -> str:
    """A text in the reader's language."""
    return _spoken.get().words.gettext(text)


def ngettext_now(text: str, many: str, n: int) -> str:
    """A text for so many in the reader's language."""
    return _spoken.get().words.ngettext(text, many, n)


def _(text: str, **values: object) -> str:
    """A text in the reader's language, for page modules; values stand for their `%(name)s`."""
    return gettext_now(text) % values if values else gettext_now(text)


def _n(text: str, many: str, n: int, **values: object) -> str:
    """A text for one or one for many; the number is `%(num)s`."""
    return ngettext_now(text, many, n) % {"num": n, **values}


def _marked(text: str, **values: object) -> Markup:
    """A text for a template: values are escaped, the text itself is ours."""
    words = _spoken.get().words
    return Markup(words.gettext(text)) % values if values else _without_values(words, text)


@lru_cache(maxsize=4096)
def _without_values(words: gettext.NullTranslations, text: str) -> Markup:
    return Markup(words.gettext(text)) % {}


def speak(environment: Environment) -> None:
    """Gives templates `_`, `gettext`, `ngettext` and `{% trans %}`, in the language of the moment.

    The `_` of Jinja's extension looks every text up through two calls with the template's context, which doubled the
    time of rendering; ours keeps the marked texts.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(gettext_now, ngettext_now, newstyle=True)  # type: ignore[attr-defined]
    environment.globals |= {"_": _marked, "language": language, "script_words": lambda: _spoken.get().scripts}
    environment.policies["ext.i18n.trimmed"] = True
    languages()  # a translation that cannot be read stops the server before it starts
