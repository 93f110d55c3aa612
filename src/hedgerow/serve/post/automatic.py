"""Which mails no person has written: answers of machines, lists, reports of failed delivery (RFC 3834, RFC 3464)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hedgerow.serve.post.mime import Part

MACHINES = re.compile(
    r"^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|listserv|majordomo|owner-.*|bounces?|"
    r".*-(?:request|bounces?|owner|confirm|errors?))(?:[+=].*)?@",
    re.IGNORECASE,
)
"""Addresses that never belong to somebody who waits for an answer."""
LISTS = ("list-id", "list-post", "list-unsubscribe", "list-help", "x-mailing-list", "x-loop", "feedback-id")
ANSWERS = ("x-autoreply", "x-autorespond", "x-autoresponse", "x-auto-reply-from", "x-failed-recipients")
SAID = re.compile(
    r"^(?:auto(?:matic)?[ -]?(?:reply|response)|automatische antwort|abwesenheits\w*|out of (?:the )?office|"
    r"réponse automatique|respuesta automática|risposta automatica|delivery status notification|undeliver\w+|"
    r"mail delivery (?:failed|subsystem)|returned mail)\b",
    re.IGNORECASE,
)
"""How subjects of machines begin that say so nowhere else."""


@dataclass(frozen=True)
class Bounce:
    """A report about a mail of ours (RFC 3464)."""

    status: str
    """Like 5.1.1; the first digit says whether trying again helps."""
    recipient: str
    """Whom it did not reach."""
    message_id: str
    """Of the mail that did not arrive; empty where the report does not say."""

    @property
    def permanent(self) -> bool:
        """There is no point in trying again."""
        return self.status.startswith("5")


def is_automatic(mail: Part, sender: str) -> bool:
    """No person has written this, or nobody in particular: it is neither carried out nor answered."""
    submitted = mail.raw("Auto-Submitted").split(";")[0].strip().lower()
    suppress = mail.raw("X-Auto-Response-Suppress").lower()
    return bool(
        submitted not in ("", "no")
        or mail.raw("Precedence").strip().lower() in ("bulk", "list", "junk", "auto_reply")
        or any(name in mail.headers for name in (*LISTS, *ANSWERS))
        or any(word in suppress for word in ("all", "autoreply", "oof"))
        or mail.raw("Return-Path").strip() == "<>"
        or mail.kind == "multipart/report"
        or MACHINES.match(sender)
        or SAID.match(mail.words("Subject"))
    )


def bounce_in(mail: Part) -> Bounce | None:
    """The report of failed delivery that a mail is, if it is one."""
    if mail.kind != "multipart/report":
        return None
    told, original = "", Part({}, b"")
    for part in mail.parts:
        if part.kind == "message/delivery-status":
            told = part.text
        elif part.kind in ("message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers"):
            original = Part.of(part.body)
    if _field(told, "Action").lower() not in ("failed", "delayed"):
        return None
    recipient = _field(told, "Final-Recipient").partition(";")[2].strip() or _field(told, "Final-Recipient")
    return Bounce(_field(told, "Status")[:20], recipient[:254], original.raw("Message-ID").strip()[:200])


def _field(told: str, name: str) -> str:
    found = re.search(rf"^{name}:[ \t]*(.{{1,300}}?)\s*$", told, re.IGNORECASE | re.MULTILINE)
    return found[1] if found else ""
