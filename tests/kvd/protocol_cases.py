"""The protocol: framing, pipelining, errors, and limits on what a client can send or leave unread."""

import os
import socket
import threading

from kvd_service import MIB, WithServer, wait_until
from resp_client import Reader, array, ask, receive_all


class Protocol(WithServer):
    def expect_stream(self, sent, received):
        """Sends everything and reads until the server closes the connection, which it must do by itself."""
        with self.server.connect() as sock:
            sock.sendall(sent)
            self.assertEqual(receive_all(sock), received, sent[:80])

    def test_inline_commands(self):
        with self.server.connect() as sock:
            self.assertEqual(
                ask(sock, b"PING\r\n\r\nSET 'a b' \"\\x41\\n\"\r\nget \"a b\"\n", 3),
                b"+PONG\r\n+OK\r\n$2\r\nA\n\r\n")

    def test_pipelined_requests_are_answered_in_order(self):
        count = 5000
        request = b"".join(array("SET", f"k{i}", str(i)) + array("GET", f"k{i}")
                           for i in range(count))
        expected = b"".join(b"+OK\r\n$%d\r\n%d\r\n" % (len(str(i)), i) for i in range(count))
        with self.server.connect() as sock:
            sender = threading.Thread(target=sock.sendall, args=(request,))
            sender.start()
            reader = Reader(sock)
            received = b"".join(reader.reply() for _ in range(2 * count))
            sender.join()
        self.assertEqual(received, expected)

    def test_a_request_may_come_byte_by_byte(self):
        with self.server.connect() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = array("SET", "k", "value") + b"GET k\r\n"
            for at in range(len(stream)):
                sock.sendall(stream[at:at + 1])
            reader = Reader(sock)
            self.assertEqual(reader.reply() + reader.reply(), b"+OK\r\n$5\r\nvalue\r\n")

    def test_half_a_request_blocks_no_other_client(self):
        with self.server.connect() as slow:
            slow.sendall(array("SET", "k", "v")[:-5])
            # More clients than workers: one of them shares a worker with the slow one.
            for _ in range(4):
                self.expect((("PING",), b"+PONG\r\n"))
            slow.sendall(array("SET", "k", "v")[-5:])
            self.assertEqual(Reader(slow).reply(), b"+OK\r\n")

    def test_protocol_errors_are_reported_and_close_the_connection(self):
        for sent, reason in (
                (b"*x\r\n", b"invalid multibulk length"),
                (b"*65537\r\n", b"invalid multibulk length"),
                (b"*" + b"1" * 100, b"too big mbulk count string"),
                (b"*1\r\n:1\r\n", b"expected '$', got ':'"),
                (b"*1\r\n$-1\r\n", b"invalid bulk length"),
                (b"*1\r\n$67108865\r\n", b"invalid bulk length"),
                (b"*1\r\n$" + b"1" * 100, b"too big bulk count string"),
                (b"*1\r\n$2\r\nPING\r\n", b"expected CRLF after bulk"),
                (b"GET \"a\r\n", b"unbalanced quotes in request"),
                (b"x" * 65537, b"too big inline request"),
        ):
            self.expect_stream(sent, b"-ERR Protocol error: %s\r\n" % reason)
        # INFO's own connection causes no error.
        self.assertEqual(self.server.info("protocol_errors"), 10)

    def test_requests_before_a_protocol_error_are_answered_those_after_it_are_not(self):
        self.expect_stream(
            array("SET", "k", "v") + b"*1\r\n!\r\n" + array("DEL", "k"),
            b"+OK\r\n-ERR Protocol error: expected '$', got '!'\r\n")
        self.expect((("GET", "k"), b"$1\r\nv\r\n"))

    def test_an_error_reply_survives_unread_input(self):
        self.expect_stream(b"*1\r\n!\r\n" + b"z" * (2 * MIB),
                           b"-ERR Protocol error: expected '$', got '!'\r\n")

    def test_quit_answers_then_closes(self):
        self.expect_stream(array("QUIT") + array("SET", "k", "v"), b"+OK\r\n")
        self.expect((("GET", "k"), b"$-1\r\n"))

    def test_a_client_that_has_finished_sending_gets_all_replies(self):
        with self.server.connect() as sock:
            sock.sendall(array("PING") * 1000 + b"PIN")
            sock.shutdown(socket.SHUT_WR)
            self.assertEqual(receive_all(sock), b"+PONG\r\n" * 1000)

    def test_large_values_come_back_whole(self):
        value = os.urandom(8 * MIB)
        with self.server.connect() as sock:
            self.assertEqual(ask(sock, array("SET", "big", value)), b"+OK\r\n")
            self.assertEqual(ask(sock, array("GET", "big")),
                             b"$%d\r\n%s\r\n" % (len(value), value))

    def test_a_reply_beyond_the_output_limit_closes_the_connection(self):
        with self.server.connect() as sock:
            self.assertEqual(ask(sock, array("SET", "big", b"x" * (16 * MIB))), b"+OK\r\n")
            sock.sendall(array("MGET", *["big"] * 9))
            with self.assertRaises((ConnectionResetError, AssertionError)):
                Reader(sock).reply()
        self.expect((("PING",), b"+PONG\r\n"))

    def test_a_client_that_does_not_read_is_paused_and_takes_no_more_memory(self):
        value = b"x" * 100000
        requests = 5000  # 500 MB of replies if all were created
        with self.server.connect() as sock:
            self.assertEqual(ask(sock, array("SET", "k", value)), b"+OK\r\n")
        before = self.server.peak_memory()
        with self.server.connect(receive_buffer=65536) as sock:
            sock.sendall(array("GET", "k") * requests)
            done = self.server.info("total_commands_processed")
            wait_until(lambda: self.server.info("total_commands_processed") > done + 10,
                       "the first requests to be executed")
            # The server paused long before the last request; the client's reading ends the pause.
            for _ in range(50):
                self.expect((("PING",), b"+PONG\r\n"))
            self.assertLess(self.server.info("total_commands_processed"), requests)
            expected = b"$%d\r\n%s\r\n" % (len(value), value)
            reader = Reader(sock)
            for _ in range(requests):
                self.assertEqual(reader.reply(), expected)
        self.assertLess(self.server.peak_memory() - before, 64 * MIB)
