"""Finds and loads libringside.so.1."""

import ctypes
import os

SONAME = "libringside.so.1"
FUNCTIONS = ("rs_block_record", "rs_flush", "rs_init_with", "rs_losses", "rs_refusal_text", "rs_span_begin",
             "rs_statement_register")


class LibraryError(ImportError):
    """libringside.so.1 cannot be loaded, or is too old."""


def candidates():
    """What to load, the first that exists."""
    given = os.environ.get("RINGSIDE_LIBRARY")
    if given:
        return [given]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    return [beside, SONAME] if os.path.exists(beside) else [SONAME]


def load(names):
    """The library twice: for calls that hold the lock of the interpreter, and for calls that wait without it."""
    name = names[0]
    try:
        holding, waiting = ctypes.PyDLL(name), ctypes.CDLL(name)
    except OSError as error:
        raise LibraryError(f'cannot load "{name}": {error}; install the package that has {SONAME}, or set '
                           "RINGSIDE_LIBRARY to its path") from None
    missing = [function for function in FUNCTIONS if not hasattr(holding, function)]
    if missing:
        raise LibraryError(f'"{name}" is too old: it has no {missing[0]}; install the library and the Python package '
                           "of the same version")
    return holding, waiting


_holding, _waiting = load(candidates())

# Without argtypes: ctypes passes bytes and int faster then. A block of values is always shorter than 2 GiB.
block_record = _holding.rs_block_record
span_begin = _holding.rs_span_begin
span_begin.restype = ctypes.c_uint64
refusal_text = _holding.rs_refusal_text
refusal_text.argtypes, refusal_text.restype = [ctypes.c_int32], ctypes.c_char_p
statement_register = _waiting.rs_statement_register
statement_register.argtypes = [ctypes.c_void_p]
init_with = _waiting.rs_init_with
init_with.argtypes = [ctypes.c_void_p]
flush = _waiting.rs_flush
flush.argtypes = [ctypes.c_uint64]
losses = _waiting.rs_losses
losses.restype = ctypes.c_uint64
