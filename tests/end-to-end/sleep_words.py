"""The words of a segment through which its service wakes a sleeping consumer (shm-layout/consumer_sleep.hpp)."""

import signal
import struct

from segment_counters import CONTROL_PAGE_OFFSET, RING_METADATA_KIND, read_at, regions_of
from traced_processes import wait_until

NUMBER_OFFSET = CONTROL_PAGE_OFFSET + 2752
CALLS_OFFSET = CONTROL_PAGE_OFFSET + 2816


def word(path, offset):
    """0 while the segment is being created."""
    with open(path, "rb") as file:
        return struct.unpack("<I", read_at(file, offset, 4) or bytes(4))[0]


def is_asleep(path):
    return word(path, NUMBER_OFFSET) % 2 == 1


def wait_for_sleep(path):
    wait_until(lambda: is_asleep(path), "consumerd to sleep")


def stop_in_sleep(consumer, path):
    """Stops consumerd while it sleeps: it would run again for a moment every 100 ms."""
    def stopped_in_sleep():
        wait_for_sleep(path)
        consumer.send(signal.SIGSTOP)
        if is_asleep(path):
            return True
        consumer.send(signal.SIGCONT)
        return False
    wait_until(stopped_in_sleep, "consumerd to be stopped in its sleep")


def unread_bytes(path):
    """Of the first ring."""
    with open(path, "rb") as file:
        regions = {region[0]: region for region in regions_of(file)}
        metadata = read_at(file, regions[RING_METADATA_KIND][2], 256)
    producer, consumer = (struct.unpack_from("<Q", metadata, at)[0] for at in (0, 128))
    return producer - consumer
