"""A handler of Python's logging that records into the rings of Ringside."""

import itertools
import logging
import operator
import struct
from collections.abc import Mapping

from .context import current_scope
from .message_plan import ADDED_BY_FORMATTERS, message_writer, used_arguments, write_overflow
from .percent import UnusualFormatError
from .values import exact_type

# Attributes that every record has. Those of `extra` follow them.
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__)
_NOT_EXTRA = _STANDARD.union(ADDED_BY_FORMATTERS)
_NO_EXTRA = {}

# A place with more messages makes them at run time, for instance by an f-string: they become values.
_MOST_MESSAGES = 4
_MOST_WRITERS = 16384

# By place and message: that of the last call. By everything that a writer depends on.
_last_writers = {}
last_writer = _last_writers.get
_writers = {}
_messages = {}
_place = operator.itemgetter("msg", "lineno", "pathname", "levelno", "name")
_traceback_format = logging.Formatter()


def _add(extra, name, value):
    """Adds a field of the handler. A field of the caller with this name keeps it."""
    while name in extra:
        name += "_"
    extra[name] = value


def _extra_fields(log_record):
    """The attributes that the caller, a filter or an adapter added, and the texts of an exception and of the stack."""
    attributes = log_record.__dict__
    extra = {name: attributes[name] for name in itertools.islice(attributes, len(_STANDARD), None)
             if name not in _NOT_EXTRA}
    if log_record.exc_info:
        kind = log_record.exc_info[0]
        if kind is not None:
            _add(extra, "exception", kind.__qualname__)
        _add(extra, "traceback", log_record.exc_text or _traceback_format.formatException(log_record.exc_info))
    elif log_record.exc_text:  # of another process, whose SocketHandler sent no exception
        _add(extra, "traceback", log_record.exc_text)
    if log_record.stack_info:
        _add(extra, "stack", log_record.stack_info)
    return extra


def _has_own_format(place, message):
    """Whether the message is one of the first of its place."""
    known = _messages.get(place, ())
    if message in known:
        return True
    if len(known) >= _MOST_MESSAGES or len(_messages) >= _MOST_WRITERS:
        return False
    _messages[place] = (*known, message)
    return True


def _argument_types(message, args, type_of):
    """None: the message is left to Python."""
    if not isinstance(args, (tuple, Mapping)):
        return None
    try:
        return tuple(map(type_of, used_arguments(message, args).values()))
    except (UnusualFormatError, KeyError):
        return None


def _record(log_record, extra, scope, type_of):
    """`type_of`: type, or exact_type for integers that may need more than 64 bits."""
    args, message, types = log_record.args or (), log_record.msg, None
    place = (log_record.lineno, log_record.pathname, log_record.levelno, log_record.name)
    if type(message) is str and _has_own_format(place, message):  # a subclass can format itself
        types = _argument_types(message, args, type_of)
    key = (type_of, message if types is not None else None, place, types, type(args), scope.signature,
           len(log_record.__dict__), *extra, *map(type_of, extra.values()))
    write = _writers.get(key)
    if write is None:
        write = message_writer(log_record, args, extra, scope, type_of, types is not None)
        if len(_writers) < _MOST_WRITERS:
            _writers[key] = write
    if not write(log_record, args, log_record.__dict__, extra, scope):
        raise RuntimeError("the writer is not that of the record")
    # handle() passes no extra fields: the writer of a statement returns False if the record has some, that of the overflow
    # would lose them.
    is_plain = write is not write_overflow and log_record.exc_info is log_record.exc_text is log_record.stack_info is None
    if types is not None and type_of is type and is_plain and len(_last_writers) < _MOST_WRITERS:
        _last_writers[_place(log_record.__dict__)] = write


class Handler(logging.Handler):
    """Records every log record with its level, logger, place, typed arguments and typed extra fields.

        logging.getLogger().addHandler(ringside.Handler())

    The text that tools show is log_record.getMessage(); a formatter has no effect. A record that cannot be written goes
    to handleError(), as with every handler.
    """

    def handle(self, record):
        # Without the handler's lock: each thread has a ring of its own.
        if self.filters:
            passed = self.filter(record)
            if not passed:
                return passed
            if isinstance(passed, logging.LogRecord):
                record = passed
        try:
            attributes = record.__dict__
            place = _place(attributes)
            write = last_writer(place)
            # The last writer knows nothing of an exception or a stack.
            if (write is not None and record.exc_info is record.exc_text is record.stack_info is None
                    and type(place[0]) is str
                    and write(record, attributes["args"], attributes, _NO_EXTRA, current_scope())):
                return True
        except Exception:  # pylint: disable=broad-except
            pass  # emit() does the same again, and reports it
        self.emit(record)
        return True

    def emit(self, record):
        try:
            _record(record, _extra_fields(record), current_scope(), type)
        except struct.error:
            self._record_exactly(record)
        except Exception:  # pylint: disable=broad-except
            self.handleError(record)

    def _record_exactly(self, record):
        try:
            _record(record, _extra_fields(record), current_scope(), exact_type)
        except Exception:  # pylint: disable=broad-except
            self.handleError(record)
