"""Accounts by commands: signing up, another mail word or address, vacations, and the end of an account."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hedgerow.serve.commands.boards import known
from hedgerow.serve.commands.cases import case
from hedgerow.serve.commands.help import overview
from hedgerow.serve.commands.kept import answered, keep, once_only
from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.views import MailView
from hedgerow.serve.play.leaving import delete_account
from hedgerow.serve.play.vacations import Vacation, decode
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import people

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


@case("signup")
@once_only
async def signup(server: Server, sender: Sender, command: Command) -> Answer:
    """Asks for an account: a mail goes to the address, and nothing is there before it is answered."""
    address = (*command.words.get("address", ()), sender.address)[0]
    if not address:
        raise Refused("bad_request", "no address; hint: write where the mail that confirms it goes to")
    if command.secret is None:
        raise Refused("bad_request", "no mail word; hint: choose one, it is not the password of anything else")
    name = command.words["userid"]
    told = Answer(True, f"A mail goes to {address}. When it is answered, or its link is followed, {name} can play.")
    await server.sign_ups.ask(name, command.secret, address, sender.where, keep(sender, told))
    return told


async def confirm_signup(server: Server, sender: Sender, token: str) -> Answer:
    """What a mail to the address that confirms a sign-up does: the account is made."""

    if (before := await answered(server, sender)) is not None:
        return before
    account = await server.sign_ups.confirm(token, keep(sender, welcome))
    return welcome(f"{account.id} {account.name}")


def welcome(result: str) -> Answer:
    """What is answered to a sign-up that is confirmed; the result is the number and the name of the account."""
    number, _, name = result.partition(" ")
    text = f"Welcome, {name}! Your name and your mail word open every command. These are all of them."
    return Answer(True, f"{text}\n\n{overview()}", account=int(number))


@case("change password")
@once_only
async def change_word(server: Server, sender: Sender, command: Command) -> Answer:
    """Another mail word; the password of the page stays as it is."""
    account = known(sender)
    if command.fresh is None:
        raise Refused("bad_request", "no new mail word; hint: `change password userid old new`")
    told = Answer(True, "Your mail word is changed; the password of the page is not.")
    await server.mail_words.set(account.id, command.fresh, sender.where, keep(sender, told))
    return told


@case("change address")
@once_only
async def change_address(server: Server, sender: Sender, command: Command) -> Answer:
    """Another address, which gets a mail to confirm it; without one, the address is told."""
    account, wanted = known(sender), command.words.get("address", ())
    before = await server.own_mail.of(account)
    if not wanted:
        return Answer(True, _address_told(before))
    if server.post is None:
        raise Refused("forbidden", "no mail goes out from here; hint: ask whoever runs this server")
    if sender.by == "mail":
        await _check_no_password(server, account)
    until = " Until then they go to your old one, which is told." if before.confirmed else ""
    told = Answer(True, f"A mail goes to {wanted[0]}. Letters go there when its link is followed.{until}")
    kept = keep(sender, told)
    await server.own_mail.change(account, wanted[0], before.turn_mails, server.post, once=kept)
    return told


def _address_told(mail: MailView) -> str:
    """Where somebody's letters go, in words."""
    sure = "" if mail.confirmed else ", which is not confirmed yet"
    told = f"Your address is {mail.mail}{sure}." if mail.mail else "You have no address here."
    return told + (f" {mail.waiting} takes its place when its link is followed." if mail.waiting else "")


async def _check_no_password(server: Server, account: Account) -> None:
    """Raises Refused where a mail word would be worth more than mail: with another address one gets a new password."""
    async with server.store.read() as connection:
        row = await people.account_row(connection, account.id)
    if row is None or row.password is not None:
        raise Refused("forbidden", "your address is changed where you sign in; hint: on your account's page")


@case("signoff")
@once_only
async def signoff(server: Server, sender: Sender, command: Command) -> Answer:
    """The end of an account: running games are resigned, and the games stay without its name."""
    account = known(sender)
    told = Answer(True, f"{account.name} is gone from here; the games stay, without the name.")
    await delete_account(server.games, server.accounts, account.id, keep(sender, told))
    return told


@case("vacation")
@once_only
async def vacation(server: Server, sender: Sender, command: Command) -> Answer:
    """So many days in which the clocks of one's games by correspondence wait; without any, how it stands."""
    account, days = known(sender), command.words.get("days")
    if days is None:
        return Answer(True, told_of(await server.vacations.of(account.id)))
    kept = keep(sender, lambda result: Answer(True, told_of(decode(result))))
    return Answer(True, told_of(await server.vacations.take(account.id, days, kept)))


def told_of(vacation: Vacation) -> str:
    """How it stands, in words.

    >>> told_of(Vacation(None, 1))
    'You are here. 1 day of vacation is left this year.'
    """
    days = f"{vacation.left} day{'' if vacation.left == 1 else 's'} of vacation {'is' if vacation.left == 1 else 'are'}"
    if vacation.until is None:
        return f"You are here. {days} left this year."
    until = datetime.fromtimestamp(vacation.until / 1000, UTC)
    return f"You are away until {until:%d %B %Y, %H:%M} UTC, and your clocks wait. {days} left this year."
