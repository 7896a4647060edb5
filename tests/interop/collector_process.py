"""ringcat as a collector, for the tests of formats that senders send."""

import signal
import socket
import subprocess

from random_traces import BOUND_S, program


class CollectorProcess:
    def __init__(self, form, *options, scheme="tcp", host="127.0.0.1", **how):
        shown = f"[{host}]" if ":" in host else host
        self.process = subprocess.Popen(
            [program("ringcat"), "--listen", f"{scheme}://{shown}:0", "--from", form, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
        self.said = self.process.stderr.readline()
        self.host = host
        self.port = int(self.said.split(shown + ":")[1].split(";")[0])
        self.address = f"{scheme}://{shown}:{self.port}"

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=BOUND_S)

    def datagram_socket(self):
        """A sender's socket, which sends from an address of its own."""
        sender = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET, socket.SOCK_DGRAM)
        sender.connect((self.host, self.port))
        return sender

    def lines(self, count):
        """Waits for further lines of the output."""
        return [self.process.stdout.readline() for _ in range(count)]

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
