"""What the server asks the database about notices and mails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import AccountRow, MailRow, NoticeRow, all_of, first_of
from hedgerow.serve.store.schema import accounts, mails, meta, mutes, notices

KEPT = 200
"""How many notices an account keeps."""


# --- notices ----------------------------------------------------------------------------------------------------------

_ABOUT = and_(notices.c.account == bindparam("whose"), notices.c.game == bindparam("about"), notices.c.read.is_(None))
_FORGET_UNREAD, _READ_ABOUT = (
    delete(notices).where(_ABOUT),
    update(notices).where(_ABOUT).values(read=bindparam("when")),
)
_ADD_NOTICE = insert(notices)


@Prepared
def _have_many(some: list[Value]) -> Question:
    mine = select(notices.c.account).where(notices.c.account.in_(some))
    return mine.group_by(notices.c.account).having(func.count() > KEPT)


@Prepared
def _too_old(account: Value) -> Question:
    return select(notices.c.id).where(notices.c.account == account).order_by(notices.c.id.desc()).offset(KEPT).limit(50)


async def add_notice(
    connection: AsyncConnection, account: int, kind: str, game: str | None, text: str, at: int
) -> None:
    """A new notice; it takes the place of an unread one about the same game."""
    await add_notices(connection, [NewNotice(account, kind, game, text, at)])


class NewNotice(NamedTuple):
    """A notice that is to be kept."""

    account: int
    kind: str
    game: str | None
    text: str
    created: int


async def add_notices(connection: AsyncConnection, some: Sequence[NewNotice]) -> None:
    """New notices; each takes the place of an unread one about the same game."""
    if about := [{"whose": new.account, "about": new.game} for new in some if new.game is not None]:
        await connection.execute(_FORGET_UNREAD, about)
    if some:
        await connection.execute(_ADD_NOTICE, [new._replace(text=new.text[:200])._asdict() for new in some])
    for account in (await _have_many(connection, some=sorted({new.account for new in some}))).scalars().all():
        old = (await _too_old(connection, account=account)).scalars().all()
        await connection.execute(delete(notices).where(notices.c.id.in_(old)))


async def notices_of(connection: AsyncConnection, account: int, limit: int) -> list[NoticeRow]:
    """An account's notices, the latest first."""
    wanted = select(notices).where(notices.c.account == account).order_by(notices.c.id.desc()).limit(limit)
    return await all_of(connection, NoticeRow, wanted)


@Prepared
def _unread(account: Value) -> Select[Any]:
    return select(func.count()).where(notices.c.account == account, notices.c.read.is_(None))


async def unread(connection: AsyncConnection, account: int, game: str | None = None) -> int:
    """How many notices were not read; about a game, or at all."""
    if game is None:
        return int((await _unread(connection, account=account)).scalar_one())
    about = _unread.statement.where(notices.c.game == game)
    return int((await connection.execute(about, {"account": account})).scalar_one())


@Prepared
def _unread_of(account: Value, about: Value, since: Value) -> Question:
    mine = and_(notices.c.account == account, notices.c.read.is_(None))
    return select(notices).where(mine, notices.c.kind == about, notices.c.created > since)


async def unread_of(connection: AsyncConnection, account: int, about: str, since: int) -> list[NoticeRow]:
    """The notices of a kind that were written since then and not read."""
    return await _unread_of.rows(connection, NoticeRow, account=account, about=about, since=since)


async def read_about(connection: AsyncConnection, about: Iterable[tuple[int, str]], at: int) -> None:
    """Accounts have read their notices about games."""
    if some := [{"whose": account, "about": game, "when": at} for account, game in about]:
        await connection.execute(_READ_ABOUT, some)


async def read_notices(
    connection: AsyncConnection, account: int, at: int, *, up_to: int | None = None, game: str | None = None
) -> None:
    """Notices are read: all of an account, or those up to a number, or about a game."""
    which = and_(notices.c.account == account, notices.c.read.is_(None))
    if up_to is not None:
        which = and_(which, notices.c.id <= up_to)
    if game is not None:
        which = and_(which, notices.c.game == game)
    await connection.execute(update(notices).where(which).values(read=at))


