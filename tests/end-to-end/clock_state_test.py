#!/usr/bin/env python3
"""consumerd, in its sandbox, stores what the system says about its clock, with each CLOCK block. Where the system refuses to tell,
the state is unknown, and nothing else changes."""

import ctypes
import errno
import os
import platform
import struct
import sys
import unittest

from checked_output import print_and_check
from steady_load import Load
from trace_blocks import CLOCK, blocks
from traced_processes import TestBed, wait_until

CALLS = {"x86_64": (0xC000003E, 305), "aarch64": (0xC00000B7, 266)}  # architecture of the audit, clock_adjtime
TIME_ERROR, STA_UNSYNC, STA_NANO = 5, 0x40, 0x2000
SYNCHRONISED, UNSYNCHRONISED = 1, 2
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
REFUSE = "--refuse"
LIBC = ctypes.CDLL(None, use_errno=True)


class Timex(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long), ("maxerror", ctypes.c_long),
                ("esterror", ctypes.c_long), ("status", ctypes.c_int), ("rest", ctypes.c_char * 256)]


def state_of_system():
    """None if the system does not tell."""
    timex = Timex()
    result = LIBC.adjtimex(ctypes.byref(timex))
    if result < 0:
        return None
    synchronised = result != TIME_ERROR and not timex.status & STA_UNSYNC
    return SYNCHRONISED if synchronised else UNSYNCHRONISED


def refuse_the_call():
    """As the filter of a container does. For this process and its children."""
    architecture, number = CALLS[platform.machine()]
    steps = [(0x20, 0, 0, 4), (0x15, 0, 3, architecture), (0x20, 0, 0, 0), (0x15, 0, 1, number),
             (0x06, 0, 0, 0x00050000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(steps), ctypes.addressof(code))
    assert LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0, ctypes.get_errno()


class RefusingBed(TestBed):
    """Its consumerd cannot make the call, as in some containers."""

    def consumer_command(self, *arguments):
        return [sys.executable, os.path.abspath(__file__), REFUSE, *super().consumer_command(*arguments)]


class ClockState(unittest.TestCase):
    def clocks(self, make_bed=TestBed):
        """The payloads of all CLOCK blocks of a run, whose records are all there."""
        with make_bed() as bed:
            load = Load(bed, 0, 2, "--burst", 200, "--pause-us", 1000)
            consumer = bed.start_consumer("--rotate-bytes", "64K")
            wait_until(lambda: len(bed.traces()) >= 3, "three files")
            load.stop()
            bed.wait_until_segments_are_gone()
            bed.stop_consumer(consumer)
            self.assertNotIn("error", consumer.stderr())
            output = print_and_check(*bed.traces())
            self.assertEqual((output.records_of, output.lost), (load.expected(), 0))
            return [payload for path in bed.traces() for kind, _, payload in blocks(path) if kind == CLOCK]

    def test_each_block_has_the_state_of_the_system(self):
        state = state_of_system()
        if state is None:
            self.skipTest("this system does not tell the state of its clock")
        for clock in self.clocks():
            self.assertEqual(len(clock), 72)
            stored, zero, _, most, estimated = struct.unpack_from("<IIqQQ", clock, 40)
            self.assertEqual((stored, zero), (state, 0))
            # What the kernel never exceeds: 16 s.
            self.assertLessEqual(most, 16 * 10**9)
            self.assertLessEqual(estimated, 16 * 10**9)

    @unittest.skipUnless(platform.machine() in CALLS, "the number of the system call is not known")
    def test_a_refused_call_leaves_the_state_unknown(self):
        self.assertEqual({len(clock) for clock in self.clocks(RefusingBed)}, {40})


if __name__ == "__main__":
    if sys.argv[1:2] == [REFUSE]:
        refuse_the_call()
        os.execv(sys.argv[2], sys.argv[2:])
    unittest.main(verbosity=2)
