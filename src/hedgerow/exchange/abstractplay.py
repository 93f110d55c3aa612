"""Game reports of Abstract Play (JSON, the schema `gamerecord` of its package recranks): Root Bound and Tanbo.

A report has a header and rounds of moves, one for each player. What a header tells and a record has no place for is
kept in tags, so that a report that was read can be written again. See docs/exchange.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from hedgerow.exchange import rounds
from hedgerow.exchange.told import Told
from hedgerow.game import BadRecord, HedgerowError
from hedgerow.match import Match

SITE = "Abstract Play"
ENDINGS = {"resign": "resign", "timeout": "flag", "draw": "draw"}
"""What a report writes in the place of a move when a game ends otherwise, and the event that it is in a record."""
MOST = 1e9
"""A larger result is no number that anybody meant."""
_TAGS = {"event": "Event", "round": "Round", "date-start": "Started", "date-end": "Ended"}


def read(text: str) -> Told:
    """The match that a report tells; raises BadRecord saying where it cannot be read."""
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"cannot read the report: {str(error)[:80]}; hint: it is JSON") from error
    header = _inside(report, "header", dict)
    game, variants = _game(header)
    match = rounds.begin(game, variants, header.get("startingPosition"))
    match.tags = _tags(header, match)
    notes = list(_play(match, report, header))
    notes += _compared(match, header)
    return Told(match, tuple(notes))


def _inside(where: Any, key: str, kind: type) -> Any:
    found = where.get(key) if isinstance(where, dict) else None
    if not isinstance(found, kind):
        raise BadRecord(f"no {key} in the report; hint: a report is like {{'header': {{...}}, 'moves': [...]}}")
    return found


def _game(header: dict[str, Any]) -> tuple[str, list[str]]:
    told = _inside(header, "game", dict)
    name, variants = _inside(told, "name", str), told.get("variants") or []
    if name not in rounds.GAMES:
        raise BadRecord(f"no report of {name!r:.40} can be read; hint: of {' and '.join(rounds.GAMES)}")
    if not isinstance(variants, list) or not all(isinstance(one, str) for one in variants):
        raise BadRecord(f"cannot read the variants {variants!r:.60}; hint: a list of names")
    return name, variants


def _tags(header: dict[str, Any], match: Match) -> dict[str, str]:
    site: dict[str, Any] = header["site"] if isinstance(header.get("site"), dict) else {}
    found: dict[str, Any] = {"Date": str(header.get("date-start", ""))[:10]}
    for seat, player in zip(match.rules.seats, _players(header)):
        found |= {seat: player.get("name") or "?", f"{seat}-Id": player.get("userid")}
        found |= {f"{seat}-Machine": "yes" if player.get("is_ai") else None}
    found |= {"Site": site.get("name"), "Site-Game": site.get("gameid")}
    found |= {tag: header.get(key) for key, tag in _TAGS.items()}
    found |= {"Unrated": "yes" if header.get("unrated") is True else None}
    return {tag: words for tag, value in found.items() if value is not None and (words := _one_line(value))}


def _one_line(value: Any) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in str(value)).split())[:200]


def _players(header: dict[str, Any]) -> list[dict[str, Any]]:
    players: list[dict[str, Any]] = _inside(header, "players", list)
    if len(players) != 2 or not all(isinstance(player, dict) for player in players):
        raise BadRecord("cannot read the players; hint: there are two, each like {'name': 'Ann', 'result': 1}")
    return players


def _play(match: Match, report: dict[str, Any], header: dict[str, Any]) -> Iterator[str]:
    """Plays the moves; gives notes about what is no move."""
    for number, move in enumerate(_moves(report), 1):
        word = move.lower().replace(" ", "")
        try:
            if word == "abandoned":
                yield "the game was abandoned, which a record cannot tell: it goes on"
            elif word in ENDINGS:
                _end(match, ENDINGS[word], header)
            else:
                rounds.play(match, word)
        except HedgerowError as error:
            raise BadRecord(f"move {number}, {move!r:.40}: {error}") from error


def _moves(report: dict[str, Any]) -> Iterator[str]:
    for turns in _inside(report, "moves", list):
        for told in turns if isinstance(turns, list) else [turns]:
            move = told.get("move") if isinstance(told, dict) else told
            if move is None:
                continue
            if not isinstance(move, str):
                raise BadRecord(f"cannot read the move {told!r:.60}; hint: moves are text")
            yield move


def _end(match: Match, event: str, header: dict[str, Any]) -> None:
    """The game ends by an event; who has left is told by the results, for a report gives it the next move's place."""
    if event == "draw":
        match.agree_draw()
        return
    results = _results(header)
    lost = results.index(min(results)) if results and results[0] != results[1] else match.to_move
    (match.resign if event == "resign" else match.flag)(lost)


