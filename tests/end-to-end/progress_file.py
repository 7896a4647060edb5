"""The progress of a workload's threads, read from the page that it shares (progress_page.hpp)."""

import mmap
import os

MAX_THREADS = 64
ENTRY_BYTES = 64


class ProgressFile:
    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(MAX_THREADS * ENTRY_BYTES)
        descriptor = os.open(path, os.O_RDWR)
        self.page = mmap.mmap(descriptor, MAX_THREADS * ENTRY_BYTES)
        os.close(descriptor)

    def returned(self, index):
        """The number of log calls that have returned on thread `index` of the process."""
        return int.from_bytes(self.page[index * ENTRY_BYTES:index * ENTRY_BYTES + 8], "little")

    def total(self):
        return sum(self.returned(index) for index in range(MAX_THREADS))
