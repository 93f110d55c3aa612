"""`hedgerow serve` at work: finds a port, says where the server is, and runs it until somebody stops it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO
from urllib.parse import SplitResult, urlsplit

import redis
import segno
import uvicorn
from fastapi import FastAPI

from hedgerow.game import HedgerowError
from hedgerow.serve.api.sockets import LARGEST
from hedgerow.serve.files import keep_private
from hedgerow.serve.links import ANYWHERE, network_address
from hedgerow.serve.memory import return_large_blocks
from hedgerow.serve.people.reply_addresses import mail_address as mail_address_of
from hedgerow.serve.people.smtp import Smtp
from hedgerow.serve.post.where import Where
from hedgerow.serve.process.app import create
from hedgerow.serve.process.logs import start_logging
from hedgerow.serve.process.porter import CONNECTIONS, Porter, file_limit, raise_file_limit
from hedgerow.serve.process.protocol_http import within
from hedgerow.serve.process.protocol_ws import SocketProtocol
from hedgerow.serve.process.proxies import Forwarded, Proxies
from hedgerow.serve.process.workers import run_workers
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store.trouble import cause_of

PORT = 8000
PING = 20.0
"""Seconds between two pings of a websocket, and until one must be answered."""
TRIED = 20
"""How many ports are tried, from the first on, where none was asked for."""


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket at the port asked for, or at the first free one from 8000 on if none was."""
    if port is not None:
        try:
            return _bound(host, port)
        except OSError as error:
            raise HedgerowError(
                f"cannot listen on {host}:{port}: {error.strerror or error}; "
                "hint: without --port the next free port is taken"
            ) from None
    for tried in range(PORT, PORT + TRIED):
        with contextlib.suppress(OSError):
            return _bound(host, tried)
    raise HedgerowError(f"cannot listen on {host}, ports {PORT} to {PORT + TRIED - 1}; hint: choose one with --port")


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(2048)
    except OSError:
        made.close()
        raise
    return made


def addresses(host: str, port: int, public_url: str | None) -> list[tuple[str, str]]:
    """Where the server is to be found: here, in the network, from outside."""
    found = [("on this machine", f"http://{'localhost' if host in ANYWHERE else host}:{port}")]
    if host in ANYWHERE and (network := network_address()):
        found.append(("in your network", f"http://{network}:{port}"))
    return found + ([("for everybody", public_url)] if public_url else [])


def announce(found: list[tuple[str, str]], file: TextIO | None = None) -> None:
    """Prints the addresses, and on a terminal a QR code of the one that others can use."""
    out = file or sys.stderr
    for where, url in found:
        print(f"hedgerow: {where}: {url}", file=out, flush=True)
    if out.isatty() and len(found) > 1:
        segno.make(found[-1][1]).terminal(out=out, compact=True)


def _split(text: str) -> SplitResult:
    """The parts of an address; none at all where Python cannot take it apart."""
    try:
        return urlsplit(text)
    except ValueError:
        return urlsplit("")


def checked_url(text: str | None) -> str | None:
    """A public URL without a slash at its end; raises HedgerowError where it is none."""
    if text is None:
        return None
    parts = _split(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise HedgerowError(f"cannot use the public URL {text!r:.80}; hint: like https://play.example.org")
    return f"{parts.scheme}://{parts.netloc}"


def check_places(database: str | None, redis: str | None, workers: int) -> None:
    """Raises HedgerowError where several processes would have no place to meet."""
    if workers > 1 and not (database and redis):
        missing = " and ".join(name for name, url in (("--database", database), ("--redis", redis)) if not url)
        raise HedgerowError(f"{workers} workers without {missing}; hint: they meet in PostgreSQL and Redis")
    if redis and not database:
        raise HedgerowError("--redis without --database; hint: several processes need PostgreSQL, not a folder")
    if redis and _split(redis).scheme not in ("redis", "rediss", "unix"):
        raise HedgerowError("cannot read the address of Redis; hint: redis://host:6379/0")


def check_redis(url: str | None) -> None:
    """Raises HedgerowError where Redis does not answer: several processes would not hear of each other."""
    if url is None:
        return
    try:
        with redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3) as client:
            client.ping()
    except ValueError:
        raise HedgerowError("cannot read the address of Redis; hint: redis://host:6379/0") from None
    except (redis.RedisError, OSError) as error:
        where = urlsplit(url).hostname or "this machine"
        raise HedgerowError(
            f"cannot use Redis at {where}: {str(error) or type(error).__name__}; "
            "hint: is it running, and are the address and the password right?"
        ) from None


