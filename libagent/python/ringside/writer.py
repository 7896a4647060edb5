"""Functions that record one statement each: straight-line code for its fields, as short as Python can run it.

A general function would go through the fields of every record again, in loops; what is known of a statement is compiled
instead, as collections.namedtuple does. The code has no text of the service: names, formats and types are constants.
"""

import functools
import math
import struct

from . import library
from .scope import EMPTY
from .values import BYTES, TEXT, WORDS, LongInteger, OtherValue, UnsignedInteger

# Not types of values: exact_type() has checked the value.
_STAND_INS = frozenset((UnsignedInteger, LongInteger, OtherValue))


def _refused(result):
    raise ValueError(f"the library refused the record: {library.refusal_text(result).decode()}")


def _unless(conditions):
    return [f"if not ({' and '.join(conditions)}): return False"] if conditions else []


class Writer:
    """The source of a function and its constants. The function returns False if a record is not one of its statement."""

    def __init__(self, parameters):
        self._parameters = parameters
        self._constants = []
        # In this order: conditions on the parameters, variables of values, conditions on these, fields.
        self._conditions = []
        self._items = []
        self._checks = []
        self._lines = []
        self._words = []
        self._codes = []
        self._texts = []
        self._count = 0

    def constant(self, value):
        """A name for a value."""
        self._constants.append(value)
        return f"c{len(self._constants) - 1}"

    def require(self, condition):
        """Returns False unless this holds."""
        self._conditions.append(condition)

    def require_scope(self, scope):
        """Returns False in a scope with other fields."""
        if scope is EMPTY:
            self.require(f"scope is {self.constant(EMPTY)}")
        else:
            self.require(f"scope.signature is {self.constant(scope.signature)}")

    def _local(self, expression, lines):
        name = f"v{self._count}"
        self._count += 1
        lines.append(f"{name} = {expression}")
        return name

    def _typed(self, name, kind):
        if kind not in _STAND_INS:
            self._checks.append(f"type({name}) is {self.constant(kind)}")
        return name

    def item(self, mapping, key, kind):
        """A variable with the value of a key, which the mapping must have, and its type."""
        return self._typed(self._local(f"{mapping}[{self.constant(key)}]", self._items), kind)

    def elements(self, sequence, kinds):
        """Variables with the values of a tuple, which must have these types and no more."""
        self.require(f"type({sequence}) is tuple" if kinds else f"{sequence} == ()")
        names = [f"v{self._count + index}" for index in range(len(kinds))]
        self._count += len(kinds)
        if names:
            self._items.append(f"{', '.join(names)}, = {sequence}")
        return [self._typed(name, kind) for name, kind in zip(names, kinds)]

    def field(self, code, expression):
        """The next field."""
        self._codes.append(code)
        if code in (TEXT, BYTES):
            encoding = '.encode("utf-8", "backslashreplace")' if code == TEXT else ""
            name = self._local(expression + encoding, self._lines)
            self._texts.append(name)
            self._words.append(f"len({name})")
        else:
            self._words.append(expression)

    def number(self, expression):
        """A variable with a number that has no sign if it is not a number, as Python writes it."""
        name = self._local(expression, self._lines)
        self._lines.append(f"if {name} != {name}: {name} = {self.constant(math.nan)}")
        return name

    @property
    def codes(self):
        return self._codes

    def function(self, handle, scope, hidden, begin="0"):
        """The function for a registered statement. `hidden`: names of the scope that the record has itself."""
        pack = struct.Struct("=qQ" + "".join(WORDS[code] for code in self._codes)).pack
        head, tail = f"pack(handle, {', '.join([begin, *self._words])})", []
        if begin == "0" and not self._words:
            head = self.constant(pack(handle, 0))
        if scope is not EMPTY:
            head, tail = head + " + scope.words", ["scope.tail"]
            if hidden:
                self._lines.append(f"scope = scope.without({self.constant(hidden)})")
        reading = ["try:", *("    " + line for line in self._items), "except (KeyError, ValueError): return False"]
        lines = [*_unless(self._conditions), *(reading if self._items else []), *_unless(self._checks), *self._lines,
                 "block = " + " + ".join([head, *self._texts, *tail]), "result = block_record(block, len(block))",
                 "if result < 0: refused(result)", "return True"]
        bound = [f"c{index}" for index in range(len(self._constants))]
        source = "\n".join([f"def bind({', '.join(['pack', 'handle', 'block_record', 'refused', *bound])}):",
                            f"    def write({self._parameters}):",
                            *("        " + line for line in lines),
                            "    return write"])
        return _compiled(source)(pack, handle, library.block_record, _refused, *self._constants)


@functools.lru_cache(maxsize=4096)
def _compiled(source):
    """Many statements have the same source."""
    namespace = {}
    exec(source, namespace)  # pylint: disable=exec-used
    return namespace["bind"]
