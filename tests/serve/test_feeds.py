"""The line of a game's page: what changed comes down it, and put together it is what the server knows."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from fastapi import FastAPI
from serving import Visit
from websockets.sync.client import ClientConnection, connect

from hedgerow import draw
from hedgerow.match import Match
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.snapshot import IDENT
from hedgerow.serve.play.views.board import board_view
from hedgerow.serve.play.views.looks import Looks
from hedgerow.serve.server import Server
from hedgerow.serve.store.writer import TurnRow
from hedgerow.told import told as told_of
from hedgerow.tools.serve_bench import Visitor, server_process

RULES = "root_bound(side=4)"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0", "--no-limits") as (_, port):
        yield port


def seated(port: int, rules: str = RULES, **more: Any) -> tuple[str, list[Visitor]]:
    people = [Visitor(port), Visitor(port)]
    game = people[0].ask("POST", "/api/games", {"rules": rules, "opponent": "friend", **more})["id"]
    people[1].ask("POST", f"/api/games/{game}/join")
    return game, people


class Page:
    """A page as `game.js` has it: what comes is put together with what was there."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.lines: list[str] = []
        self.turns: list[str] = []
        self.board: dict[str, Any] = {}
        self.flags: set[str] = set()
        self.slots: dict[str, str] = {}

    def hear(self, *kinds: str) -> dict[str, Any]:
        """The next message of some kind; what comes before it is taken in, too."""
        while True:
            told: dict[str, Any] = json.loads(self.socket.recv(10))
            if told["type"] in ("board", "page"):
                self.flags, self.slots = set(told["flags"]), told["slots"]
            if told["type"] == "board":
                self.take(told)
            if told["type"] in kinds:
                return told

    def take(self, told: dict[str, Any]) -> None:
        picture, (start, more) = told["picture"], told["turns"]
        self.lines = picture.get("lines") or self.lines
        for place, line in picture.get("at", {}).items():
            self.lines[int(place)] = line
        self.turns[start:] = more
        self.board = told

    def until(self, wanted: str) -> None:
        """Until a flag is there, or (with a !) is not."""
        while (wanted.removeprefix("!") in self.flags) == wanted.startswith("!"):
            self.hear("board", "page")

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))


def open_page(stack: ExitStack, port: int, game: str, cookie: str = "", query: str = "") -> Page:
    headers = {"Cookie": cookie} if cookie else {}
    at = f"ws://127.0.0.1:{port}/api/games/{game}/socket?view=page{query}"
    page = Page(stack.enter_context(connect(at, additional_headers=headers)))
    page.hear("board")
    return page


def drawn(match: Match, across: bool = False) -> list[str]:
    return draw.svg_lines(match.scene(), "hedgerow", ident=IDENT, across=across, styled=False)


@pytest.mark.parametrize("rules", [RULES, "hexbo(side=5)", "root_down", "root_and_thorn", "tanbo(size=9)"])
def test_what_changed_put_together_is_what_is_there(port: int, rules: str) -> None:
    game, people = seated(port, rules)
    match, chance = Match(rules), random.Random(5)
    with ExitStack() as stack:
        pages = [open_page(stack, port, game, person.cookie) for person in people]
        watcher = open_page(stack, port, game)
        for number in range(12):
            words, told = [], pages[match.to_move].board
            mover, others = pages[match.to_move], [pages[1 - match.to_move], watcher]
            while not words or match.mid_turn:
                assert {action["text"] for action in told["legal"]} == set(match.legal())
                words.append(chance.choice([word for word in match.legal() if word != "pass"] or match.legal()))
                match.play(words[-1])
                mover.say(type="turn", number=number, text=" ".join(words))
                told = mover.hear("tried", "board", "refused")
                assert told["type"] == ("tried" if match.mid_turn else "board"), told
                assert told["prompt"] == match.prompt and "svg" not in told
            for other in others:
                other.hear("board")
            if number == 5:  # who comes late is told all of it
                watcher = open_page(stack, port, game)
            holds(match, number + 1, pages, watcher)
            if match.outcome:
                break


