"""`hedgerow replay`: a recorded game, step by step."""
