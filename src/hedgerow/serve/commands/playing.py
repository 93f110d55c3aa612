"""Playing by commands: turns, what is offered and answered, conditional turns, turns shown first, and talk."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.serve.commands.boards import AtBoard, at_board
from hedgerow.serve.commands.cases import case
from hedgerow.serve.commands.kept import keep, once_only
from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.inputs import one_line
from hedgerow.serve.play import submitted
from hedgerow.serve.play.offers import WHAT, Kind, Offer
from hedgerow.serve.play.plan_trees import ANY
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.talk import ChatRoom
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.store.letters import Once

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

KINDS: dict[str, Kind] = {"draw": "draw", "undo": "undo", "abort": "abort", "rematch": "rematch"}
"""What can be proposed, by the word for it."""


# --- turns ------------------------------------------------------------------------------------------------------------


@case("pass")
@case("move")
@once_only
async def move(server: Server, sender: Sender, command: Command) -> Answer:
    """Plays a turn: the next one, or the one of that number; whoever repeats it hears that it is played."""
    here = await at_board(server, sender, command)
    return await _play(server, sender, here, command.words["turn"], command.words.get("number"))


async def _play(server: Server, sender: Sender, here: AtBoard, text: str, wanted: int | None) -> Answer:
    number = here.game.turn_number if wanted is None else wanted
    told = Answer(True, f"Board {here.number}, turn {number}: {one_line(text)} is played.", here.game.id)
    try:
        await server.games.play(here.game.id, here.account.id, number - 1, text, once=keep(sender, told))
    except Refused as refused:
        if refused.code == "stale":  # people count from 1
            raise stale(number, (await server.games.look(here.game.id)).turn_number) from None
        raise
    return told


def stale(number: int, following: int) -> Refused:
    """The refusal of a turn that is meant for another number than the next."""
    return Refused("stale", f"turn {number} is not the next one; hint: turn {following} is, look at the board again")


@case("submit")
@once_only
async def submit(server: Server, sender: Sender, command: Command) -> Answer:
    """Shows what a turn would make of the board; `confirm` plays it as that turn and no other."""
    here = await at_board(server, sender, command)
    text, number = command.words["turn"], command.words.get("number", here.game.turn_number)
    spelled, after = _tried(here, text, number)
    confirm = f"{here.game.match.rules.game.name} confirm {here.number}"
    words = f"Board {here.number}, turn {number}: {spelled} would make this of it. `{confirm}` plays it."
    told = Answer(True, f"{words}\n\n{after}")
    turn = submitted.Turn(number - 1, spelled)
    await submitted.put(server.store, here.game.id, here.account.id, turn, keep(sender, told))
    return told


def _tried(here: AtBoard, text: str, number: int) -> tuple[str, Match]:
    """A turn as the rules spell it, and the match after it; raises Refused where it cannot be played next."""
    game, seat = here.game, here.game.seat_of(here.account.id)
    if seat is None:
        raise Refused("not_yours", "you have no seat in this game; hint: you can watch it")
    if game.state != "playing":
        raise Refused("over" if game.over else "not_begun", "nobody is playing in this game; hint: start another")
    if game.to_move != seat:
        raise Refused("not_your_turn", "it is not your turn; hint: `queue` keeps a turn until it is")
    if number != game.turn_number:
        raise stale(number, game.turn_number)
    match = game.named_match()
    try:
        match.play_turn(text)
    except HedgerowError as error:
        raise refusal_of(error) from error
    return match.last_turn, match


@case("confirm")
@once_only
async def confirm(server: Server, sender: Sender, command: Command) -> Answer:
    """Plays the turn that was submitted."""
    here = await at_board(server, sender, command)
    turn = await submitted.get(server.store, here.game.id, here.account.id)
    if turn is None:
        raise Refused("nothing", f"no turn of yours waits on board {here.number}; hint: `submit` one first")
    if command.words.get("number", turn.number + 1) != turn.number + 1:
        raise Refused("stale", f"turn {turn.number + 1} was submitted, {turn.text}; hint: `confirm` without a number")
    return await _play(server, sender, here, turn.text, turn.number + 1)


@case("queue")
@once_only
async def queue(server: Server, sender: Sender, command: Command) -> Answer:
    """Conditional turns: a line of theirs and one's own, or a turn alone, which is played when one's turn comes."""
    here = await at_board(server, sender, command)
    turns, number = list(command.words["turns"]), command.words.get("number")
    line = [f"{ANY}{number or ''}", *turns] if len(turns) == 1 else turns
    before = [] if len(turns) == 1 else await server.plans.get(here.game.id, here.account.id)
    told = Answer(True, f"Board {here.number}: {_conditional(turns, number)}", here.game.id)
    try:
        await _plan(server, sender, here, [*before, line], told)
    except Refused as refused:
        if not before or refused.code != "bad_request":
            raise
        told = Answer(True, f"{told.text} It takes the place of what you had planned.", here.game.id)
        await _plan(server, sender, here, [line], told)
    return told


async def _plan(server: Server, sender: Sender, here: AtBoard, lines: list[list[str]], told: Answer) -> None:
    kept = keep(sender, told)
    await server.plans.set(here.game.id, here.account.id, lines, sender.where, kept)


def _conditional(turns: list[str], number: int | None) -> str:
    """What was planned, in words."""
    if len(turns) == 1:
        when = f"turn {number} is yours" if number else "your turn comes"
        return f"{turns[0]} is played when {when}, if the rules allow it then."
    return f"after {', '.join(turns[:-1])} the server plays {turns[-1]} for you."


# --- offers -----------------------------------------------------------------------------------------------------------


@case("undo")
@case("propose")
@once_only
async def propose(server: Server, sender: Sender, command: Command) -> Answer:
    """Offers a draw, a takeback, the end of the game or another one; or agrees to the same from somebody else."""
    here = await at_board(server, sender, command)
    kind = KINDS["undo" if command.name == "undo" else command.words.get("which") or "draw"]
    answer = await server.offers.ask(here.game.id, here.account.id, kind, keep(sender, partial(_settled, here, kind)))
    return _settled(here, kind, answer.game or str(here.game.version) if answer.done else "")


def _settled(here: AtBoard, kind: Kind, result: str) -> Answer:
    """What came of an offer: nothing yet, or a row of the game, or the next game."""
    words = f"everybody agrees to {WHAT[kind]}." if result else f"{WHAT[kind]} is offered; the others are asked."
    return Answer(True, f"Board {here.number}: {words}", result if result and kind == "rematch" else here.game.id)


@case("accept")
@once_only
async def accept(server: Server, sender: Sender, command: Command) -> Answer:
    """Takes the seat in a game that one is challenged to, or agrees to what the others have offered."""
    here = await at_board(server, sender, command)
    game, account = here.game.id, here.account
    if here.game.state == "open":
        seated = Answer(True, f"Board {here.number}: you play.", game)
        await server.games.join(game, account.id, None, account.kind == "guest", keep(sender, seated))
        return seated
    kind = await _asked(server, here, command.words.get("which", ""))

    def told(result: str) -> Answer:
        return Answer(True, f"Board {here.number}: you agree to {WHAT[kind]}.", result if kind == "rematch" else game)

    answer = await server.offers.agree(game, account.id, kind, keep(sender, told))
    return told(answer.game or game)


@case("reject")
@once_only
async def reject(server: Server, sender: Sender, command: Command) -> Answer:
    """Says no to a challenge or an offer; whoever made it takes it back."""
    here = await at_board(server, sender, command)
    if here.game.state == "open":
        told = Answer(True, f"Board {here.number}: the game is called off.", here.game.id)
        await server.lobby.cancel(here.game.id, here.account.id, keep(sender, told))
        return told
    kind = await _asked(server, here, command.words.get("which", ""), own=True)
    told = Answer(True, f"Board {here.number}: you say no to {WHAT[kind]}.", here.game.id)
    await server.offers.decline(here.game.id, here.account.id, kind, keep(sender, told))
    return told


async def _asked(server: Server, here: AtBoard, which: str, own: bool = False) -> Kind:
    """What is on offer that somebody has to say something to; raises Refused where that is nothing, or several."""
    seat = here.game.seat_of(here.account.id)
    found = [offer for offer in await server.offers.standing(here.game) if _concerns(here.game, offer, seat, own)]
    kinds = [KINDS[offer.kind] for offer in found if which in ("", offer.kind)]
    if not kinds:
        raise Refused("no_offer", "nobody offers you anything now; hint: an offer ends with the next turn")
    if len(kinds) > 1:
        choice = " or ".join(f"`{kind}`" for kind in kinds)
        raise Refused("bad_request", f"several things are offered; hint: `propose` {choice} says which you agree to")
    return kinds[0]


def _concerns(game: Snapshot, offer: Offer, seat: int | None, own: bool) -> bool:
    mine = seat is not None and game.seats[offer.seat].account == game.seats[seat].account
    return own or not mine


@case("resign")
@once_only
async def resign(server: Server, sender: Sender, command: Command) -> Answer:
    """Gives up; a game that has not begun is taken back."""
    here = await at_board(server, sender, command)
    told = Answer(True, f"Board {here.number}: you resign.", here.game.id)
    kept: Once | None = keep(sender, told)
    if here.game.state == "open":
        await server.lobby.cancel(here.game.id, here.account.id, kept)
    elif await server.games.resign(here.game.id, here.account.id, kept) is None:
        raise Refused("over", "you are out of this game already; hint: start another")
    return told


# --- talk -------------------------------------------------------------------------------------------------------------


@case("chat")
@once_only
async def chat(server: Server, sender: Sender, command: Command) -> Answer:
    """Says something at the board: to the players where one is one of them, or else to those who watch."""
    here = await at_board(server, sender, command)
    told = Answer(True, f"Board {here.number}: it is said.")
    room: ChatRoom = "players" if here.game.seat_of(here.account.id) is not None else "watchers"
    await server.talk.say_all(here.game.id, here.account, room, command.body, keep(sender, told))
    return told