def _results(header: dict[str, Any]) -> list[float]:
    """What every player got; empty where a report does not say it in numbers."""
    found = [player.get("result") for player in _players(header)]
    numbers = [float(result) for result in found if isinstance(result, int | float) and abs(result) < MOST]
    return numbers if len(numbers) == len(found) else []


def _compared(match: Match, header: dict[str, Any]) -> list[str]:
    """A note where the report gives the game to somebody else than the rules here do, and a tag that keeps it."""
    results = _results(header)
    if not results or match.outcome is None:
        return []
    best = max(results)
    winners = [seat for seat, result in enumerate(results) if result == best]
    if winners == [*match.outcome.winners] or (len(winners) == 2 and not match.outcome.winners):
        return []
    reported = match.rules.seats[winners[0]] + " wins" if len(winners) == 1 else "draw"
    match.tags["Reported"] = reported
    return [f"the report says {reported}, the rules here say otherwise: {match.prompt}"]


def write(match: Match) -> str:
    """The report of a finished game; raises HedgerowError for one that cannot be told so."""
    outcome = match.outcome
    if outcome is None:
        raise HedgerowError("a report tells a finished game; hint: this one goes on")
    name, variants, position = rounds.named(match)
    moves = [*rounds.moves(match), *(_ending(match) or [])]
    header: dict[str, Any] = {"game": {"name": name, "variants": variants}} if variants else {"game": {"name": name}}
    header |= {key: match.tags[_TAGS[key]] for key in ("event", "round") if _TAGS[key] in match.tags}
    header["site"] = {"name": match.tags.get("Site", "Hedgerow")}
    header["site"] |= {"gameid": match.tags["Site-Game"]} if "Site-Game" in match.tags else {}
    header |= _dates(match)
    header |= {"unrated": True} if match.tags.get("Unrated") == "yes" else {}
    header["players"] = [_player(match, seat) for seat in range(2)]
    header |= {"startingPosition": position} if position else {}
    told = {"header": header, "moves": [moves[first : first + 2] for first in range(0, len(moves), 2)]}
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _ending(match: Match) -> list[str]:
    words = {"resignation": "resign", "time": "timeout", "agreement": "draw"}
    return [words[match.outcome.reason]] if match.outcome and match.outcome.reason in words else []


def _player(match: Match, seat: int) -> dict[str, Any]:
    name, outcome = match.rules.seats[seat], match.outcome
    assert outcome is not None
    reported = match.tags.get("Reported", "")
    won = reported in ("draw", f"{name} wins") if reported else seat in outcome.winners or not outcome.winners
    player: dict[str, Any] = {"name": match.tags.get(name, "?")}
    player |= {"userid": match.tags[f"{name}-Id"]} if f"{name}-Id" in match.tags else {}
    player |= {"is_ai": True} if match.tags.get(f"{name}-Machine") == "yes" else {}
    score = rounds.score(match, seat)
    return player | ({} if score is None else {"score": score}) | {"result": int(won)}


def _dates(match: Match) -> dict[str, str]:
    """When the game began and ended, as far as the record knows, and when this was written."""
    day = match.tags.get("Date", "")
    start = match.tags.get("Started") or _midnight(day)
    return {
        "date-start": start,
        "date-end": match.tags.get("Ended", start),
        "date-generated": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }


def _midnight(day: str) -> str:
    try:
        return f"{datetime.strptime(day, '%Y-%m-%d').date().isoformat()}T00:00:00.000Z"
    except ValueError:
        return "1970-01-01T00:00:00.000Z"
