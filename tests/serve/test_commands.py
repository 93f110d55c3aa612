"""Accounts, people, beginning and playing by commands, as they are typed; a letter that comes again does nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from hedgerow.match import Match
from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play.clocks import DAY
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.process import operator
from hedgerow.serve.server import Server
from hedgerow.serve.store import people
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.schema import games, letters, notices, now

pytestmark = pytest.mark.anyio

MAIL = Sender("mail", address="ann@here.test", where="192.0.2.1")


class Mailer:
    """Somebody with a mail word, who writes mails; every one of them comes twice."""

    def __init__(self, server: Server, account: Account, word: str) -> None:
        self.server, self.account, self.word = server, account, word

    async def write(self, line: str, body: str = "") -> Answer:
        """A mail with a command; `WHO` in it is name and word. What is answered, both times."""
        line = line.replace("WHO", f'"{self.account.name}" {self.word}')
        once = await letter(self.server)
        sender = replace(MAIL, once=once)
        first, again = [(await carry_out(self.server, sender, line, body))[0] for _ in range(2)]
        assert self.word not in repr(first)
        if first.ok:
            assert again == first, "it is answered the same, and not done again"
        return first

    async def does(self, line: str, body: str = "") -> Answer:
        """The same, and it is done."""
        answer = await self.write(line, body)
        assert answer.ok, answer
        return answer

    async def fails(self, line: str, body: str = "") -> str:
        """The same, and it is refused; why."""
        answer = await self.write(line, body)
        assert not answer.ok, answer
        return answer.text


NUMBERS = iter(range(1_000_000))


async def letter(server: Server) -> Once:
    row = {"digest": str(next(NUMBERS)), "received": now(), "sender": "", "recipient": "play@here.test", "tries": 0}
    async with server.store.write() as connection:
        return Once((await connection.execute(insert(letters).values(**row).returning(letters.c.id))).scalar_one(), 0)


async def mailer(server: Server, name: str) -> Mailer:
    account, _ = await server.accounts.sign_up(name, "under the hedge 7", None, None)
    return Mailer(server, account, await server.mail_words.make(account.id))


async def mailers(server: Server, *names: str) -> list[Mailer]:
    return [await mailer(server, name) for name in names]


async def board(server: Server, number: int = 1) -> Snapshot:
    """A game as those see it who made it."""
    from hedgerow.serve.store import boards

    async with server.store.read() as connection:
        game = await boards.game_of(connection, number)
    assert game is not None
    return await server.games.look(game)


async def begun(server: Server, game: str = "hexbo", options: str = "-small") -> tuple[Mailer, Mailer]:
    ann, bo = await mailers(server, "Ann", "Bo Ivy")
    await ann.does(f'{game} challenge {options} -password={ann.word} Ann "Bo Ivy"')
    await bo.does(f"{game} accept 1 WHO")
    assert (await board(server)).state == "playing"
    return ann, bo


async def count(server: Server, table: Any) -> int:
    async with server.store.read() as connection:
        return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())


def first_turn(match: Match) -> str:
    """A whole turn that may be played."""
    match, before = match.copy(), len(match.turns)
    while len(match.turns) == before or match.mid_turn:
        match.play(match.legal()[len(match.legal()) // 2])
    return match.turns[before]


# --- beginning --------------------------------------------------------------------------------------------------------


async def test_seats_and_turns_are_as_listed(server: Server) -> None:
    ann, bo, cy = await mailers(server, "Ann", "Bo", "Cy")
    answer = await ann.does(f"Hexbo CHALLENGE -small -days=7 bo ann -password={ann.word} -userid=ann Cy")
    made = await board(server)
    assert answer.game == made.id and "Board 1" in answer.text
    assert made.match.rules.name == "hexbo(side=5,players=3)" and made.control.base_ms == 7 * DAY
    for each in (bo, cy):
        assert (await board(server)).state == "open"
        await each.does("hexbo accept 1 WHO")
    made = await board(server)
    assert [seat.name for seat in made.seats] == ["Bo", "Ann", "Cy"] and made.state == "playing"
    assert await count(server, games) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("hexbo challenge Ann Bo Cy Di", "cannot have 4 players, because there is not a fair and symmetrical"),
        ("hexbo challenge Ann Bo Cy Di Ed", "cannot have 5 players"),
        ("hexbo challenge Ann Bo Cy Di Ed Flo Gus", "cannot have 7 players"),
        ("tanbo challenge Ann Bo Cy", "Tanbo cannot have 3 players"),
        ("hexbo challenge Ann Nobody", "nobody here is called"),
        ("hexbo challenge Ann ANN", "'Ann' is listed twice"),
        ("hexbo challenge -days=99 Ann Bo", "1 to 30"),
        ("hexbo challenge -side=6 Ann Bo", "side"),
        ("hexbo challenge -rated -small Ann Bo", "never rated"),
        ("root_bound challenge -centerless=maybe Ann Bo", "centerless"),
    ],
)
async def test_challenges_that_cannot_be(server: Server, line: str, why: str) -> None:
    ann, _, _ = await mailers(server, "Ann", "Bo", "Cy")
    assert why in await ann.fails(f"{line} -password={ann.word}")
    assert await count(server, games) == 0


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("hexbo challenge", "hexbo"),
        ("hexbo challenge -beginner", "hexbo(side=5)"),
        ("tanbo challenge -small", "tanbo(size=9)"),
        ("root bound challenge -side=5 -centerless", "root_bound(side=5,centerless=yes)"),
        ("root_down challenge -activating_roots=own", "root_down(activating_roots=own)"),
        ("rootbound challenge", "rootbound"),
        ("root_and_thorn challenge -rated", "root_and_thorn"),
    ],
)
async def test_every_game_and_its_options(server: Server, line: str, rules: str) -> None:
    ann, _ = await mailers(server, "Ann", "Bo")
    await ann.does(f"{line} -password={ann.word} Ann Bo")
    made = await board(server)
    assert made.match.rules.name == rules and made.rated == ("-rated" in line) and made.control.kind == "days"


async def test_who_is_signed_in_names_the_others_alone(server: Server) -> None:
    ann, _ = await mailers(server, "Ann", "Bo")
    page = Sender("page", account=ann.account, where="192.0.2.1")
    (answer,) = await carry_out(server, page, "hexbo challenge -private Bo", "")
    assert answer.ok and [seat.name for seat in (await board(server)).seats] == ["Ann", ""]
    (shown,) = await carry_out(server, page, "hexbo resign 1", "")
    assert shown.ok and (await board(server)).over


async def test_who_proves_nothing_begins_nothing(server: Server) -> None:
    await mailers(server, "Ann", "Bo")
    (answer,) = await carry_out(server, MAIL, "hexbo challenge Ann Bo", "")
    assert not answer.ok and await count(server, games) == 0


async def test_a_challenge_is_declined_or_taken_back(server: Server) -> None:
    ann, bo, cy = await mailers(server, "Ann", "Bo", "Cy")
    for number in (1, 2):
        await ann.does(f"hexbo challenge -private -password={ann.word} Ann Bo")
        assert "no board" in await cy.fails(f"hexbo accept {number} WHO")
    await bo.does("hexbo reject 1 WHO")
    await ann.does("hexbo resign 2 WHO")
    assert (await board(server, 1)).over and (await board(server, 2)).over


# --- playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["hexbo", "tanbo", "root_bound", "rootbound", "root_down", "root_and_thorn"])
async def test_turns_of_every_game(server: Server, game: str) -> None:
    players = await begun(server, game)
    for number in range(4):
        here = await board(server)
        text = first_turn(here.match)
        answer = await players[number % 2].does(f"{game} move 1 WHO {text}#{number + 1}")
        assert answer.game == here.id and f"turn {number + 1}" in answer.text
        assert (await board(server)).turns == (*here.turns, text)


async def test_a_repeated_or_late_turn_is_harmless(server: Server) -> None:
    ann, bo = await begun(server)
    first, other = (await board(server)).match.legal()[:2]
    await ann.does(f"hexbo move 1 WHO {first}#1")
    await ann.does(f"hexbo move 1 WHO {first.lower()}#1")
    late = await ann.fails(f"hexbo move 1 WHO {other}#1")
    assert late.startswith("turn 1 is not the next one; hint: turn 2 is") and (await board(server)).version == 1
    assert "turn" in await ann.fails(f"hexbo move 1 WHO {other}")
    second = (await board(server)).match.legal()[0]
    await bo.does(f"hexbo move 1 WHO {second}")
    await bo.does("hexbo move 1 WHO undo")
    await ann.does("hexbo move 1 WHO accept")
    assert (await board(server)).turns == (first,)
    assert await bo.write(f"hexbo move 1 WHO {second}#2")
    assert (await board(server)).turns == (first,), "a turn that was taken back is not played by the old mail"


async def test_a_board_is_shown_after_the_turn_of_that_number_whatever_was_taken_back(server: Server) -> None:
    ann, bo = await begun(server)
    first, second = "A2", "E1"
    start = (await board(server)).named_match()
    played = start.copy()
    played.play(f"{first} {second}")
    for player, text in ((ann, first), (bo, second)):
        await player.does(f"hexbo move 1 WHO {text}")
    await bo.does("hexbo move 1 WHO undo")
    await ann.does("hexbo move 1 WHO accept")
    assert "turn 4: E3 is played" in (await bo.does("hexbo move 1 WHO E3")).text
    boards = {number: (await ann.does(f"hexbo show 1#{number}")).text for number in range(5)}
    assert str(start) in boards[0] and str(played) in boards[2]
    assert boards[3].partition("\n")[2] == boards[1].partition("\n")[2], "it was taken back"
    assert str((await board(server)).named_match()) in boards[4]
    assert "no turn 5 yet; hint: turn 5 is next" in await ann.fails("hexbo show 1#5")


async def test_why_a_turn_is_refused(server: Server) -> None:
    ann, bo = await begun(server)
    assert "illegal move" in (why := await ann.fails("hexbo move 1 WHO E5")) and "rule" in why
    assert "turn" in await bo.fails(f"hexbo move 1 WHO {(await board(server)).match.legal()[0]}")
    assert "not Tanbo" in await ann.fails("tanbo move 1 WHO A2")
    assert "no board 7" in await ann.fails("hexbo move 7 WHO A2")
    wrong = Mailer(server, ann.account, bo.word)
    assert "mail word is wrong" in await wrong.fails("hexbo move 1 WHO A2")
    assert (await board(server)).version == 0


async def test_a_reply_address_plays_in_its_game_alone(server: Server) -> None:
    ann, bo = await begun(server)
    await ann.does(f'hexbo challenge -small -password={ann.word} Ann "Bo Ivy"')
    await bo.does("hexbo accept 2 WHO")
    one, two = await board(server, 1), await board(server, 2)
    reply = replace(MAIL, account=ann.account, game=one.id, once=await letter(server))
    text = one.match.legal()[0]
    (bare,) = await carry_out(server, reply, f"Re: {text}", "")
    assert bare.ok and (await board(server, 1)).turns == (text,)
    (other,) = await carry_out(server, replace(reply, once=await letter(server)), f"hexbo move 2 {text}", "")
    assert not other.ok and two.version == (await board(server, 2)).version
    (leave,) = await carry_out(server, replace(reply, once=await letter(server)), "signoff", "")
    assert not leave.ok


async def test_several_commands_are_each_done_once(server: Server) -> None:
    ann, bo = await begun(server)
    match = (await board(server)).match.copy()
    first = match.legal()[0]
    match.play(first)
    lines = [f"hexbo move 1 Ann {ann.word} {first}", f'hexbo move 1 "Bo Ivy" {bo.word} {match.legal()[0]}']
    sender = replace(MAIL, once=await letter(server))
    done = await carry_out(server, sender, "multiple", "\n".join([*lines, lines[0]]))
    assert [answer.ok for answer in done] == [True, True, False]
    again = await carry_out(server, sender, "multiple", "\n".join(lines))
    assert [answer.ok for answer in again] == [True, True] and (await board(server)).version == 2


async def test_offers_are_made_and_answered(server: Server) -> None:
    ann, bo = await begun(server)
    for player in (ann, bo, ann):
        await player.does(f"hexbo move 1 WHO {(await board(server)).match.legal()[0]}")
    await ann.does("hexbo move 1 WHO undo")
    assert "everybody agrees" in (await bo.does("hexbo propose 1 WHO undo")).text
    assert len((await board(server)).turns) == 2
    await ann.does("hexbo move 1 WHO propose")
    await bo.does("hexbo reject 1 WHO")
    assert "declined" in await ann.fails("hexbo propose 1 WHO draw")
    assert "nobody offers" in await bo.fails("hexbo accept 1 WHO")
    await bo.does("hexbo propose 1 WHO draw")
    await ann.does("hexbo accept 1 WHO")
    here = await board(server)
    assert here.outcome and not here.outcome.winners
    await ann.does("hexbo propose 1 WHO rematch")
    answer = await bo.does("hexbo accept 1 WHO")
    assert answer.game and answer.game != here.id and await count(server, games) == 2


async def test_resigning(server: Server) -> None:
    ann, _ = await begun(server)
    await ann.does("hexbo move 1 WHO resign")
    assert (await board(server)).over
    assert "already" in await ann.fails("hexbo resign 1 WHO")


async def test_a_turn_is_shown_first_and_played_when_it_is_confirmed(server: Server) -> None:
    ann, bo = await begun(server)
    here = await board(server)
    first, second = here.match.legal()[:2]
    assert "no turn of yours" in await ann.fails("hexbo confirm 1 WHO")
    assert "not your turn" in await bo.fails(f"hexbo submit 1 WHO {first}")
    assert "illegal" in await ann.fails("hexbo submit 1 WHO E5")
    await ann.does(f"hexbo submit 1 WHO {first}")
    shown = await ann.does(f"hexbo submit 1 WHO {second}")
    after = here.named_match()
    after.play(second)
    assert str(after) in shown.text and (await board(server)).version == 0
    assert "turn 1" in await ann.fails("hexbo confirm 1 WHO #2")
    await ann.does("hexbo confirm 1 WHO #1")
    assert (await board(server)).turns == (second,)
    await ann.does("hexbo confirm 1 WHO")
    assert (await board(server)).turns == (second,), "it is that turn and no other"


async def test_conditional_turns_are_played_when_they_come_true(server: Server) -> None:
    ann, bo = await begun(server)
    match = (await board(server)).match.copy()
    lines = []
    for choice in (0, 1):
        ahead = match.copy()
        ahead.play(ahead.legal()[choice])
        ahead.play(ahead.legal()[choice])
        lines.append(ahead.turns)
    for line in lines:
        await bo.does(f"hexbo queue 1 WHO {line[0]}, {line[1]}")
    assert await server.plans.get((await board(server)).id, bo.account.id) == [list(line) for line in lines]
    await ann.does(f"hexbo move 1 WHO {lines[1][0]}")
    await settled(server)
    assert (await board(server)).turns == lines[1]
    assert "your turn" in await ann.fails(f"hexbo queue 1 WHO {lines[0][0]}, {lines[0][1]}")


async def settled(server: Server) -> None:
    import asyncio

    while server.plans._tasks:
        await asyncio.gather(*server.plans._tasks, return_exceptions=True)


async def test_a_turn_alone_waits_for_its_turn(server: Server) -> None:
    ann, bo = await begun(server)
    match = (await board(server)).match.copy()
    first = match.legal()[0]
    match.play(first)
    answers = match.legal()
    assert "queue" in (await bo.does(f"hexbo queue 1 WHO {answers[0]}#4")).command
    await bo.does(f"hexbo queue 1 WHO {answers[0]}#2")
    await ann.does(f"hexbo move 1 WHO {first}")
    await settled(server)
    assert (await board(server)).turns == (first, answers[0])
    await bo.does("hexbo queue 1 WHO E5")
    third = (await board(server)).match.legal()[0]
    await ann.does(f"hexbo move 1 WHO {third}")
    await settled(server)
    here = await board(server)
    assert here.version == 3 and await server.plans.get(here.id, bo.account.id) == [], "it is not legal, so it is gone"
    assert await bo.fails("hexbo queue 1 WHO Z99")


async def test_talk_at_the_board(server: Server) -> None:
    ann, bo = await begun(server)
    cy = await mailer(server, "Cy")
    await ann.does("hexbo chat 1 WHO", "Good luck,\nand have fun!")
    await cy.does("hexbo chat 1 WHO", "I am watching.")
    game = (await board(server)).id
    said = await server.talk.read(game, bo.account.id, "players", 0, 10)
    assert [each.text for each in said] == ["Good luck, and have fun!"]
    assert len(await server.talk.read(game, None, "watchers", 0, 10)) == 1
    assert "characters" in await ann.fails("hexbo chat 1 WHO", " ")


async def test_a_long_text_is_said_in_several_messages(server: Server) -> None:
    ann, bo = await begun(server)
    game = (await board(server)).id
    text = "So it goes.\n\n" + "a word or two " * 60
    await ann.does("hexbo chat 1 WHO", text)
    said = [each.text for each in await server.talk.read(game, bo.account.id, "players", 0, 20)]
    assert said[0] == "So it goes." and len(said) == 4 and max(map(len, said)) <= 300
    assert " ".join(said[1:]) == ("a word or two " * 60).strip()
    assert "1 to 3000" in await bo.fails("hexbo chat 1 WHO", "ha " * 1_100)
    assert len(await server.talk.read(game, bo.account.id, "players", 0, 20)) == 4


# --- accounts and people ----------------------------------------------------------------------------------------------


async def test_another_mail_word(server: Server) -> None:
    ann = await mailer(server, "Ann")
    answer = await ann.does(f"change password Ann {ann.word} wren-and-robin-9")
    assert "wren" not in repr(answer)
    assert "wrong" in await ann.fails("vacation WHO")
    ann.word = "wren-and-robin-9"
    await ann.does("vacation WHO")
    assert "easily guessed" in await ann.fails(f"change password Ann {ann.word} password")


async def test_a_vacation_by_mail(server: Server) -> None:
    ann, _ = await begun(server)
    due = (await server.games.get((await board(server)).id)).due or 0
    assert "30 days of vacation are left" in (await ann.does("vacation WHO")).text
    await ann.does("vacation WHO 10")
    assert (await server.games.get((await board(server)).id)).due == due + 10 * DAY
    assert "away until" in (await ann.does("vacation WHO")).text
    assert "30 a year" in await ann.fails("vacation WHO 31")
    await ann.does("vacation WHO 0")
    assert "You are here" in (await ann.does("vacation WHO")).text


async def test_the_end_of_an_account(server: Server) -> None:
    ann, _ = await begun(server)
    await ann.does("signoff WHO")
    here = await board(server)
    assert here.over and [seat.name for seat in here.seats] == [people.GONE, "Bo Ivy"]
    assert "wrong" in await ann.fails("signoff WHO")


async def test_an_address_is_told_and_changed_where_one_signs_in(server: Server) -> None:
    ann = await mailer(server, "Ann")
    assert "no address" in (await ann.does("change address WHO")).text
    assert not (await ann.write("change address WHO new@here.test")).ok


async def test_messages_reach_those_who_want_to_hear(server: Server) -> None:
    ann, bo, cy = await mailers(server, "Ann", "Bo Ivy", "Cy")
    await server.talk.mute(cy.account.id, ann.account.id, "mute")
    await ann.does('message WHO "bo ivy" Cy', "Do you want\nto play?")
    heard = [(await server.notices.of(each.account.id, 10)).notices for each in (bo, cy)]
    assert [note.text for note in heard[0]] == ["Ann writes to you: Do you want to play?"] and not heard[1]
    assert "nobody here" in await ann.fails("message WHO Cy Nobody", "Hello")
    assert "characters" in await ann.fails("message WHO Cy", "")
    assert await count(server, notices) == 1


async def test_what_no_database_keeps_is_only_not_found(server: Server) -> None:
    ann = await mailer(server, "Ann")
    for line in (
        "vacation a\0b word",
        f"message Ann {ann.word} b\0o",
        f"hexbo challenge Ann \ud800x -password={ann.word}",
    ):
        (answer,) = await carry_out(server, MAIL, line, "a\0text")
        assert not answer.ok


async def test_operators_write_to_everybody(server: Server) -> None:
    ann, bo = await mailers(server, "Ann", "Bo")
    assert "only operators" in await ann.fails("broadcast WHO", "Hello, all!")
    await operator.operator(server.store, "Ann", True)
    await ann.does("broadcast WHO", "Hello, all!")
    assert await count(server, notices) == 2
    await operator.operator(server.store, "ann", False)
    assert "only operators" in await ann.fails("broadcast WHO", "Hello, all!")
    assert bo


async def test_nobody_signs_up_where_no_mail_goes_out(server: Server) -> None:
    sender = replace(MAIL, once=await letter(server))
    (answer,) = await carry_out(server, sender, "signup dora wren-and-robin-9", "")
    assert not answer.ok and "page" in answer.text and "wren" not in repr(answer)
