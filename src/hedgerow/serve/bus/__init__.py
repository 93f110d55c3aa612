"""How processes tell each other what happens: `local` within one process, `redis` among several."""

from hedgerow.serve.bus.local import Bus, LocalBus, Message

__all__ = ["Bus", "LocalBus", "Message"]
