"""`hedgerow replay` in a pseudo-terminal: every key, every size, colours or none, and as lines of text."""

from __future__ import annotations

import random
import re
import signal
from pathlib import Path

import pytest

import hedgerow as hg
from forks import Call, ends
from pseudo_terminal import PATIENCE, on_terminal
from walks import DEFAULTS, choose


def played(name: str, turns: int = 14) -> hg.Match:
    match, chance = hg.Match(name), random.Random(name)
    while match.legal() and (match.mid_turn or len(match.turns) < turns):
        match.play(match.rules.spell(match.plain, choose(match.rules, match.rules.legal(match.plain), chance)))
    return match


@pytest.fixture
def record(tmp_path: Path) -> Path:
    match = played("hexbo(side=5)")
    match.tags |= {"Black": "Ann", "White": "Bo"}
    match.resign(match.to_move)
    path = tmp_path / "game.txt"
    path.write_text(match.record())
    return path


def test_keys_lead_through_the_game(record: Path) -> None:
    match = hg.read(record.read_text())
    with on_terminal("replay", str(record)) as terminal:
        terminal.until("0/14")
        terminal.until("The start of 14 turns.")
        assert "Hexbo, side 5" in terminal.text and "Black: Ann" in terminal.text and "White: Bo" in terminal.text
        terminal.press("right", "right", "right")
        terminal.until("3/14")
        terminal.until(f"3. {match.turns[2]} (Black, Ann)")
        terminal.press("left")
        terminal.until("2/14")
        terminal.press("end")
        terminal.until("14/14")
        terminal.until("resigned")
        terminal.press("right")
        terminal.press("home")
        terminal.until("0/14")
        terminal.press("left", "1", "2")
        terminal.until("jump to 12")
        terminal.press("\x7f", "1", "\r")
        terminal.until("11/14")
        terminal.press("9", "9", "9", "\r")
        terminal.until("14/14")
        terminal.press("q")
        assert terminal.end() == 0
    assert terminal.raw.endswith(b"\x1b[?1049l") or b"\x1b[?1049l" in terminal.raw, "the screen is given back"


def test_space_plays_it_and_ctrl_c_stops(record: Path) -> None:
    with on_terminal("replay", str(record), "--seconds", "0.1") as terminal:
        terminal.until("0/14")
        terminal.press(" ")
        terminal.until("14/14 ❚❚")
        terminal.press("down", "down", " ")
        terminal.until("▶ 0.5 s")
        terminal.press(" ")
        terminal.until("❚❚")
        terminal.press("\x03")
        assert terminal.end() == 130


def test_it_begins_where_somebody_says(record: Path) -> None:
    with on_terminal("replay", str(record), "--turn", "7") as terminal:
        terminal.until("7/14")
        terminal.press("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
@pytest.mark.parametrize("name", DEFAULTS)
def test_every_game_fits(tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    match = played(name)
    (tmp_path / "game.txt").write_text(match.record())
    last = len(match.turns)
    with on_terminal("replay", str(tmp_path / "game.txt"), "--turn", str(last), size=size) as terminal:
        terminal.until(f"{last}/{last}")
        terminal.until(f"{last}. {match.turns[-1]} (")
        assert match.rules.game.title in terminal.text and "q leaves" in terminal.text
        terminal.press("q")
        assert terminal.end() == 0


def test_a_terminal_that_is_too_small_says_so_until_it_is_larger(record: Path) -> None:
    with on_terminal("replay", str(record), size=(40, 10)) as terminal:
        terminal.until("this one has 40 × 10.")
        terminal.resize(80, 24)
        terminal.until("0/14")
        terminal.until(lambda: "this one has" not in terminal.text)
        terminal.press("right")
        terminal.until("1/14")
        terminal.resize(30, 8)
        terminal.until("this one has 30 × 8.")
        terminal.resize(200, 60)
        terminal.until("1/14")
        terminal.press("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("belongs", [True, False])
def test_a_terminal_that_goes_away_ends_it(record: Path, belongs: bool) -> None:
    with on_terminal("replay", str(record), belongs=belongs) as terminal:
        terminal.until("0/14")
        terminal.go_away()
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP


def test_a_signal_ends_it_and_gives_the_screen_back(record: Path) -> None:
    with on_terminal("replay", str(record)) as terminal:
        terminal.until("0/14")
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.end() == 128 + signal.SIGHUP and b"\x1b[?1049l" in terminal.raw


def test_without_colours(record: Path) -> None:
    with on_terminal("replay", str(record), "--turn", "5", NO_COLOR="1") as terminal:
        terminal.until("5/14")
        terminal.press("q")
        assert terminal.end() == 0
    assert not re.search(rb"\x1b\[[\d;]*[34]8[;:]", terminal.raw), "no colour was sent"


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"HEDGEROW_PLAIN": "1"}])
def test_lines_of_text_where_the_screen_is_not_wanted(record: Path, environment: dict[str, str]) -> None:
    with on_terminal("replay", str(record), "--turn", "13", **environment) as terminal:
        assert terminal.end() == 0
    text = terminal.raw.decode().replace("\r\n", "\n")
    assert "\x1b" not in text and text.startswith("13. ") and "resigned" in text


def test_in_a_pipe_every_position_is_told(record: Path, tmp_path: Path) -> None:
    match = hg.read(record.read_text())
    done = ends([Call(("replay", str(record))), Call(("replay", "-"), record.read_text(), out="unread")], tmp_path)
    assert [end.code for end in done] == [0, 1] and done[1].err == ""
    text = done[0].out
    assert text.startswith("The start of 14 turns.\n") and text.rstrip().endswith(match.prompt)
    for turn in (1, 7, 14):
        assert f"\n{turn}. {match.turns[turn - 1]} (" in text and str(match.after(turn)) in text
