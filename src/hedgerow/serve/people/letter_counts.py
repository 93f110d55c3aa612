"""What became of letters that came in and went out since the start, for those who look after a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class LetterCounts:
    """Counts of this process."""

    received: int = 0
    """Letters that were taken up."""
    obeyed: int = 0
    """Those whose commands were all carried out."""
    refused: int = 0
    """Those of which a command was not."""
    ignored: int = 0
    """Those that machines have sent."""
    answered: int = 0
    put_off: int = 0
    """How often one was put off, to be tried again."""
    given_up: int = 0
    settled_seconds: float = 0.0
    """From the moment they came until their answer was stored, all together."""
    sent_seconds: float = 0.0
    """From the moment mails were due until they were handed over, all together."""

    @property
    def settled(self) -> int:
        """How many are done."""
        return self.obeyed + self.refused + self.ignored + self.given_up
