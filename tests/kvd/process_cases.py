"""The process: its options, its ways to end, and running out of descriptors."""

import os
import signal
import socket
import unittest

from kvd_service import Server, run_to_end, wait_until
from resp_client import array, ask, receive_all


class Process(unittest.TestCase):
    def start(self, *options, **more):
        server = Server(*options, **more)
        self.addCleanup(server.kill)
        return server

    def test_signals_end_it_cleanly_with_clients_connected(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.start("--threads", "2")
            with server.connect() as idle, server.connect() as busy:
                self.assertEqual(ask(busy, array("PING")), b"+PONG\r\n")
                busy.sendall(array("SET", "k", "v")[:-3])
                self.assertEqual(ask(idle, array("PING")), b"+PONG\r\n")
                self.assertEqual(server.end(number), (0, b"", b""))

    def test_a_client_may_end_it(self):
        server = self.start()
        with server.connect() as sock:
            sock.sendall(array("SHUTDOWN"))
            self.assertEqual(receive_all(sock), b"")
        self.assertEqual(server.end(None), (0, b"", b""))

    def test_verbose_prints_on_standard_error_only(self):
        code, out, err = self.start("--verbose", "--threads", "1").end()
        self.assertEqual((code, out), (0, b""))
        self.assertRegex(
            err.decode(),
            r"\Akvd: 1 worker threads serve 127\.0\.0\.1:\d+\n"
            r"kvd: ended after 0 connections, 0 keys held\n\Z")

    def test_the_port_is_free_again_at_once(self):
        # An address that no other process uses; otherwise another process could take the port.
        pid = os.getpid()
        address = f"127.77.{pid // 250 % 250 + 1}.{pid % 250 + 1}"
        server = self.start(address=address)
        with server.connect() as sock:
            ask(sock, array("PING"))
            server.end()
        again = self.start(address=address, port=server.port)
        self.assertEqual(again.port, server.port)

    def test_it_turns_clients_away_when_descriptors_run_out_and_recovers(self):
        limit = 40
        server = self.start("--threads", "1", limit_descriptors=limit)
        clients = []
        self.addCleanup(lambda: [sock.close() for sock in clients])
        turned_away = 0
        for _ in range(2 * limit):
            sock = server.connect()
            try:
                sock.sendall(b"PING\r\n")
                served = sock.recv(7) == b"+PONG\r\n"
            except (ConnectionResetError, BrokenPipeError):
                served = False
            if served:
                clients.append(sock)
            else:
                turned_away += 1
                sock.close()
        self.assertGreater(len(clients), limit // 2)
        self.assertGreater(turned_away, 0)
        for sock in clients:
            self.assertEqual(ask(sock, b"PING\r\n"), b"+PONG\r\n")
        for sock in clients:
            sock.close()

        def served_again():
            with server.connect() as sock:
                try:
                    sock.sendall(b"PING\r\n")
                    return sock.recv(7) == b"+PONG\r\n"
                except (ConnectionResetError, BrokenPipeError):
                    return False

        wait_until(served_again, "a client to be served again")
        self.assertEqual(server.end(), (0, b"", b""))

    def test_wrong_options_name_the_remedy(self):
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for options, said in (
                (("--port", "70000"), "--port 70000 is not a number from 0 to 65535"),
                (("--port", "x"), "--port x is not a number"),
                (("--threads", "0"), "--threads 0 is not a number from 1 to 64"),
                (("--bind", "localhost"), "is not a numeric IPv4 address"),
                (("--bind", "0.0.0.0"), "is not a loopback address"),
                (("--nonsense",), "the command line is not understood"),
                (("extra",), "unexpected argument extra"),
                (("--port", str(taken.getsockname()[1])), "Address already in use"),
        ):
            result = run_to_end(*options)
            self.assertEqual((result.returncode, result.stdout), (1, ""), options)
            self.assertIn(said, result.stderr)
            self.assertIn("\nkvd: remedy: ", "\n" + result.stderr)

    def test_help_is_on_standard_output(self):
        result = run_to_end("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("usage: kvd "))