"""A game's own pages, and every claim that a lesson makes, against the rules."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

import pytest
from serving import Visit

from hedgerow.games import games, make
from hedgerow.lessons import ANY, Figure, Lesson, Scene, Step, lesson_of, rules_of
from hedgerow.match import Match
from hedgerow.search.analysis import analyse
from hedgerow.serve.play.views.board import removed
from hedgerow.serve.web.rules import block, blocks_of, clauses_of

anyio = pytest.mark.anyio
STEPS = {f"{name} {step.title}": step for name in games() for step in lesson_of(name).steps}
FIGURES = {f"{name} {n} {f.clause}": (name, f) for name in games() for n, f in enumerate(lesson_of(name).figures)}
SCENES = {name: step.scene for name, step in STEPS.items()} | {
    name: figure.scene for name, (_, figure) in FIGURES.items()
}


# --- lessons ----------------------------------------------------------------------------------------------------------


def ended(match: Match, turn: str) -> Match:
    """The match after a turn, which must be a whole one."""
    after = match.copy()
    after.play(turn)
    assert len(after.turns) == 1 and not match.rules.mid_turn(after.plain), turn
    return after


def turns_of(match: Match, step: Step) -> Iterator[str]:
    """Every turn that is right; where all are, one for each beginning."""
    if step.wanted != (ANY,):
        yield from step.wanted
        return
    for word in match.legal():
        after = match.copy()
        after.play(word)
        yield f"{word} {after.legal()[0]}" if match.rules.mid_turn(after.plain) else word


def chance(match: Match, seat: int) -> float:
    """A seat's chance to win, as the engine sees it; 1 and 0 where it is over, and a half for a draw."""
    if match.outcome:
        return float(seat in match.outcome.winners) if match.outcome.winners else 0.5
    return analyse(match, iterations=20_000, engine="search").lines[0].values[seat]


PRAISED = [name for name, step in STEPS.items() if step.wanted and step.wanted != (ANY,)]


@pytest.mark.parametrize("name", PRAISED)
def test_no_step_praises_a_losing_turn(name: str) -> None:
    """What a step asks for is a fair turn, or about as good as any that there is."""
    match = STEPS[name].scene.match()
    for turn in () if set(match.legal()) <= set(STEPS[name].wanted) else STEPS[name].wanted:
        after = chance(ended(match, turn), match.to_move)
        assert after > 0.3 or after > chance(match, match.to_move) - 0.15, turn


def claims_removed(match: Match, after: Match, claim: str) -> bool:
    return {point for some in removed(after) for point in some.points} == set(claim.split())


def claims_claimed(match: Match, after: Match, claim: str) -> bool:
    names = match.rules.board.names
    return {names[p] for p, seat in after.scene().claimed if seat == match.to_move} == set(claim.split())


def claims_becomes(match: Match, after: Match, claim: str) -> bool:
    return all(after.cells()[point] == code for point, code in (part.split() for part in claim.split(", ")))


def claims_score(match: Match, after: Match, claim: str) -> bool:
    return after.outcome is not None and after.outcome.scores == tuple(map(int, claim.split()))


def claims_winner(match: Match, after: Match, claim: str) -> bool:
    return after.outcome is not None and [match.rules.seats[seat] for seat in after.outcome.winners] == [claim] * (
        claim != "nobody"
    )


