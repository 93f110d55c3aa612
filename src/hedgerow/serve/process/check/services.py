"""A look at what a server needs beside its database, and at settings that are unsafe together."""

from __future__ import annotations

import ipaddress
import smtplib
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from hedgerow.game import HedgerowError
from hedgerow.serve.links import ANYWHERE
from hedgerow.serve.people.smtp import Smtp
from hedgerow.serve.process.check.finding import Finding, fault, fine, warning
from hedgerow.serve.process.run import check_mail, check_redis
from hedgerow.serve.settings import Settings

PATIENCE = 5.0
HERE = ("127.0.0.1", "::1", "localhost")


def look(settings: Settings) -> list[Finding]:
    """Redis and the mail server, where they are named."""
    return [*_redis(settings), *_mail(settings)]


def _redis(settings: Settings) -> Iterator[Finding]:
    if settings.redis:
        try:
            check_redis(settings.redis)
            yield fine("redis", "Redis answers")
        except HedgerowError as error:
            yield fault("redis", str(error))


def _mail(settings: Settings) -> Iterator[Finding]:
    """Signs in at the mail server, and sends nothing."""
    if not settings.smtp:
        return
    try:
        check_mail(settings.smtp, settings.mail_from, settings.public_url or "https://play.example.org")
        smtp = Smtp.of(settings.smtp, settings.mail_from)
    except HedgerowError as error:
        yield fault("mail", str(error))
        return
    try:
        yield from _signed_in(smtp)
    except (OSError, smtplib.SMTPException) as error:
        yield fault("mail", f"cannot use the mail server {smtp.host}: {error}; hint: its name, port and password?")


def _signed_in(smtp: Smtp) -> Iterator[Finding]:
    context = ssl.create_default_context()
    if smtp.tls:
        line: smtplib.SMTP = smtplib.SMTP_SSL(smtp.host, smtp.port, timeout=PATIENCE, context=context)
    else:
        line = smtplib.SMTP(smtp.host, smtp.port, timeout=PATIENCE)
    with line:
        line.ehlo()
        safe = smtp.tls
        if not smtp.tls and line.has_extn("starttls"):
            line.starttls(context=context)
            line.ehlo()
            safe = True
        if smtp.password and not safe and smtp.host not in HERE:
            yield fault("mail", "the password would go to the mail server in the open; hint: smtps://...")
            return
        if smtp.user and smtp.password:
            line.login(smtp.user, smtp.password)
    yield fine("mail", f"the mail server {smtp.host} lets us in")


def unsafe_together(settings: Settings) -> list[Finding]:
    """Settings that are each fine alone."""
    found = [*_outside(settings), *_proxies(settings), *_plain_mail(settings)]
    return found or [fine("settings", "no settings that are unsafe together")]


def _outside(settings: Settings) -> Iterator[Finding]:
    open_to_all = settings.host in ANYWHERE or not _private(settings.host)
    if open_to_all and not settings.limits:
        yield fault(
            "settings", f"--no-limits while listening on {settings.host}; hint: listen on 127.0.0.1, or keep limits"
        )
    if open_to_all and settings.secure:
        yield warning(
            "settings", f"people can go round the proxy of --public-url to {settings.host}; hint: --host 127.0.0.1"
        )
    if (
        settings.public_url
        and settings.public_url.startswith("http://")
        and urlsplit(settings.public_url).hostname not in HERE
    ):
        yield warning("settings", "--public-url without HTTPS: passwords go in the open; hint: let a proxy speak HTTPS")


def _private(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _proxies(settings: Settings) -> Iterator[Finding]:
    names = [name.strip() for name in settings.proxies.split(",") if name.strip()]
    if "*" in names or any(name.endswith("/0") for name in names):
        yield fault(
            "settings", "--proxies names everybody: anybody can say who they are; hint: name the proxy's address"
        )
    elif settings.public_url and not names:
        yield warning(
            "settings", "--public-url without --proxies: everybody seems to come from the proxy; hint: name it"
        )
    if settings.public_url and settings.host in ANYWHERE and set(names) <= {"127.0.0.1", "::1"}:
        yield warning(
            "settings",
            "--proxies names this machine alone, and others are listened to; hint: is the proxy here? --host 127.0.0.1",
        )


def _plain_mail(settings: Settings) -> Iterator[Finding]:
    if not settings.smtp:
        return
    try:
        parts = urlsplit(settings.smtp)
    except ValueError:
        return
    if parts.scheme == "smtp" and parts.password and parts.hostname not in HERE:
        yield warning(
            "settings", f"smtp:// with a password to {parts.hostname}; hint: smtps:// never sends it in the open"
        )
