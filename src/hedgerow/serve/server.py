"""The server's parts, put together and taken down in order."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from hedgerow.serve.accounts import Accounts
from hedgerow.serve.analyst import Analyst
from hedgerow.serve.bus import Bus, LocalBus
from hedgerow.serve.clocks import Flags
from hedgerow.serve.engines import Engines
from hedgerow.serve.feeds import Feeds
from hedgerow.serve.games import Games
from hedgerow.serve.jobs import Jobs, Queue
from hedgerow.serve.limits import KEYS, Limits
from hedgerow.serve.lines import MOST, Lines
from hedgerow.serve.live import LiveGame
from hedgerow.serve.lobby import Lobby
from hedgerow.serve.mail import Post
from hedgerow.serve.memory import Memory
from hedgerow.serve.notices import Notices
from hedgerow.serve.offers import Offers
from hedgerow.serve.plans import Plans
from hedgerow.serve.ratings import Ratings
from hedgerow.serve.redis_bus import RedisBus, channel
from hedgerow.serve.settings import Settings
from hedgerow.serve.spectators import Spectators
from hedgerow.serve.store import Store, mailbox, open_store, queries
from hedgerow.serve.streams import Streams
from hedgerow.serve.sweeps import Sweeps
from hedgerow.serve.talk import Talk
from hedgerow.serve.tokens import Tokens
from hedgerow.serve.turnstile import Turnstile
from hedgerow.serve.workshop import Workshop

if TYPE_CHECKING:
    from hedgerow.serve.shared_limits import SharedLimits

IDLE = 20.0
"""After how many seconds a game that nobody asks for leaves the memory."""


SWEEP = 5.0
"""Every so many seconds the sessions that are used here are looked up again."""

log = logging.getLogger("hedgerow.server")


class Server:
    """Everything that a request may need. It lives as long as the application does."""

    def __init__(self, settings: Settings, store: Store, house: str = "") -> None:
        self.settings = settings
        self.store = store
        self.bus: Bus = RedisBus(settings.redis, channel(house)) if settings.redis else LocalBus()
        self.limits = Limits(settings.limits, shared_limits(settings, house))
        self.addresses: OrderedDict[int, str] = OrderedDict()
        """Where accounts were last seen."""
        self.lines = Lines(MOST if settings.limits else None)
        self.accounts = Accounts(store, settings.registration, self.bus)
        self.accounts.after_end.append(self.lines.end)
        self.tokens = Tokens(self.accounts)
        self.games = Games(store, self.bus)
        self.streams = Streams(self.games, self.bus)
        self.flags = Flags(self.games.flag)
        self.games.after.append(self._watch)
        self.post = Post(store, settings, self.limits) if settings.smtp and settings.public_url else None
        self.notices = Notices(store)
        self.games.after.append(self.notices.consider)
        if isinstance(self.bus, RedisBus):
            self.bus.heard, self.bus.catch_up = self.games.hear, self.games.catch_up
        self.engines = self._engines(house) if settings.engines else None
        gate = self.engines.turnstile if isinstance(self.engines, Engines) else Turnstile(1)
        self.analyst = Analyst(gate) if settings.engines else None
        if self.analyst and isinstance(self.engines, Engines):
            self.analyst.ready = self.engines.can_study
        self.ratings = Ratings(store)
        self.games.after.append(self.ratings.consider)
        self.sweeps = Sweeps(self.games, self.ratings)
        self.lobby = Lobby(self.games)
        self.offers = Offers(self.games)
        self.workshop = Workshop(settings.limits)
        self.plans = Plans(self.games, self.workshop)
        self.talk = Talk(self.games, self.bus, self.limits)
        self.spectators = Spectators(self.bus)
        self.feeds = Feeds(self.games, self.bus, self.offers, self.ratings, self.spectators, self.talk)
        self.ratings.after.append(self.feeds.rated)
        if isinstance(self.bus, RedisBus):
            self.bus.missed = self._missed
            self.bus.came, self.bus.gone = self.spectators.came, self.spectators.gone
        self._resting = asyncio.create_task(self._rest(), name="rest")
        self._sweeping = asyncio.create_task(self._sweep(), name="sweep")
        self.sockets = 0
        self.stopping = False

    @classmethod
    async def start(cls, settings: Settings) -> Server:
        """Opens the store, then takes up the clocks and the machines' turns where they were."""
        store = await open_store(settings.data, settings.database)
        async with store.read() as connection:
            house = await queries.house(connection)
        server = cls(settings, store, house)
        async with server.store.read() as connection:
            running = await queries.clocks_running(connection)
            mail = await mailbox.mail_is_on(connection)
        if mail != (server.post is not None):
            async with server.store.write() as connection:
                await mailbox.set_mail(connection, not mail)
        for row in running:
            server.flags.watch(row.id, row.version, row.due)
        await server.plans.start()
        if server.engines:
            await server.engines.start()
        return server

    def _engines(self, house: str) -> Engines | Jobs:
        """Those who think: processes of our own, or engine workers by way of Redis."""
        if self.settings.redis:
            engines: Engines | Jobs = Jobs(self.games, Queue(self.settings.redis, house))
        else:
            engines = Engines(self.games, self.settings.engines)
        engines.addresses = self.address
        return engines

    def address(self, account: int) -> str:
        """Where an account was last seen; empty where that is not known."""
        return self.addresses.get(account, "")

    def seen(self, account: int, address: str) -> None:
        """An account is there."""
        self.addresses[account] = address
        if len(self.addresses) > KEYS:
            self.addresses.popitem(last=False)

    def _watch(self, live: LiveGame) -> None:
        if (due := live.due) is None:
            self.flags.forget(live.id)
        else:
            self.flags.watch(live.id, live.version, due)

    def _missed(self) -> None:
        """Something was said elsewhere and not heard here: everybody looks or asks for himself."""
        self.streams.look_again()
        self.spectators.ask_again()

    async def _rest(self) -> None:
        """Lets games go that nobody looks at, and challenges that nobody took up."""
        memory = Memory()
        while True:
            await asyncio.sleep(IDLE / 2)
            self.games.rest(IDLE)
            memory.consider(self.sockets, self.store.writer.turns)
            try:
                await self.lobby.expire()
            except Exception as error:  # the database is away, or another process was faster; there is time
                log.warning("could not look after the challenges: %s", type(error).__name__)

    async def _sweep(self) -> None:
        """Notices what was decided elsewhere about people who are here."""
        while True:
            await asyncio.sleep(SWEEP)
            try:
                await self.accounts.sweep(self.lines.sessions)
                await self.games.look_again()
            except Exception as error:  # the database is away; the next sweep is soon
                log.warning("could not look after the sessions: %s", type(error).__name__)

    async def stop(self) -> None:
        """Takes nothing new, stores what is waiting, lets go."""
        self.stopping = True
        self._resting.cancel()
        self._sweeping.cancel()
        await self.flags.stop()
        await self.sweeps.stop()
        await self.ratings.stop()
        await self.plans.stop()
        self.workshop.stop()
        if self.engines:
            await self.engines.stop()
        if self.analyst:
            await self.analyst.stop()
        await self.notices.stop()
        if self.post:
            await self.post.stop()
        await self.store.close()
        if isinstance(self.bus, RedisBus):
            await self.bus.stop()
        await self.limits.stop()


def shared_limits(settings: Settings, house: str) -> SharedLimits | None:
    """What several processes count together; one alone needs nobody for it."""
    if not (settings.redis and settings.limits):
        return None
    from hedgerow.serve.shared_limits import SharedLimits

    return SharedLimits(settings.redis, house)
