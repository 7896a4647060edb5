"""The whole process: its name and options, waiting for consumerd, losses."""

import ctypes

from . import library
from .levels import stored_level

_OVERFLOWS = {"block": 0, "drop": 1, "overwrite": 2}


class _Options(ctypes.Structure):
    """struct rs_options"""

    _fields_ = [("struct_bytes", ctypes.c_size_t), ("service", ctypes.c_char_p), ("shm_dir", ctypes.c_char_p),
                ("ring_bytes", ctypes.c_uint64), ("max_threads", ctypes.c_uint32),
                ("block_timeout_ms", ctypes.c_uint32), ("cost_sampling", ctypes.c_uint32), ("mode", ctypes.c_uint32),
                ("group", ctypes.c_char_p), ("overflow", ctypes.c_uint8), ("level", ctypes.c_uint8),
                ("consumer_clock", ctypes.c_uint8)]


def _text(value):
    return None if value is None else str(value).encode("utf-8", "surrogateescape")


def init(service=None, *, level=None, overflow="block", shm_dir=None, ring_bytes=0, max_threads=0):
    """Creates the segment now instead of at the first record, with options. RINGSIDE_ variables override them.

    `service`: its name; without one, that of the executable. `level`: of logging; less is switched off. Returns whether
    there is a segment; if not, the library has reported the reason on standard error. Raises ValueError if an argument
    is invalid.
    """
    if overflow not in _OVERFLOWS:
        raise ValueError(f'invalid overflow "{overflow}": use {", ".join(_OVERFLOWS)}')
    options = _Options(struct_bytes=ctypes.sizeof(_Options), service=_text(service), shm_dir=_text(shm_dir),
                       ring_bytes=ring_bytes, max_threads=max_threads, overflow=_OVERFLOWS[overflow],
                       level=0 if level is None else stored_level(level))
    return library.init_with(ctypes.byref(options)) == 1


def flush(timeout_s=1.0):
    """Waits until everything that was recorded before is in the trace file. Returns False if the time is up before, for
    instance because no consumerd runs."""
    return library.flush(max(0, round(timeout_s * 1000))) == 1


def losses():
    """How many records of this process are lost, by all causes."""
    return library.losses(0)
