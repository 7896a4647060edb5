#!/usr/bin/env python3
"""The output of --to is sent to the receiver at tcp://HOST:PORT."""

import socket
import threading
import unittest

from random_traces import RandomTrace, ringcat


class TcpOutput(unittest.TestCase):
    def received(self, listener, read):
        connection, _ = listener.accept()
        with connection:
            self.data = b"".join(iter(lambda: connection.recv(65536), b"")) if read else b""

    def send(self, family, host, address, trace, read=True):
        with socket.create_server((host, 0), family=family) as listener:
            thread = threading.Thread(target=self.received, args=(listener, read))
            thread.start()
            done = ringcat("--to", "heph", "-o", f"tcp://{address}:{listener.getsockname()[1]}", trace)
            thread.join()
        return done

    def test_the_receiver_gets_what_a_file_would(self):
        with RandomTrace(1, records=3000) as trace:
            written, said = trace.converted("heph")
            families = [(socket.AF_INET, "127.0.0.1", "127.0.0.1"), (socket.AF_INET, "127.0.0.1", "localhost")]
            try:
                socket.create_server(("::1", 0), family=socket.AF_INET6).close()
                families.append((socket.AF_INET6, "::1", "[::1]"))
            except OSError as error:
                print(f"without IPv6: {error}")
            for family, host, address in families:
                self.assertEqual(self.send(family, host, address, trace.path), (0, b"", said))
                self.assertEqual(self.data, written)

    def test_a_receiver_that_disconnects_is_reported(self):
        with RandomTrace(1, records=30_000) as trace:
            code, _, said = self.send(socket.AF_INET, "127.0.0.1", "127.0.0.1", trace.path, read=False)
        self.assertEqual(code, 3)
        self.assertIn("cannot send", said)

    def test_without_a_receiver_and_with_invalid_addresses(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with RandomTrace(1, records=10) as trace:
            code, _, said = ringcat("--to", "heph", "-o", f"tcp://127.0.0.1:{port}", trace.path)
            self.assertEqual((code, "check that the receiver is running" in said), (3, True), said)
            for text in ("tcp://", "tcp://127.0.0.1", "tcp://:1", "tcp://localhost:", "tcp://::1:80"):
                code, _, said = ringcat("--to", "heph", "-o", text, trace.path)
                self.assertEqual((code, "invalid address" in said), (3, True), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
