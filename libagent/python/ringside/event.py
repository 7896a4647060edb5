"""Events and counters."""

import logging
import struct
import sys

from .context import current_scope
from .named_record import last_plan, record_named
from .problem import report_once
from .statement import COUNTER, EVENT
from .values import exact_type


def event(name, level=logging.INFO, /, **fields):
    """Records that something happened.

        ringside.event("order.fill", px=100.25, qty=7, venue="XETR")
        ringside.event("order.rejected", logging.WARNING, reason="no such account")

    Fields have the types of their values. It never raises: what cannot be recorded is reported once on standard error.
    """
    try:
        frame = sys._getframe(1)  # pylint: disable=protected-access
        code, offset, scope = frame.f_code, frame.f_lasti, current_scope()
        plan = last_plan((EVENT, id(code), offset))
        if plan is None or not plan.write(name, level, fields, 0, scope):
            record_named(EVENT, level, name, fields, code, offset, scope)
    except struct.error:
        _record_exactly(EVENT, level, name, fields, code, offset)
    except Exception as error:  # pylint: disable=broad-except
        report_once("event()", error)


def counter(name, level=logging.INFO, /, **values):
    """Records the present value of something that rises and falls: viewers draw a curve for each number.

        ringside.counter("queue", depth=len(queue))

    It never raises, as event().
    """
    try:
        frame = sys._getframe(1)  # pylint: disable=protected-access
        code, offset, scope = frame.f_code, frame.f_lasti, current_scope()
        plan = last_plan((COUNTER, id(code), offset))
        if plan is None or not plan.write(name, level, values, 0, scope):
            record_named(COUNTER, level, name, values, code, offset, scope)
    except struct.error:
        _record_exactly(COUNTER, level, name, values, code, offset)
    except Exception as error:  # pylint: disable=broad-except
        report_once("counter()", error)


def _record_exactly(style, level, name, fields, code, offset):
    try:
        record_named(style, level, name, fields, code, offset, current_scope(), exact_type)
    except Exception as error:  # pylint: disable=broad-except
        report_once(f'"{name}"', error)
