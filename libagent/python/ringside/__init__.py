"""Ringside for Python: log records, events, counters and spans into shared memory.

    import logging, ringside

    ringside.init(service="orders")
    logging.getLogger().addHandler(ringside.Handler())
    ringside.event("order.fill", px=100.25, qty=7)
    with ringside.span("handle_get", key="a") as span, ringside.context(user=7):
        span.set(bytes=512)

Importing it loads libringside.so.1, and raises LibraryError (an ImportError) if there is none.
"""

from .context import Context as context
from .event import counter, event
from .handler import Handler
from .levels import NOTICE, TRACE
from .library import LibraryError
from .service import flush, init, losses
from .span import Span as span

__all__ = ["NOTICE", "TRACE", "Handler", "LibraryError", "context", "counter", "event", "flush", "init", "losses", "span"]
