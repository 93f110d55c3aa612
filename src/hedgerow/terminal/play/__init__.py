"""`hedgerow play`: games in the terminal, on the whole screen or line by line, here or on a server."""
