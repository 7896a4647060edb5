"""Fields of a context, for all records within it."""

import contextvars

from .scope import EMPTY, Scope

_scope = contextvars.ContextVar("ringside_scope", default=EMPTY)
# The scope of the calling thread or task.
current_scope = _scope.get


class Context:
    """Adds fields to every record of its scope: of the handler, events, counters and spans.

        with ringside.context(user=7):
            ...

    Contexts nest; the inner one's value of a name counts. A task of asyncio has the context of its creation. A thread
    begins without one: pass it by contextvars.copy_context().run. The values are stored when the context begins.
    """

    __slots__ = ("_fields",)

    def __init__(self, **fields):
        self._fields = fields

    def __enter__(self):
        if self._fields:
            outer = _scope.get()
            _scope.set(Scope({**outer.fields, **self._fields}, outer))
        return self

    def __exit__(self, *_):
        # No token: one object can be entered by several threads and tasks at the same time.
        if self._fields:
            _scope.set(_scope.get().outer or EMPTY)
        return False
