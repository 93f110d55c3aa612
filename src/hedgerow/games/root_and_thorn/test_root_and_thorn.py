"""Root and Thorn: the sheet's examples by point name, the rulings, and what must hold in every game."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.games.root_and_thorn.plain import SUPPLY, TOKENS, UNDERGROWTH, ThornPosition, piece
from walks import walk

RULES = hg.make("root_and_thorn")
BOTH = pytest.mark.parametrize("name", ["root_and_thorn", "root_and_thorn(removed=discard)"])


def position(dark: str, light: str, to_move: int = 0, words: str = "", rules: Any = RULES) -> ThornPosition:
    """A position of tokens spelled like moves."""
    rows = [["."] * 10 for _ in range(10)]
    for seat, tokens in enumerate((dark, light)):
        for token in tokens.split():
            row, column = rules.board.cells[rules.board.point[token[1:]]]
            rows[row][column] = token[0] if seat == 0 else token[0].lower()
    return rules.parse("/".join("".join(row) for row in rows) + f" {to_move} {words}")


def match_at(dark: str, light: str, to_move: int = 0, words: str = "", name: str = "root_and_thorn") -> hg.Match:
    rules = hg.make(name)
    return hg.Match(rules, position=rules.write(position(dark, light, to_move, words, rules)))


def figures() -> list[dict[str, str]]:
    text = Path(__file__).with_name("figures.txt").read_text(encoding="utf-8")
    blocks = [block for block in text.split("\n\n") if not block.startswith("#")]
    return [dict(line.split(": ", 1) for line in block.strip().splitlines()) for block in blocks]


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure["figure"])
def test_the_sheets_examples(figure: dict[str, str]) -> None:
    match = match_at(figure["dark"], figure["light"], int(figure["to move"]))
    assert set(figure["legal"].split()) <= set(match.legal())
    for claim in figure["refused"].split(", "):
        move, code = claim.split()
        assert (reason := match.why_not(move)) and reason.code == code, claim
    for key, claim in figure.items():
        if key.startswith("after "):
            before = match.cells()
            match.play(key.removeprefix("after "))
            now = match.cells()
            told = dict(part.strip().split(" ", 1) for part in claim.split("|"))
            assert set(told["gone"].split()) == {p for p in before if p not in now}
            assert all(before[p] == now[p] for p in told["stays"].split())
            assert now[told["covered"]] == f"0{key.split()[1][0]}"
            assert ",".join(str(n) for n in match.plain.supply) == told["supply"]


def test_the_start() -> None:
    match = hg.Match("root_and_thorn")
    assert match.legal() == sorted(f"M{file}{rank}" for file in "abcdefghij" for rank in range(1, 6))
    match.play("Me5")
    assert match.legal() == sorted(f"M{file}{rank}" for file in "abcdefghij" for rank in range(6, 11))
    match.play("Me6")  # Maples may touch across the divide
    assert match.legal() == ["Ud5", "Ue4", "Uf5", "pass"]


def test_discarded_undergrowth_is_gone() -> None:
    match = match_at(
        "Me1 Ue2 Ue3 Ud3 Ue4", "Me10 Ue5 Ue9", words="supply=10,20", name="root_and_thorn(removed=discard)"
    )
    match.play("Be3")
    assert match.plain.supply == (10, 20)


def test_two_passes_end_the_game_and_regions_that_touch_both_are_nobodys() -> None:
    match = match_at("Me5 Ud5 Uc5 Ub5 Ua5", "Me6 Ud6")
    match.play("pass")
    assert match.prompt.endswith("or pass (a pass now ends the game).")
    match.play("pass")
    assert match.outcome == hg.Outcome("passes", (5, 2), (0,), (1, 2))
    assert match.legal() == [] and match.why_not("Ue4").code == "game_over"


def test_the_edge_is_a_wall_and_walls_may_be_diagonal() -> None:
    match = match_at("Ma1 Ub2 Uc1", "Mj10")
    match.play("pass pass")
    assert match.outcome and match.outcome.scores == (4, 1)  # b1 is enclosed; the rest touches both


def test_a_whole_board_is_shared_out() -> None:
    wall = " ".join(f"U{file}5" for file in "abcdfghij")
    match = match_at("Me5 " + wall, "Me6 " + wall.replace("5", "6"))
    match.play("pass pass")
    assert match.outcome and match.outcome.scores == (50, 50) and match.outcome.winners == ()


def test_a_player_with_nothing_to_place_is_passed_over() -> None:
    """Light's Maple is walled in, so only Dark moves; a single pass then ends the game."""
    match = match_at("Mh5 Uj8 Ui8 Uh9 Uh10 Ui9", "Mj10", words="")
    match.play("pass")
    assert match.to_move == 1 and "Uj9" in match.legal()
    blocked = match_at("Mh5 Oj9 Oi10 Uh10", "Mj10")
    blocked.play("Uh9")
    assert blocked.to_move == 0 and blocked.plain.passes == 1
    blocked.play("Uh8")
    assert blocked.turns == ("Uh9", "Uh8")
    blocked.play("pass")
    assert blocked.outcome and blocked.outcome.winners == (0,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("..........", "rows"),
        ("/".join(["." * 10] * 10) + " 2", "seat"),
        ("/".join(["M........."] + ["." * 10] * 9), "wrong half"),
        ("/".join(["." * 10] * 9 + ["MM........"]), "2 Dark Maple"),
        ("/".join(["." * 10] * 9 + ["Z........."]), "no piece is drawn 'Z'"),
        ("/".join(["m........."] + ["." * 10] * 8 + ["M........."]) + " 0 passes=3", "passes"),
        ("/".join(["m........."] + ["." * 10] * 8 + ["M........."]) + " 0 supply=3,3", "supply"),
        ("", "rows"),
    ],
)
def test_bad_positions(text: str, words: str) -> None:
    with pytest.raises(hg.BadRecord, match=words):
        hg.Match("root_and_thorn", position=text)


