"""How the tables came to be, step by step; `hedgerow serve` takes the steps that are missing when it starts."""
