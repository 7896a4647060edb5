"""What fails while a program records. It must not reach the program: it is reported once on standard error."""

import sys

_reported = set()


def report_once(what, error):
    """`what`: the call that recorded nothing."""
    try:
        if what in _reported:
            return
        _reported.add(what)
        print(f"ringside: {what} recorded nothing: {type(error).__name__}: {error}; further messages of this kind are "
              "suppressed", file=sys.stderr)
    except Exception:  # pylint: disable=broad-except
        pass  # standard error is closed
