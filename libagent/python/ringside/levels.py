"""The levels of Python's logging as those of Ringside."""

import logging

# Python's logging has no names for these two levels of Ringside.
TRACE = 5
NOTICE = 25

_STEPS = ((TRACE + 1, 1), (logging.DEBUG + 1, 2), (logging.INFO + 1, 3), (NOTICE + 1, 4), (logging.WARNING + 1, 5),
          (logging.ERROR + 1, 6))
_CRITICAL = 7


def stored_level(number):
    """enum rs_level: the lowest level that is not below this one of logging."""
    for end, level in _STEPS:
        if number < end:
            return level
    return _CRITICAL
