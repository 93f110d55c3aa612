"""GTP over a real pipe: framing, whole games, mistakes; and its clock."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import hedgerow as hg
from hedgerow.search.clock import Clock
from hedgerow.search.gtp import Engine
from hedgerow.search.naming import StandIn, player
from hedgerow.search.players import AlphaBetaPlayer, NetPlayer, Player, SearchPlayer
from hedgerow.search.ready import PlainPlayer
from hedgerow.terminal.arena import arena
from hedgerow.terminal.gtp import gtp

COMMANDS = """
protocol_version name version list_commands known_command clear_board play genmove undo showboard time_settings
time_left quit hedgerow-game hedgerow-legal hedgerow-analyse hedgerow-result
"""
PLAYER = "uct(iterations=20,seed=1,memory=4)"


def runner(*arguments: str) -> list[str]:
    return [sys.executable, "-c", f"from hedgerow.search.gtp import main; main(*{arguments})"]


def piped(text: str, *arguments: str) -> str:
    """Everything the engine answers to a text, which ends the pipe."""
    done = subprocess.run(runner(*arguments), input=text.encode(), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


class Controller:
    """The other end of a real pipe."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            runner(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.watchdog = threading.Timer(120, self.process.kill)
        self.watchdog.start()

    def ask(self, command: str) -> str:
        """The whole answer, without the blank line behind it."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) != "\n":
            assert line, f"no answer to {command!r}"
            lines.append(line.rstrip("\n"))
        return "\n".join(lines)

    def tell(self, command: str) -> str:
        """What a command that must succeed answers."""
        answer = self.ask(command)
        assert answer.startswith("="), f"{command}: {answer}"
        return answer[1:].removeprefix(" ")

    def close(self) -> None:
        self.process.communicate()
        self.watchdog.cancel()


@pytest.fixture(scope="module")
def controller() -> Iterator[Controller]:
    other = Controller("root_down", PLAYER)
    yield other
    assert other.ask("quit") == "=" and other.process.wait(30) == 0
    other.close()


# --- framing ----------------------------------------------------------------------------------------------------------


def test_framing_is_that_of_gtp_2() -> None:
    given = (
        "protocol_version\n"
        "7 name\n"
        "\n   \n# only a comment\n"
        "  12\tname # a comment \t\n"
        "0 known_command\tgenmove\r\n"
        "known_command nonsense\n"
        "na\x07me\x7f\n"
        "5\n"
        "99 nonsense 1 2\n"
        "nonsense\n"
        "\xff\xfe\n"
        "name"
    )
    assert piped(given) == (
        "= 2\n\n=7 Hedgerow\n\n=12 Hedgerow\n\n=0 true\n\n= false\n\n= Hedgerow\n\n?5 unknown command\n\n"
        "?99 unknown command\n\n? unknown command\n\n? unknown command\n\n= Hedgerow\n\n"
    )


def test_quit_is_answered_and_ends_it_and_so_does_the_end_of_the_pipe() -> None:
    assert piped("3 quit\nname\n") == "=3\n\n"
    assert piped("") == ""


def test_bytes_that_are_no_text_are_survived() -> None:
    done = subprocess.run(runner(), input=b"\xff\xc3\x28 x\nname\n", capture_output=True, timeout=120)
    assert done.stdout.decode() == "? unknown command\n\n= Hedgerow\n\n"


def test_every_command_is_there(controller: Controller) -> None:
    assert controller.tell("list_commands").split("\n") == COMMANDS.split()
    assert all(controller.tell(f"known_command {command}") == "true" for command in COMMANDS.split())
    assert controller.tell("version") == hg.__version__


# --- whole games ------------------------------------------------------------------------------------------------------


def told_result(match: hg.Match) -> str:
    outcome = match.outcome
    assert outcome
    parts = {"winners": outcome.winners, "places": outcome.places, "scores": outcome.scores}
    words = [f"{key}={','.join(map(str, seats)) or 'none'}" for key, seats in parts.items() if seats is not None]
    return f"{' '.join(words)} reason={outcome.reason}"


@pytest.mark.parametrize("name", ["root_down", "root_bound(side=5)", "hexbo(side=5,players=3)"])
def test_a_whole_game_against_a_random_player(controller: Controller, name: str) -> None:
    assert controller.tell(f"hedgerow-game {name}") == name
    match, ours = hg.Match(name), player("random(seed=1)")
    while not match.outcome:
        assert controller.tell("hedgerow-result") == "*"
        seat, before = match.to_move, len(match.turns)
        if seat == 0:
            turn = controller.tell("genmove 0")
        else:
            turn = ours.choose(match).replace(" ", ",")
            assert controller.tell(f"play {seat} {turn}") == ""
        if turn == "resign":
            match.resign(seat)
            break
        match.play(turn.replace(",", " "))
        assert len(match.turns) == before + 1 and not match.rules.mid_turn(match.plain)
        assert controller.tell("hedgerow-legal").split() == match.legal()
    assert controller.tell("hedgerow-result") == told_result(match)
    assert controller.ask("genmove 0") == "? the game is over"


def test_a_game_in_which_it_plays_both_sides(controller: Controller) -> None:
    controller.tell("hedgerow-game root_down")
    match = hg.Match("root_down")
    while not match.outcome:
        answer = controller.tell(f"genmove {'bw'[match.to_move]}")
        if answer == "resign":
            match.resign(match.to_move)
        else:
            match.play(answer)
    assert controller.tell("hedgerow-result") == told_result(match)


# --- playing, taking back, looking ------------------------------------------------------------------------------------


@pytest.fixture
def bound(controller: Controller) -> Controller:
    controller.tell("hedgerow-game root_bound(side=5)")
    return controller


def test_seats_are_numbers_or_colours(bound: Controller) -> None:
    for seat, turn in (("b", "d4"), ("W", "a1,c1"), ("0", "e5,d2"), ("white", "pass")):
        assert bound.tell(f"play {seat} {turn}") == ""


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("play 1 d4", "wrong seat: it is seat 0's turn (Black)"),
        ("genmove w", "wrong seat: it is seat 0's turn (Black)"),
        ("play 2 d4", "no seat '2'; hint: 0 to 1"),
        ("play -1 d4", "no seat '-1'; hint: 0 to 1"),
        ("play", "syntax error; hint: play SEAT TURN, like play 0 c4,d6"),
        ("play 0", "syntax error; hint: play SEAT TURN, like play 0 c4,d6"),
        ("play 0 d4 d5", "syntax error; hint: play SEAT TURN, like play 0 c4,d6"),
        ("play 0 d4,", "syntax error; hint: a turn is its actions joined by commas, like c4,d6"),
        ("play 0 d4,a1", "illegal move 'd4 a1': more than one turn, it ended before 'a1'"),
        ("play 0 done", None),
        ("play 0 z9", None),
        ("play 0 hello", None),
        ("genmove", "syntax error; hint: genmove SEAT, like genmove 0"),
        ("undo", "cannot undo"),
        ("time_settings 1 2", "syntax error; hint: time_settings MAIN BYO_YOMI STONES, like time_settings 600 30 5"),
        ("time_settings a b c", "syntax error; hint: time_settings MAIN BYO_YOMI STONES, like time_settings 600 30 5"),
        ("time_settings -1 0 0", "syntax error; hint: time_settings MAIN BYO_YOMI STONES, like time_settings 600 30 5"),
        (
            "time_settings nan 0 0",
            "syntax error; hint: time_settings MAIN BYO_YOMI STONES, like time_settings 600 30 5",
        ),
        ("time_left 0 1", "syntax error; hint: time_left SEAT SECONDS STONES, like time_left 0 58 0"),
        ("time_left", "no seat ''; hint: 0 to 1"),
        ("hedgerow-analyse soon", "syntax error; hint: hedgerow-analyse SECONDS, like hedgerow-analyse 2"),
    ],
)
def test_a_mistake_is_answered_and_changes_nothing(bound: Controller, command: str, answer: str | None) -> None:
    if answer is None:
        with pytest.raises(hg.HedgerowError) as refused:
            hg.Match("root_bound(side=5)").play(command.split()[2])
        answer = str(refused.value)
    before = bound.tell("showboard")
    assert bound.ask(f"31 {command}") == f"?31 {answer}"
    assert bound.tell("showboard") == before


def test_an_unfinished_or_illegal_second_half_plays_nothing(bound: Controller) -> None:
    bound.tell("play 0 d4")
    assert bound.ask("play 1 a1").startswith("? illegal move 'a1': unfinished turn; hint: ")
    assert bound.ask("play 1 a1,d4").startswith("? illegal move 'd4': ")
    match = hg.Match("root_bound(side=5)")
    match.play("d4")
    assert bound.tell("hedgerow-legal").split() == match.legal()


def test_an_unknown_game_leaves_the_old_one(bound: Controller) -> None:
    assert bound.ask("hedgerow-game chess").startswith("? no game 'chess'; hint: ")
    assert bound.tell("hedgerow-game") == "root_bound(side=5)"
    assert bound.tell("hedgerow-game hexbo:side=5,players=3") == "hexbo(side=5,players=3)"


def test_undo_takes_back_a_turn(bound: Controller) -> None:
    start = bound.tell("showboard")
    bound.tell("play 0 d4")
    middle = bound.tell("showboard")
    bound.tell("play 1 a1,c1")
    bound.tell("undo")
    assert bound.tell("showboard") == middle != start
    bound.tell("play 1 resign")
    assert bound.tell("hedgerow-result") == "winners=0 places=1,2 reason=resignation"
    bound.tell("undo")
    bound.tell("undo")
    assert bound.tell("showboard") == start and bound.ask("undo") == "? cannot undo"


def test_clear_board_begins_again(bound: Controller) -> None:
    start = bound.tell("showboard")
    bound.tell("play 0 d4")
    bound.tell("clear_board")
    assert bound.tell("showboard") == start


def test_showboard_draws_the_board(bound: Controller) -> None:
    match = hg.Match("root_bound(side=5)")
    shown = bound.tell("showboard").split("\n")
    assert shown[0] == "" and shown[1:-1] == [line.rstrip() for line in str(match).split("\n") if line.strip()]
    assert shown[-1] == match.prompt


def test_analyse_tells_moves_visits_and_chances(controller: Controller) -> None:
    controller.tell("hedgerow-game root_down")
    *lines, expected, told = controller.tell("hedgerow-analyse 0.2").split("\n")
    assert re.fullmatch(r"by the network, [\d,]+ visits", told), "it was trained on this board"
    moves = [line.split() for line in lines]
    assert {words[0] for words in moves} <= set(hg.Match("root_down").legal())
    assert all(words[1::2][:2] == ["visits", "win"] and 0 <= float(words[4]) <= 1 for words in moves)
    match = hg.Match("root_down")
    for turn in expected.split()[1:]:
        match.play(turn)
    assert match.turns[0] == moves[0][0]


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_down", "root_bound(side=3)"])
def test_without_a_name_whoever_plays_best_answers(name: str) -> None:
    """The network where it was measured to be better; an analysis is the network's on boards that it was trained on."""
    made = Engine(name)
    assert made.prepare().wait()
    measured = made.match.rules.game.measured
    chooser = made.player(0)
    assert isinstance(chooser, StandIn)
    kind = {"uct": SearchPlayer, "alphabeta": AlphaBetaPlayer}[measured.player]
    assert type(chooser.playing(made.match.rules)) is (NetPlayer if name in measured.net_boards else kind)
    made.clocks[0] = Clock(0.0, 0.2, 1)
    legal = made.match.legal()
    answer = made.answer("genmove 0")
    assert answer and answer[2:].strip().split(",")[0] in legal
    told = (made.answer("hedgerow-analyse 0.1") or "").rstrip().split("\n")[-1]
    assert told.startswith("by search" if name == "root_bound(side=3)" else "by the network")


