"""Games as lines of text in real processes: pipes, every command, Ctrl-C, a closed pipe, a full disk, no colours."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hg
from forks import Ended, end

pytestmark = pytest.mark.usefixtures("own_state")


def play(*arguments: str, typed: str = "", **environment: str) -> Ended:
    return end("play", *arguments, given=typed, **environment)


def lines(*typed: str) -> str:
    return "".join(f"{line}\n" for line in typed)


def kept(tmp_path: Path) -> list[hg.Match]:
    return [hg.read(path.read_text()) for path in sorted((tmp_path / "state").glob("*.txt"))]


def test_importing_hedgerow_and_listing_games_loads_no_screen() -> None:
    code = "import sys, hedgerow, hedgerow.terminal.cli; print({'textual', 'websockets', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_lines_of_text_need_no_screen_either() -> None:
    code = (
        "import sys; from hedgerow.terminal.cli import app\n"
        "sys.argv = ['hedgerow', 'play', 'tanbo:size=9', '--seats', 'Ann,Bo']\n"
        "try: app()\nexcept SystemExit: pass\nprint('textual' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], input="A2\nquit\n", capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False", done.stderr


def test_two_people_in_a_pipe(tmp_path: Path) -> None:
    done = play("root_bound:side=4", "--seats", "Ann,Bo", typed=lines("a1", "c3", "why c4", "g2", "turns", "quit"))
    assert done.code == 0, done.err
    assert "Root Bound, side 4. Black: Ann, White: Bo." in done.out
    assert "Your first two pieces may not touch each other; c3 is beside it. (Root Bound rule 3.2)" in done.out
    assert "(O)" in done.out, "the piece that forbids it is lit"
    assert "White played c3 g2." in done.out and "1. a1\n2. c3 g2" in done.out
    assert "\x1b" not in done.out and "hedgerow play --resume" in done.err
    assert kept(tmp_path)[0].turns == ("a1", "c3 g2")


def test_an_unfinished_game_goes_on(tmp_path: Path) -> None:
    play("tanbo:size=9", "--seats", "Ann,Bo", "--clock", "5+3", typed=lines("A2"))
    done = play("--resume", typed=lines("A8", "clock"))
    assert "Black: Ann, White: Bo" in done.out and "White played A8." in done.out
    assert "left)" in done.out and kept(tmp_path)[0].turns == ("A2", "A8")
    assert len(kept(tmp_path)) == 1, "it goes on in the same file"


def test_nothing_to_resume() -> None:
    done = play("--resume")
    assert done.code == 2 and "error: no unfinished game is kept; hint:" in done.err


def test_every_command(tmp_path: Path) -> None:
    game = tmp_path / "game.txt"
    typed = lines(
        *(
            "help",
            "legal",
            "A2",
            "undo",
            "hint",
            "hint",
            "best",
            "show",
            "describe",
            "count",
            "rules 3.1",
            "level White 2",
        ),
        *(
            f"save {game}",
            "A2",
            "undo",
            f"load {game}",
            "level White Bo",
            "clock",
            "draw",
            "undo",
            "resign",
            "turns",
            "quit",
        ),
    )
    done = play("tanbo:size=9", "--seats", "Ann,random(seed=1)", typed=typed)
    assert done.code == 0 and "Traceback" not in done.err, done.err
    for words in (
        "why TURN",
        "8: A2 B1 B3 C2 G8 H7 H9 J8",
        "Took back Black's turn 'A2'.",
        "Look around",
        "Consider ",
        "Black: stone B2 H8.",
        "2 stones in 2 roots",
        "White: Machine, level(2)",
        f"Saved to {game}.",
        "There are no clocks in this game.",
        "A draw was agreed.",
        "resigned",
    ):
        assert words in done.out, words
    assert hg.read(game.read_text()).tags["White"] == "Machine, level(2)"


@pytest.mark.parametrize(
    "game",
    ["hexbo:side=5,players=3", "tanbo:size=9", "root_bound:side=3", "rootbound:side=3", "root_down", "root_and_thorn"],
)
def test_machines_play_a_whole_game(game: str) -> None:
    players = hg.make(game).players
    done = play(game, "--seats", ",".join(["random"] * players), typed=lines("count", "turns"))
    assert done.code == 0, done.err
    assert (" win" in done.out or "A draw" in done.out) and "\n1. " in done.out and "Traceback" not in done.err


def test_it_asks_without_a_game() -> None:
    typed = lines("7", "root bound", "3", "no", "game", "1", "99", "2", "White", "none", "legal", "quit")
    done = play(typed=typed)
    assert done.code == 0, done.err
    assert "no game 7; hint: 1 to 6" in done.out and "cannot take '99'" in done.out
    assert "Root Bound, side 3. Black: level 2, White: You." in done.out


def test_it_asks_for_any_mix_and_offers_the_unfinished_game(tmp_path: Path) -> None:
    done = play(typed=lines("hexbo(side=5,players=3)", "3", "Ann,Bo", "Ann,Bo,Cy", "5+3", "A2"))
    assert "2 seats in 'Ann,Bo'; hint: 3 names" in done.out and "Red: Cy" in done.out, done.out
    done = play(typed=lines("0", "turns"))
    assert "0. go on with Hexbo, side 5, 3 players after 1 turn (Ann, Bo, Cy)" in done.out and "1. A2" in done.out


def test_nobody_answers() -> None:
    done = play()
    assert done.code == 2 and "error: no game was chosen; hint:" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chess",), "error: no game 'chess'"),
        (("hexbo:side=6",), "error: hexbo cannot have side='6'"),
        (("nothing.txt",), "error: no file 'nothing.txt'"),
        (("hexbo", "--seats", "Ann"), "error: 1 seats in 'Ann'"),
        (("hexbo", "--level", "9"), "error: Hexbo has no level 9; hint: 1 to 8"),
        (("hexbo", "--side", "Red"), "error: no side 'Red'; hint: Black, White"),
        (("hexbo", "--clock", "soon"), "error: cannot have a clock of 'soon'"),
        (("hexbo", "--seats", "Ann,uct(wrong=1)"), "error: uct has no option 'wrong'"),
        (("hexbo", "--theme", "pink"), "error: no theme 'pink'"),
    ],
)
def test_mistakes_end_with_a_friendly_line(arguments: tuple[str, ...], words: str) -> None:
    done = play(*arguments)
    assert done.code == 2 and words in done.err and "Traceback" not in done.err and done.out == ""


def test_a_file_that_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_bytes(b"\xff\xfe")
    done = play(str(tmp_path / "letter.txt"))
    assert done.code == 2 and "it is not UTF-8 text; hint:" in done.err
    done = play(
        "tanbo:size=9", "--seats", "Ann,Bo", typed=lines(f"load {tmp_path / 'letter.txt'}", "load /nowhere", "A2")
    )
    assert "it is not UTF-8 text" in done.out and "No such file" in done.out and "Black played A2." in done.out


def test_a_recorded_game_goes_on(tmp_path: Path) -> None:
    match = hg.Match("root_down")
    match.play("b2-b4")
    match.tags["North"] = "Machine, random(seed=1)"
    (tmp_path / "game.txt").write_text(match.record())
    done = play(str(tmp_path / "game.txt"), typed="")
    assert "North played " in done.out, done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk(tmp_path: Path) -> None:
    done = play("tanbo:size=9", "--seats", "Ann,Bo", typed=lines("A2", "save /dev/full", "A8", "turns"))
    assert "Cannot write '/dev/full': No space left on device; hint: name another file." in done.out
    assert done.code == 0 and "2. A8" in done.out and kept(tmp_path)[0].turns == ("A2", "A8")
    assert Path("/dev/full").is_char_device()


def test_a_place_that_cannot_be_written_is_told_once() -> None:
    done = play(
        "tanbo:size=9", "--seats", "Ann,Bo", typed=lines("A2", "A8", "save /proc/game.txt"), HEDGEROW_STATE="/proc/no"
    )
    assert done.out.count("This game is not kept aside") == 1 and "Cannot write '/proc/game.txt'" in done.out
    assert done.code == 0 and "The game could not be kept" in done.err


def started(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "hedgerow", "play", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(process: subprocess.Popen[str], words: str) -> str:
    seen = ""
    assert process.stdout
    while words not in seen:
        line = process.stdout.readline()
        assert line, seen
        seen += line
    return seen


def interrupted(process: subprocess.Popen[str], turn: str, when: str) -> str:
    """Types a turn, and Ctrl-C once something is said; what is said then."""
    assert process.stdin
    process.stdin.write(f"{turn}\n")
    process.stdin.flush()
    until(process, when)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130 and "Traceback" not in said
    return said


def test_ctrl_c_keeps_the_game_and_ends_with_130(tmp_path: Path) -> None:
    said = interrupted(started("tanbo:size=9", "--seats", "Ann,Bo"), "A2", "White to move.")
    assert "Stopped." in said and "hedgerow play --resume" in said and kept(tmp_path)[0].turns == ("A2",)


def test_ctrl_c_while_a_machine_thinks(tmp_path: Path) -> None:
    """It ends long before the machine's minute is over."""
    interrupted(started("root_down", "--seats", "Ann,alphabeta(seconds=60)"), "b2-b4", "thinking")
    assert kept(tmp_path)[0].turns == ("b2-b4",)


