"""`hedgerow command`: a command of play by mail, given to a server from the terminal."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from typing import Annotated, Any

import typer

from hedgerow.game import HedgerowError
from hedgerow.terminal.arguments import Json
from hedgerow.terminal.talk import emit

LONGEST = 60
"""How many seconds an answer may take."""


def command(
    words: Annotated[str, typer.Argument(metavar="COMMAND", help='like "hexbo show 12"; "help" tells all')],
    server: Annotated[
        str, typer.Option(metavar="URL", envvar="HEDGEROW_SERVER", show_envvar=True, help="Which server.")
    ] = "http://127.0.0.1:8000",
    token: Annotated[
        str | None,
        typer.Option(envvar="HEDGEROW_TOKEN", show_envvar=True, help="Who you are, instead of name and password."),
    ] = None,
    body: Annotated[
        str, typer.Option(help="The text of `message` and `chat`, or the commands of `multiple`; - for standard input.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Give a server a command of play by mail, and read the answer. Ends with 1 where something was refused."""
    found = ask(server, token, words, sys.stdin.read() if body == "-" else body)
    if as_json:
        emit(found)
    else:
        print("\n\n".join(in_words(answer, len(found) > 1) for answer in found))
    raise typer.Exit(not all(answer["ok"] for answer in found))


def ask(server: str, token: str | None, text: str, body: str) -> list[dict[str, Any]]:
    """What the server answers; raises HedgerowError where it does not."""
    if not server.startswith(("http://", "https://")):
        raise HedgerowError(f"cannot ask {server!r:.60}; hint: a server is like https://play.example.org")
    headers = {"Content-Type": "application/json", "User-Agent": "hedgerow command"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    told = json.dumps({"text": text, "body": body}).encode()
    request = urllib.request.Request(f"{server.rstrip('/')}/api/commands", told, headers)
    try:
        with urllib.request.urlopen(request, timeout=LONGEST) as answer:
            found: list[dict[str, Any]] = json.load(answer)
            return found
    except urllib.error.HTTPError as error:
        raise HedgerowError(refusal_in(error)) from None
    except (urllib.error.URLError, TimeoutError) as error:
        why = getattr(error, "reason", error)
        raise HedgerowError(f"{server} does not answer: {why}; hint: is the address right?") from None


def refusal_in(error: urllib.error.HTTPError) -> str:
    """What the server says to a request that it refuses as a whole."""
    try:
        return str(json.load(error)["message"])
    except (ValueError, KeyError, TypeError):
        return f"the server answers {error.code}; hint: is that address a Hedgerow server?"


def in_words(answer: dict[str, Any], several: bool) -> str:
    """An answer for people."""
    head = [f"> {answer['command']}"] if several else []
    said = answer["text"] if answer["ok"] else f"refused: {answer['text']}"
    boards = [f"\nBoard {board['number']}, {board['rules']}\n\n{board['text']}" for board in answer["boards"]]
    return "\n".join([*head, said.rstrip(), *boards])
