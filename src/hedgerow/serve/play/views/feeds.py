"""What the open pages of a game are sent: board, clocks, offers and people as they change, never a whole page again.

A game that is looked at here has one feed. Pages that are shown the same share their messages: what is new is worked
out, written and framed once for all of them, and players get it before those who watch. A `board` tells what differs
from the position before, so whoever comes is first told the whole; `page` tells what has changed beside the board.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from hedgerow.serve.bus.local import Bus, Listener, Message
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.offers import Offer, Offers
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.ratings import Ratings
from hedgerow.serve.play.snapshot import Lines, Snapshot, changed
from hedgerow.serve.play.state import Happened
from hedgerow.serve.play.talk import ChatRoom, Talk
from hedgerow.serve.play.views.board import ActionView, HintView, encode
from hedgerow.serve.play.views.game import Around, GameView, SeatRating, game_view, viewer_of
from hedgerow.serve.play.views.looks import Looks
from hedgerow.serve.play.views.seats import seat_ratings
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.feeds")

SAID = 50
"""How many of the last messages in a room are shown."""


class Picture(msgspec.Struct, omit_defaults=True):
    """All lines of a drawing, or those that differ from the one before, by their place."""

    lines: Lines = ()
    at: dict[int, str] = {}


class News(msgspec.Struct, omit_defaults=True):
    """A turn in words, and the points that it is about."""

    seat: int
    words: str
    removed: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


class BoardMessage(msgspec.Struct, tag_field="type", tag="board", omit_defaults=True):
    """The game has moved on, or begun; the first of them tells how it stands."""

    version: int
    state: str
    turns: tuple[int, Sequence[str]]
    """From which turn on the list is another, and the turns from there."""
    picture: Picture
    now: int
    since: int
    flags: list[str]
    slots: dict[str, str]
    prompt: str = ""
    turn: Happened | None = None
    """What has just happened."""
    you: int | None = None
    to_move: int | None = None
    clocks: list[int] | None = None
    legal: list[ActionView] = []
    """What may be done, for whoever is to move."""
    news: list[News] = []
    """What the turns that are new did; for whoever comes, those since their own last one."""
    count: list[int] | None = None
    phase: str = ""
    did: HintView | None = None
    kinds: dict[str, list[str]] = {}


class PageMessage(msgspec.Struct, tag_field="type", tag="page"):
    """Offers, people, ratings or the next game have changed."""

    flags: list[str]
    slots: dict[str, str]


class Head(msgspec.Struct):
    """What a feed reads of a message on the bus."""

    type: str
    offers: list[Offer] = []


head_of = msgspec.json.Decoder(Head).decode


class Group(NamedTuple):
    """What pages have in common that are sent the same."""

    account: int | None
    """Of a player or somebody who is asked to play; everybody else sees the same."""
    look: str
    across: bool


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """An open page."""

    tell: Listener
    account: int | None
    looks: Looks


class Feed:
    """All open pages of one game in this process."""

    def __init__(self, feeds: Feeds, game: Snapshot) -> None:
        self.feeds = feeds
        self.game = game
        self.offers: list[Offer] = []
        self.ratings: list[SeatRating | None] = []
        self.ready = asyncio.create_task(self._begin(), name=f"feed {game.id}")
        self._groups: dict[Group, list[Page]] = {}
        self._views: dict[Group, GameView] = {}
        self._known = game.version
        """How far the game is, by what was heard."""
        self._due: asyncio.Handle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        bus = feeds.bus
        self._leave = [
            bus.subscribe(game.id, self._hear, first=True, version=game.version),
            bus.subscribe(f"{game.id}/page", self._hear),
        ]

    async def _begin(self) -> None:
        self.offers = list(await self.feeds.offers.standing(self.game))
        self.ratings = await seat_ratings(self.feeds.ratings, self.game)

    def close(self) -> None:
        """Nobody is left."""
        for leave in self._leave:
            leave()
        if self._due:
            self._due.cancel()
        for task in self._tasks:
            task.cancel()

    # --- who looks ----------------------------------------------------------------------------------------------------

    def join(self, page: Page) -> None:
        """Tells a page how the game stands, and from now on what changes."""
        self._flush()  # the others are told what is new first, so that all know the same position
        group = self._group(page)
        self._groups.setdefault(group, []).append(page)
        view = self._views[group] = self._view(group)
        page.tell(_framed(self._board(group, view, None)))

    @property
    def idle(self) -> bool:
        """No page is open."""
        return not self._groups

    def leave(self, page: Page) -> None:
        """A page is gone."""
        for group, pages in list(self._groups.items()):
            if page in pages:
                pages.remove(page)
                if not pages:
                    del self._groups[group]
                    self._views.pop(group, None)

    def _group(self, page: Page) -> Group:
        seat = self.game.seat_of(page.account)
        across = seat in self.game.match.rules.far and page.looks.side == "own"
        known = seat is not None or any(one.free and one.invited == page.account is not None for one in self.game.seats)
        return Group(page.account if known else None, page.looks.look, across)

    def _regroup(self) -> None:
        """Somebody has sat down: their other pages are told all of it."""
        before, self._groups = self._groups, {}
        for group, pages in before.items():
            for page in pages:
                self._groups.setdefault(found := self._group(page), []).append(page)
                if found != group:
                    page.tell(_framed(self._board(found, self._view(found), None)))

    # --- what happens -------------------------------------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        if message.version is not None:
            self.offers = []  # they end with whatever happens next
            self._known = max(self._known, message.version)
        else:
            head = head_of(message.text)
            if head.type == "offers":
                self.offers = head.offers
            elif head.type in ("seats", "ratings"):
                self._do(self._rate())
        if self._due is None:
            self._due = asyncio.get_running_loop().call_soon(self._flush)

    async def _rate(self) -> None:
        """Who plays, or how they are rated, has changed."""
        self.game_now(await self.feeds.games.look(self.game.id))
        self.ratings = await seat_ratings(self.feeds.ratings, self.game)
        self._flush()

    async def _fetch(self) -> None:
        """The game is further than it is known here."""
        self.game_now(await self.feeds.games.look(self.game.id))

    def _flush(self) -> None:
        """Tells everybody what is new."""
        if self._due:
            self._due.cancel()
            self._due = None
        game = self.feeds.games.known(self.game.id)
        if game is None or game.version < self._known:
            self._do(self._fetch())
        else:
            self.game_now(game)

    def game_now(self, game: Snapshot) -> None:
        """Everybody is told how the game stands now."""
        before, self.game = self.game, game
        self._known = max(self._known, game.version)
        moved = (before.version, before.state) != (game.version, game.state)
        for group in sorted(self._groups, key=lambda group: group.account is None):
            view = self._view(group)
            if moved:
                self._tell(group, _framed(self._board(group, view, before)))
            elif view != self._views.get(group):
                self._tell(group, _framed(PageMessage(sorted(view.flags), view.slots)))
            self._views[group] = view
        if before.seats != game.seats:
            self._regroup()
        if game.over and not before.over:
            for group in self._groups:
                if group.account is not None:
                    self._do(self._hear_watchers(group))

    def _tell(self, group: Group, message: Message) -> None:
        for page in self._groups.get(group, ()):
            page.tell(message)

    async def _hear_watchers(self, group: Group) -> None:
        """After the end, players hear what was said about their game."""
        for said in await self.feeds.talk.heard(self.game, group.account, "watchers", SAID):
            self._tell(group, _framed(said))

    def _do(self, task: Coroutine[object, None, None]) -> None:
        made = asyncio.create_task(task, name=f"feed {self.game.id}")
        self._tasks.add(made)
        made.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.warning("pages were not told of a change: %s", error)

    # --- what is told -------------------------------------------------------------------------------------------------

    def _view(self, group: Group) -> GameView:
        there = self.feeds.spectators
        here, watchers = frozenset(there.seats(self.game.id)), there.count(self.game.id)
        around = Around(self.offers, here, watchers, self.ratings)
        return game_view(self.game, around, viewer_of(self.feeds.offers, self.game, group.account))

    def _board(self, group: Group, view: GameView, before: Snapshot | None) -> BoardMessage:
        """How the game stands, or what differs from the version before."""
        game, board = self.game, self.game.board
        you = game.seat_of(group.account)
        return BoardMessage(
            version=game.version,
            state=game.state,
            turns=_other_turns(before.turns if before else (), game.turns),
            picture=_picture(game, before, group),
            now=now(),
            since=game.since,
            flags=sorted(view.flags),
            slots=view.slots,
            prompt=board.prompt,
            turn=game.last if before and before.version < game.version else None,
            you=you,
            to_move=game.to_move,
            clocks=game.clocks,
            legal=board.legal if you is not None and you == game.to_move else [],
            news=list(self._news(group, before)),
            count=board.count,
            phase=board.phase,
            did=board.did,
            kinds=board.kinds,
        )

    def _news(self, group: Group, before: Snapshot | None) -> Iterator[News]:
        """The turns that are new, in words for whoever reads them."""
        first = None if before is None else _other_turns(before.turns, self.game.turns)[0]
        for found, words in self.game.news(group.account, first):
            yield News(found.seat, words, found.removed, found.gained)


def _picture(game: Snapshot, before: Snapshot | None, group: Group) -> Picture:
    drawn = game.drawn(group.look, group.across)
    other = changed(before.drawn(group.look, group.across), drawn) if before else None
    return Picture(lines=drawn) if other is None else Picture(at=other)


def _other_turns(before: Sequence[str], after: Sequence[str]) -> tuple[int, Sequence[str]]:
    """Where two lists of turns part, and how the second goes on from there.

    >>> _other_turns(("A1", "B2"), ("A1", "C3", "D4"))
    (1, ('C3', 'D4'))
    """
    start = 0
    for old, new in zip(before, after):
        if old != new:
            break
        start += 1
    return start, after[start:]


def _framed(message: msgspec.Struct) -> Message:
    return Message(encode(message).decode())


class Feeds:
    """The feeds of all games that are looked at here."""

    def __init__(
        self, games: Games, bus: Bus, offers: Offers, ratings: Ratings, spectators: Spectators, talk: Talk
    ) -> None:
        self.games, self.bus, self.offers, self.ratings = games, bus, offers, ratings
        self.spectators, self.talk = spectators, talk
        self._feeds: dict[str, Feed] = {}

    async def join(self, game: str, account: int | None, looks: Looks, tell: Listener) -> Callable[[], None]:
        """A page is told everything about a game until the returned function is called."""
        page, feed = Page(tell, account, looks), await self._ready(game)
        feed.join(page)

        def leave() -> None:
            feed.leave(page)
            self._drop_idle(feed)

        return leave

    async def _ready(self, game: str) -> Feed:
        """The feed of a game, when it knows what there is to know."""
        while True:
            known = await self.games.look(game)
            feed = self._feeds.get(game)
            if feed is None:
                feed = self._feeds[game] = Feed(self, known)
            try:
                await asyncio.shield(feed.ready)
            except BaseException:
                self._drop_idle(feed)
                raise
            if self._feeds.get(game) is feed:
                return feed

    def _drop_idle(self, feed: Feed) -> None:
        if feed.idle and self._feeds.get(feed.game.id) is feed:
            del self._feeds[feed.game.id]
            feed.close()

    def rated(self, game: str) -> None:
        """A game was rated: pages that show it show that."""
        self.bus.publish(f"{game}/page", Message('{"type":"ratings"}'))


def rooms_of(game: Snapshot, seat: int | None) -> Iterable[ChatRoom]:
    """Where somebody hears what is said."""
    return ("watchers",) if seat is None else ("players", "watchers") if game.over else ("players",)
