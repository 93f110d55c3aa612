"""Mails as people and machines write them: what is read of each."""

from __future__ import annotations

import base64
import quopri
from email.message import EmailMessage
from textwrap import dedent

import pytest

from hedgerow.serve.post.reading import Read, read


def mail(body: str, **headers: str) -> bytes:
    """A mail as bytes; underscores in names of headers are dashes."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    all_headers = {"From": "Ann <ann@example.net>", "Message-ID": "<1@example.net>"} | given
    lines = [f"{name}: {value}" for name, value in all_headers.items()]
    return "\r\n".join([*lines, "", *dedent(body).strip("\n").split("\n")]).encode()


def body_of(body: str, **headers: str) -> str:
    return read(mail(body, **headers)).body


# --- what somebody says himself ---------------------------------------------------------------------------------------

QUOTING = {
    "above": """
        c4 d6

        On Mon, 16 Nov 2026 at 10:00, Hedgerow <play@example.org> wrote:
        > It is your turn.
        >> B4
    """,
    "below": """
        On Mon, 16 Nov 2026 at 10:00, Hedgerow <play@example.org>
        wrote:

        > It is your turn.
        > 1. B4

        c4 d6
    """,
    "in German": """
        c4 d6

        Am 16.11.2026 um 10:00 schrieb Hedgerow <play@example.org>:
        > Du bist am Zug.
    """,
    "in French": """
        c4 d6

        Le lun. 16 nov. 2026 à 10:00, Hedgerow <play@example.org> a écrit :
        > À vous.
    """,
    "Outlook": """
        c4 d6

        ________________________________
        From: Hedgerow <play@example.org>
        Sent: Monday, November 16, 2026 10:00
        To: Ann
        Subject: Your turn

        pass
    """,
    "an older Outlook": """
        c4 d6

        -----Original Message-----
        From: Hedgerow
        pass
    """,
    "Outlook without a line": """
        c4 d6

        From: Hedgerow <play@example.org>
        Sent: Monday, November 16, 2026 10:00
        pass
    """,
    "a signature": "c4 d6\n-- \nAnn\npass",
    "a signature without its space": "c4 d6\n--\nAnn\npass",
    "a telephone": "c4 d6\n\nSent from my iPhone\n",
    "blank lines": "\n\n\nc4 d6\n\n\n\n",
}


@pytest.mark.parametrize("text", QUOTING.values(), ids=QUOTING)
def test_only_own_words_are_read(text: str) -> None:
    assert body_of(text) == "c4 d6"


def test_words_between_quotations_stay() -> None:
    text = "> How are you?\nFine, thanks.\n\n> Shall we play?\nYes: sent you a challenge.\n"
    assert body_of(text) == "Fine, thanks.\n\nYes: sent you a challenge."


# --- how it is written ------------------------------------------------------------------------------------------------


def test_flowed_lines_are_joined() -> None:
    flowed = "multiple \nis one line\n from here\n> quoted \n> too\n-- \nAnn"
    assert body_of(flowed, Content_Type="text/plain; format=flowed") == "multiple is one line\nfrom here"
    delsp = "hex \nbo\nend"
    assert body_of(delsp, Content_Type="text/plain; format=flowed; delsp=yes") == "hexbo\nend"


CHARSETS = ("utf-8", "iso-8859-1", "windows-1252", "utf-16", "utf-7", "iso-8859-15", "cp437", "mac-roman")


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "8bit"])
def test_every_encoding_is_read(charset: str, encoding: str) -> None:
    data = "Grüße aus Köln".encode(charset)
    coded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring, "8bit": bytes}[encoding](data)
    head = f"From: ann@example.net\r\nContent-Type: text/plain; charset={charset}\r\n"
    if encoding == "8bit" and charset == "utf-16":
        return  # bytes of newlines in it are no lines: such a mail must be encoded
    raw = head.encode() + f"Content-Transfer-Encoding: {encoding}\r\n\r\n".encode() + coded
    assert read(raw).body == "Grüße aus Köln"


@pytest.mark.parametrize(
    ("charset", "text"), [("iso-2022-jp", "こんにちは"), ("koi8-r", "Привет"), ("big5", "你好"), ("euc-kr", "안녕")]
)
def test_scripts_of_the_world_are_read(charset: str, text: str) -> None:
    coded = base64.b64encode(text.encode(charset)).decode()
    found = read(mail(coded, Content_Type=f'text/plain; charset="{charset}"', Content_Transfer_Encoding="base64"))
    assert found.body == text
    subject = f"=?{charset}?B?{coded}?="
    assert read(mail("", Subject=subject)).subject == text


def test_a_charset_that_lies_or_is_none_still_says_something() -> None:
    for charset in ("ascii", "no-such-thing", "zlib", "punycode", "undefined", "", "\x00"):
        head = f"From: ann@example.net\r\nContent-Type: text/plain; charset={charset}\r\n\r\n".encode()
        assert read(head + "Grüße".encode()).body == "Grüße", charset
        assert read(head + b"Gr\xfc\xdfe").body == "Grüße", charset


@pytest.mark.parametrize(
    "subject",
    [
        "hexbo move 12 ann word c4",
        "hexbo  move\r\n 12 ann\r\n\tword   c4",
        "=?utf-8?q?hexbo_move_12?=\r\n =?utf-8?q?_ann_word_c4?=",
        "=?utf-8?b?aGV4Ym8gbW92ZSAxMg==?= ann word c4",
    ],
)
def test_subjects_are_one_line(subject: str) -> None:
    assert read(mail("", Subject=subject)).subject == "hexbo move 12 ann word c4"


HTML = """
<html><head><title>no</title><style>p { color: red }</style></head><body>
<!-- <p>no</p> --><p>c4&nbsp;d6</p>
<div class="gmail_quote"><div class="gmail_attr">On Monday Bo wrote:<br></div>
<blockquote><p>no</p><blockquote>no</blockquote></blockquote></div></body></html>
"""


def test_html_alone_is_read() -> None:
    assert body_of(HTML, Content_Type="text/html; charset=utf-8") == "c4 d6"


def test_lines_of_html_are_lines() -> None:
    found = body_of("<div>list<br>help &lt;hexbo&gt;</div><ul><li>one<li>two</ul>", Content_Type="text/html")
    assert found == "list\nhelp <hexbo>\none\ntwo"


def test_outlooks_html_ends_where_it_quotes() -> None:
    html = '<p>c4 d6</p><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: x</div><p>pass</p>'
    assert body_of(html, Content_Type="text/html") == "c4 d6"


def composed(attached: bytes = b"") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = "ann@example.net", "Re: your turn", "<2@example.net>"
    message.set_content("c4 d6\n")
    message.add_alternative("<p>c4 d6</p>", subtype="html")
    if attached:
        message.add_attachment(attached, maintype="text", subtype="plain", filename="pass.txt")
    return message


def test_plain_is_read_rather_than_html_and_attachments_are_not() -> None:
    assert read(composed().as_bytes()).body == "c4 d6"
    assert read(composed(b"pass").as_bytes()).body == "c4 d6"
    message = EmailMessage()
    message["From"] = "ann@example.net"
    message.add_attachment(b"pass", maintype="text", subtype="plain", filename="pass.txt")
    assert read(message.as_bytes()).body == ""


def test_a_forwarded_mail_is_not_its_forwarders_words() -> None:
    message = composed()
    message.make_mixed()
    message.add_attachment(composed())
    assert read(message.as_bytes()).body == "c4 d6"
    only = EmailMessage()
    only["From"] = "ann@example.net"
    only.set_content(composed())
    assert read(only.as_bytes()).body == ""


def test_a_part_that_is_never_closed_is_read() -> None:
    raw = mail("--b\nContent-Type: text/plain\n\nc4 d6", Content_Type="multipart/mixed; boundary=b")
    assert read(raw).body == "c4 d6"


# --- who writes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sender", "found"),
    [
        ("Ann <Ann@Example.net>", "Ann@example.net"),
        ("ann@example.net", "ann@example.net"),
        ('"Ann, the first" <ann@example.net>', "ann@example.net"),
        ("nobody", ""),
        ("", ""),
        ("<>", ""),
        ("ann@example.net\r\n Bcc: all@example.net", ""),
        ("=?utf-8?q?ann=40example=2Enet=0ABcc=3A_x=40y=2Eorg?=", ""),
    ],
)
def test_senders_are_addresses_or_nobody(sender: str, found: str) -> None:
    assert read(mail("", From=sender)).sender == found


def test_an_answer_goes_where_it_is_asked_to() -> None:
    assert read(mail("", Reply_To="other@example.net")).sender == "other@example.net"


AUTOMATIC: dict[str, dict[str, str]] = {
    "answer": {"Auto-Submitted": "auto-replied"},
    "generated": {"Auto-Submitted": "auto-generated; owner-email=x@y.org"},
    "bulk": {"Precedence": "bulk"},
    "list": {"List-Id": "<games.example.org>"},
    "null": {"Return-Path": "<>"},
    "Exchange": {"X-Auto-Response-Suppress": "DR, OOF, AutoReply"},
    "absence": {"Subject": "Automatic reply: your turn"},
    "daemon": {"From": "MAILER-DAEMON@example.org"},
    "nobody": {"From": "no-reply@example.org"},
    "request": {"From": "games-request@example.org"},
}


@pytest.mark.parametrize("headers", AUTOMATIC.values(), ids=AUTOMATIC)
def test_machines_are_known(headers: dict[str, str]) -> None:
    assert read(mail("c4", **headers)).automatic


@pytest.mark.parametrize("headers", [{}, {"Auto-Submitted": "no"}, {"From": "norea.plyers@example.org"}])
def test_people_are_no_machines(headers: dict[str, str]) -> None:
    assert not read(mail("c4", **headers)).automatic


BOUNCE = """
--r
Content-Type: text/plain

