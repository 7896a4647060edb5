"""A service that logs for as long as a test needs, and what it has logged."""

import os

from progress_file import ProgressFile
from traced_processes import wait_until


class Load:
    """A workload that logs until it is stopped."""

    def __init__(self, bed, first, threads, *arguments, **how):
        self.bed, self.first, self.threads = bed, first, threads
        self.progress = ProgressFile(os.path.join(bed.work_dir, f"progress-{first}"))
        self.process = bed.start_service("--first", first, "--threads", threads, "--records", 0,
                                         "--progress", self.progress.path, *arguments,
                                         service=f"load{first}", piped=True, **how)
        wait_until(self.progress.total, "the first record")

    def advance(self):
        """Waits until every thread has logged something from now on."""
        before = [self.progress.returned(index) for index in range(self.threads)]
        wait_until(lambda: all(self.progress.returned(index) > before[index]
                               for index in range(self.threads)), "all threads to log")

    def stop(self):
        self.process.end_input()
        assert self.process.wait() == 0, self.process.stderr()
        assert self.process.values()["dropped"] == "0", self.process.stdout()

    def expected(self):
        return {self.first + index: self.progress.returned(index)
                for index in range(self.threads)}
