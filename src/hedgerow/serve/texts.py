"""The words of the pages, ready for other languages: `_("...")` in templates and scripts, collected by gettext's tools.

English is written where it is used. A translation would be a catalog beside it; there is none yet.
"""

from __future__ import annotations

from gettext import NullTranslations

from jinja2 import Environment

ENGLISH = NullTranslations()


def speak(environment: Environment, words: NullTranslations = ENGLISH) -> None:
    """Gives templates `_`, `gettext`, `ngettext` and `{% trans %}`, with these words."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_translations(words, newstyle=True)  # type: ignore[attr-defined]
