"""Colours: every one is a CSS variable with a default here, so that a page can change it; ANSI codes for terminals.

The rules are wrapped in `:where()`, which weighs nothing: whatever a page says about `.hedgerow` wins. A theme with
`dark` follows the reader's preference; the others are the same by day and by night. On a page, `data-light` on its root
settles it, `day` or `night`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SEAT_CODES = ("36", "35", "31", "34", "32", "33")
"""ANSI colours by seat: cyan and magenta, which stand out on black and on white, then red, blue, green, yellow."""


@dataclass(frozen=True)
class Theme:
    """The values of the variables by day and, where they differ, by night."""

    light: Mapping[str, str]
    dark: Mapping[str, str] | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    """What it draws in its own way."""


_DAY = {  # seats in the colours that games with many players name: black, white, red, blue, green, yellow
    "ground": "#f7f4ea",
    "text": "#39402f",
    "label": "#6b6951",
    "board": "#ebe3cb",
    "board-deep": "#dfd4b4",
    "board-edge": "#b9a983",
    "shadow": "#5c5030",
    "line": "#a89a78",
    "square": "#cfc39c",
    "divide": "#6f7f4c",
    "last": "#a5311a",
    "last-edge": "#fbf7ea",
    "highlight": "#2f6cae",
    "maple": "#cf5a3a",
    "oak": "#69903a",
    "birch": "#ad7c18",
    "undergrowth": "#5b9073",
    "seat-0": "#2c2b27",
    "seat-0-edge": "#fbf7ea",
    "seat-0-ink": "#f1ead4",
    "seat-1": "#fdfbf3",
    "seat-1-edge": "#4c4636",
    "seat-1-ink": "#4c4636",
    "seat-2": "#b23a48",
    "seat-2-edge": "#fdf1ea",
    "seat-2-ink": "#fdf1ea",
    "seat-3": "#3f6fa3",
    "seat-3-edge": "#f0f5f7",
    "seat-3-ink": "#f0f5f7",
    "seat-4": "#4d7d3b",
    "seat-4-edge": "#f6f5e4",
    "seat-4-ink": "#f6f5e4",
    "seat-5": "#e3ab24",
    "seat-5-edge": "#5b4310",
    "seat-5-ink": "#5b4310",
}
_NIGHT = _DAY | {
    "ground": "#1d231d",
    "text": "#dfe0cc",
    "label": "#9aa088",
    "board": "#3d4a3b",
    "board-deep": "#334033",
    "board-edge": "#5d6d57",
    "shadow": "#000000",
    "line": "#6f7f68",
    "square": "#47553f",
    "divide": "#b9c48d",
    "last": "#ff8a5c",
    "last-edge": "#151713",
    "highlight": "#8fc4ff",
    "seat-0": "#151713",
    "seat-0-edge": "#c9ccb8",
    "seat-1": "#f4efdf",
    "seat-1-edge": "#2a2c22",
    "seat-2": "#e8767f",
    "seat-2-edge": "#2f1013",
    "seat-2-ink": "#2f1013",
    "seat-3": "#79a8dc",
    "seat-3-edge": "#102033",
    "seat-3-ink": "#102033",
    "seat-4": "#7db35f",
    "seat-4-edge": "#1c2a14",
    "seat-4-ink": "#1c2a14",
    "seat-5": "#f0c04a",
}
_PAPER = {
    "ground": "#ffffff",
    "text": "#000000",
    "label": "#444444",
    "board": "#ffffff",
    "board-deep": "#ffffff",
    "board-edge": "#000000",
    "shadow": "#ffffff",
    "line": "#888888",
    "square": "#eeeeee",
    "divide": "#000000",
    "last": "#777777",
    "last-edge": "#ffffff",
    "highlight": "#000000",
    "seat-0": "#000000",
    "seat-0-edge": "#ffffff",
    "seat-0-ink": "#ffffff",
    "seat-1": "#ffffff",
    "seat-1-edge": "#000000",
    "seat-1-ink": "#000000",
    "seat-2": "#555555",
    "seat-2-edge": "#ffffff",
    "seat-2-ink": "#ffffff",
    "seat-3": "#dddddd",
    "seat-3-edge": "#000000",
    "seat-3-ink": "#000000",
    "seat-4": "#888888",
    "seat-4-edge": "#000000",
    "seat-4-ink": "#ffffff",
    "seat-5": "#f4f4f4",
    "seat-5-edge": "#000000",
    "seat-5-ink": "#000000",
}

_SHEET = _PAPER | {"line": "#6d6d6d", "square": "#e2e2e2", "last": "#5f5f5f"}
_SHEET_BY_NIGHT = _SHEET | {  # the same sheet, photographed: light on dark
    "ground": "#161616",
    "text": "#f2f2f2",
    "label": "#b9b9b9",
    "board": "#161616",
    "board-deep": "#161616",
    "board-edge": "#e6e6e6",
    "shadow": "#161616",
    "line": "#8a8a8a",
    "square": "#303030",
    "divide": "#f2f2f2",
    "last": "#c4c4c4",
    "last-edge": "#161616",
    "highlight": "#ffffff",
    "seat-0": "#000000",
    "seat-0-edge": "#ffffff",
}
_PENCIL = _PAPER | {
    "ground": "#fbf8ee",
    "text": "#35343a",
    "label": "#66646c",
    "board": "#fbf8ee",
    "board-deep": "#fbf8ee",
    "board-edge": "#8b8a90",
    "shadow": "#fbf8ee",
    "line": "#a3a1a8",
    "ruled": "#d5e1ea",
    "square": "#e4e1da",
    "divide": "#55545a",
    "last": "#b0473c",
    "last-edge": "#fbf8ee",
    "highlight": "#2f5f9e",
    "seat-0": "#4a494f",
    "seat-0-paper": "#fbf8ee",
    "seat-0-edge": "#35343a",
    "seat-0-ink": "#fbf8ee",
    "seat-1": "#fbf8ee",
    "seat-1-edge": "#35343a",
    "seat-1-ink": "#35343a",
}
_CHALK = _PENCIL | {  # what a pencil is by day; dark pieces stay dark
    "ground": "#24302c",
    "text": "#eceee6",
    "label": "#b4bfb6",
    "board": "#24302c",
    "board-deep": "#24302c",
    "board-edge": "#aab5ac",
    "shadow": "#24302c",
    "line": "#7c8a82",
    "ruled": "#2d3a35",
    "square": "#34433d",
    "divide": "#d9dfd4",
    "last": "#ffab7a",
    "last-edge": "#24302c",
    "highlight": "#a8d0ff",
    "seat-0": "#050706",
    "seat-0-edge": "#cfd6ca",
    "seat-0-ink": "#eceee6",
    "seat-0-paper": "#121916",
    "seat-1": "#e4e7dc",
    "seat-1-edge": "#ffffff",
    "seat-1-ink": "#24302c",
}
_FLAT = {".shadow": "stroke:none", ".board-edge": "stroke:none", ".claim": "opacity:.08"}
_BY_HAND = _FLAT | {
    "": "font-family:'Segoe Print','Bradley Hand','Comic Neue','Chalkboard SE',ui-rounded,cursive,sans-serif",
    ".board": "fill:none;stroke:none",
    ".ruled": "fill:none;stroke:var(--hr-ruled);stroke-width:1",
    ".lines": "stroke-width:1.1",
    ".claim": "opacity:0",
    ".hatch": "opacity:.75;stroke-width:1.1;stroke:var(--hr-line)",
    ".seat-0 .hatch": "stroke:var(--hr-seat-0)",
    ".hatch-edge": "stroke:none",
    ".claim-edge": "stroke:none",
    ".claim-border": "stroke:var(--hr-text);stroke-width:1.2",
    ".link-edge": "stroke-width:5.4",
    ".link": "stroke-width:3.4",
    ".scribble": "fill:none;stroke:var(--hr-fill);stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round",
    ".ring": "fill:none;stroke:var(--hr-edge);stroke-width:1.5;stroke-linecap:round",
    ".paper": "fill:var(--hr-fill)",
    ".seat-0 .paper": "fill:var(--hr-seat-0-paper)",
}
_PRINTED = _FLAT | {
    "": "font-family:'Iowan Old Style',Palatino,'Book Antiqua',Georgia,serif",
    ".lines": "stroke-width:1",
    ".link-edge": "stroke-width:9",
    ".link": "stroke-width:6",
    ".inner": "stroke:none",
    ".body": "stroke-width:2",
}

LOOKS = ("hedgerow", "pencil", "sheet")
"""The themes that a reader may choose from on a page."""

THEMES: Mapping[str, Theme] = {
    "hedgerow": Theme(_DAY, _NIGHT),
    "day": Theme(_DAY),
    "night": Theme(_NIGHT),
    "paper": Theme(_PAPER),
    "pencil": Theme(_PENCIL, _CHALK, _BY_HAND),
    "sheet": Theme(_SHEET, _SHEET_BY_NIGHT, _PRINTED),
}
"""The first is the default."""

_RULES = {
    "": "font-family:ui-sans-serif,system-ui,sans-serif",
    "text": "fill:var(--hr-text);dominant-baseline:central",
    "text.label": "fill:var(--hr-label);text-anchor:middle",
    "text.mover": "font-weight:700",
    ".ground": "fill:var(--hr-ground)",
    ".shadow": "fill:none;stroke:var(--hr-shadow);opacity:.14;stroke-linejoin:round",
    ".board-edge": "fill:none;stroke:var(--hr-board-edge);stroke-linejoin:round",
    ".board": "stroke-linejoin:round",
    ".board-light": "stop-color:var(--hr-board)",
    ".board-deep": "stop-color:var(--hr-board-deep)",
    ".lines": "fill:none;stroke:var(--hr-line);stroke-width:1.25;stroke-linecap:round",
    ".squares": "fill:var(--hr-square);opacity:.55",
    ".divide": "fill:none;stroke:var(--hr-divide);stroke-width:3;stroke-linecap:round",
    ".spot": "fill:transparent",
    ".claim": "fill:var(--hr-fill);opacity:.3",
    ".hatch": "fill:none;stroke:var(--hr-fill);stroke-width:2.2;opacity:.5",
    ".hatch-edge": "fill:none;stroke:var(--hr-edge);stroke-width:.8;opacity:.5",
    ".claim-edge": "fill:none;stroke:var(--hr-edge);stroke-width:3.2;stroke-linecap:round;opacity:.8",
    ".claim-border": "fill:none;stroke:var(--hr-fill);stroke-width:1.7;stroke-linecap:round",
    ".link-edge": "fill:none;stroke:var(--hr-edge);stroke-width:13.4",
    ".link": "fill:none;stroke:var(--hr-fill);stroke-width:10",
    ".body": "fill:var(--hr-fill);stroke:var(--hr-edge);stroke-width:1.7;stroke-linejoin:round",
    ".inner": "fill:none;stroke:var(--hr-ink);stroke-width:1.3;stroke-linejoin:round;opacity:.55",
    ".emblem": "fill:var(--hr-ink)",
    ".maple .emblem": "fill:var(--hr-maple,var(--hr-ink))",
    ".oak .emblem": "fill:var(--hr-oak,var(--hr-ink))",
    ".birch .emblem": "fill:var(--hr-birch,var(--hr-ink))",
    ".undergrowth .emblem": "fill:var(--hr-undergrowth,var(--hr-ink))",
    ".stroke": "fill:none;stroke:var(--hr-ink);stroke-width:2.2;stroke-linecap:round;stroke-linejoin:round",
    ".vein": "fill:none;stroke:var(--hr-fill);stroke-width:1.1;stroke-linecap:round",
    ".last": "fill:var(--hr-last);stroke:var(--hr-last-edge);stroke-width:2.6",
    ".last-frame": "fill:none;stroke:var(--hr-last);stroke-width:2.5",
    ".highlight": "fill:none;stroke:var(--hr-highlight);stroke-width:2.5;stroke-dasharray:5 3.4",
}


def style(name: str) -> str:
    """The style sheet of a theme: the variables' values, then the rules that use them."""
    if name not in THEMES:
        raise ValueError(f"no theme {name!r}; hint: {', '.join(THEMES)}")
    theme = THEMES[name]
    sheet = [f":where(.theme-{name}){{{_values(theme.light)}}}"]
    if theme.dark:
        sheet.append(f"@media (prefers-color-scheme:dark){{:where(.theme-{name}){{{_values(theme.dark)}}}}}")
    return "\n".join([*sheet, *_shared(), *_own(name)])