I am sorry to have to inform you.
--r
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ann@example.net
Action: failed
Status: 5.1.1

--r
Content-Type: message/rfc822

From: play@example.org
Message-ID: <7.abc@example.org>
Subject: Your turn

c4
--r--
"""


def test_bounces_are_read() -> None:
    found = read(mail(BOUNCE, Content_Type="multipart/report; report-type=delivery-status; boundary=r"))
    assert found.automatic and found.bounce
    assert found.bounce.status == "5.1.1" and found.bounce.permanent
    assert found.bounce.recipient == "ann@example.net" and found.bounce.message_id == "<7.abc@example.org>"
    delivered = BOUNCE.replace("Action: failed", "Action: delivered")
    assert not read(mail(delivered, Content_Type="multipart/report; boundary=r")).bounce


@pytest.mark.parametrize(
    ("results", "forged"),
    [
        ("mx.example.org; dmarc=fail header.from=example.net", True),
        ("mx.example.org; dkim=pass; dmarc=fail", True),
        ("mx.example.org; spf=fail", True),
        ("mx.example.org; spf=fail; dkim=pass", False),
        ("mx.example.org; spf=pass; dkim=pass; dmarc=pass", False),
        ("", False),
    ],
)
def test_what_other_servers_found_speaks_only_against_a_mail(results: str, forged: bool) -> None:
    assert read(mail("c4", Authentication_Results=results)).forged is forged


# --- copies -----------------------------------------------------------------------------------------------------------


def test_copies_of_a_mail_are_the_same_mail() -> None:
    one = mail("c4 ü", Subject="turn", Date="Mon, 16 Nov 2026 10:00:00 +0000")
    traced = b"Return-Path: <ann@example.net>\r\nReceived: from a by b\r\nDelivered-To: play@example.org\r\n" + one
    encoded = mail("c4 =C3=BC", Subject="turn", Date="Mon, 16 Nov 2026 10:00:00 +0000").replace(
        b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", 1
    )
    assert len({read(copy).digest for copy in (one, one.replace(b"\r\n", b"\n"), traced, encoded)}) == 1


@pytest.mark.parametrize(
    "other",
    [
        mail("c4", Subject="turn", Message_ID="<2@example.net>"),
        mail("c5", Subject="turn"),
        mail("c4", Subject="other"),
        mail("c4", Subject="turn", From="bo@example.net"),
    ],
)
def test_other_mails_are_other_mails(other: bytes) -> None:
    first: Read = read(mail("c4", Subject="turn"))
    assert read(other).digest != first.digest