# --- time -------------------------------------------------------------------------------------------------------------


def engine(*told: str, name: str | None = None) -> Engine:
    made = Engine("root_down", name)
    for line in told:
        assert (made.answer(line) or "").startswith("="), line
    return made


def test_without_settings_a_turn_is_short() -> None:
    assert engine().seconds(0) == 2
    assert engine(name="uct(iterations=1000000)").seconds(0) < 5
    assert engine(name="uct(seconds=0.5)").seconds(0) == 0.5
    assert engine("time_settings 600 30 5", "time_settings 0 1 0").seconds(0) == 2


def test_settings_and_what_is_left_decide_the_time_of_a_turn() -> None:
    made = engine("time_settings 300 0 0")
    assert 5 < made.seconds(0) <= 10
    made.answer("time_left 1 30 0")
    assert 0.5 < made.seconds(1) <= 1 and made.seconds(0) > 5
    made.answer("time_left 0 20 4")
    assert 4 < made.seconds(0) <= 5
    made.answer("clear_board")
    assert 5 < made.seconds(1) <= 10
    assert engine("time_settings 3000 0 0", name="uct(seconds=1)").seconds(0) == 1
    assert engine("time_left 0 0 0").seconds(0) < 0.1


def test_a_clock_never_gives_more_than_there_is() -> None:
    clock = Clock(60, 0, 0)
    for _ in range(500):
        spent = clock.share
        assert spent < clock.left or clock.left < 1
        clock.spend(spent)
    assert clock.left >= 0 and clock.stones_left == 0


