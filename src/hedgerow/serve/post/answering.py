"""The one mail that answers a mail: what came of every command, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.mail import Draft, Post
from hedgerow.serve.post.reading import Read
from hedgerow.serve.refusals import sentences
from hedgerow.serve.store import people
from hedgerow.serve.store.rows import AccountRow

LONGEST = 60_000
"""How many characters an answer has at most."""
SUBJECT = 150


@dataclass(frozen=True)
class Reply:
    """An answer, as it goes out."""

    address: str
    account: int | None
    """Who is known to have written."""
    proven: bool
    """Somebody has proven to be somebody; others are not always answered."""
    subject: str
    """Empty for that of a game's thread. It never begins like a command: people answer mails without changing it."""
    text: str
    games: tuple[str, ...] = ()
    """Whose boards go with it."""
    in_reply_to: str | None = None

    def draft(self, owner: AccountRow | None) -> Draft:
        """The same for the queue of mails; to somebody whose account is gone meanwhile as to anybody."""
        return Draft(
            "answer",
            self.address,
            self.subject,
            self.text,
            owner=owner,
            game=self.games[0] if self.games else None,
            games=self.games[1:],
            in_reply_to=self.in_reply_to,
        )


async def send_all(post: Post, connection: AsyncConnection, replies: Sequence[Reply]) -> None:
    """Puts answers into the queue of mails, with a transaction."""
    owners = await people.account_rows(connection, [reply.account for reply in replies if reply.account is not None])
    await post.queue(connection, [reply.draft(owners.get(reply.account or 0)) for reply in replies])


def reply_to(sender: Sender, found: Read, answers: Sequence[Answer], proven: bool = False) -> Reply:
    """What is answered to a mail."""
    games = [game for answer in answers for game in ((answer.game,) if answer.game else ()) + answer.games]
    games += [sender.game] if sender.game and not games else []
    known = [answer.account for answer in answers if answer.account is not None]
    account = known[0] if known else sender.account.id if sender.account else None
    said = next((answer.command for answer in answers if answer.command), "your mail")
    return Reply(
        address=sender.address,
        account=account,
        proven=proven or account is not None,
        subject="" if games else f"Hedgerow: {said}"[:SUBJECT],
        text=_text(answers),
        games=tuple(dict.fromkeys(games)),
        in_reply_to=found.message_id or None,
    )


def _text(answers: Sequence[Answer]) -> str:
    """Every command as it was understood, and what came of it."""
    texts = [answer.text if answer.ok else f"Refused: {sentences(answer.text)}" for answer in answers]
    parts = [f"> {one.command}\n\n{text}" if one.command else text for one, text in zip(answers, texts)]
    text = "\n\n".join(parts) or "There was no command in your mail. Write help as its subject to learn what there is."
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "\n\n(The rest is left out.)"
