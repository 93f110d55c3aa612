"""Games in others' formats: SGF and Abstract Play's reports, both ways, and what has no place in them is refused."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.exchange import FORMATS, abstractplay, is_ours, read_any, sgf
from hedgerow.exchange.rounds import SIZES, CrowdedTanbo
from walks import VARIANTS, choose


def played(name: Any, seed: int, most: int = 400) -> hg.Match:
    """A random game of so many turns at most."""
    match, chance = hg.Match(name), random.Random(f"{name} {seed}")
    while match.legal() and (len(match.turns) < most or match.mid_turn):
        action = choose(match.rules, match.rules.legal(match.plain), chance)
        match.play(match.rules.spell(match.plain, action))
    return match


# --- SGF --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VARIANTS)
def test_sgf_tells_every_game_both_ways(name: str) -> None:
    match = played(name, 1, most=60)
    match.tags |= {"Event": r"a [b] \c: d;", "Site": ""}
    told = read_any(sgf.write(match))
    assert told.match.record() == match.record() and told.notes == ()


def test_sgf_keeps_events_positions_and_unfinished_turns() -> None:
    match = hg.Match("hexbo(side=5,players=3)")
    match.play("A1")
    match.resign(1)
    match.play("E1")
    match.flag(0)
    again = hg.Match("root_bound(side=4)", position=played("root_bound(side=4)", 2, most=5).position())
    again.play(next(word for word in again.legal() if word != "pass"))
    assert again.mid_turn
    drawn = hg.Match("root_down")
    drawn.agree_draw()
    for game in (match, again, drawn):
        assert read_any(sgf.write(game)).match.record() == game.record()


def test_sgf_is_what_other_programs_read() -> None:
    match = hg.Match("root_bound(side=5)")
    match.tags = {"Black": "Ann", "White": "Bo", "Date": "2026-11-15"}
    match.play("c3 a1 e5")
    match.resign(0)
    assert sgf.write(match) == (
        "(;FF[4]CA[UTF-8]GM[0]AP[Hedgerow]HG[root_bound(side=5)]DT[2026-11-15]PB[Ann]PW[Bo]RE[W+R]"
        "HT[Black:Ann][White:Bo][Date:2026-11-15]\n;B[c3]\n;W[a1 e5]\n;HE[resign 0])\n"
    )


def test_sgf_of_somebody_else_is_read_as_far_as_a_record_goes() -> None:
    text = (
        "\ufeff (;FF[4]HG[tanbo(size=9)]\nPB[Ann \\] \\\nand Bo]C[hello];B[A2](;W[B9]C[good])(;W[J2](;B[A3])))(;FF[4])"
    )
    told = read_any(text)
    assert told.match.turns == ("A2", "B9") and told.match.tags == {"Black": "Ann ] and Bo"}
    assert told.notes == ("of 2 games the first was read", "variations were left out: 1", "a record has no place for C")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(;FF[4];B[c3])", "no property HG"),
        ("(;HG[chess])", "no game 'chess'"),
        ("(;HG[tanbo]", "the tree does not end"),
        ("(;HG[tanbo]) x", "something outside the tree"),
        ("(;HG[tanbo)", "line 1: cannot read '[tanbo)'"),
        ("(;HG[tanbo];W[A2])", "node 1: 'A2' is not by Black, who is to move"),
        ("(;HG[tanbo];B[T20])", "node 1: "),
        ("(;HG[tanbo];HE[win 1])", "node 1: "),
        ("(;HG[hexbo(players=3)];HM[7:A1])", "node 1: "),
        ("(;[x])", "a value 'x' of nothing"),
        ("(" * 100_000, "the tree does not end"),
    ],
)
def test_bad_sgf_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(hg.HedgerowError) as refused:
        read_any(text)
    assert words in str(refused.value)


# --- Abstract Play ----------------------------------------------------------------------------------------------------


def report(name: str, moves: list[list[Any]], results: tuple[int, int] = (1, 0), **more: Any) -> str:
    """A report as Abstract Play writes it."""
    players = [
        {"name": "Ann", "userid": "u-1", "is_ai": False, "result": results[0]},
        {"name": "Bo", "userid": "u-2", "result": results[1]},
    ]
    header = {
        "game": {"name": name} | more,
        "site": {"name": "Abstract Play", "gameid": "g-7"},
        "date-start": "2024-08-01T10:00:00.000Z",
        "date-end": "2024-08-03T11:00:00.000Z",
        "date-generated": "2024-08-03T11:00:01.000Z",
        "players": players,
    }
    return json.dumps({"header": header, "moves": moves})


def test_a_report_of_root_bound_is_read() -> None:
    moves: list[list[Any]] = [["d4", "a1,m7"], ["g1,g13", {"move": "b1"}], ["pass", "H7, H9"], ["resign"]]
    told = read_any(report("Root Bound", moves, (0, 1)))
    match = told.match
    assert match.rules.name == "root_bound" and told.notes == ()
    assert match.turns == ("d4", "a1 m7", "g1 g13", "b1 done", "pass", "h7 h9")
    assert match.outcome and match.outcome.reason == "resignation" and match.outcome.winners == (1,)
    assert match.tags == {
        "Date": "2024-08-01",
        "Black": "Ann",
        "Black-Id": "u-1",
        "White": "Bo",
        "White-Id": "u-2",
        "Site": "Abstract Play",
        "Site-Game": "g-7",
        "Started": "2024-08-01T10:00:00.000Z",
        "Ended": "2024-08-03T11:00:00.000Z",
    }
    assert hg.read(match.record()).record() == match.record()


def test_the_points_of_root_bound_are_named_as_there() -> None:
    """Their graph: rows from the bottom a to m of 7 to 13 points from the left; a1 touches a2, b1 and b2."""
    board = hg.make("root_bound").board
    widths = {letter: 7 + min(row, 12 - row) for row, letter in enumerate("abcdefghijklm")}
    assert set(board.names) == {f"{row}{number}" for row, width in widths.items() for number in range(1, width + 1)}
    near = {name: {board.names[q] for q in board.neighbours[p]} for name, p in board.point.items()}
    assert near["a1"] == {"a2", "b1", "b2"}
    assert near["g1"] == {"g2", "f1", "h1"}
    assert near["h5"] == {"h4", "h6", "g5", "g6", "i4", "i5"}


def test_a_report_says_who_resigned_by_the_results() -> None:
    """A resignation stands where the next move would, whosever it is."""
    moves = [["d4", "a1,m7"], ["resign"]]
    for results, winner in (((1, 0), 0), ((0, 1), 1)):
        outcome = read_any(report("Root Bound", moves, results)).match.outcome
        assert outcome and outcome.winners == (winner,)
    timed = read_any(report("Root Bound", [["timeout"]], (0, 1))).match.outcome
    drawn = read_any(report("Root Bound", [["d4", "draw"]], (1, 1))).match.outcome
    assert timed and timed.reason == "time" and drawn and drawn.winners == ()
    told = read_any(report("Root Bound", [["d4", "abandoned"]], (0, 0)))
    assert told.match.outcome is None and "abandoned" in told.notes[0]


def test_another_result_than_ours_is_told_and_kept() -> None:
    moves = [["d4", "a1,m7"], ["g1,g13", "pass"], ["pass"]]
    ours = read_any(report("Root Bound", moves, (1, 0))).match
    assert ours.outcome
    winner = ours.outcome.winners[0]
    told = read_any(report("Root Bound", moves, (int(winner == 1), int(winner == 0))))
    assert told.notes[0].startswith(f"the report says {ours.rules.seats[1 - winner]} wins")
    again = json.loads(abstractplay.write(told.match))
    assert [player["result"] for player in again["header"]["players"]] == [int(winner == 1), int(winner == 0)]


@pytest.mark.parametrize("seed", range(6))
def test_a_game_of_root_bound_is_reported_both_ways(seed: int) -> None:
    match = hg.Match("root_bound")
    match.play("d4 a1 m7 g1 g13")
    chance = random.Random(seed)
    while match.legal() and (match.mid_turn or len(match.turns) < 30 + 300 * (seed % 2)):
        action = choose(match.rules, match.rules.legal(match.plain), chance)
        match.play(match.rules.spell(match.plain, action))
    if not match.outcome:
        match.resign(seed % 2)
    told = json.loads(abstractplay.write(match))
    again = read_any(json.dumps(told))
    assert again.notes == () and again.match.outcome == match.outcome and again.match.cells() == match.cells()
    assert [sorted(turn.split()) for turn in again.match.turns] == [sorted(turn.split()) for turn in match.turns]
    second = json.loads(abstractplay.write(again.match))
    for one in (told, second):
        one["header"].pop("date-generated")
    assert told == second
    _check_schema(told)
    if match.outcome and match.outcome.scores:
        scores = [player["score"] for player in told["header"]["players"]]
        assert sorted(score % 1 for score in scores) == [0, 0.5], "half a point for the first pass"


def test_a_turn_that_was_not_finished_is_not_reported() -> None:
    match = hg.Match("root_bound")
    match.play("d4 a1 m7 g1")
    match.resign(0)
    assert json.loads(abstractplay.write(match))["moves"] == [["d4", "a1,m7"], ["resign"]]


def _check_schema(told: dict[str, Any]) -> None:
    """What the schema asks for: the keys it requires, and no others where it allows none."""
    assert set(told) == {"header", "moves"}
    assert {"game", "site", "date-start", "date-end", "players"} <= set(told["header"])
    assert set(told["header"]["game"]) <= {"name", "variants"} and set(told["header"]["site"]) <= {"name", "gameid"}
    assert all({"name", "result"} <= set(player) for player in told["header"]["players"])
    assert all(isinstance(move, str) and len(turns) <= 2 for turns in told["moves"] for move in turns)


def test_what_a_report_was_read_from_is_written_again() -> None:
    moves = [["d4", "a1,m7"], ["g1,g13", "b1"], ["pass", "h7,h9"], ["resign"]]
    text = report("Root Bound", moves, (0, 1))
    told, again = json.loads(text), json.loads(abstractplay.write(read_any(text).match))
    for one in (told, again):
        one["header"].pop("date-generated")
    told["header"]["players"][0].pop("is_ai")
    assert again == told


@pytest.mark.parametrize("size", SIZES)
def test_a_report_of_tanbo_is_read_and_written(size: int) -> None:
    """Columns are letters from the left, i too; rows are numbers from the bottom."""
    variants = {} if size == 7 else {"variants": [f"size-{size}"]}
    told = read_any(report("Tanbo", [["a" + str(size - 1), "b1"], ["resign"]], (1, 0), **variants))
    match = told.match
    assert match.turns == ("B1", f"{match.rules.board.names[-1][0]}2") and not is_ours(match)
    assert match.cells()["A1"] == match.cells()["B1"] == "0" and match.cells()["A3"] == "1"
    assert "".join(match.cells().values()).count("0") > ((size + 1) // 2) ** 2 // 2 - 1
    again = json.loads(abstractplay.write(match))
    assert again["header"]["game"] == {"name": "Tanbo"} | variants and again["moves"][0] == ["a" + str(size - 1), "b1"]
    assert "startingPosition" not in again["header"]
    with pytest.raises(hg.HedgerowError, match="no record can tell"):
        sgf.write(match)


def test_a_whole_game_of_their_tanbo_goes_both_ways() -> None:
    match, chance = hg.Match(CrowdedTanbo(7)), random.Random(5)
    while legal := match.legal():
        match.play(chance.choice(legal))
    again = read_any(abstractplay.write(match)).match
    assert again.turns == match.turns and again.outcome == match.outcome and len(match.turns) > 20


@pytest.mark.parametrize("size", [9, 13, 19])
def test_our_tanbo_is_reported_with_its_start(size: int) -> None:
    match = played(f"tanbo(size={size})", 3, most=5000)
    told = abstractplay.write(match)
    assert json.loads(told)["header"]["startingPosition"] == hg.Match(f"tanbo(size={size})").position()
    again = read_any(told).match
    assert again.turns == match.turns and is_ours(again) and again.rules.name == match.rules.name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot read the report"),
        ("{}", "no header in the report"),
        ('{"header": ' + "[" * 100_000, "cannot read the report"),
        ('{"header": {"game": {"name": "Chess"}}}', "no report of 'Chess' can be read; hint: of Root Bound and Tanbo"),
        (report("Root Bound", [], variants=["hex8"]), "no variant 'hex8' of Root Bound"),
        (report("Root Bound", [["d4", "a1"]]), "move 2, 'a1'"),
        (report("Root Bound", [["d4", 7]]), "cannot read the move 7"),
        (report("Root Bound", [["d4", "z9,a1"]]), "move 2, 'z9,a1'"),
        (report("Tanbo", [["a1"]]), "move 1, 'a1'"),
        (report("Tanbo", [["z1"]]), "no point 'z1'; hint: columns are a to g"),
        (report("Tanbo", [], variants=["size-9"]), "no Tanbo on 9 lines; hint: Abstract Play has 7, 11, 15, 19"),
        (report("Tanbo", [], variants=["large", "size-11"]), "cannot read the variants"),
    ],
)
def test_bad_reports_are_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(hg.HedgerowError) as refused:
        read_any(text)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("name", "turns", "words"),
    [
        ("hexbo(side=5)", "", "Hexbo; hint: Root Bound and Tanbo have reports"),
        ("root_bound(side=5)", "", "root_bound(side=5); hint: Abstract Play has Root Bound on side 7 alone"),
        ("rootbound", "", "no report can tell Rootbound"),
        ("root_bound", "d4 a1 m7 d5 g13", "no report can tell turn 3: d5 touches d4"),
    ],
)
def test_what_has_no_report_is_refused(name: str, turns: str, words: str) -> None:
    match = hg.Match(name)
    if turns:
        match.play(turns)
    match.resign(0)
    with pytest.raises(hg.HedgerowError) as refused:
        abstractplay.write(match)
    assert words in str(refused.value)


def test_an_unfinished_game_has_no_report() -> None:
    with pytest.raises(hg.HedgerowError, match="a report tells a finished game"):
        abstractplay.write(hg.Match("root_bound"))


# --- anything at all --------------------------------------------------------------------------------------------------

JUNK = (
    None,
    True,
    -1,
    1e400,
    10**4000,
    "",
    "x" * 500,
    [],
    {},
    [[]],
    {"move": None},
    "\ud800",
    "size-999",
    "\n\0",
    "a1,,b2",
)


def places(told: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every way into a report."""
    inside = told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ()
    return [way for key, value in inside for way in ((*path, key), *places(value, (*path, key)))]


