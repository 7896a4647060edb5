#!/usr/bin/env python3
"""Over a connection, binary traces are sent only to receivers that announce that they accept them."""

import os
import socket
import threading
import unittest

from random_traces import ringcat

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "t01_all_le_ticks.trcbin")


def send(form, *announced, ends=True):
    """What a receiver gets that announces each of `announced`, and the messages."""
    received = []

    def receive(listener):
        connection, _ = listener.accept()
        with connection:
            for part in announced:
                connection.sendall(part)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            received.append(b"".join(iter(lambda: connection.recv(65536), b"")))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        thread = threading.Thread(target=receive, args=(listener,))
        thread.start()
        code, _, said = ringcat("--to", form, "-o", f"tcp://127.0.0.1:{listener.getsockname()[1]}", SAMPLE)
        thread.join()
    assert code == 0, said
    return received[0], said


class TptpConnection(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.binary = ringcat("--to", "trcbin", SAMPLE)[1]
        cls.xml = ringcat("--to", "trcxml", SAMPLE)[1]

    def test_a_receiver_that_announces_binary_gets_it(self):
        for announced in ([b"ACCEPT trcbin\n"], [b"ACCEPT other\nACC", b"EPT trcbin\n"],
                          [b"hello\r\nACCEPT trcbin\r", b"\n"]):
            self.assertEqual(send("trcbin", *announced), (self.binary, ""))

    def test_a_receiver_without_an_announcement_gets_xml(self):
        for announced in ([], [b"ACCEPT trcbinary\n"], [b"hello"]):
            data, said = send("trcbin", *announced)
            self.assertEqual(data, self.xml)
            self.assertIn("trcxml", said)
        self.assertEqual(send("trcbin", ends=False)[0], self.xml)

    def test_xml_needs_no_announcement(self):
        self.assertEqual(send("trcxml"), (self.xml, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