@BOTH
def test_what_holds_in_every_game(name: str) -> None:
    rules = hg.make(name)
    for seed in range(8):
        positions = [position for position, _ in walk(rules, seed)]
        for before, after in pairwise(positions):
            for seat in (0, 1):
                trees = [
                    {p for p, v in enumerate(q.board) if v == piece(seat, t)}
                    for q in (before, after)
                    for t in (0, 2, 3)
                ]
                assert all(old <= new for old, new in zip(trees[:3], trees[3:])), "trees are permanent"
                on_board = after.board.count(piece(seat, UNDERGROWTH))
                assert 0 <= after.supply[seat] <= SUPPLY[UNDERGROWTH] - on_board
                assert not rules.returns or after.supply[seat] == SUPPLY[UNDERGROWTH] - on_board
                for point in (p for p, v in enumerate(after.board) if v == piece(seat, 0)):
                    theirs = [piece(1 - seat, UNDERGROWTH) == after.board[q] for q in rules.board.neighbours[point]]
                    assert not any(theirs), "no Undergrowth beside the enemy Maple"
            if not rules.outcome(after):
                assert rules.placements(after), "the player to move can always place something"
        outcome = rules.outcome(positions[-1])
        assert outcome and sum(outcome.scores) <= 100


def test_reading_moves() -> None:
    start = RULES.start()
    assert RULES.read(start, "me3") == RULES.read(start, "ME3") == RULES.actions.id(0, RULES.board.point["e3"])
    for text in ("e3", "Xe3", "Me", "", "Mee3", "M3e"):
        with pytest.raises(hg.UnreadableMove):
            RULES.read(start, text)
    assert re.match(r"illegal move 'Mk1': there is no point k1", _refusal("Mk1"))


def _refusal(move: str) -> str:
    with pytest.raises(hg.IllegalMove) as refused:
        hg.Match("root_and_thorn").play(move)
    return str(refused.value)


def test_tokens_are_what_the_sheet_says() -> None:
    assert dict(zip(TOKENS, SUPPLY)) == {"Maple": 1, "Undergrowth": 25, "Birch": 5, "Oak": 3}


def test_reasons_name_the_tokens_that_matter() -> None:
    match = match_at("Me3 Ue4 Ue5 Uf4", "Me8")
    lacking = match.why_not("Be5")
    assert lacking and (lacking.code, lacking.points) == ("support", ("e5", "e4"))
    assert str(lacking) == "A Birch needs 2 other Undergrowth of yours beside it; e5 has only e4."
    banned = match_at("Me3 Ue6", "Me8").why_not("Ue7")
    assert banned and (banned.code, banned.points, banned.clause) == ("maple_ban", ("e8",), "3.2")
    assert str(banned) == "Undergrowth may not be placed beside the enemy Maple, and e7 is beside e8."


def test_the_prompt_says_that_a_pass_ends_the_game_where_the_other_player_has_nothing_to_place() -> None:
    walled = match_at("Ma1 Uj9 Ui10", "Mj10")
    assert walled.prompt == "Grow Undergrowth, or pass (a pass now ends the game: Light has nothing to place)."
    assert match_at("Me3", "Me8").prompt == "Grow Undergrowth, or pass."
