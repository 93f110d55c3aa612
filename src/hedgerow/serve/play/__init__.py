"""Running games: turns, clocks, lobby, offers, plans, chat, ratings, presence, archive."""
