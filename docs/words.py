"""Collects every text of the pages into words.pot: from templates, scripts and page modules. `make words` runs it.

python docs/words.py            writes src/hedgerow/serve/web/words.pot
python docs/words.py de         also begins src/hedgerow/serve/web/words/de.po, or brings it up to date

Neither dates nor line numbers are written, so that the file changes only when a text does.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

SERVE = Path(__file__).parent.parent / "src" / "hedgerow" / "serve" / "web"
METHODS = [("templates/**.html", "jinja2"), ("static/**.js", "javascript"), ("**.py", "python")]
OPTIONS = {"templates/**.html": {"trimmed": "true", "silent": "false", "newstyle_gettext": "true"}}
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "_n": (1, 2)}
HEAD = "# The texts of Hedgerow's pages. Made by `make words`; see docs/translating.md.\n"


def collected() -> Catalog:
    """Every text, and the files it is in."""
    catalog = Catalog(fuzzy=False)
    found = extract_from_dir(SERVE, METHODS, OPTIONS, KEYWORDS)
    for name, _line, text, _comments, _context in sorted(found, key=lambda one: (one[0], one[1])):
        catalog.add(text, locations=[(name, None)])
    return catalog


def written(catalog: Catalog, head: str = HEAD) -> str:
    """A catalog as text, without anything that changes by itself."""
    out = BytesIO()
    write_po(out, catalog, omit_header=True, width=110, include_lineno=False, sort_by_file=True)
    return head + "\n" + out.getvalue().decode().strip() + "\n"


def renewed(language: str) -> str:
    """A translation with the texts as they are now; those that are new are empty."""
    path = SERVE / "words" / f"{language}.po"
    old = (
        read_po(path.open("rb"), locale=language.replace("-", "_"))
        if path.exists()
        else Catalog(language.replace("-", "_"))
    )
    old.update(collected(), no_fuzzy_matching=True)
    start = f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Plural-Forms: {old.plural_forms}\\n"\n'
    return written(old, start)


if __name__ == "__main__":
    (SERVE / "words.pot").write_text(written(collected()), encoding="utf-8")
    for language in sys.argv[1:]:
        (SERVE / "words").mkdir(exist_ok=True)
        (SERVE / "words" / f"{language}.po").write_text(renewed(language), encoding="utf-8")