@Prepared
def _unmailed(accounts: list[Value]) -> Question:
    which = and_(notices.c.account.in_(accounts), notices.c.read.is_(None), notices.c.mailed.is_(None))
    return select(notices).where(which).order_by(notices.c.id)


async def take_for_mails(
    connection: AsyncConnection, about: Iterable[tuple[int, str]], at: int
) -> dict[tuple[int, str], str]:
    """What mails to accounts about games say now, of notices that are unread and in no mail before: the latest text."""
    wanted = set(about)
    some = sorted({account for account, _ in wanted})
    found = await _unmailed.rows(connection, NoticeRow, accounts=some) if some else []
    mine = [row for row in found if (row.account, row.game) in wanted]
    if mine:
        await connection.execute(update(notices).where(notices.c.id.in_([row.id for row in mine])).values(mailed=at))
    return {(row.account, row.game): row.text for row in mine if row.game is not None}


# --- mails ------------------------------------------------------------------------------------------------------------


@Prepared
def _mail_is_on() -> Question:
    return select(meta.c.name).where(meta.c.name == "mail")


async def mail_is_on(connection: AsyncConnection) -> bool:
    """The servers of this database send mail."""
    return (await _mail_is_on(connection)).first() is not None


async def set_mail(connection: AsyncConnection, on: bool) -> None:
    """A server that starts says whether it sends mail."""
    if on:
        await put(connection, meta, {"name": "mail"}, {"value": "on"})
    else:
        await connection.execute(delete(meta).where(meta.c.name == "mail"))


async def add_mail(connection: AsyncConnection, **values: Any) -> None:
    """A mail that is to go out."""
    await connection.execute(_ADD_MAIL, {"tries": 0, **values})


async def add_mails(connection: AsyncConnection, some: Sequence[Mapping[str, object]]) -> None:
    """Mails that are to go out, all with the same columns."""
    if some:
        await connection.execute(_ADD_MAIL, [{"tries": 0, **values} for values in some])


_ADD_MAIL = insert(mails)


@Prepared
def _waiting_turns(some: list[Value]) -> Question:
    wait = and_(mails.c.account.in_(some), mails.c.kind == "turns", mails.c.due.is_not(None))
    return select(mails.c.account, mails.c.game).where(wait)


async def waiting_turns(connection: AsyncConnection, some: Sequence[int]) -> set[tuple[int, str]]:
    """The accounts and games of mails about turns that are to go to some accounts already."""
    return {(row.account, row.game) for row in await _waiting_turns(connection, some=some)}


@Prepared
def _mails_due(at: Value, most: Value) -> Question:
    return select(mails).where(mails.c.due <= at).order_by(mails.c.due).limit(most)


async def mails_due(connection: AsyncConnection, at: int, limit: int) -> list[MailRow]:
    """Mails whose time has come."""
    return await _mails_due.rows(connection, MailRow, at=at, most=limit)


async def mail_row(connection: AsyncConnection, mail: int) -> MailRow | None:
    """Everything about a mail."""
    return await first_of(connection, MailRow, select(mails).where(mails.c.id == mail))


async def claim_mails(connection: AsyncConnection, some: Sequence[int], at: int, until: int) -> set[int]:
    """Nobody else tries these mails until then; those that nobody else had claimed."""
    mine = update(mails).where(mails.c.id.in_(some), mails.c.due <= at).values(due=until)
    return set((await connection.execute(mine.returning(mails.c.id))).scalars())


async def hold_mails(connection: AsyncConnection, some: Sequence[int], until: int) -> None:
    """What was claimed stays so until then, where it is not done."""
    await connection.execute(update(mails).where(mails.c.id.in_(some), mails.c.due.is_not(None)).values(due=until))


async def release_mails(connection: AsyncConnection, at: int, claim: int) -> None:
    """Mails that somebody had claimed are due."""
    claimed = and_(mails.c.due > at, mails.c.due <= at + claim)
    await connection.execute(update(mails).where(claimed).values(due=at))