def holds(match: Match, version: int, pages: list[Page], watcher: Page) -> None:
    """Everybody's page shows the match, and only whoever is to move what may be done."""
    view = board_view(match)
    for seat, page in [*enumerate(pages), (None, watcher)]:
        assert page.board["version"] == version and page.board.get("you") == seat
        assert page.turns == list(match.turns)
        assert page.lines == drawn(match, across=seat in match.rules.far)
        news = page.board["news"][-1]
        assert set(news.get("removed", ())) >= {point for some in view.removed for point in some.points}
        assert news["words"] == told_of(match).words(you=seat)
        assert bool(page.board.get("legal")) == (seat is not None and seat == page.board.get("to_move"))
        assert ("mine" in page.flags) == (seat is not None and seat == page.board.get("to_move"))


def test_a_turn_is_taken_back_and_the_list_with_it(port: int) -> None:
    game, people = seated(port)
    with ExitStack() as stack:
        ann, bo = (open_page(stack, port, game, person.cookie) for person in people)
        for number, (page, text) in enumerate([(ann, "a1"), (bo, "c3 g2")]):
            page.say(type="turn", number=number, text=text)
            ann.hear("board")
            bo.hear("board")
        bo.say(type="offer", kind="undo")
        ann.until("asked-undo")
        bo.until("own-undo")
        assert "theirs-undo" in ann.flags and {"offered-undo", "by-undo-1"} <= bo.flags
        ann.say(type="decline", kind="undo")
        bo.until("!offered-undo")
        ann.until("!offered-undo")
        ann.say(type="offer", kind="undo")
        bo.until("asked-undo")
        bo.say(type="agree", kind="undo")
        for page in (ann, bo):
            page.hear("board")
            assert page.turns == [] and page.lines == drawn(Match(RULES)) and "offered-undo" not in page.flags
        bo.say(type="agree", kind="undo")
        assert bo.hear("refused")["code"] == "no_offer"


def test_what_is_refused_is_said_to_the_one_who_asked(port: int) -> None:
    game, people = seated(port)
    with ExitStack() as stack:
        ann, bo = (open_page(stack, port, game, person.cookie) for person in people)
        ann.say(type="turn", number=0, text="a1")
        bo.hear("board")
        bo.say(type="why", text="a1")
        why = bo.hear("why")
        assert not why["legal"] and why["points"] == ["a1"] and why["clause"] and why["text"] == "a1"
        bo.say(type="why", text="c3")
        assert bo.hear("why")["legal"]
        bo.say(type="why", text="c3 " * 100)
        assert bo.hear("refused")["code"] == "unreadable"
        bo.say(type="turn", number=1, text="a1")
        refused = bo.hear("refused")
        assert refused["code"] == "illegal" and refused["number"] == 1 and refused["points"] == ["a1"]
        bo.say(type="turn", number=0, text="c3")
        assert bo.hear("refused")["code"] == "stale"
        bo.say(type="chat", room="players", text=" ")
        assert bo.hear("refused")["about"] == "chat", "so that it is said where it was typed"


def test_people_come_and_go_and_talk(port: int) -> None:
    ann = Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": RULES, "opponent": "friend"})["id"]
    with ExitStack() as stack:
        page = open_page(stack, port, game, ann.cookie)
        assert {"open", "seated", "free-1"} <= page.flags and not page.board.get("legal")
        bo = Visitor(port)
        bo.ask("POST", f"/api/games/{game}/join")
        page.until("playing")
        assert {"mine", "person-1", "away-1"} <= page.flags and page.slots["name-1"].startswith("Guest")
        assert page.board["legal"] and page.board["state"] == "playing"
        with ExitStack() as visit:
            other = open_page(visit, port, game, bo.cookie)
            watcher = open_page(visit, port, game)
            page.until("here-1")
            page.until("watched")
            assert page.slots["watchers"] == "1"
            other.say(type="chat", room="players", text="hello")
            assert page.hear("chat")["text"] == "hello"
            known = other.hear("chat")["id"]
            other.say(type="chat", room="players", text="again")
            page.hear("chat")
            late = open_page(visit, port, game, ann.cookie, f"&said={known}")
            assert late.hear("chat")["text"] == "again", "and not what it knew already"
            other.say(type="resign")
            watcher.until("over")
            assert {"they-won", "won-0", "person-0"} <= watcher.flags and watcher.slots["reason"]
        page.until("you-won")
        page.until("!watched")


