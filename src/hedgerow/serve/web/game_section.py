"""A game on its page: rendered once for all games and readers that are alike, then filled in for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, get_args

from markupsafe import Markup, escape

from hedgerow.draw.shapes import token
from hedgerow.serve.engine.views import TurningPointSearchView
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.live import rules_of
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import Seat
from hedgerow.serve.play.talk import ChatEvent, ChatRoom
from hedgerow.serve.play.views.game import GameView
from hedgerow.serve.refusals import sentences
from hedgerow.serve.store.rows import MuteRow
from hedgerow.serve.web import texts
from hedgerow.serve.web.beginners import Onward, onward
from hedgerow.serve.web.pages import templates
from hedgerow.serve.web.skeleton import Holes, HoleView, Skeleton
from hedgerow.serve.web.texts import _

HIDDEN, OPEN = Markup(" hidden"), Markup(" open")
NOTHING = Markup("")


class Shown(NamedTuple):
    """What a page shows of a game, besides the game itself."""

    view: GameView
    board: Markup
    then: int | None
    """After which turn it is shown; None for now."""
    said: Markup
    """Why something was refused."""
    unsaid: tuple[str, Markup] | None
    """What was typed into the chat and refused, and why."""
    link_for_friends: str | None
    rooms: Mapping[ChatRoom, Sequence[ChatEvent]]
    mutes: Sequence[MuteRow]
    note: str
    plan: Sequence[Sequence[str]]
    """Conditional turns."""


class Alike(NamedTuple):
    """The key of the cache: pages with the same key differ only in what is filled in."""

    language: str
    look: str
    rules: str
    machines: tuple[tuple[str, str] | None, ...]
    """The player and the name of every machine."""
    open: bool
    rated: bool
    private: bool
    control: Control
    onward: Onward
    account: str | None
    """Its kind."""
    seated: bool
    looks_back: bool
    shared: bool
    thinks: bool


def section(
    game: Snapshot,
    account: Account | None,
    look: str,
    shown: Shown,
    thinks: bool,
    search: TurningPointSearchView | None,
) -> Markup:
    """The game as its page shows it; `search` is what was found of its turning point."""
    alike = Alike(
        language=texts.language(),
        look=look,
        rules=game.match.rules.name,
        machines=tuple((seat.player, seat.name) if seat.player else None for seat in game.seats),
        open=game.begun is None,
        rated=game.rated,
        private=game.private,
        control=game.control,
        onward=onward(game.match.rules, [seat.player for seat in game.seats]),
        account=account.kind if account else None,
        seated=game.seat_of(account.id if account else None) is not None,
        looks_back=shown.then is not None,
        shared=shown.link_for_friends is not None,
        thinks=thinks,
    )
    made = _skeleton(alike) if search is None else _rendered(alike, search)
    return made.filled(shown.view, _values(game, account, shown))


@lru_cache(maxsize=256)
def _skeleton(alike: Alike) -> Skeleton:
    return _rendered(alike, None)


def _rendered(alike: Alike, search: TurningPointSearchView | None) -> Skeleton:
    rules = rules_of(alike.rules)
    seats = [Seat(None, machine[1] if machine else "", machine[0] if machine else None) for machine in alike.machines]
    game = Holes(
        seats=seats,
        control=alike.control,
        begun=None if alike.open else True,
        rated=alike.rated,
        private=alike.private,
    )
    names = ("board", "at", "back", "on", "last", "when", "prompt", "counts", "standing", "happened", "said")
    more = (
        "link_for_friends",
        "turns",
        "played",
        "first_legal",
        "legal",
        "yours_open",
        "note",
        "plan",
        "planned",
        "talk_open",
        "talk_kind",
        "talk_text",
        "talk_said",
        "mutes",
    )
    values = Holes()
    return Skeleton(
        templates.get_template("game.html").render(
            **{name: values[name] for name in names + more},
            **{name: getattr(alike, name) for name in ("look", "onward", "seated", "looks_back", "shared")},
            thinks=alike.thinks,
            search=search,
            rules=rules,
            view=HoleView(),
            game=game,
            account=Holes("account-", kind=alike.account) if alike.account else None,
            rooms=Holes("room-"),
            silent=Holes("silent-"),
            shapes=[Markup(token(seat, "owner")) for seat in range(rules.players)],
            pieces=[(kind, Markup(token(0, f"piece {kind}")), name, words) for kind, name, words in rules.glossary],
        )
    )


def _values(game: Snapshot, account: Account | None, shown: Shown) -> dict[str, str]:
    """What is filled in."""
    last = len(game.turns)
    at = last if shown.then is None else shown.then
    legal = [escape(action.text) for action in game.board.legal] if "mine" in shown.view.flags else []
    turns = (
        f'<li><a href="?turn={number}"{CURRENT if number == at else ""}>{escape(turn)}</a></li>'
        for number, turn in enumerate(game.turns, 1)
    )
    peopled = sum(seat.player is None for seat in game.seats) > 1 or any(shown.rooms.values())
    typed, unsaid = shown.unsaid or ("", Markup(""))
    return {
        "id": game.id,
        "version": str(game.version),
        "account-id": str(account.id) if account else "",
        "board": shown.board,
        "at": str(at),
        "back": str(min(max(at - 1, 0), last)),
        "on": str(min(at + 1, last)),
        "last": str(last),
        "when": _moment(game, shown.then),
        "prompt": _prompt(game, "mine" in shown.view.flags),
        "counts": " counts" if game.board.count or game.board.phase else "",
        "standing": _standing(game, game.reader(account.id if account else None)),
        "happened": _happened(game, account, shown.then),
        "said": sentences(shown.said),
        "link_for_friends": shown.link_for_friends or "",
        "turns": Markup("".join(turns)),
        "played": HIDDEN if game.turns else NOTHING,
        "first_legal": legal[0] if legal else "",
        "legal": Markup("".join(f'<option value="{text}">' for text in legal)),
        "yours_open": OPEN if shown.note else NOTHING,
        "note": shown.note,
        "plan": "".join(f"{', '.join(line)}\n" for line in shown.plan),
        "planned": _planned(shown.plan),
        "talk_open": OPEN if peopled or unsaid else NOTHING,
        "talk_kind": "peopled" if peopled or unsaid else "",
        "talk_text": typed,
        "talk_said": sentences(unsaid),
        "mutes": _mutes(game, shown.mutes),
        **_talk(game, account, shown.rooms),
    }


def _planned(lines: Sequence[Sequence[str]]) -> Markup:
    """What one has planned, a line for each case; nothing where nothing is planned."""
    if not lines:
        return NOTHING
    told = Markup("").join(Markup("<li>{}</li>").format(" → ".join(line)) for line in lines)
    return Markup("<h2>{}</h2><ul>{}</ul>").format(_("Your plan"), told)


CURRENT = ' aria-current="true"'


def _moment(game: Snapshot, then: int | None) -> str:
    """Which position is shown, where it is not the last one."""
    if then is None:
        return ""
    if then == 0:
        return _("The start.")
    return _("After turn %(n)s of %(all)s, %(turn)s.", n=then, all=len(game.turns), turn=game.turns[then - 1])


def _prompt(game: Snapshot, mine: bool) -> str:
    """What is to be done, or who is to do it."""
    if game.state == "playing" and not mine:
        mover = game.match.to_move
        seat = game.match.rules.seats[mover]
        thinks = game.seats[mover].player
        return _("%(seat)s is thinking …", seat=seat) if thinks else _("%(seat)s is to move.", seat=seat)
    if game.state == "open":
        return _("The game begins when every seat is taken.")
    return "" if game.outcome else game.board.prompt


def _happened(game: Snapshot, account: Account | None, then: int | None) -> Markup:
    """What the turn before the position that is shown did, or those since the reader's own last one."""
    if then is not None:
        found = game.told(then - 1) if then else None
        news = [(found, found.words())] if found else []
    else:
        news = list(game.news(account.id if account else None))
    line = Markup('<span class="{}">{} </span>')
    return Markup("").join(line.format("lost" if found.removed else "", words) for found, words in news)


def _standing(game: Snapshot, reader: int | None) -> str:
    """The part of the game that this is, and the count, if both passed now where they may."""
    count, phase = game.board.count, game.board.phase
    if not count:
        return phase
    names = [_("you") if seat == reader else name for seat, name in enumerate(game.match.rules.seats)]
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, count))
    passed = _("If both pass now: %(scores)s.", scores=scores)
    return f"{phase} {passed if game.match.rules.passes else _('The count: %(scores)s.', scores=scores)}".strip()


def _talk(game: Snapshot, account: Account | None, rooms: Mapping[ChatRoom, Sequence[ChatEvent]]) -> dict[str, str]:
    """What was said in every room, and whether nothing was."""
    found: dict[str, str] = {}
    for room in get_args(ChatRoom):
        lines = rooms.get(room) or ()
        told = templates.get_template("said.html").render(lines=lines, game=game, account=account) if lines else ""
        found |= {f"room-{room}": Markup(told), f"silent-{room}": HIDDEN if lines else NOTHING}
    return found


def _mutes(game: Snapshot, mutes: Sequence[MuteRow]) -> Markup:
    if not mutes:
        return NOTHING
    return Markup(templates.get_template("mutes.html").render(mutes=mutes, game=game))