def flat_style(name: str) -> str:
    """The style sheet of a theme by day, without variables and `:where()`: for programs that know little CSS."""
    theme = THEMES[name]
    rules = [*_RULES.items(), *theme.rules.items(), (".spot", "display:none")]
    return "\n".join(rule for what, how in rules for rule in _flat(what or ".hedgerow", how, theme.light))


_VARIABLE = re.compile(r"var\(--hr-([\w-]+)(?:,var\(--hr-([\w-]+)\))?\)")


def _flat(what: str, how: str, values: Mapping[str, str]) -> Iterator[str]:
    """A rule with the values of its variables; one for every seat where they are a seat's."""

    def settled(found: re.Match[str]) -> str:
        name = found[1] if found[1] in values or not found[2] else found[2]
        return values.get(name, f"var(--hr-{name})")

    how = _VARIABLE.sub(settled, how)
    if "var(" not in how:
        yield f"{what}{{{how}}}"
        return
    for seat in range(len(SEAT_CODES)):
        mine = {"fill": values[f"seat-{seat}"], "edge": values[f"seat-{seat}-edge"], "ink": values[f"seat-{seat}-ink"]}
        own = _VARIABLE.sub(lambda found, mine=mine: mine[found[1]], how)  # type: ignore[misc]
        yield f".seat-{seat}{what},.seat-{seat} {what}{{{own}}}"


