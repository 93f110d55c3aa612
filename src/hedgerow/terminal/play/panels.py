"""What stands beside the board, as text: the players, the turns, the engine's opinion, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from hedgerow.game import Rules
from hedgerow.game.rules import P
from hedgerow.match import Match
from hedgerow.terminal.play import telling
from hedgerow.terminal.play.clock import in_words
from hedgerow.terminal.play.picture import BARE_STONES, STONES
from hedgerow.terminal.play.seats import called
from hedgerow.terminal.play.session import Session
from hedgerow.terminal.play.table import Table

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis

SHORT_OF_TIME = 20.0


def seats(table: Table, width: int, theme: str, bare: bool, scores: Sequence[int] | None = None) -> Content:
    """A line for every seat: its sign, who sits there, its score and clock; whoever is to move stands out."""
    match, rules = table.match, table.match.rules
    names = [called(seat) for seat in table.seats] if isinstance(table, Session) else table.names
    left, placed = table.clocks(), rules.placed(match.plain)
    lines = []
    for number, (side, name) in enumerate(zip(rules.seats, names)):
        mover = match.outcome is None and number == match.to_move
        clock = f"{scores[number] if scores else ''} {in_words(left[number]) if left else ''}".strip()
        out = " out" if placed[number] else ""
        who = set_cell_size(f"{side if name == side else f'{side} {name}'}{out}", max(8, width - 4 - cell_len(clock)))
        arrow = "▶" if mover else " "
        urgent = "$error" if left and left[number] < SHORT_OF_TIME else "$foreground"
        weight = "bold" if mover else "not bold"
        lines.append(
            Content.assemble(
                (arrow, "$accent bold"),
                (f"{(BARE_STONES if bare else STONES)[number]} ", sign_style(number, theme, bare)),
                (f"{who} ", f"{weight} $foreground" if not placed[number] else "$foreground 60%"),
                (clock, f"{weight} {urgent}"),
            )
        )
        if tray := tray_of(match, number):
            lines.append(Content.styled(f"   {set_cell_size(tray, width - 3).rstrip()}", "$foreground 70%"))
    if scores and match.outcome is None:
        lines.append(Content.styled("count if all pass now".rjust(width), "$foreground 60%"))
    return Content("\n").join(lines)


def tray_of(match: Match, seat: int) -> str:
    """What a seat has beside the board: "U20 B5 O3", or in words where there is room."""
    trays = [tray for tray in match.rules.trays(match.plain) if tray.seat == seat]
    words = [f"{tray.count} {tray.kind}" for tray in trays]
    return ", ".join(words) if len(words) < 3 else " ".join(f"{tray.kind[:1].upper()}{tray.count}" for tray in trays)


def sign_style(seat: int, theme: str, bare: bool) -> str:
    """The colour of a seat's sign on the screen's ground, where black and white need care."""
    if bare:
        return "bold"
    dark = ("#8a8a80", "#fdf9ee", "#ffa39c", "#a8d6ff", "#bdf2a0", "#ffe15c")
    light = ("#100f0c", "#8d8460", "#b23a48", "#2f6cae", "#3f7d2b", "#a37300")
    return f"bold {(dark if theme == 'dark' else light)[seat]}"


def turns(table: Table, width: int, back: int | None = None) -> Content:
    """What was played, a round a line where it fits; the turn that is shown stands out."""
    texts, rules = table.match.turns, table.match.rules
    if not texts:
        return Content.styled("No turns yet.", "$foreground 60%")
    shown = len(texts) if back is None else back
    across = 2 if rules.players == 2 else 1
    longest = max(len(text) for text in texts)
    across = across if 5 + 2 * (longest + 2) <= width else 1
    lines = []
    for first in range(0, len(texts), across):
        parts: list[Content] = [Content.styled(f"{first + 1:>3}. ", "$foreground 60%")]
        for number in range(first, min(first + across, len(texts))):
            look = "bold $accent" if number + 1 == shown else "$foreground"
            parts.append(Content.styled(f"{texts[number]:<{longest + 2}}", look))
        lines.append(Content("").join(parts))
    return Content("\n").join(lines)


def engine(rules: Rules[P], found: Analysis | None, width: int) -> Content:
    """Who is likely to win, and the best turns."""
    if found is None or not found.lines:
        return Content.styled("Engine: thinking…", "$foreground 60%")
    mover, lines = found.to_move, [Content.styled(telling.chances(rules, found), "bold")]
    if rules.players == 2:
        lines.append(bar(found.lines[0].values[0], width - 1))
    for number, line in enumerate(found.lines, 1):
        told = telling.line_told(rules, line, mover)
        lines.append(Content(set_cell_size(f"{number} {told}", width - 1).rstrip()))
    lines.append(Content.styled(telling.spoken_by(found), "$foreground 60%"))
    return Content("\n").join(lines)


def bar(share: float, width: int) -> Content:
    """A bar that the first seat has so much of."""
    full = round(share * width)
    return Content.assemble(("█" * full, "$secondary"), ("░" * (width - full), "$secondary"))


def buttons(words: Sequence[str]) -> Content:
    """What may be pressed beside the board; each is pressed by a click, by its number, or typed."""
    parts = [
        Content.from_markup(f"[@click=screen.word('{word}')][reverse] {word} [/reverse][/]")
        if word.isidentifier()
        else Content(word)
        for word in words
    ]
    return Content("  ").join(parts)


def keys(shown: Sequence[tuple[str, str, str]], width: int) -> Content:
    """The line of keys at the bottom: as many as fit, each pressed by a click as well."""
    parts, used = list[Content](), 0
    for key, name, action in shown:
        size = len(key) + len(name) + 3
        if used + size > width:
            break
        used += size
        parts.append(Content.from_markup(f"[@click={action}][bold $accent]{key}[/] {name}[/]"))
    return Content("  ").join(parts)
