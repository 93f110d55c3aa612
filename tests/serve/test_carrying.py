"""Commands as they are carried out: looking, proving who speaks, the API, the page and the terminal."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, listening
from typer.testing import CliRunner

from hedgerow.games import games
from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.cases import CASES
from hedgerow.serve.commands.forms import EVERY, FORMS
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play.new_games import ClockAsked, NewGame, SeatAsked
from hedgerow.serve.process.app import create
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.terminal.cli import app as cli

anyio = pytest.mark.anyio
WORD = "abcd-2345-wxyz"
GUIDE = Path(__file__).parent.parent.parent / "docs" / "commands.md"


class People:
    """Some people on a server, and what they say there."""

    def __init__(self, server: Server) -> None:
        self.server, self.of = server, dict[str, Account]()

    async def come(self, *names: str) -> None:
        for name in names:
            self.of[name], _ = await self.server.accounts.sign_up(name, "a long password of theirs", None, None)

    async def play(self, *names: str, rules: str = "hexbo(side=5)", private: bool = False, turns: str = "") -> str:
        """A game between them that has begun, and its turns; its id."""
        seats = [SeatAsked(who="me"), *(SeatAsked(who="named", name=name) for name in names[1:])]
        clock = ClockAsked(kind="days", days=3)
        asked = NewGame(rules=rules, seats=seats, clock=clock, private=private)
        game = (await self.server.new_games.start(self.of[names[0]], asked)).id
        for name in names[1:]:
            await self.server.games.join(game, self.of[name].id)
        for number, turn in enumerate(turns.split()):
            await self.server.games.play(game, self.of[names[number % len(names)]].id, number, turn)
        return game

    async def say(self, name: str | None, text: str, body: str = "", game: str | None = None) -> Answer:
        """The one answer to a command."""
        (answer,) = await self.all(name, text, body, game)
        return answer

    async def all(self, name: str | None, text: str, body: str = "", game: str | None = None) -> list[Answer]:
        sender = Sender("page", self.of[name] if name else None, game=game, where="here")
        return await carry_out(self.server, sender, text, body)


@pytest.fixture
async def people(server: Server) -> People:
    found = People(server)
    await found.come("Ann", "Bo", "Cy Day")
    return found


def test_every_form_has_somebody_who_carries_it_out() -> None:
    assert {form.name for form in EVERY} - set(CASES) == {"multiple"}


def test_the_guide_tells_every_form() -> None:
    told = GUIDE.read_text(encoding="utf-8").replace("\\|", "|")
    assert [form.usage() for form in FORMS if f"| `{form.usage()}` | {form.about} |" not in told] == []


# --- looking ----------------------------------------------------------------------------------------------------------


@anyio
async def test_boards_by_number_and_by_name(people: People) -> None:
    game = await people.play("Ann", "Bo", turns="B3 B4")
    number = await people.server.boards.number(game)
    shown = await people.say(None, f"hexbo show {number}")
    assert (shown.ok, shown.game) == (True, game) and "2 turns" in shown.text
    before = await people.say(None, f"hexbo show {number}#1")
    assert ">#<" in before.text and f"Board {number} after turn 1" in before.text
    assert "no turn 9" in (await people.say(None, f"hexbo show {number}#9")).text
    for text in ("hexbo show Ann", "all show Bo", "hexbo games Ann Bo", "hexbo games", "hexbo games ann active"):
        answer = await people.say(None, text)
        assert answer.ok and f"{number}" in answer.text and "Ann - Bo" in answer.text, text
        assert "turn 3, Ann to move, 2 days 23 hours left" in answer.text
    assert (await people.say(None, "all show Ann")).games == (game,)
    assert "no such board" in (await people.say(None, "all show Bo next")).text
    assert f"{number}" in (await people.say("Ann", "all show next")).text
    assert "No such game" in (await people.say(None, "hexbo games Cy_Day")).text
    assert "No such game" in (await people.say(None, "tanbo games")).text
    assert "is Hexbo" in (await people.say(None, f"tanbo show {number}")).text
    assert "no board 999" in (await people.say(None, "hexbo show 999")).text
    assert "nobody here is called 'Zoe'" in (await people.say(None, "hexbo show Zoe")).text


@anyio
async def test_a_private_game_is_its_players(people: People) -> None:
    game = await people.play("Ann", "Bo", private=True)
    number = await people.server.boards.number(game)
    for name in (None, "Cy Day"):
        for text in (f"hexbo show {number}", f"hexbo record {number}", f"hexbo preview {number} B3"):
            answer = await people.say(name, text)
            assert not answer.ok and f"no board {number}" in answer.text
        assert "no such board" in (await people.say(name, "all show Ann")).text
        assert "No such game" in (await people.say(name, "hexbo games Ann")).text
    assert (await people.say("Bo", f"hexbo show {number}")).ok
    assert (await people.say("Bo", "hexbo showas")).games == (game,)
    assert (await people.say("Bo", "show", game=game)).game == game
    other = await people.play("Ann", "Bo", private=True)
    outside = await people.say("Bo", f"show {await people.server.boards.number(other)}", game=game)
    assert not outside.ok and "no board" in outside.text


@anyio
async def test_records_and_previews(people: People) -> None:
    game = await people.play("Ann", "Bo", turns="B3")
    number = await people.server.boards.number(game)
    record = (await people.say(None, f"record {number}")).text
    assert record.startswith("Game: hexbo(side=5)") and "Black: Ann" in record and "1. B3" in record
    after = await people.say(None, f"hexbo preview {number} B4 C4")
    assert after.ok and "nothing is played" in after.text and (await people.server.games.look(game)).version == 1
    refused = await people.say(None, f"hexbo preview {number} A1")
    assert not refused.ok and "Hexbo rule 3.2" in refused.text
    assert "too many" in (await people.say(None, f"hexbo preview {number}{' B4' * 30}")).text


@anyio
async def test_people_and_ratings(people: People) -> None:
    assert {"Ann", "Bo", "Cy"} <= set((await people.say(None, "list")).text.split())
    assert (await people.say(None, "list hexbo")).text == "Nobody yet."
    assert (await people.say(None, "hexbo standings")).text.count("Nobody yet.") == 3
    game = await people.play("Ann", "Bo", rules="hexbo(side=5)")
    await people.server.games.resign(game, people.of["Bo"].id)
    ended = await people.say(None, "hexbo history")
    assert "Ann won" in ended.text and str(await people.server.boards.number(game)) in ended.text
    assert "No game of Tanbo" in (await people.say(None, "tanbo history")).text
    assert "hexbo games inactive" and "Ann won" in (await people.say(None, "hexbo games inactive")).text
    assert (await people.say(None, "help")).text.startswith("Help")
    assert (await people.say(None, "root and thorn help")).text.startswith("Help For Root and Thorn")
    assert not (await people.say(None, "help chess")).ok


# --- who speaks -------------------------------------------------------------------------------------------------------


@anyio
async def test_who_speaks(people: People) -> None:
    server, game = people.server, await people.play("Ann", "Bo")
    number = await server.boards.number(game)
    await server.mail_words.set(people.of["Ann"].id, WORD, "here")
    nobody = await people.say(None, f"hexbo move {number} B3")
    assert not nobody.ok and "hexbo move board userid password turn[#move]" in nobody.text
    wrong = await people.say(None, f"hexbo move {number} Ann not-the-word B3")
    assert not wrong.ok and wrong.command == "hexbo move …" and "not-the-word" not in f"{wrong}"
    swapped = await people.say(None, f"hexbo move {number} {WORD} Ann B3")
    assert not swapped.ok and WORD not in f"{swapped}"
    right = await people.say(None, f"hexbo move {number} Ann {WORD} B3#1")
    assert right.ok and WORD not in f"{right}" and (right.game, right.account) == (game, people.of["Ann"].id)
    assert (await server.games.look(game)).turns == ("B3",)


@anyio
async def test_a_reply_address_is_for_its_game_alone(people: People) -> None:
    game, other = await people.play("Ann", "Bo"), await people.play("Ann", "Bo")
    number = await people.server.boards.number(other)
    for text in ("hexbo challenge Ann Bo", "vacation 3", "change password abcdefgh", "message Bo", f"move {number} B3"):
        refused = await people.say("Ann", text, "hello", game=game)
        assert not refused.ok and "one game alone" in refused.text, text
    assert (await people.say("Ann", "Re: B3", game=game)).ok
    assert (await people.server.games.look(other)).version == 0


@anyio
async def test_a_token_manages_no_account(people: People) -> None:
    ann = people.of["Ann"]
    by_token = Sender("terminal", Account(ann.id, ann.kind, ann.name, by_token=True), where="here")
    for text in ("change password abcdefgh", "change address a@example.org", "vacation 3"):
        (answer,) = await carry_out(people.server, by_token, text, "")
        assert not answer.ok and "token" in answer.text
    (answer,) = await carry_out(people.server, by_token, "all show", "")
    assert answer.ok


@anyio
async def test_the_end_of_an_account_wants_the_mail_word(people: People) -> None:
    assert "signoff | delete userid password" in (await people.say("Ann", "signoff")).text


@anyio
async def test_several_commands_are_carried_out_in_order(people: People) -> None:
    game = await people.play("Ann", "Bo")
    number = await people.server.boards.number(game)
    answers = await people.all(
        "Ann", "multiple", f"hexbo move {number} B3\nhexbo move {number} C3\nhexbo fly\nall show"
    )
    assert [answer.ok for answer in answers] == [True, False, False, True]
    assert "White's turn" in answers[1].text and (await people.server.games.look(game)).turns == ("B3",)


# --- the API, the page, the terminal ----------------------------------------------------------------------------------


async def ask(browser: httpx.AsyncClient, text: str, body: str = "") -> list[dict[str, Any]]:
    answer = await browser.post("/api/commands", json={"text": text, "body": body})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


@anyio
async def test_the_api(app: FastAPI, visit: Visit) -> None:
    people = People(app.state.server)
    await people.come("Ann", "Bo")
    game = await people.play("Ann", "Bo", turns="B3", private=True)
    number = await people.server.boards.number(game)
    await people.server.mail_words.set(people.of["Ann"].id, WORD, "here")
    async with visit() as browser:
        (answer,) = await ask(browser, f"hexbo showas Ann {WORD} {number}")
        (board,) = answer["boards"]
        assert answer["ok"] and answer["command"] == f"hexbo showas Ann *** {number}"
        assert board["number"] == number and board["game"] == game and ">#<" in board["text"]
        assert "Black (#): Ann, you" in board["text"] and "White (O): Bo, to move" in board["text"]
        (refused,) = await ask(browser, "hexbo mvoe 1 Ann secret B4")
        assert not refused["ok"] and "hint: " in refused["text"] and "secret" not in json.dumps(refused)
        assert (await browser.post("/api/commands", json={"text": "x" * 5000})).status_code == 422
        assert (await browser.post("/api/commands", json={"text": "help\x00"})).status_code == 422


@anyio
async def test_the_page(app: FastAPI, visit: Visit) -> None:
    people = People(app.state.server)
    await people.come("Bo")
    async with visit() as browser:
        page = (await browser.get("/mail")).text
        assert "`" not in page
        assert all(html.escape(form.usage()) in page for form in FORMS) and "/mail/root_down" in page
        for name in games():
            help_page = (await browser.get(f"/mail/{name}")).text
            assert f"{name} challenge" in help_page and 'id="r1.1"' in help_page and "FIGURE A" in help_page
        assert (await browser.get("/mail/chess", headers={"accept": "text/html"})).status_code == 404
        signed = {"name": "Ann", "password": "a long password of theirs"}
        assert (await browser.post("/api/sign-up", json=signed)).status_code < 300
        given = (await browser.post("/mail", data={"said": "hexbo challenge -small Ann Bo"})).text
        assert re.search(r"Board</a>|Board \d+", given) and "/games/" in given
        given = (await browser.post("/mail", data={"said": "multiple\nhelp chess\nlist"})).text
        assert "Refused:" in given and "Bo" in given
        given = (await browser.post("/mail", data={"said": "hexbo mvoe 3 Ann sesame-word B4"})).text
        assert "sesame-word" not in given
        assert (await browser.post("/mail", data={"said": "a" * 5000})).status_code == 422


@asynccontextmanager
async def at_a_port(tmp_path: Path) -> AsyncIterator[tuple[FastAPI, str]]:
    settings = Settings(data=tmp_path / "data", engines=0)
    made = create(settings)
    async with listening(made, settings) as port:
        yield made, f"http://127.0.0.1:{port}"


@anyio
async def test_the_terminal(tmp_path: Path) -> None:
    async with at_a_port(tmp_path) as (made, url):
        people = People(made.state.server)
        await people.come("Ann", "Bo")
        game = await people.play("Ann", "Bo", turns="B3", private=True)
        number = await people.server.boards.number(game)
        _, token = await people.server.tokens.make(people.of["Ann"].id, "terminal")

        async def run(*words: str, stdin: str = "") -> tuple[int, str]:
            found = await asyncio.to_thread(CliRunner().invoke, cli, ["command", *words, "--server", url], stdin)
            return found.exit_code, f"{found.output}{found.exception or ''}"

        code, told = await run(f"hexbo show {number}", "--token", token)
        assert code == 0 and f"Board {number}, hexbo(side=5)" in told and ">#<" in told
        code, told = await run(f"hexbo show {number}")
        assert code == 1 and f"refused: no board {number}" in told
        code, told = await run("multiple", "--body", "-", "--json", stdin="list\nhelp")
        assert code == 0 and [answer["command"] for answer in json.loads(told)] == ["list", "help"]
        code, told = await run("help", "--token", "hgt_wrong")
        assert code != 0 and "token does not hold" in told
    code, told = await run("help")
    assert code != 0 and "does not answer" in told
