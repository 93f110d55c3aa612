"""What is shown of a game: boards, pages' flags and slots, and the messages that keep open pages up to date."""
