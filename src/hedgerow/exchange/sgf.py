"""A match as a game tree in SGF (FF[4]), both ways and losslessly, with properties of our own beside the usual ones.

    (;FF[4]CA[UTF-8]GM[0]AP[Hedgerow]HG[root_bound(side=5)]PB[Ann]PW[Bo]RE[B+R]HT[Date:2026-11-15]HT[Black:Ann]
    ;B[c3]
    ;W[a1 e5]
    ;HE[resign 1])

`HG` names the game, `HP` is the position it begins with, `HT` a tag, `HE` an event of the record. A turn is `B` or
`W`, in a game for more than two `HM[SEAT:TURN]`. A record knows one line of play: of a tree with variations the first
is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.exchange.ours import record as record_of
from hedgerow.exchange.told import Told
from hedgerow.exchange.tree import Node, main_line, value
from hedgerow.game import BadRecord, HedgerowError
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.record import read_record

COLOURS = ("B", "W")
_KNOWN = {"HG", "HP", "HT", "HE", "HM", *COLOURS}
_COPIES = {"FF", "CA", "GM", "AP", "PB", "PW", "DT", "RE", "EV", "RO", "PC", "SZ", "ST"}
"""What says again what our own properties say, or nothing about the game."""
_TAGS = {"DT": "Date", "EV": "Event", "RO": "Round", "PC": "Site"}


def write(match: Match) -> str:
    """The tree of a match."""
    rules = match.rules
    record = read_record(record_of(match))
    root = [("FF", ["4"]), ("CA", ["UTF-8"]), ("GM", ["0"]), ("AP", ["Hedgerow"]), ("HG", [rules.name])]
    root += [("HP", [record.tags["Position"]])] if "Position" in record.tags else []
    root += _copies(match)
    root += [("HT", [f"{key}:{text}" for key, text in match.tags.items()])] if match.tags else []
    nodes = ["".join(name + "".join(f"[{value(one)}]" for one in found) for name, found in root)]
    for (event, text), seat in zip(((line.event, line.text) for line in record.lines), _seats(match)):
        two = rules.players == 2
        name, told = ("HE", text) if event else (COLOURS[seat], text) if two else ("HM", f"{seat}:{text}")
        nodes.append(f"{name}[{value(told)}]")
    return "(;" + "\n;".join(nodes) + ")\n"


def _copies(match: Match) -> list[tuple[str, list[str]]]:
    """The players, the day and the result as other programs look for them."""
    found = [(name, match.tags.get(tag, "")) for name, tag in _TAGS.items()]
    if match.rules.players == 2:
        found += [(f"P{colour}", match.tags.get(seat, "")) for colour, seat in zip(COLOURS, match.rules.seats)]
        found += [("RE", _result(match))]
    return [(name, [text]) for name, text in found if text]


def _result(match: Match) -> str:
    outcome = match.outcome
    if outcome is None:
        return "?"
    if not outcome.winners:
        return "Draw"
    by = {"resignation": "R", "time": "T"}.get(outcome.reason, "")
    if not by and outcome.scores:
        by = str(abs(outcome.scores[0] - outcome.scores[1]))
    return f"{COLOURS[outcome.winners[0]]}+{by}"


def _seats(match: Match) -> Iterator[int]:
    """Who plays every line of the record."""
    again = Match(match.rules)
    again = Match(match.rules, position=match.rules.write(match.begin)) if match.begin != again.begin else again
    for line in read_record(match.record()).lines:
        yield again.to_move
        _happen(again, line.event, line.seat, line.text)


def _happen(match: Match, event: str, seat: int, text: str) -> None:
    if not event:
        match.play(text)
    elif event == "draw":
        match.agree_draw()
    else:
        (match.resign if event == "resign" else match.flag)(seat)


def read(text: str) -> Told:
    """The match that a tree tells, by its first line of play; raises BadRecord naming the node."""
    nodes, notes = main_line(text)
    root = nodes[0]
    if "HG" not in root:
        raise BadRecord("no property HG; hint: a tree of ours says which game it is, like HG[root_bound(side=5)]")
    match = Match(make(root["HG"][0]), position=root["HP"][0] if "HP" in root else None)
    match.tags = _tags(root, match)
    for number, node in enumerate(nodes):
        try:
            _read_node(match, node)
        except HedgerowError as error:
            raise BadRecord(f"node {number}: {error}") from error
    lost = sorted({name for node in nodes for name in node} - _KNOWN - _COPIES)
    return Told(match, (*notes, *([f"a record has no place for {', '.join(lost)[:60]}"] if lost else [])))


def _tags(root: Node, match: Match) -> dict[str, str]:
    if "HT" in root:
        return {key: text for key, _, text in (tag.partition(":") for tag in root["HT"])}
    seats = zip(("PB", "PW"), match.rules.seats) if match.rules.players == 2 else ()
    return {tag: root[name][0] for name, tag in (*_TAGS.items(), *seats) if name in root}


def _read_node(match: Match, node: Node) -> None:
    for name, values in node.items():
        if name in COLOURS:
            _turn(match, COLOURS.index(name), values[0])
        elif name == "HM":
            seat, _, text = values[0].partition(":")
            _turn(match, int(seat) if seat.isdecimal() and len(seat) == 1 else -1, text)
        elif name == "HE":
            line = read_record(f"\n{values[0]}").lines[:1]
            if not line or not line[0].event:
                raise BadRecord(f"no event {values[0]!r:.40}; hint: like resign 1, flag 0 or draw")
            _happen(match, line[0].event, line[0].seat, "")


def _turn(match: Match, seat: int, text: str) -> None:
    if seat != match.to_move and not match.outcome:
        raise BadRecord(f"{text!r:.40} is not by {match.rules.seats[match.to_move]}, who is to move")
    match.play(text)
