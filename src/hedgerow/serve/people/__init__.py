"""People: accounts, sessions, tokens, limits, names, notices, and the mail that goes out."""
