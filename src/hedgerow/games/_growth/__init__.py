"""What Hexbo and Tanbo share: one game of growing roots, on two kinds of board."""
