"""Games that live: turns, clocks, lobby, offers, plans, chat, ratings, presence, archive."""
