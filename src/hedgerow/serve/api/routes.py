"""Every route of the API, in the order in which they are tried."""

from __future__ import annotations

from hedgerow.serve.api import (
    account,
    analysis,
    away,
    commands,
    continuations,
    engine,
    health,
    lists,
    lobby,
    mail,
    notices,
    offers,
    people,
    plans,
    play,
    positions,
    push,
    ratings,
    sockets,
    stream,
    talk,
    tokens,
)

ROUTERS = tuple(
    topic.router
    for topic in (
        health,
        people,
        account,
        away,
        tokens,
        stream,
        continuations,
        analysis,
        engine,
        mail,
        notices,
        push,
        commands,
        lobby,
        offers,
        plans,
        talk,
        lists,
        ratings,
        play,
        positions,
        sockets,
    )
)
