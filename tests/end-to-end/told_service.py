"""A service that logs on request, line by line on its standard input."""

import signal

from traced_processes import wait_until


class ToldService:
    """`which`: a program that prints "ready", and for each line "done" once its log calls have returned."""

    def __init__(self, bed, which, **how):
        self.process = bed.start_service(which=which, piped=True, **how)
        self.told = 0
        self.answered("ready", 1)

    def answered(self, word, count):
        wait_until(lambda: self.process.stdout().split().count(word) >= count, word)

    def tell(self, line):
        self.process.popen.stdin.write(line.encode() + b"\n")
        self.process.popen.stdin.flush()
        self.told += 1
        self.answered("done", self.told)

    def end(self):
        self.process.end_input()
        assert self.process.wait() == 0

    def kill(self):
        self.process.send(signal.SIGKILL)
        self.process.wait()
