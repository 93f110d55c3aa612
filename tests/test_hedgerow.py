"""The public names, and what the README promises about them."""

from __future__ import annotations

import inspect

import pytest

import hedgerow as hg
from hedgerow.game import Game, split_name


def test_the_public_names() -> None:
    public = {name for name, value in vars(hg).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public == set(hg.__all__)


def test_every_public_name_is_documented_with_an_example() -> None:
    for name in hg.__all__:
        assert ">>>" in (inspect.getdoc(getattr(hg, name)) or ""), name
    for name, value in vars(hg.Match).items():
        if not name.startswith("_"):
            assert ">>>" in (inspect.getdoc(value) or ""), f"Match.{name}"


def test_names_are_canonical() -> None:
    assert hg.make("hexbo(players=3, side=5)").name == "hexbo(side=5,players=3)"
    assert hg.make("hexbo:side=5,players=3") is hg.make("hexbo(side=5,players=3)")
    assert hg.make("root_bound(side=7,tie_pass=game)").name == "root_bound"
    assert hg.make("hexbo()").name == "hexbo"


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("hexbos", hg.UnknownGame, "did you mean hexbo"),
        ("chess", hg.UnknownGame, "there are hexbo"),
        ("", hg.UnknownGame, "cannot read"),
        ("hexbo(side=5", hg.UnknownGame, "cannot read"),
        ("../hexbo", hg.UnknownGame, "cannot read"),
        ("_growth", hg.UnknownGame, "no game"),
        ("hexbo(side=6)", hg.BadOption, "side is 10 or 5"),
        ("hexbo(size=9)", hg.BadOption, "it has side, players"),
        ("hexbo(side)", hg.BadOption, "name=value"),
        ("hexbo(side=5,side=5)", hg.BadOption, "each name once"),
        ("root_bound(side=99999999999999999999)", hg.BadOption, "3 to 10"),
        ("root_bound(side=10,centerless=yes)", hg.BadOption, "centerless"),
        ("tanbo(size=" + "9" * 10_000 + ")", hg.BadOption, "19 or 13 or 9"),
    ],
)
def test_bad_names(name: str, error: type[hg.HedgerowError], words: str) -> None:
    with pytest.raises(error, match=words):
        hg.make(name)


def test_options_are_exactly_the_rulings() -> None:
    from hedgerow.games import game

    def table(found: Game) -> dict[str, tuple[object, ...]]:
        return {option.name: option.values for option in found.options}

    assert table(game("hexbo")) == {"side": (10, 5), "players": (2, 3, 6)}
    assert table(game("tanbo")) == {"size": (19, 13, 9)}
    sides = (7, 3, 4, 5, 6, 8, 9, 10)
    bound = {"side": sides, "centerless": ("no", "yes"), "tie_pass": ("game", "final")}
    assert table(game("root_bound")) == bound
    assert table(game("rootbound")) == {"side": sides}
    down = {"activating_roots": ("any", "own"), "repetition": (3, 0), "setup": ("standard",)}
    assert table(game("root_down")) == down
    assert table(game("root_and_thorn")) == {"removed": ("return", "discard")}


def test_a_name_may_have_blanks() -> None:
    assert split_name(" hexbo ( side = 5 ) ") == ("hexbo", {"side": "5"})