def check_mail(
    smtp: str | None, mail_from: str | None, public_url: str | None, mail_address: str | None = None
) -> None:
    """Raises HedgerowError where mail could not be sent or answered, or its links would lead nowhere."""
    if mail_address is not None:
        mail_address_of(mail_address)
        if smtp is None:
            raise HedgerowError("--mail-address without --smtp; hint: whoever writes there gets an answer by mail")
    if smtp is not None:
        try:
            Smtp.of(smtp, mail_from)
        except HedgerowError:
            raise
        except ValueError:  # what Python cannot take apart; it is not repeated, because a password may be in it
            raise HedgerowError(
                "cannot read the address of the mail server; hint: like smtps://user:password@mail.example.org"
            ) from None
        if public_url is None:
            raise HedgerowError(
                "--smtp without --public-url; hint: mails hold links, and people must be able to follow them"
            )


def check_mail_in(mail_in: str | None, mail_address: str | None) -> None:
    """Raises HedgerowError where mail that comes in could not be listened for."""
    if mail_in is not None:
        Where.of(mail_in)
        if mail_address is None:
            raise HedgerowError("--mail-in without --mail-address; hint: what people write to, like play@example.org")


def run(settings: Settings, host: str, port: int | None) -> None:
    """Serves until it is told to stop; then stores what is waiting and goes."""
    settings = replace(settings, host=host)
    keep_private()
    proxies_of(settings)
    check_redis(settings.redis)
    raise_file_limit()
    listening = listen(host, port)
    talk(settings.json_logs)
    announce(addresses(host, listening.getsockname()[1], settings.public_url))
    print(f"hedgerow: games are kept in {_where(settings)}; Ctrl-C stops", file=sys.stderr, flush=True)
    if settings.workers > 1:
        run_workers(settings, listening)
        return
    with contextlib.suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(settings, listening))


def talk(as_json: bool = False) -> None:
    """What the server has to say goes to stderr."""
    start_logging(as_json)


async def serve(settings: Settings, listening: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Starts the server's parts, says `ready`, then answers at a socket that has been listening all the while."""
    server = await started(settings)
    ready()
    settle_down()
    config = config_of(create(settings, server), settings)
    await uvicorn.Server(config).serve(sockets=[listening])


async def started(settings: Settings) -> Server:
    """The server's parts; raises HedgerowError that says what to do where they cannot start."""
    try:
        return await Server.start(settings)
    except Refused as refused:  # the database could be opened, and then not be read
        cause = cause_of(refused.__cause__) if refused.__cause__ else None
        raise HedgerowError(
            f"cannot use what is kept in {_where(settings)}: {cause or refused}; "
            "hint: hedgerow check looks closer; bring back a backup with hedgerow admin restore"
        ) from refused


def settle_down() -> None:
    """Python set up for many lines that stay: pauses to look for garbage are few, and threads take turns quickly.

    Looking through all that lives would stop everybody for tenths of a second; nearly nothing here is garbage that only
    such a search can find.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
    sys.setswitchinterval(0.001)
    return_large_blocks()


def proxies_of(settings: Settings) -> Proxies:
    """Who may say for whom they ask; nobody without a public URL. Raises HedgerowError where it cannot be read."""
    found = Proxies.of(settings.proxies)
    return found if settings.public_url else Proxies()


def config_of(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves the application."""
    proxies = proxies_of(settings)
    porter = Porter(file_limit(), CONNECTIONS if settings.limits else None, proxies)
    return uvicorn.Config(
        Forwarded(app, proxies),
        http=within(settings.deadline, porter),
        ws=SocketProtocol,
        ws_max_size=LARGEST,
        ws_per_message_deflate=False,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=5,
        proxy_headers=False,  # uvicorn would believe the leftmost address
        server_header=False,
        date_header=False,
    )


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The fast event loop, where there is one."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def _where(settings: Settings) -> str:
    return (urlsplit(settings.database).hostname or "the database") if settings.database else str(settings.data)
