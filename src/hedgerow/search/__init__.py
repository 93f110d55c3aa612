"""Search and random play over any rules: it is handed `Rules` and knows no game."""
