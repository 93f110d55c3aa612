"""Random histories: several people create, join, play, cheat, offer and resign, and the server restarts in between.

After every step the game as the API tells it is the `Match` that was played beside it; and whatever was refused has
changed nothing.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from hedgerow.match import Match
from hedgerow.serve.process.app import create
from hedgerow.serve.settings import Settings

RULES = ("hexbo(side=5)", "root_bound(side=3)", "hexbo(side=5,players=3)", "root_down")
PEOPLE = 4


@dataclass
class Game:
    """What we know of a game that the server keeps."""

    id: str
    match: Match
    seats: list[int | None]
    version: int = 0
    called_off: bool = False
    backs: list[tuple[int, int]] = field(default_factory=list)
    """The seat and the actions of every turn that stands; seat -1 where somebody left."""
    offers: dict[str, tuple[int, set[int], bool]] = field(default_factory=dict)
    """By kind: who asked, who agreed, and whether it was declined."""
    next: str | None = None

    @property
    def begun(self) -> bool:
        return None not in self.seats

    @property
    def over(self) -> bool:
        return self.called_off or self.match.outcome is not None

    @property
    def still_in(self) -> set[int]:
        placed = self.match.rules.placed(self.match.plain)
        return {seat for seat in range(len(self.seats)) if not placed[seat]}

    def moved(self) -> None:
        self.version += 1
        self.offers.clear()


class House:
    """One server for all histories, on one database; it can be stopped and started again."""

    def open(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.start()
        self.cookies = [self.loop.run_until_complete(self._guest()) for _ in range(PEOPLE)]

    async def _guest(self) -> str:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://here.test") as client:
            await client.post("/api/guest")
            return client.cookies["hedgerow"]

    def start(self) -> None:
        self.app: FastAPI = create(Settings(data=Path(self.folder.name), engines=0, limits=False))
        self.life = self.app.router.lifespan_context(self.app)
        self.loop.run_until_complete(self.life.__aenter__())
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://here.test")

    def stop(self) -> None:
        self.loop.run_until_complete(self.client.aclose())
        self.loop.run_until_complete(self.life.__aexit__(None, None, None))

    def close(self) -> None:
        self.stop()
        self.loop.close()
        self.folder.cleanup()

    def ask(self, who: int, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Cookie": f"hedgerow={self.cookies[who]}"}
        answer = self.loop.run_until_complete(self.client.request(method, path, json=body, headers=headers))
        assert answer.status_code < 500, answer.text
        return answer.status_code, answer.json() if answer.content else None


HOUSE = House()
ANYBODY = st.integers(0, 5)


class Histories(RuleBasedStateMachine):
    """The people and their games."""

    games = Bundle("games")

    @initialize()
    def open(self) -> None:
        self.known: dict[str, Game] = {}
        self.fresh: set[str] = set()
        """The games that something was done to since they were last looked at."""

    def ask(self, who: int, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return HOUSE.ask(who, method, path, body)

    def person(self, game: Game, n: int) -> int:
        """One of the players, or for high numbers anybody at all."""
        seated = game.seats[n] if n < len(game.seats) else None
        self.fresh.add(game.id)
        return n % PEOPLE if seated is None else seated

    # --- what people do -----------------------------------------------------------------------------------------------

    @rule(target=games, who=ANYBODY, rules=st.sampled_from(RULES), turns=st.integers(-1, 8))
    def create_game(self, who: int, rules: str, turns: int) -> Game:
        who %= PEOPLE
        status, told = self.ask(who, "POST", "/api/games", {"rules": rules, "opponent": "friend"})
        assert status == 201
        match = Match(rules)
        game = Game(told["id"], match, [who] + [None] * (match.rules.players - 1))
        self.known[game.id] = game
        self.fresh.add(game.id)
        if turns >= 0:  # mostly everybody sits down and plays at once
            for other in range(PEOPLE):
                self.join(game, other + len(game.seats))
            self.play(game, len(self.known), turns)
        return game

    @rule(game=games, who=ANYBODY)
    def join(self, game: Game, who: int) -> None:
        who = self.person(game, who)
        status, told = self.ask(who, "POST", f"/api/games/{game.id}/join")
        if who in game.seats:
            assert status == 200
        elif not game.begun and not game.over:
            game.seats[game.seats.index(None)] = who
            assert status == 200 and told["you"] == game.seats.index(who)
        else:
            assert status == 409 and told["code"] == "full"

    @rule(game=games, seed=st.integers(0, 9999), turns=st.integers(1, 6))
    def play(self, game: Game, seed: int, turns: int) -> None:
        chance = random.Random(seed)
        self.fresh.add(game.id)
        for _ in range(turns):
            if not game.begun or game.over:
                return
            match, mover = game.match.copy(), game.match.to_move
            before = len(match.actions)
            while True:
                match.play(chance.choice(match.legal()))
                if match.outcome or not match.rules.mid_turn(match.plain):
                    break
            asked = {"number": game.version, "text": match.turns[-1]}
            person = game.seats[mover]
            assert person is not None
            status, told = self.ask(person, "POST", f"/api/games/{game.id}/turns", asked)
            assert status == 201 and told["seat"] == mover
            again, same = self.ask(person, "POST", f"/api/games/{game.id}/turns", asked)
            assert again == 201 and same == told, "repeating a message is harmless"
            game.backs.append((mover, len(match.actions) - before))
            game.match = match
            game.moved()
            if chance.random() < 0.2:
                self.all_ask(game, "undo", mover)

    @rule(
        game=games,
        who=ANYBODY,
        number=st.integers(-1, 3),
        text=st.sampled_from(["A1", "zz", "", "pass", "a1 a1", "b2-b4", "\x00", "x" * 201]),
    )
    def cheat(self, game: Game, who: int, number: int, text: str) -> None:
        """Stale, forged, illegal turns and those of others; one that happens to be right is left out."""
        who = self.person(game, who)
        mine = game.begun and not game.over and game.seats[game.match.to_move] == who
        right = mine and number == 0 and game.match.why_not(text) is None
        past = number == -1 and game.match.turns and text.upper() == game.match.turns[-1].upper()
        if right or past:
            return
        asked = {"number": max(0, game.version + number), "text": text}
        if game.version + number < 0 and mine and game.match.why_not(text) is None:
            return
        status, _ = self.ask(who, "POST", f"/api/games/{game.id}/turns", asked)
        assert status in (403, 409, 422)

    @rule(game=games, who=ANYBODY)
    def resign(self, game: Game, who: int) -> None:
        who = self.person(game, who)
        status, _ = self.ask(who, "POST", f"/api/games/{game.id}/resign")
        if who not in game.seats:
            assert status == 403
        elif not game.begun:
            assert status == 409
        elif not game.over and game.seats.index(who) in game.still_in:
            game.match.resign(game.seats.index(who))
            game.backs.append((-1, 1))
            game.moved()

    @rule(game=games, who=ANYBODY)
    def cancel(self, game: Game, who: int) -> None:
        who = self.person(game, who)
        status, _ = self.ask(who, "POST", f"/api/games/{game.id}/cancel")
        if who != game.seats[0]:
            assert status == 403
        elif game.begun:
            assert status == 409
        else:
            assert status == 200
            game.version += not game.called_off
            game.called_off = True

    @rule(game=games, who=ANYBODY, kind=st.sampled_from(["undo", "draw", "abort"]))
    def offer(self, game: Game, who: int, kind: str) -> None:
        who = self.person(game, who)
        status, told = self.ask(who, "POST", f"/api/games/{game.id}/offers/{kind}")
        seat = game.seats.index(who) if who in game.seats else -1
        if seat < 0 or not game.begun or game.over or seat not in game.still_in:
            assert status in (403, 409)
            return
        asker, agreed, declined = game.offers.get(kind, (seat, set(), False))
        if declined:
            if asker == seat:
                assert status == 409 and told["code"] == "declined"
                return
            asker, agreed = seat, set()
        if kind == "undo" and not self._back(game, asker):
            assert status == 409 and told["code"] == "nothing"
            return
        assert status == 200
        self._agreed(game, kind, asker, agreed | {seat}, told["done"])

    @rule(game=games, yes=st.booleans())
    def answer(self, game: Game, yes: bool) -> None:
        """The first one who has not spoken says yes or no to what is on offer."""
        self.fresh.add(game.id)
        kind = next((kind for kind, offer in game.offers.items() if not offer[2]), None)
        if kind is None:
            return
        asker, agreed, _ = game.offers[kind]
        seat = min(game.still_in - agreed)
        who = game.seats[seat]
        assert who is not None
        word = "agree" if yes else "decline"
        status, told = self.ask(who, "POST", f"/api/games/{game.id}/offers/{kind}/{word}")
        if yes:
            assert status == 200
            self._agreed(game, kind, asker, agreed | {seat}, told["done"])
        else:
            assert status == 204
            game.offers[kind] = (asker, agreed, True)

    @rule(game=games, kind=st.sampled_from(["undo", "undo", "draw"]), first=st.integers(0, 2))
    def all_ask(self, game: Game, kind: str, first: int) -> None:
        """One after the other asks for the same, until it happens."""
        seats, version = len(game.seats), game.version
        for turn in range(seats):
            if game.version == version and not game.over:
                self.offer(game, (first + turn) % seats, kind)

    def _back(self, game: Game, seat: int) -> int:
        for back, (whose, _) in enumerate(reversed(game.backs), 1):
            if whose in (seat, -1):
                return back if whose == seat else 0
        return 0

    def _agreed(self, game: Game, kind: str, asker: int, agreed: set[int], done: bool) -> None:
        played = {seat for seat, _ in game.backs}
        alone = kind == "abort" and any(seat not in played for seat in game.still_in)
        assert done == (alone or agreed >= game.still_in)
        if not done:
            game.offers[kind] = (asker, agreed, False)
            return
        if kind == "draw":
            game.match.agree_draw()
        elif kind == "abort":
            game.called_off = True
        else:
            for _ in range(self._back(game, asker)):
                for _ in range(game.backs.pop()[1]):
                    game.match.undo()
        game.moved()

    @rule(game=games)
    def rematch(self, game: Game) -> None:
        """All ask for another game: there is one, the seats rotated."""
        self.fresh.add(game.id)
        if not game.begun:
            return
        for who in dict.fromkeys(game.seats):
            assert who is not None
            status, told = self.ask(who, "POST", f"/api/games/{game.id}/offers/rematch")
            assert status == (200 if game.over else 409)
        if game.over and game.next is None:
            game.next = told["game"]
            seats = [game.seats[-1], *game.seats[:-1]]
            self.known[told["game"]] = Game(told["game"], Match(game.match.rules.name), seats)
            self.fresh.add(told["game"])
        elif game.over:
            assert told["game"] == game.next

    @rule()
    def restart(self) -> None:
        HOUSE.stop()
        HOUSE.start()
        self.fresh.update(self.known)

    @rule(game=games)
    def forget(self, game: Game) -> None:
        HOUSE.app.state.server.games.forget(game.id)
        self.fresh.add(game.id)

    # --- what must be true --------------------------------------------------------------------------------------------

    @invariant()
    def the_api_tells_the_match(self) -> None:
        looked, self.fresh = sorted(getattr(self, "fresh", ())), set()
        for game in (self.known[name] for name in looked):
            status, told = self.ask(0, "GET", f"/api/games/{game.id}?picture=false")
            match = game.match
            assert status == 200 and told["turns"] == list(match.turns) and told["version"] == game.version
            assert told["state"] == ("over" if game.over else "playing" if game.begun else "open")
            assert [not seat["free"] for seat in told["seats"]] == [seat is not None for seat in game.seats]
            if game.over:
                assert told["to_move"] is None and told["legal"] == []
                ended = match.outcome
                assert told["outcome"]["reason"] == (ended.reason if ended else "called off")
                assert told["outcome"]["winners"] == list(ended.winners if ended else ())
            elif game.begun:
                assert told["outcome"] is None and told["to_move"] == match.to_move
                assert sorted(action["text"] for action in told["legal"]) == match.legal()
                _, standing = self.ask(0, "GET", f"/api/games/{game.id}/offers")
                found = {offer["kind"]: (offer["seat"], set(offer["agreed"]), False) for offer in standing}
                assert found == {kind: offer for kind, offer in game.offers.items() if not offer[2]}


def test_random_histories() -> None:
    HOUSE.open()
    try:
        run_state_machine_as_test(
            Histories,
            settings=settings(
                max_examples=8,
                stateful_step_count=30,
                deadline=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        HOUSE.close()
