"""A port of the loopback interface for a server that a test starts."""

import random
import socket


def free_port():
    """Outside of the range from which the kernel gives ports to connections and to other tests, so that it is still free when the server
    begins."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
