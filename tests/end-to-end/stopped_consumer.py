"""Stops consumerd where that blocks no tool."""

import fcntl
import os
import signal
import struct

from traced_processes import wait_until

F_OFD_SETLK = 37  # linux/fcntl.h
SWITCH_LOCK_BYTE = 3  # shm-layout/segment_lock.hpp


def switch_lock():
    """For fcntl() with F_OFD_SETLK."""
    return struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, SWITCH_LOCK_BYTE, 1, 0)


def stop_without_switch_lock(consumer, segment_path):
    """consumerd holds the lock at moments: stopped then, it would block tools, and they would say that instead."""
    with open(segment_path, "r+b") as segment:
        def stopped():
            consumer.send(signal.SIGSTOP)
            try:
                fcntl.fcntl(segment, F_OFD_SETLK, switch_lock())
            except OSError:
                consumer.send(signal.SIGCONT)
                return False
            return True  # closing the file releases it
        wait_until(stopped, "consumerd to stop without the lock")