def test_a_clock_goes_through_its_periods() -> None:
    clock = Clock(10, 20, 2)
    clock.spend(12)
    assert (clock.left, clock.stones_left) == (18, 2)
    clock.spend(5)
    assert (clock.left, clock.stones_left) == (13, 1) and clock.share < 13
    clock.spend(5)
    assert (clock.left, clock.stones_left) == (20, 2)
    assert Clock(0, 20, 2).stones_left == 2


# --- players who resign, break, or are not ready ----------------------------------------------------------------------


class Stub(Player):
    """Chooses by a function; hopeless from the start."""

    def __init__(self, chooses: Callable[[hg.Match], str]) -> None:
        super().__init__("stub")
        self.chooses, self.chances = chooses, [0.0, 0.0]

    def choose(self, match: hg.Match) -> str:
        return self.chooses(match)

    def action(self, rules: Any, position: Any) -> int:
        raise NotImplementedError


def test_a_hopeless_player_resigns_if_there_are_two() -> None:
    made = engine(name="random")
    made.players[0] = Stub(lambda match: match.legal()[0])
    assert made.answer("4 genmove 0") == "=4 resign\n\n"
    assert made.answer("hedgerow-result") == "= winners=1 places=2,1 reason=resignation\n\n"
    made = engine("hedgerow-game hexbo(side=5,players=3)", name="random")
    made.players[0] = Stub(lambda match: match.legal()[0])
    first = made.match.legal()[0]
    assert made.answer("genmove 0") == f"= {first}\n\n"


