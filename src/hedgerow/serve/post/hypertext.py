"""The text of a mail that came as HTML, without what it quotes.

Tags are found by one pattern that never looks back: the time is that of the length, whatever somebody sends.
"""

from __future__ import annotations

import re
from html import unescape

TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)>")
DECLARED = re.compile(r"<[!?][^<>]*>")
LINES = ("p", "div", "br", "li", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "pre", "hr", "section", "article")
"""Where a new line begins."""
SILENT = ("head", "style", "script", "title", "template")
"""What is not read at all."""
QUOTED = re.compile(
    r"gmail_quote|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-signature|gmail_signature|"
    r"divRplyFwdMsg|appendonsend|OutlookMessageHeader|protonmail_quote|tutanota_quote",
    re.IGNORECASE,
)
"""How mail programs mark what they quote, and signatures."""
REST = re.compile(r"divRplyFwdMsg|appendonsend|OutlookMessageHeader", re.IGNORECASE)
"""After such a mark everything is quoted."""
EMPTY = ("br", "hr", "img", "input", "meta", "link", "wbr", "col", "area", "base", "source")


def without_comments(html: str) -> str:
    """HTML without its comments; one that is never closed takes the rest with it.

    >>> without_comments("a<!-- b -->c<!-- d")
    'ac'
    """
    kept, at = [], 0
    while (begin := html.find("<!--", at)) >= 0:
        kept.append(html[at:begin])
        end = html.find("-->", begin)
        if end < 0:
            return "".join(kept)
        at = end + 3
    return "".join(kept) + html[at:]


def text_of(html: str) -> str:
    """What somebody has written, line by line.

    >>> text_of("<p>c4&nbsp;d6</p><blockquote>old</blockquote><div>and <b>this</b><br>too</div>").splitlines()
    ['c4 d6', 'and this', 'too']
    """
    html = DECLARED.sub("", without_comments(html))
    out: list[str] = []
    at, hidden, inside = 0, 0, ""
    for tag in TAG.finditer(html):
        closes, name = bool(tag[1]), tag[2].lower()
        if not hidden:
            out.append(_flat(html[at : tag.start()]))
        at = tag.end()
        if hidden:  # until what began it is closed again
            if name == inside and not tag[3].endswith("/"):
                hidden += -1 if closes else 1
        elif not closes and REST.search(tag[3]):
            return _lines(out)
        elif not closes and name not in EMPTY and (name in (*SILENT, "blockquote") or QUOTED.search(tag[3])):
            hidden, inside = 1, name
        elif name in LINES:
            out.append("\n")
    if not hidden:
        out.append(_flat(html[at:]))
    return _lines(out)


def _flat(text: str) -> str:
    return unescape(re.sub(r"[ \t\r\n]+", " ", text)).replace("\xa0", " ")


def _lines(parts: list[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
