"""ringcat as a collector, for the tests of formats that senders send."""

import signal
import socket
import subprocess

from random_traces import BOUND_S, program


class CollectorProcess:
    def __init__(self, form, *options, **how):
        self.process = subprocess.Popen(
            [program("ringcat"), "--listen", "tcp://127.0.0.1:0", "--from", form, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
        self.said = self.process.stderr.readline()
        self.port = int(self.said.split("127.0.0.1:")[1].split(";")[0])
        self.address = f"tcp://127.0.0.1:{self.port}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=BOUND_S)

    def end(self, how=signal.SIGTERM):
        """Returns the exit code and the messages."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=BOUND_S)
        return self.process.returncode, said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
