"""Play by mail over real SMTP both ways, with mailboxes: signing up, whole games of every kind, conditional turns."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from mailing import Correspondent, Office, begun, game_of, office, plain
from serving import rows

from hedgerow.match import Match
from hedgerow.tools.serve_bench import Visitor, random_game

LAST = 10
"""How many turns at the end of a game are a mail each, by answering; those before are sent many at a time."""
TOGETHER = 40
"""How many commands stand in one mail."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def post(folder: Path) -> Iterator[Office]:
    with office(str(folder)) as opened:
        yield opened


def played(game: str, board: int, players: list[Correspondent], turns: list[tuple[int, str]]) -> EmailMessage:
    """All turns of a game; the last answer."""
    early, late = turns[:-LAST], turns[-LAST:]
    for start in range(0, len(early), TOGETHER):
        some = enumerate(early[start : start + TOGETHER], start + 1)
        lines = [f"{game} move {board} {players[s].name} {players[s].word} {text}#{n}" for n, (s, text) in some]
        answer = plain(players[0].ask("multiple", "\n".join(lines)))
        assert answer.count("is played") == len(lines), answer
        assert not any(player.word in answer for player in players)
    letters: dict[int, EmailMessage] = {}
    for number, (seat, text) in enumerate(late, len(early) + 1):
        player = players[seat]
        if seat in letters:  # the bare turn, in answer to the last letter about this game
            answered = player.reply(letters[seat], text)
        else:
            answered = player.ask(f"Re: {game.upper()}  Move {board} @ {text}")
        assert f"turn {number}" in plain(answered), plain(answered)
        letters[seat] = answered
    return answered


def told(post: Office, board: int, player: Correspondent, game: str) -> dict[str, Any]:
    """A game as the server's API tells it."""
    where = f"/api/games/{game_of(player, game, board)}?picture=false"
    answer: dict[str, Any] = Visitor(post.web).ask("GET", where)
    return answer


def test_signing_up_by_mail_changes_nothing_before_it_is_confirmed(post: Office, folder: Path) -> None:
    dee = post.stranger("dee")
    dee.write("signup @")
    asked = dee.next("confirm")
    assert dee.word not in asked.as_string() and asked["Auto-Submitted"] == "auto-generated"
    there = "SELECT mail FROM accounts WHERE name = 'dee'"
    assert rows(folder / "hedgerow.db", there) == []
    assert "Welcome, dee" in plain(dee.reply(asked, "yes"))
    assert rows(folder / "hedgerow.db", there) == [(dee.address,)]
    answer = plain(dee.ask("hexbo showas @ all"))
    assert "wrong" not in answer and dee.word not in answer


def test_three_play_hexbo_on_the_small_board_by_mail_alone(post: Office) -> None:
    players = [post.person(name) for name in ("ann", "bo", "cy")]
    board = begun("hexbo", players, "-small")
    rules = "hexbo(side=5,players=3)"
    turns = random_game(rules, 5)
    answer = played("hexbo", board, players, turns)
    match = Match(rules)
    for _, text in turns:
        match.play_turn(text)
    assert match.outcome is not None
    winner = players[match.outcome.winners[0]].name
    assert winner in plain(answer)
    assert match.rules.scene(match.plain) is not None
    drawn = [line.strip() for line in str(match).splitlines()[1:6]]
    assert all(line in plain(answer) for line in drawn), plain(answer)
    found = told(post, board, players[0], "hexbo")
    assert found["state"] == "over" and found["turns"] == [text for _, text in turns]
    assert found["outcome"]["winners"] == list(match.outcome.winners)


OTHERS = {
    "tanbo": ("tanbo(size=9)", ["-size=9"]),
    "root_bound": ("root_bound(side=4)", ["-side=4"]),
    "rootbound": ("rootbound(side=4)", ["-side=4"]),
    "root_down": ("root_down", []),
    "root_and_thorn": ("root_and_thorn", []),
}


@pytest.mark.parametrize("game", OTHERS)
def test_every_other_game_is_played_to_its_end_by_mail(post: Office, game: str) -> None:
    rules, chosen = OTHERS[game]
    players = [post.person(name) for name in ("ann", "bo")]
    turns = random_game(rules, 3)
    board = begun(game, players, *chosen)
    played(game, board, players, turns)
    found = told(post, board, players[0], game)
    assert found["state"] == "over" and found["turns"] == [text for _, text in turns]


def test_conditional_turns_are_played_when_their_turn_comes(post: Office) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    turns = [text for _, text in random_game("hexbo(side=5)", 1)]
    planned = plain(bo.ask(f"hexbo queue {board} @ {turns[0]}, {turns[1]}"))
    assert turns[1] in planned
    ann.ask(f"hexbo move {board} @ {turns[0]}")
    assert told(post, board, ann, "hexbo")["turns"] == turns[:2]


def test_a_turn_is_shown_first_and_then_confirmed(post: Office) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    turns = [text for _, text in random_game("hexbo(side=5)", 1)]
    assert "would" in plain(ann.ask(f"hexbo submit {board} @ {turns[0]}"))
    assert told(post, board, ann, "hexbo")["turns"] == []
    ann.ask(f"hexbo confirm {board} @")
    assert told(post, board, ann, "hexbo")["turns"] == turns[:1]


def test_refused_turns_say_why_with_the_clause_and_nothing_is_half_done(post: Office) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    answer = plain(ann.ask(f"hexbo move {board} @ E5"))
    assert "touches no stone of yours" in answer and "3.2" in answer
    assert told(post, board, ann, "hexbo")["turns"] == []


def test_words_go_to_others_and_to_the_board(post: Office) -> None:
    ann, bo = post.person("ann"), post.person("bo")
    board = begun("hexbo", [ann, bo], "-small")
    ann.ask("message @ bo", "Shall we play\nanother one?\n-- \nAnn")
    assert "another one?" in plain(bo.next("another one?"))
    ann.ask(f"hexbo chat {board} @", "Good luck!")