@pytest.mark.parametrize("name", ["Root Bound", "Tanbo"])
def test_whatever_stands_in_a_report_it_is_read_or_refused(name: str) -> None:
    moves: dict[str, list[list[Any]]] = {"Root Bound": [["d4", "a1,m7"], ["g1,g13", "resign"]], "Tanbo": [["a6", "b1"]]}
    chance, read = random.Random(name), 0
    for _ in range(400):
        told = json.loads(report(name, moves[name], variants=[]))
        *way, last = chance.choice(places(told))
        inside = told
        for key in way:
            inside = inside[key]
        inside[last] = chance.choice(JUNK)
        read += _read_and_written(json.dumps(told))
    assert read > 50


def test_whatever_stands_in_a_tree_it_is_read_or_refused() -> None:
    whole, chance, read = sgf.write(played("root_bound(side=4)", 1, most=20)), random.Random(2), 0
    for _ in range(400):
        at, more = chance.randrange(len(whole)), chance.choice(["", "(", ")", "[", "]", ";", "\\", "B", "W", "\0", "é"])
        read += _read_and_written(whole[:at] + more + whole[at + chance.randrange(2) :])
    assert read > 20


def _read_and_written(text: str) -> bool:
    """Whether a text is read; what is read is written in every format that can tell it."""
    try:
        match = read_any(text).match
    except hg.HedgerowError:
        return False
    for one in FORMATS.values():
        with contextlib.suppress(hg.HedgerowError):
            assert one.write(match).encode()
    return True
