"""What is a mail address, and what is none; and that nothing which is kept as one stops the mail."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.game import HedgerowError
from hedgerow.serve.people.addresses import address, sender_of
from hedgerow.serve.people.mail import Smtp
from hedgerow.serve.refusals import Refused

NONE = ["a@[b", "=?utf-8?q??=@x", "=?utf-8?q?x?=@example.org", "a@[127.0.0.1]", '"a b"@example.org', "a@b..c", "a@-b"]
NONE += ["a@x.org\nBcc: b@x.org", "a\0@x.org", "a@x.org, b@x.org", "Ann <a@x.org>", "@x.org", "a@", "", "a b@x.org"]
NONE += ["a@" + "x" * 250 + ".org", "a" * 65 + "@x.org", "a@x.invalid", "a\u202eb@x.org"]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(Refused, match=r"hint: like ann@example\.org"):
        address(text)


@pytest.mark.parametrize("text", ["ann+games@example.net", "o'neil@example.org", "ann@box", "ann@box.local", "ü@x.org"])
def test_what_people_among_friends_have(text: str) -> None:
    assert address(text) == text


@given(st.text(st.sampled_from("ab@.=?[]<>\"'(),:;\\ \r\n\tüq_-8utf"), max_size=20).map(lambda text: text + "@x.org"))
def test_every_address_is_carried_by_a_letter(text: str) -> None:
    try:
        kept = address(text)
    except Refused:
        return
    message = EmailMessage()
    message["To"] = kept
    message.set_content("hello")
    assert kept.encode() in message.as_bytes(policy=SMTP.clone(utf8=True)).replace(b"\r\n ", b" ")


@pytest.mark.parametrize("text", ["a@[b", "=?utf-8?q??=@x", "nobody", "a@x.org\nBcc: b@x.org"])
def test_operators_have_addresses_too(text: str) -> None:
    with pytest.raises(HedgerowError, match="hint: "):
        Smtp.of("smtp://mail.example.org", text)
    assert sender_of("Friends <play@EXAMPLE.org>") == "Friends <play@example.org>"
