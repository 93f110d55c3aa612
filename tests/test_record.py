"""Records and positions as text: lossless both ways, and nothing but BadRecord for whatever else is thrown at them."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow as hg
from hedgerow.record import MAX_RECORD_CHARS
from walks import DEFAULTS, VARIANTS, walk


def played(name: str, plies: int, seed: int = 0) -> hg.Match:
    match, chance = hg.Match(name), random.Random(seed)
    for _ in range(plies):
        if legal := match.legal():
            match.play(chance.choice(legal))
    return match


@pytest.mark.parametrize("name", DEFAULTS)
def test_whole_games(name: str) -> None:
    match = played(name, 10_000)
    assert match.outcome
    text = match.record()
    again = hg.read(text)
    assert again.record() == text and again.outcome == match.outcome and again.tags == match.tags


@pytest.mark.parametrize("name", VARIANTS)
def test_a_game_from_any_position(name: str) -> None:
    rules = hg.make(name)
    positions = [position for position, _ in walk(rules, 4)]
    for position in positions[:: max(1, len(positions) // 5)]:
        match = hg.Match(name, position=rules.write(position))
        assert match.plain == position
        if legal := match.legal():
            match.play(legal[0])
        text = match.record()
        assert hg.read(text).record() == text and hg.read(text).plain == match.plain


def test_what_a_record_looks_like() -> None:
    match = hg.Match("root_bound(side=4)")
    match.tags = {"Event": "Spring cup", "Black": "Ann", "White": "Bo: the 2nd", "Date": "2026-11-15"}
    match.play("a1 c3 g2 d4 a3 f1")
    match.resign(1)
    text = """Game: root_bound(side=4)
Event: Spring cup
Black: Ann
White: Bo: the 2nd
Date: 2026-11-15
Result: Black wins
Reason: resignation

1. a1
2. c3 g2
3. d4 a3
4. f1
resign 1
"""
    assert match.record() == text
    again = hg.read(text)
    assert again.record() == text and again.turns[-1] == "f1" and again.outcome == match.outcome
    assert hg.read(text.replace("\n", "\r\n")).record() == text


def test_leaving_and_agreeing_are_part_of_the_record() -> None:
    for leave in (lambda m: m.resign(2), lambda m: m.flag(0)):
        match = hg.Match("hexbo(side=5,players=3)")
        match.play(match.legal()[0])
        leave(match)
        match.play(match.legal()[0])
        text = match.record()
        assert hg.read(text).record() == text and hg.read(text).plain == match.plain
        match.agree_draw()
        assert hg.read(match.record()).outcome == match.outcome


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: no Game"),
        ("Game: chess", "line 1: no game 'chess'"),
        ("Game: hexbo(side=4)", "line 1: hexbo cannot have side='4'"),
        ("Game: hexbo(side=99999999999)", "line 1"),
        ("Black: Ann", "line 1: no Game"),
        ("Game: tanbo\nGame: tanbo", "line 2: a second Game"),
        ("Game: tanbo\nwhat is this", "line 2: cannot read"),
        ("Game: tanbo\nPosition: .../... 0", "line 2: the number of rows is 2"),
        ("Game: tanbo\n\n1. A2\n1. A6", "line 4: turn 1 where turn 2 should be"),
        ("Game: tanbo\n\nA2", "line 3: cannot read"),
        ("Game: tanbo\n\n1. A2 A6", "line 3: more than one turn"),
        ("Game: tanbo\n\n1. A1", "line 3: illegal move 'A1'"),
        ("Game: tanbo\n\n1. Z99", "line 3: illegal move 'Z99'"),
        ("Game: tanbo\n\n1. ???", "line 3: cannot read"),
        ("Game: tanbo\n\nresign 0\n1. A2", "line 4: illegal move 'A2': the game is over"),
        ("Game: tanbo\n\nresign 7", "line 3"),
        ("Game: tanbo\n\nresign 0\ndraw", "line 4"),
        ("Game: tanbo\nResult: White wins\n\n1. A2", "line 2: Result"),
        ("Game: tanbo\nScores: 1 2\n\n1. A2", "line 2: Scores"),
        ("Game: root_bound\n\n1. a1\n2. c3\n3. c5", "line 5: the turn before is unfinished"),
        ("Game: tanbo\nReason:\n\n1. A2", "line 2: Reason"),
        ("Game: tanbo\nresult: White wins\n\n1. A2", "line 2: the header 'result'"),
        ("x" * (MAX_RECORD_CHARS + 1), "line 1: 1000001 characters are too many"),
    ],
)
def test_bad_records_name_the_line(text: str, words: str) -> None:
    with pytest.raises(hg.BadRecord) as error:
        hg.read(text)
    assert words in str(error.value)


def test_tags_that_could_not_be_read_back_are_refused() -> None:
    for key, value in [
        ("Black", "two\nlines"),
        ("Result", "mine"),
        ("a:b", "c"),
        ("Black", " blank "),
        ("", "x"),
        ("result", "x"),
        ("Round", 3),
    ]:
        match = hg.Match("tanbo")
        match.tags[key] = value
        with pytest.raises(hg.BadRecord):
            match.record()


RECORDS = [played(name, 12, 3).record() for name in DEFAULTS]
POSITIONS = [(name, played(name, 9, 2).position()) for name in DEFAULTS]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(RECORDS), st.data())
def test_damaged_records(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 8))
    text = text[:at] + data.draw(st.text(max_size=6) | st.text(string.digits, max_size=30)) + text[at + length :]
    try:
        match = hg.read(text)
    except hg.BadRecord as error:
        assert str(error).startswith("line ")
    else:
        assert hg.read(match.record()).record() == match.record()


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(POSITIONS), st.data())
def test_damaged_positions(given_position: tuple[str, str], data: st.DataObject) -> None:
    name, text = given_position
    at = data.draw(st.integers(0, len(text)))
    glyphs = st.text("./#OX@*%RKDrkdMUBOmubo0123456789 =,", max_size=6)
    text = text[:at] + data.draw(glyphs) + text[at + data.draw(st.integers(0, 6)) :]
    try:
        match = hg.Match(name, position=text)
    except hg.BadRecord:
        return
    again = hg.Match(name, position=match.position())
    assert again.plain == match.plain
    assert match.outcome or match.legal(), "a position that is accepted can be played"
    assert match.rules.fast.unpack(match.rules.fast.pack(match.plain)) == match.plain


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(DEFAULTS), st.text(max_size=12))
def test_any_text_as_a_move(name: str, text: str) -> None:
    match = hg.Match(name)
    reason = match.why_not(text)
    if reason is not None:
        with pytest.raises((hg.IllegalMove, hg.UnreadableMove)):
            match.play(text)
        assert match.turns == ()
    else:
        match.play(text)
