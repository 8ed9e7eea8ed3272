"""One module a game: who is due the next card, and how it is to be dealt."""
