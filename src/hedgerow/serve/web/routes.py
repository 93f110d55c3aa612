"""Every page, in the order in which they are tried."""

from __future__ import annotations

from hedgerow.serve.web import (
    account,
    analysis,
    appearance,
    commands,
    game,
    home,
    lists,
    live,
    mail,
    pages,
    paper,
    rules,
)

ROUTERS = tuple(
    topic.router
    for topic in (home, live, game, lists, pages, appearance, rules, analysis, paper, account, mail, commands)
)