def page_style() -> str:
    """The style sheet of a page, where boards of every look may stand, by day or by night as its root says."""
    sheet = []
    for name in LOOKS:
        theme, where = THEMES[name], f".theme-{name}"
        night = _values(theme.dark or theme.light)
        sheet += [
            f":where({where}){{{_values(theme.light)}}}",
            f"@media (prefers-color-scheme:dark){{:where(:root:not([data-light=day]) {where}){{{night}}}}}",
            f":where([data-light=night] {where}){{{night}}}",
        ]
    return "\n".join([*sheet, *_shared(), *(rule for name in LOOKS for rule in _own(name))])


def _shared() -> list[str]:
    """The rules of all themes: what a seat's colours are, then how every part is drawn."""
    seats = []
    for seat in range(len(SEAT_CODES)):
        names = {"fill": f"seat-{seat}", "edge": f"seat-{seat}-edge", "ink": f"seat-{seat}-ink"}
        seats.append(f":where(.hedgerow .seat-{seat}){{{_values({k: f'var(--hr-{v})' for k, v in names.items()})}}}")
    return seats + _rules(".hedgerow", _RULES)


def _own(name: str) -> list[str]:
    return _rules(f".theme-{name}", THEMES[name].rules)


def _rules(where: str, rules: Mapping[str, str]) -> list[str]:
    return [f":where({where}{' ' if what else ''}{what}){{{how}}}" for what, how in rules.items()]


def _values(values: Mapping[str, str]) -> str:
    return ";".join(f"--hr-{name}:{value}" for name, value in values.items())
