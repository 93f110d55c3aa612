"""The server's parts, put together and taken down in order."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from hedgerow.serve.bus.local import Bus, LocalBus
from hedgerow.serve.bus.redis import RedisBus, channel
from hedgerow.serve.engine.analyses import Analyses
from hedgerow.serve.engine.analyst import Analyst
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.engine.jobs import Jobs, Queue
from hedgerow.serve.memory import Memory
from hedgerow.serve.people.accounts import Accounts
from hedgerow.serve.people.bounces import Bounces
from hedgerow.serve.people.connections import MOST, Connections
from hedgerow.serve.people.limits import KEYS, Limits
from hedgerow.serve.people.mail import Post
from hedgerow.serve.people.mail_words import MailWords
from hedgerow.serve.people.members import Members
from hedgerow.serve.people.messages import Messages
from hedgerow.serve.people.notices import Notices
from hedgerow.serve.people.own_mail import OwnMail
from hedgerow.serve.people.push import Push
from hedgerow.serve.people.reply_addresses import ReplyAddresses
from hedgerow.serve.people.sign_ups import SignUps
from hedgerow.serve.people.tokens import Tokens
from hedgerow.serve.play import fairplay
from hedgerow.serve.play.bells import Bells
from hedgerow.serve.play.clocks import Flags
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.letters import GameLetters
from hedgerow.serve.play.lists import Lists
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.lobby import Lobby
from hedgerow.serve.play.new_games import NewGames
from hedgerow.serve.play.notify import notifier, offerer, refuser, sayer
from hedgerow.serve.play.numbers import Boards
from hedgerow.serve.play.offers import Offers
from hedgerow.serve.play.pairing import Pairing
from hedgerow.serve.play.plans import Plans
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.ratings import Ratings
from hedgerow.serve.play.streams import Streams
from hedgerow.serve.play.sweeps import Sweeps
from hedgerow.serve.play.talk import Talk
from hedgerow.serve.play.vacations import Vacations
from hedgerow.serve.play.views.feeds import Feeds
from hedgerow.serve.play.workshop import Workshop
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, mailbox, open_store, queries
from hedgerow.serve.turnstile import Turnstile

if TYPE_CHECKING:
    from hedgerow.serve.people.shared_limits import SharedLimits

IDLE = 20.0
"""After how many seconds a game that nobody asks for leaves the memory."""


SWEEP = 5.0
"""Every so many seconds the sessions that are used here are looked up again."""

log = logging.getLogger("hedgerow.server")


class Server:
    """All parts of a server, which requests use; it lives as long as the application."""

    def __init__(self, settings: Settings, store: Store, installation: str = "") -> None:
        self.settings = settings
        self.store = store
        self.bus: Bus = RedisBus(settings.redis, channel(installation)) if settings.redis else LocalBus()
        self.limits = Limits(settings.limits, shared_limits(settings, installation))
        self.addresses: OrderedDict[int, str] = OrderedDict()
        """Where accounts were last seen."""
        self.connections = Connections(MOST if settings.limits else None)
        self.accounts = Accounts(store, settings.registration, self.bus)
        self.accounts.after_end.append(self.connections.end)
        self.tokens = Tokens(self.accounts)
        self.games = Games(store, self.bus)
        self.streams = Streams(self.games, self.bus)
        self.spectators = Spectators(self.bus)
        self.bells = Bells(self.games, self.bus, self.spectators)
        self.flags = Flags(self.games.flag)
        self.games.after.append(self._watch)
        self.reply_addresses = ReplyAddresses(store, settings.mail_address, installation)
        self.bounces = Bounces(store, self.reply_addresses)
        self.letters = GameLetters(self.games, settings.public_url or "")
        self.post = self._post() if settings.smtp and settings.public_url else None
        self.members = Members(self.accounts, self.limits, self.post, settings.guests)
        self.own_mail = OwnMail(self.accounts, self.limits)
        self.mail_words = MailWords(self.accounts, self.limits)
        self.sign_ups = SignUps(self.accounts, self.mail_words, self.limits, self.post)
        self.messages = Messages(store, self.limits, self.post)
        self.notices = Notices(store)
        self.push = Push(store, settings)
        self.games.after.append(notifier(self.notices))
        if isinstance(self.bus, RedisBus):
            self.bus.heard, self.bus.catch_up = self.games.hear, self.games.catch_up
        self.engines = self._engines(installation) if settings.engines else None
        gate = self.engines.turnstile if isinstance(self.engines, Engines) else Turnstile(1)
        self.analyst = Analyst(gate) if settings.engines else None
        if self.analyst and isinstance(self.engines, Engines):
            self.analyst.ready = self.engines.can_study
        self.ratings = Ratings(store)
        self.games.after.append(self.ratings.game_changed)
        self.sweeps = Sweeps(self.games, self.ratings)
        self.lobby = Lobby(self.games)
        self.boards = Boards(self.games)
        self.vacations = Vacations(self.games)
        self.new_games = NewGames(self.games, self.limits, self.address if settings.limits else None)
        self.pairing = Pairing(self.new_games, self.lobby)
        self.offers = Offers(self.games)
        self.workshop = Workshop(settings.limits)
        self.analyses = Analyses(self.games, self.workshop, self.limits, self.analyst)
        self.plans = Plans(self.games, self.workshop)
        self.talk = Talk(self.games, self.bus, self.limits)
        self.lists = Lists(self.spectators, self.address)
        self.feeds = Feeds(self.games, self.bus, self.offers, self.ratings, self.spectators, self.talk)
        self._tell_each_other()
        if isinstance(self.bus, RedisBus):
            self.bus.missed = self._missed
            self.bus.came, self.bus.gone = self.spectators.came, self.spectators.gone
        self._resting = asyncio.create_task(self._rest(), name="rest")
        self._sweeping = asyncio.create_task(self._sweep(), name="sweep")
        self.sockets = 0
        self.stopping = False

    def _tell_each_other(self) -> None:
        """Which part hears of what another one does."""
        self.notices.after += [lambda _game, notes: self.bells.ring(notes), self.push.tell]
        self.offers.after.append(offerer(self.notices))
        self.offers.refused.append(refuser(self.notices, self.spectators))
        self.talk.after.append(sayer(self.notices))
        self.ratings.after.append(self.feeds.rated)

    @classmethod
    async def start(cls, settings: Settings) -> Server:
        """Opens the store, then takes up the clocks and the machines' turns where they were."""
        store = await open_store(settings.data, settings.database)
        async with store.read() as connection:
            installation = await queries.installation(connection)
        server = cls(settings, store, installation)
        async with server.store.read() as connection:
            running = await queries.clocks_running(connection)
            mail = await mailbox.mail_is_on(connection)
        if mail != (server.post is not None):
            async with server.store.write() as connection:
                await mailbox.set_mail(connection, not mail)
        for row in running:
            if row.due is not None:
                server.flags.watch(row.id, row.version, row.due)
        await fairplay.keep_positions(server.games)
        await server.plans.start()
        if server.engines:
            await server.engines.start()
        return server

    def _post(self) -> Post:
        """Who sends mail, and writes about games in it."""
        return Post(self.store, self.settings, self.limits, self.reply_addresses, self.letters.describe)

    def _engines(self, installation: str) -> Engines | Jobs:
        """Those who think: processes of our own, or engine workers by way of Redis."""
        if self.settings.redis:
            engines: Engines | Jobs = Jobs(self.games, Queue(self.settings.redis, installation))
        else:
            engines = Engines(self.games, self.settings.engines, installation)
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
        self.bells.ring_all()
        self.spectators.ask_again()

    async def _rest(self) -> None:
        """Lets games go that nobody looks at, and challenges that nobody took up."""
        memory = Memory()
        while True:
            await asyncio.sleep(IDLE / 2)
            self.games.rest(IDLE)
            memory.check(self.sockets, self.store.writer.turns)
            try:
                await self.lobby.expire()
            except Exception as error:  # the database is away, or another process was faster; there is time
                log.warning("could not look after the challenges: %s", type(error).__name__)

    async def _sweep(self) -> None:
        """Notices what was decided elsewhere about people who are here."""
        while True:
            await asyncio.sleep(SWEEP)
            try:
                await self.accounts.sweep(self.connections.sessions)
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
        self.accounts.hashing.stop()
        if self.engines:
            await self.engines.stop()
        if self.analyst:
            await self.analyst.stop()
        await self.notices.stop()
        await self.push.stop()
        if self.post:
            await self.post.stop()
        self.letters.stop()
        await self.store.close()
        if isinstance(self.bus, RedisBus):
            await self.bus.stop()
        await self.limits.stop()


def shared_limits(settings: Settings, installation: str) -> SharedLimits | None:
    """What several processes count together; one alone needs nobody for it."""
    if not (settings.redis and settings.limits):
        return None
    from hedgerow.serve.people.shared_limits import SharedLimits

    return SharedLimits(settings.redis, installation)
