"""Spans: how long something took."""

import functools
import inspect
import logging
import struct
import sys

from .context import current_scope
from .library import span_begin
from .named_record import find_plan, last_plan, record_named
from .problem import report_once
from .statement import SPAN
from .values import exact_type, printable


class Span:
    """The time from the beginning to the end of a block, or of the calls of a function.

        with ringside.span("handle_get", key=key) as span:
            ...
            span.set(bytes=len(data))

        @ringside.span("load")
        async def load(): ...

    There is one record, written at the end; its time is that of the beginning. An exception adds the field `error`, and
    goes on. A span object measures one block at a time. Recording never raises.
    """

    __slots__ = ("_name", "_level", "_fields", "_code", "_offset", "_plan", "_begin")

    def __init__(self, name, level=logging.INFO, /, **fields):
        self._name = name
        self._level = level
        self._fields = fields
        frame = sys._getframe(1)  # pylint: disable=protected-access
        self._code = code = frame.f_code
        self._offset = offset = frame.f_lasti
        self._plan = last_plan((SPAN, id(code), offset))
        self._begin = 0

    def set(self, **fields):
        """Adds fields, or replaces their values."""
        self._fields.update(fields)

    def __enter__(self):
        try:
            plan = self._plan
            self._begin = (0 if plan is None else span_begin(plan.handle)) or self._begin_as_planned()
        except Exception as error:  # pylint: disable=broad-except
            report_once("span()", error)
        return self

    def _begin_as_planned(self):
        """The last plan of this place can be that of another statement, which is off."""
        plan = find_plan(SPAN, self._level, self._name, self._fields, current_scope(), self._code, self._offset)
        if plan is self._plan:
            return 0
        self._plan = plan
        return span_begin(plan.handle)

    def __exit__(self, kind, error, _traceback):
        begin = self._begin
        if not begin:
            return False
        self._begin = 0
        fields = self._fields
        try:
            if kind is not None:  # a copy: the object can measure another block
                fields = {**fields, "error": f"{kind.__qualname__}: {printable(error)}"}
            scope = current_scope()
            if not self._plan.write(self._name, self._level, fields, begin, scope):
                self._record(begin, fields, scope, type)
        except struct.error:
            self._record(begin, fields, current_scope(), exact_type)
        except Exception as problem:  # pylint: disable=broad-except
            report_once("span()", problem)
        return False

    def _record(self, begin, fields, scope, type_of):
        try:
            record_named(SPAN, self._level, self._name, fields, self._code, self._offset, scope, type_of, begin)
        except struct.error:
            if type_of is type:
                raise
        except Exception as problem:  # pylint: disable=broad-except
            report_once("span()", problem)

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, kind, error, traceback):
        return self.__exit__(kind, error, traceback)

    def _again(self):
        span = Span.__new__(Span)
        span._name, span._level, span._fields = self._name, self._level, dict(self._fields)
        span._code, span._offset, span._begin = self._code, self._offset, 0
        span._plan = last_plan((SPAN, id(span._code), span._offset))
        return span

    def __call__(self, function):
        """As a decorator: each call is a span. Raises TypeError for an asynchronous generator."""
        if inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__qualname__} is an asynchronous generator, which a span cannot measure; "
                            "use `with` in it")
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def measured(*args, **kwargs):
                with self._again():
                    return await function(*args, **kwargs)
        elif inspect.isgeneratorfunction(function):
            @functools.wraps(function)
            def measured(*args, **kwargs):
                with self._again():
                    return (yield from function(*args, **kwargs))
        else:
            @functools.wraps(function)
            def measured(*args, **kwargs):
                with self._again():
                    return function(*args, **kwargs)
        return measured

