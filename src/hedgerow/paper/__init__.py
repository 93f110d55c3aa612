"""Paper: boards, pieces, leaflets, score sheets, positions and plates as PDF. Its files import reportlab."""