def test_new_ratings_come_after_the_end(port: int) -> None:
    people = [Visitor(port), Visitor(port)]
    for person, name in zip(people, ("Fern", "Moss")):
        person.ask("POST", "/api/sign-up", {"name": name, "password": "under the hedge"})
    asked = {"rules": "root_down", "opponent": "friend", "rated": True}
    game = people[0].ask("POST", "/api/games", asked)["id"]
    people[1].ask("POST", f"/api/games/{game}/join")
    with ExitStack() as stack:
        fern = open_page(stack, port, game, people[0].cookie)
        assert fern.slots["rating-0"] == "1500" and "provisional-0" in fern.flags and "change-0" not in fern.slots
        for number, person in enumerate(people):
            text = person.ask("GET", f"/api/games/{game}")["legal"][0]["text"]
            person.ask("POST", f"/api/games/{game}/turns", {"number": number, "text": text})
        people[1].ask("POST", f"/api/games/{game}/resign")
        while "change-0" not in fern.slots:
            fern.hear("board", "page")
        assert (fern.slots["rating-0"], fern.slots["change-0"], fern.slots["change-1"]) == ("1605", "+105", "−105")


def test_a_private_game_that_begins_is_shown_to_its_players_alone(port: int) -> None:
    ann, bo = Visitor(port), Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": RULES, "opponent": "friend", "private": True})["id"]
    with ExitStack() as stack:
        stranger = open_page(stack, port, game)
        bo.ask("POST", f"/api/games/{game}/join")
        with pytest.raises(Exception, match="1008"):
            while True:
                assert stranger.hear("board", "page")["slots"].get("name-1") is None


# --- who reads waits for nobody ---------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_whoever_looks_does_not_wait_for_a_turn_that_is_being_stored(app: FastAPI, visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        made = await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})
        where = f"/games/{made.json()['id']}"
        await bo.post(f"/api{where}/join")
        games = app.state.server.games
        store, slow, begun = games.store.writer.store, asyncio.Event(), asyncio.Event()

        async def later(row: TurnRow) -> None:
            begun.set()
            await slow.wait()
            await store(row)

        games.store.writer.store = later
        turn = asyncio.create_task(ann.post(f"/api{where}/turns", json={"number": 0, "text": "a1"}))
        await begun.wait()
        async with asyncio.timeout(20):
            assert (await bo.get(f"/api{where}")).json()["turns"] == []
            assert (await bo.get(where)).status_code == 200
            assert (await bo.get(f"/api{where}/offers")).json() == []
            assert (await bo.get(f"/api{where}/chat")).json() == []
        slow.set()
        assert (await turn).status_code == 201
        assert (await bo.get(f"/api{where}")).json()["turns"] == ["a1"]


@pytest.mark.anyio
async def test_a_position_is_drawn_once_however_many_look(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, _ = await server.accounts.guest()
    bo, _ = await server.accounts.guest()
    made = await server.games.create(RULES, ann.id, [{"account": ann.id}, {"account": bo.id}], Control(), False)
    drawings, lines = list[str](), draw.svg_lines

    def noted(scene: draw.Scene, look: str, **more: Any) -> list[str]:
        drawings.append(look)
        return lines(scene, look, **more)

    monkeypatch.setattr(draw, "svg_lines", noted)
    told: list[Any] = []
    for account in (ann.id, bo.id, *[None] * 20):
        await server.feeds.join(made.id, account, Looks(), told.append)
    await server.feeds.join(made.id, None, Looks(look="pencil"), told.append)
    assert len(told) == 23 and drawings == ["hedgerow", "pencil"]
    await server.games.play(made.id, ann.id, 0, "a1")
    await asyncio.sleep(0)
    assert len(told) == 46 and drawings == ["hedgerow", "pencil"] * 2
    assert len({id(message) for message in told[25:45]}) == 1, "one message, written once"