def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    process = started("root_bound:side=4", "--seats", "Ann,Bo")
    assert process.stdin
    process.stdin.write("a1\nc3\n")
    process.stdin.flush()
    until(process, "not next to the first")
    process.kill()
    process.communicate()
    match = kept(tmp_path)[0]
    assert match.turns == ("a1", "c3") and match.mid_turn


def test_a_closed_pipe_is_no_traceback_and_loses_nothing(tmp_path: Path) -> None:
    process = started("tanbo:size=9", "--seats", "Ann,Bo")
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write("A2\n")
    process.stdin.flush()
    until(process, "White to move.")
    process.stdout.close()
    process.stdin.write("A8\nshow\nshow\n")
    process.stdin.close()
    said = process.stderr.read()
    assert process.wait(30) == 1 and "Traceback" not in said
    assert kept(tmp_path)[0].turns[0] == "A2"


def test_bad_bytes_and_endless_lines() -> None:
    command = [sys.executable, "-m", "hedgerow", "play", "tanbo:size=9", "--seats", "Ann,Bo"]
    typed = b"\xff\xfe\n\x00\n" + b"x" * 100_000 + b"\nA2"
    done = subprocess.run(command, input=typed, capture_output=True, timeout=60)
    assert done.returncode == 0 and b"Traceback" not in done.stderr and b"Black played A2." in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) < 11_000


def test_a_lesson_in_a_pipe() -> None:
    typed = lines("zzz", "b2-b4", "next", "c1", "", "b2-b3", "back", "again", "show", "describe", "help", "quit")
    done = play("root_down", "--lesson", typed=typed)
    assert done.code == 0, done.err
    for words in (
        "Step 1 of 14: Move a kicker.",
        "Where it landed it became a root.",
        "Only kickers move.",
        "(Root Down rule",
    ):
        assert words in done.out, words
    assert "Step 3 of 14" in done.out and done.out.count("Step 2 of 14") == 3


def test_a_flag_falls_while_nobody_types() -> None:
    process = started("tanbo:size=9", "--seats", "Ann,Bo", "--clock", "0.02")
    seen = until(process, "ran out of time: White wins.")
    assert process.stdin
    process.stdin.write("quit\n")
    process.stdin.close()
    assert "Black ran out of time." in seen and process.wait(30) == 0
