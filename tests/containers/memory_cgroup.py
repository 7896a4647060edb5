"""A memory cgroup of either version, with a limit, for a test."""

import os


def _parents():
    """Directories in which a memory cgroup can be created: version 1, then version 2."""
    yield "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"
    yield "/sys/fs/cgroup", "memory.max", "memory.peak"


class MemoryCgroup:
    """`why_not` tells why there is none; then the limit does not apply."""

    def __init__(self, name, limit_bytes):
        self.path, self.why_not = None, "no memory controller in /sys/fs/cgroup"
        for parent, limit, peak in _parents():
            path = os.path.join(parent, name)
            try:
                os.mkdir(path)
                self.path, self.peak = path, peak
                with open(os.path.join(path, limit), "w", encoding="ascii") as file:
                    file.write(str(limit_bytes))
                return
            except OSError as error:
                self.why_not = str(error)
                self.close()

    def process_files(self):
        return [os.path.join(self.path, "cgroup.procs")] if self.path else []

    def holds(self, pid):
        with open(os.path.join(self.path, "cgroup.procs"), encoding="ascii") as file:
            return str(pid) in file.read().split()

    def peak_bytes(self):
        """The most that was used, if the kernel counts it."""
        try:
            with open(os.path.join(self.path, self.peak), encoding="ascii") as file:
                return int(file.read())
        except OSError:
            return 0

    def killed_processes(self):
        for name in ("memory.oom_control", "memory.events"):
            try:
                with open(os.path.join(self.path, name), encoding="ascii") as file:
                    return int(dict(line.split() for line in file)["oom_kill"])
            except (OSError, KeyError):
                continue
        return 0

    def close(self):
        if self.path:
            try:
                os.rmdir(self.path)
            except OSError:
                pass
            self.path = None