CLAIMS: dict[str, Callable[[Match, Match, str], bool]] = {
    "removed": claims_removed,
    "claimed": claims_claimed,
    "becomes": claims_becomes,
    "score": claims_score,
    "winner": claims_winner,
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_what_a_step_asks_for_comes_true(step: Step) -> None:
    match = step.scene.match()
    assert step.says and step.do and step.then and bool(step.wanted) != bool(step.refused)
    tried = 0
    for turn in turns_of(match, step) if step.wanted else ():
        after, tried = ended(match, turn), tried + 1
        for key, claim in {"removed": "", **step.claims}.items():
            assert CLAIMS[key](match, after, claim), f"{turn}: {key} is not {claim}"
        assert (after.outcome is None) == ("winner" not in step.claims)
    assert tried or step.refused


@pytest.mark.parametrize("step", [step for step in STEPS.values() if step.refused], ids=lambda step: step.refused)
def test_what_a_step_lets_be_refused_is_refused_for_its_reason(step: Step) -> None:
    match = step.scene.match()
    reason = match.why_not(step.refused)
    assert reason and reason.code == step.code
    assert reason.clause in clauses_of(rules_of(match.rules.game.name))
    *begun, last = step.press
    presses = [match.rules.clicks(match.plain, action) for action in match.rules.legal(match.plain)]
    assert any(clicks[: len(begun)] == tuple(begun) for clicks in presses), "it can be begun to be pressed"
    assert not any(clicks[: len(step.press)] == step.press for clicks in presses)
    assert not any(clicks[0] == last for clicks in presses), "pressing it begins nothing else"


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_points_that_a_step_names_are_on_its_board(step: Step) -> None:
    names = step.scene.match().rules.board.names
    row = "[A-HJ-T]" if names[0].isupper() else "[a-m]"
    for text in (step.says, step.do, step.then):
        assert set(re.findall(rf"\b{row}\d{{1,2}}\b", text)) <= set(names), text


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_what_is_shown_can_arise(scene: Scene) -> None:
    """The turns that are given with a position lead to it from the start."""
    reached = Match(scene.rules)
    if scene.turns:
        reached.play(scene.turns)
    assert reached.position() == scene.match().position()


@pytest.mark.parametrize("name", games())
def test_every_game_has_a_lesson_of_its_own(name: str) -> None:
    lesson = lesson_of(name)
    assert 6 <= len(lesson.steps) <= 16 and len(lesson.figures) >= 3
    assert make(lesson.play).game.name == name
    assert any(step.refused for step in lesson.steps) and "winner" in lesson.steps[-1].claims


@pytest.mark.parametrize(("name", "figure"), FIGURES.values(), ids=FIGURES)
def test_a_drawn_example_stands_below_a_clause(name: str, figure: Figure) -> None:
    assert figure.clause in clauses_of(rules_of(name)) and figure.says
    figure.scene.match().scene(figure.scene.light)


def test_a_game_without_a_lesson_still_has_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    from hedgerow import lessons

    monkeypatch.setattr(lessons, "FILE", "none.txt")
    assert lessons.lesson_of.__wrapped__("tanbo") == Lesson(make("tanbo").game.about, "tanbo")


# --- rules as a page --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("## 3 A <turn>", '<h2 id="r3">3 A &lt;turn&gt;</h2>'),
        ("## Positions as text", '<h2 id="positions-as-text">Positions as text</h2>'),
        (
            "3.1 Grow\n*well*.",
            '<p class="clause" id="r3.1"><a class="number" href="#r3.1">3.1</a> Grow <em>well</em>.</p>',
        ),
        ("- one\n- two\n  lines", "<ul><li>one</li><li>two lines</li></ul>"),
        ("    5/# 0 & so", "<pre><code>5/# 0 &amp; so</code></pre>"),
        ("As 3.1 says, `a*b`.", '<p>As <a href="#r3.1">3.1</a> says, <code>a*b</code>.</p>'),
    ],
)
def test_blocks(text: str, told: str) -> None:
    assert block(text, frozenset({"3.1"})) == told


@pytest.mark.parametrize("name", games())
def test_every_word_of_the_rules_is_on_the_page(name: str) -> None:
    for part in blocks_of(rules_of(name)):
        words = re.findall(r"\w+", re.sub(r"\|[-|]+\|", "", part))
        told = html.unescape(re.sub(r"<[^>]+>", " ", block(part)))
        assert re.findall(r"\w+", told) == words


# --- pages ------------------------------------------------------------------------------------------------------------


@anyio
async def test_a_games_page_has_its_rules_and_pictures(visit: Visit) -> None:
    async with visit() as ann:
        for name in games():
            page = (await ann.get(f"/rules/{name}")).text
            lesson = lesson_of(name)
            assert all(f'id="r{clause}"' in page for clause in clauses_of(rules_of(name)))
            assert page.count("<figure>") == len(lesson.figures) and "Nobody has an established rating" in page
            assert f'href="/learn/{name}"' in page and f'value="{lesson.play}"' in page
            ids = re.findall(r' id="([^"]+)"', page)
            assert len(ids) == len(set(ids))
        assert (await ann.get("/rules")).text.count('class="mini"') == len(games())


@anyio
async def test_a_reason_leads_to_its_clause(visit: Visit) -> None:
    async with visit() as ann:
        asked = {"rules": "tanbo(size=9)"}
        why = (await ann.post("/api/positions/why-not", params={"text": "E5"}, json=asked)).json()
        assert f'id="r{why["clause"]}"' in (await ann.get("/rules/tanbo")).text


@anyio
async def test_a_lesson_can_be_read_without_scripts(visit: Visit) -> None:
    async with visit() as ann:
        first = (await ann.get("/learn/root_bound")).text
        count = len(lesson_of("root_bound").steps)
        assert (
            f"step 1 of {count}" in first and 'href="/learn/root_bound?step=2"' in first and 'rel="prev"' not in first
        )
        last = (await ann.get(f"/learn/root_bound?step={count}")).text
        assert "Play it now" in last and "<noscript>" in last and "<svg" in last
        for page in (first, last):
            assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|\sstyle=", page)


@anyio
async def test_what_is_not_there_is_said_to_be_missing(visit: Visit) -> None:
    async with visit() as ann:
        for path in ("/rules/chess", "/learn/chess", "/learn/tanbo?step=99", "/rules/_bound"):
            assert (await ann.get(path)).status_code == 404, path
        for path in ("/learn/tanbo?step=0", "/learn/tanbo?step=x"):
            assert (await ann.get(path)).status_code == 422, path


@anyio
async def test_the_last_step_leads_to_a_first_game(visit: Visit) -> None:
    async with visit() as ann:
        for name in games():
            made = await ann.post("/games", data={"rules": lesson_of(name).play, "level": "1", "opponent": "machine"})
            assert made.status_code == 303
