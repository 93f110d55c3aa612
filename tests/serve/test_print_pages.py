"""Paper from the server: every PDF that pages link to, who may have it, and the replay that a plate's code opens."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx
import pytest
from serving import Visit
from test_analysis_pages import begun, study

import hedgerow as hg
from hedgerow.paper.packed import packed, unpacked
from hedgerow.serve.web import paper
from hedgerow.serve.web.paper import KITS
from pdfs import codes_in, info_of, rendered, sizes_of, text_of
from walks import DEFAULTS

pytestmark = pytest.mark.anyio


async def pdf_of(client: httpx.AsyncClient, what: str, **asked: Any) -> bytes:
    answer = await client.get(f"/print/{what}.pdf", params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    assert re.fullmatch(r'inline; filename="[\w-]+\.pdf"', answer.headers["content-disposition"])
    return answer.content


@pytest.mark.parametrize("name", DEFAULTS)
async def test_a_game_s_page_links_to_its_kit(visit: Visit, name: str) -> None:
    async with visit() as ann:
        page = (await ann.get(f"/rules/{name}")).text
        links = [html.unescape(link) for link in re.findall(r'href="(/print/[^"]*)"', page)]
        assert links == [f"/print/{part}.pdf?rules={name}" for part in (*KITS[1:], "kit")]
        title = hg.make(name).game.title
        for link in links:
            answer = await ann.get(link)
            assert answer.status_code == 200 and info_of(answer.content)["Title"].startswith(title), link


async def test_the_sheets_are_those_of_the_reader(visit: Visit) -> None:
    async with visit() as ann:
        for asked, language, size in (
            ({}, "de", (210, 297)),
            ({}, "en-US,en", (216, 279)),
            ({"paper": "a4"}, "en-US", (210, 297)),
            ({"paper": "Letter"}, "", (216, 279)),
        ):
            answer = await ann.get(
                "/print/score.pdf", params={"rules": "tanbo", **asked}, headers={"Accept-Language": language}
            )
            assert sizes_of(answer.content) == [size], (asked, language)
            assert "Accept-Language" in answer.headers["vary"]


async def test_a_kit_is_drawn_once_and_not_sent_twice(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    paper._kits.clear()
    async with visit() as ann:
        first = await ann.get("/print/board.pdf", params={"rules": "hexbo(side=5)"})
        assert len(paper._kits) == 1 and "max-age" in first.headers["cache-control"]
        again = await ann.get("/print/board.pdf", params={"rules": "hexbo:side=5"})
        assert again.content == first.content and len(paper._kits) == 1
        known = {"If-None-Match": first.headers["etag"]}
        unchanged = await ann.get("/print/board.pdf", params={"rules": "hexbo(side=5)"}, headers=known)
        assert unchanged.status_code == 304 and not unchanged.content
        other = await ann.get("/print/board.pdf", params={"rules": "hexbo(side=10)"}, headers=known)
        assert other.status_code == 200
        monkeypatch.setattr(paper, "KEPT", 1)
        await ann.get("/print/board.pdf", params={"rules": "root_down"})
        assert len(paper._kits) == 1


async def test_what_cannot_be_printed_is_refused_in_a_sentence(visit: Visit) -> None:
    async with visit() as ann:
        for path, status, words in (
            ("/print/cake.pdf", 404, "nothing to print is called 'cake'"),
            ("/print/board.pdf?rules=chess", 422, "no game 'chess'"),
            ("/print/board.pdf?rules=hexbo&paper=a9", 422, "no paper 'a9'"),
            ("/print/board.pdf?rules=hexbo&spacing=nan", 422, "cannot read the spacing 'nan'"),
            ("/print/board.pdf?rules=hexbo&spacing=10cm", 422, "too large"),
            ("/print/pencil.pdf?rules=hexbo&boards=5", 422, "no sheet of 5 boards"),
            ("/print/position.pdf?rules=hexbo&turns=Z9", 422, "Z9"),
            ("/print/plate.pdf?record=%21", 422, "cannot read the packed record"),
            ("/print/plate.pdf?game=nowhere", 404, "nowhere"),
            ("/replay/nothing", 422, "cannot read the packed record"),
            ("/replay/" + "A" * 15_000, 422, "cannot read the packed record"),
        ):
            answer = await ann.get(path)
            assert answer.status_code == status and words in html.unescape(answer.text), (path, answer.text[:300])


async def test_a_game_as_position_and_plate(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        game = await begun(ann, bo)
        page = html.unescape((await ann.get(f"/games/{game}")).text)
        hidden = re.compile(rf'<a [^>]*href="/print/plate.pdf\?game={game}"[^>]* hidden>')
        assert hidden.search(page), "there is a plate when the game is over"
        assert f'href="/print/position.pdf?game={game}"' in page
        sheet = text_of(await pdf_of(ann, "position", game=game))
        assert "Root Down" in sheet and "After 2 turns" in sheet
        assert "After 1 turn\n" in text_of(await pdf_of(ann, "position", game=game, turn=1))
        await ann.post(f"/api/games/{game}/resign")
        page = html.unescape((await bo.get(f"/games/{game}")).text)
        assert not hidden.search(page)
        plate = await pdf_of(bo, "plate", game=game)
        assert "South resigned: North wins." in text_of(plate)
        asked = await bo.get("/print/plate.pdf", params={"game": game})
        assert "private" in asked.headers["cache-control"]
        known = {"If-None-Match": asked.headers["etag"]}
        assert (await bo.get("/print/plate.pdf", params={"game": game}, headers=known)).status_code == 304


async def test_a_private_game_is_printed_by_its_players_alone(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as stranger:
        game = await begun(ann, bo, private=True)
        assert (await ann.get(f"/print/plate.pdf?game={game}")).status_code == 200
        for what in ("plate", "position"):
            assert (await stranger.get(f"/print/{what}.pdf?game={game}")).status_code == 404


async def test_the_code_of_a_plate_opens_the_replay(visit: Visit) -> None:
    match = hg.Match("root_bound(side=4)")
    match.play("a1 c3 g2 d4 f1")
    match.tags |= {"Black": "Ann", "White": "Bo"}
    match.resign(1)
    async with visit() as ann:
        plate = await pdf_of(ann, "plate", record=packed(match.record()))
        (address,) = codes_in(rendered(plate, 200)[0])
        assert address.startswith("http://here.test/replay/")
        assert hg.read(unpacked(address.rpartition("/")[2])).record() == match.record()
        page = (await ann.get(address)).text
        told = study(page)
        assert told["rules"] == "root_bound(side=4)" and told["tags"]["Black"] == "Ann"
        assert told["line"] == ["a1", "c3 g2", "d4 f1", "resign 1"]
        again = html.unescape(re.search(r'href="(/print/plate.pdf[^"]*)"', page)[1])  # type: ignore[index]
        assert "Ann" in text_of((await ann.get(again)).content)


async def test_from_a_loopback_address_the_code_is_the_record(visit: Visit) -> None:
    async with visit() as ann:
        ann.base_url = httpx.URL("http://localhost")
        plate = await pdf_of(ann, "plate", rules="tanbo(size=9)", turns="B1 B9")
        (record,) = codes_in(rendered(plate, 200)[0])
        assert hg.read(record).turns == ("B1", "B9")