async def settle_mail(connection: AsyncConnection, mail: int, **values: Any) -> None:
    """What became of a mail."""
    await connection.execute(update(mails).where(mails.c.id == mail).values(**values))


async def settle_mails(connection: AsyncConnection, some: Sequence[dict[str, int | None]]) -> None:
    """What became of many: their `mail`, and `due`, `tries` and `sent`; one may have come back already."""
    await connection.execute(_SETTLE_MAIL, some)


_SETTLE_MAIL = (
    update(mails)
    .where(mails.c.id == bindparam("mail"))
    .values({name: bindparam(name) for name in ("due", "tries", "sent")})
)


async def write_mails(connection: AsyncConnection, texts: Mapping[int, str]) -> None:
    """What mails say, by their numbers."""
    if texts:
        await connection.execute(_WRITE_MAIL, [{"mail": mail, "told": text} for mail, text in texts.items()])


_WRITE_MAIL = update(mails).where(mails.c.id == bindparam("mail")).values(body=bindparam("told"))


async def forget_mail(connection: AsyncConnection, before: int) -> None:
    """Mails that are done since long."""
    await connection.execute(delete(mails).where(mails.c.due.is_(None), mails.c.created < before))


async def account_for_reset(
    connection: AsyncConnection, keys: Sequence[str], spellings: Iterable[str]
) -> AccountRow | None:
    """The account of that name or of that confirmed address, if a mail may be sent to it."""
    this = or_(accounts.c.folded.in_(keys), func.lower(accounts.c.mail).in_(list(spellings)))
    may = and_(this, accounts.c.mail.is_not(None), accounts.c.confirmed.is_not(None), accounts.c.banned.is_(None))
    return await first_of(connection, AccountRow, select(accounts).where(may).order_by(accounts.c.id))


async def account_of_key(connection: AsyncConnection, key: str) -> AccountRow | None:
    """The account whose mails end with this key."""
    return await first_of(connection, AccountRow, select(accounts).where(accounts.c.mail_key == key))


# --- addresses that answer, and addresses that do not -----------------------------------------------------------------

IN_A_ROW = 3
"""After how many mails that came back, one after the other, an address is paused."""


async def mail_bounced(connection: AsyncConnection, mail: int, at: int) -> MailRow | None:
    """A mail came back; None where it is unknown, or had before."""
    back = update(mails).where(mails.c.id == mail, mails.c.bounced.is_(None)).values(bounced=at, due=None)
    return await first_of(connection, MailRow, back.returning(*mails.c))


async def last_bounces(connection: AsyncConnection, account: int, address: str) -> int:
    """How many mails to an address came back one after the other, up to the last that did."""
    mine = and_(mails.c.account == account, mails.c.address == address)
    last = select(func.max(mails.c.id)).where(mine, mails.c.bounced.is_not(None)).scalar_subquery()
    tried = and_(mine, mails.c.id <= last, or_(mails.c.sent.is_not(None), mails.c.bounced.is_not(None)))
    wanted = select(mails.c.bounced).where(tried).order_by(mails.c.id.desc()).limit(IN_A_ROW)
    found = list((await connection.execute(wanted)).scalars())
    return next((number for number, bounced in enumerate(found) if bounced is None), len(found))


async def forget_bounces(connection: AsyncConnection, account: int) -> None:
    """An address was confirmed: what came back before does not count any more."""
    mine = and_(mails.c.account == account, mails.c.bounced.is_not(None))
    await connection.execute(delete(mails).where(mine))


async def wrote(connection: AsyncConnection, account: int, at: int, since: int) -> None:
    """Somebody gave a command by mail; written down where that was not known since then."""
    older = or_(accounts.c.by_mail.is_(None), accounts.c.by_mail < since, accounts.c.by_mail < accounts.c.seen)
    await connection.execute(update(accounts).where(accounts.c.id == account, older).values(by_mail=at))


async def is_muted(connection: AsyncConnection, account: int, other: int) -> bool:
    """An account does not want to hear another."""
    pair = and_(mutes.c.account == account, mutes.c.other == other)
    return (await connection.execute(select(mutes.c.kind).where(pair))).first() is not None
