"""Self-play and training of networks; it needs PyTorch, the extra `hedgerow[train]`, and nobody imports it unasked."""
