"""Records with a name and fields: events, counters and spans."""

import dis
import functools
import struct

from .levels import stored_level
from .overflow import overflow_statement, record_as_text
from .statement import ExhaustedError, Place, register_in_scope
from .values import exact_type, field_type
from .writer import Writer

_MOST_PLANS = 16384

# By style and instruction: that of the last call. By everything that a plan depends on.
_last_plans = {}
_plans = {}


def _line(code, offset):
    """The line of an instruction."""
    found = 0
    for start, line in dis.findlinestarts(code):
        if start > offset:
            break
        found = line or found
    return found


def _write_overflow(style, stored, name, _level, fields, begin, scope):
    record_as_text(style, stored, str(name), fields, begin, scope)
    return True


class NamedPlan:
    """For all calls of one instruction with the same name, level, context and types of fields."""

    __slots__ = ("handle", "write", "code", "takes_all")

    def __init__(self, style, level, name, fields, scope, code, offset, type_of):
        self.code = code  # its id is in the key of the plan
        # Whether `write` records everything, also what is not of this plan.
        self.takes_all = False
        stored = stored_level(level)
        writer = Writer("name, level, fields, begin, scope")
        writer.require(f"name == {writer.constant(name)} and level == {writer.constant(level)}")
        writer.require_scope(scope)
        writer.require(f"len(fields) == {len(fields)}")
        for field, value in fields.items():
            kind = type_of(value)
            stored_type, convert = field_type(kind)
            variable = writer.item("fields", field, kind)
            writer.field(stored_type, variable if convert is None else f"{writer.constant(convert)}({variable})")
        place = Place(code.co_filename, _line(code, offset), code.co_name)
        try:
            self.handle, hidden = register_in_scope(style, stored, str(name), list(fields), writer.codes, place, scope)
            self.write = writer.function(self.handle, scope, hidden, "begin")
        except ExhaustedError:
            self.handle = overflow_statement(style, stored)[0]
            self.write = functools.partial(_write_overflow, style, stored)
            self.takes_all = True


def find_plan(style, level, name, fields, scope, code, offset, type_of=type):
    """The plan of a call: that of the instruction at `offset` in `code`."""
    key = (type_of, style, level, name, id(code), offset, scope.signature, *fields, *map(type_of, fields.values()))
    plan = _plans.get(key)
    if plan is None:
        plan = NamedPlan(style, level, name, fields, scope, code, offset, type_of)
        if len(_plans) < _MOST_PLANS:
            _plans[key] = plan
    # The next call of the instruction can have another level, or a statement: `write` must tell.
    if type_of is type and not plan.takes_all and len(_last_plans) < _MOST_PLANS:
        _last_plans[style, id(code), offset] = plan
    return plan


last_plan = _last_plans.get


def record_named(style, level, name, fields, code, offset, scope, type_of=type, begin=0):
    """Records by the plan for everything that is given. Raises struct.error if an int needs `exact_type`."""
    plan = find_plan(style, level, name, fields, scope, code, offset, type_of)
    if not plan.write(name, level, fields, begin, scope):
        raise RuntimeError("the plan is not that of the record")
