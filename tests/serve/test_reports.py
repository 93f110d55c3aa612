"""`hedgerow admin reports`: what people reported, who said it where, and that it is dealt with."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fastapi import FastAPI
from serving import Visit
from typer.testing import CliRunner

from hedgerow.game import HedgerowError
from hedgerow.serve.settings import Settings
from hedgerow.terminal.cli import app as command_line

pytestmark = pytest.mark.anyio


async def run(settings: Settings, *words: str) -> Any:
    """The command beside the running server, on its database."""
    where = ("--database", settings.database) if settings.database else ("--data", str(settings.data))
    return await asyncio.to_thread(CliRunner().invoke, command_line, ["admin", *words, *where])


async def test_reports(visit: Visit, app: FastAPI, settings: Settings) -> None:
    async with visit() as ann, visit() as bo:
        for client, name in ((ann, "Ann"), (bo, "Bo")):
            await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
        game = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        said = [
            (await bo.post(f"/api/games/{game}/chat", json={"text": text})).json()
            for text in ("a [bold] word", "another one")
        ]
        assert (await run(settings, "reports")).output == ""
        for message, reason in zip(said, ("rude", "so is this")):
            await ann.post(f"/api/chat/{message['id']}/report", json={"reason": reason})
        first, second = json.loads((await run(settings, "reports", "--json")).output)
        assert (first["text"], first["reason"], first["game"]) == ("a [bold] word", "rude", game)
        assert (first["by_name"], first["name"], first["room"], first["done"]) == ("Bo", "Ann", "players", None)
        assert first["said"] == said[0]["at"] <= first["at"]
        listed = (await run(settings, "reports")).output
        assert f"Bo (#{first['by']}) in game {game}" in listed and "a [bold] word" in listed
        assert f"by Ann (#{first['account']}): rude" in listed
        assert json.loads((await run(settings, "close-report", str(first["id"]))).output)["done"]
        assert [row["id"] for row in json.loads((await run(settings, "reports", "--json")).output)] == [second["id"]]
        both = json.loads((await run(settings, "reports", "--all", "--json")).output)
        assert [row["done"] is not None for row in both] == [True, False]
        assert "dealt with" in (await run(settings, "reports", "--all")).output
        again = (await run(settings, "close-report", str(first["id"]))).exception
        assert isinstance(again, HedgerowError) and "hint: hedgerow admin reports" in str(again)
        await ann.post(f"/api/chat/{said[0]['id']}/report", json={"reason": "still rude"})  # it stays dealt with
        assert len(json.loads((await run(settings, "reports", "--json")).output)) == 1
