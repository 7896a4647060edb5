"""The text files that consumerd --text has written, checked like ringcat's output."""

import os
import re
import subprocess

from checked_output import Output
from traced_processes import BOUND_S, program


class TextLogs:
    """The files in one directory."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def current(self, service):
        return os.path.join(self.path, f"{service}.log")

    def rotated(self, service):
        """Oldest first."""
        pattern = re.compile(re.escape(service) + r"\.(\d+)\.log$")
        numbered = [(int(match[1]), name) for name in os.listdir(self.path)
                    if (match := pattern.match(name))]
        return [os.path.join(self.path, name) for _, name in sorted(numbered)]

    def files(self, service):
        current = [self.current(service)] if os.path.exists(self.current(service)) else []
        return self.rotated(service) + current

    def lines(self, service):
        """All lines of the service, in the order of the files. The last one may be unfinished while consumerd runs."""
        lines = []
        for path in self.files(service):
            with open(path, "rb") as file:
                lines += file.read().splitlines()
        return lines

    def check(self, *services):
        """Each line equals its prediction, and each thread's records are complete and in order."""
        output = Output({"records": 0, "lost": 0, "cut": 0, "lost_without_thread": 0})
        for service in services:
            # Records that reach the trace late have a late place in the text.
            lines = sorted(self.lines(service), key=lambda line: line[:29])
            checker = subprocess.run([program("check_output")], input=b"".join(line + b"\n" for line in lines),
                                     capture_output=True, timeout=BOUND_S, check=False)
            assert checker.returncode == 0, checker.stderr.decode(errors="replace")
            one = Output(dict(line.split("=") for line in checker.stdout.decode().split()))
            output.records += one.records
            output.lost += one.lost
            output.records_of.update(one.records_of)
            output.lost_of.update(one.lost_of)
        return output


def printed_lines(service, *paths):
    """ringcat's lines for these traces."""
    done = subprocess.run([program("ringcat"), "--utc", "--service", service, *paths],
                          capture_output=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
