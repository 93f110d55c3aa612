"""The play server: live and by correspondence, and no move is ever lost. `app.create` makes it."""