def test_a_defect_is_answered_and_the_next_command_works(capsys: pytest.CaptureFixture[str]) -> None:
    def break_down(match: hg.Match) -> str:
        raise RuntimeError("a\n\ndefect")

    made = engine(name="random")
    made.players[0] = Stub(break_down)
    answer = made.answer("8 genmove 0")
    assert answer and answer.startswith("?8 internal error: RuntimeError: a\n") and answer.count("\n\n") == 1
    assert made.answer("name") == "= Hedgerow\n\n" and "RuntimeError" in capsys.readouterr().err


def test_while_kernels_are_compiled_the_plain_rules_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(name="random")
    monkeypatch.setattr(made.prepare(), "wait", lambda seconds: False)
    monkeypatch.setattr("hedgerow.search.gtp.COLD", (0.0, 0.05))
    legal = made.match.legal()
    assert isinstance(made.player(0), PlainPlayer)
    answer = made.answer("genmove 0")
    assert answer and answer[2:].strip() in legal and made.match.turns == (answer[2:].strip(),)


def test_the_plain_player_leaves_a_loss_at_hand() -> None:
    position = ".OOO#/O...O#/.OOOO.#/.O###OO#/.O#..#.#./O.#..##./OO#.#.#/.O#..#/...## 1"
    ends = {}
    for move in ("J5", "J6"):
        match = hg.Match("hexbo(side=5)", position=position)
        match.play(move)
        ends[move] = match.outcome and match.outcome.winners
    assert ends == {"J5": (0,), "J6": (1,)}
    assert PlainPlayer(0.1).choose(hg.Match("hexbo(side=5)", position=position)) == "J6"


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_refuses_what_is_not_there() -> None:
    app = typer.Typer()
    app.command()(gtp)
    app.command()(arena)
    refused = CliRunner().invoke(app, ["gtp", "--game", "chess"])
    assert isinstance(refused.exception, hg.UnknownGame)
