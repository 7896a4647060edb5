#!/usr/bin/env python3
"""Drives the real kvd from outside: raw sockets, redis-cli, redis-benchmark, signals, /proc.

usage: kvd_protocol_test.py KVD

No assertion depends on how long something takes: waits are for conditions, with a bound that only
a hang reaches.
"""

import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

KVD = None
BOUND_S = 60.0
MIB = 1 << 20


def wait_until(condition, what):
    deadline = time.monotonic() + BOUND_S
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {BOUND_S} s in vain for: {what}")
        time.sleep(0.01)


def array(*arguments):
    out = b"*%d\r\n" % len(arguments)
    for argument in arguments:
        if isinstance(argument, str):
            argument = argument.encode()
        out += b"$%d\r\n%s\r\n" % (len(argument), argument)
    return out


class Server:
    def __init__(self, *options, address="127.0.0.1", port=0, preexec_fn=None):
        self.address = address
        self.process = subprocess.Popen(
            [KVD, "--bind", address, "--port", str(port), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec_fn)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(rf"kvd: listening on {re.escape(address)}:(\d+)\n", line)
        if not match:
            self.process.kill()
            raise AssertionError(f"not ready: {line!r} {self.process.communicate()!r}")
        self.port = int(match.group(1))

    def connect(self, receive_buffer=None):
        sock = socket.socket()
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(BOUND_S)
        sock.connect((self.address, self.port))
        return sock

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def peak_memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) * 1024

    def worker_names(self):
        names = []
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/comm", encoding="ascii") as comm:
                names.append(comm.read().strip())
        return sorted(name for name in names if name.startswith("kvd-worker"))

    def info(self, name):
        with self.connect() as sock:
            text = ask(sock, array("INFO"))
        return int(re.search(rb"(?m)^%s:(\d+)\r$" % name.encode(), text).group(1))

    def end(self, number=signal.SIGTERM):
        """Exit status, the rest of standard output, standard error."""
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=BOUND_S)
        return self.process.returncode, out, err

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Reader:
    """Takes whole replies, as the bytes they are, from a socket."""

    def __init__(self, sock):
        self.file = sock.makefile("rb")

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise AssertionError(f"the stream ended in a reply: {line!r}")
        if line[:1] == b"$" and line != b"$-1\r\n":
            return line + self.file.read(int(line[1:]) + 2)
        if line[:1] == b"*":
            return line + b"".join(self.reply() for _ in range(int(line[1:])))
        return line


def ask(sock, request, replies=1):
    sock.sendall(request)
    reader = Reader(sock)
    return b"".join(reader.reply() for _ in range(replies))


def receive_all(sock):
    """Everything up to the end of the stream."""
    parts = []
    while part := sock.recv(65536):
        parts.append(part)
    return b"".join(parts)


class WithServer(unittest.TestCase):
    options = ("--threads", "2")

    def setUp(self):
        self.server = Server(*self.options)
        self.addCleanup(self.server.kill)

    def tearDown(self):
        # Whatever a test did to it: it ends in order, and a sanitizer has found nothing.
        if self.server.process.poll() is None:
            self.assertEqual(self.server.end(), (0, b"", b""))

    def expect(self, *pairs):
        """(request, reply): a request is a tuple of arguments; all on one connection."""
        with self.server.connect() as sock:
            for request, reply in pairs:
                self.assertEqual(ask(sock, array(*request)), reply, request)


class Commands(WithServer):
    def test_connection_commands(self):
        self.expect(
            (("PING",), b"+PONG\r\n"),
            (("ping", "hi"), b"$2\r\nhi\r\n"),
            (("PING", "a", "b"), b"-ERR wrong number of arguments for 'ping' command\r\n"),
            (("ECHO", b"\x00\r\n\xff"), b"$4\r\n\x00\r\n\xff\r\n"),
            (("ECHO",), b"-ERR wrong number of arguments for 'echo' command\r\n"),
            (("SELECT", "0"), b"+OK\r\n"),
            (("SELECT", "1"), b"-ERR DB index is out of range\r\n"),
            (("SELECT", "x"), b"-ERR value is not an integer or out of range\r\n"),
            (("COMMAND",), b"*0\r\n"),
            (("COMMAND", "DOCS"), b"*0\r\n"),
            (("CONFIG", "GET", "save"), b"*2\r\n$4\r\nsave\r\n$0\r\n\r\n"),
            (("config", "get", "appendonly"), b"*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n"),
            (("CONFIG", "GET", "nothing"), b"*0\r\n"),
            (("CONFIG", "GET"), b"-ERR wrong number of arguments for 'config|get' command\r\n"),
            (("CONFIG", "SET", "a", "b"),
             b"-ERR unknown subcommand 'SET'. Try CONFIG HELP.\r\n"),
            (("SHUTDOWN", "now!"), b"-ERR syntax error\r\n"),
        )

    def test_strings(self):
        self.expect(
            (("GET", "k"), b"$-1\r\n"),
            (("SET", "k", "v"), b"+OK\r\n"),
            (("GET", "k"), b"$1\r\nv\r\n"),
            (("SET", "k", b"\x00\r\n"), b"+OK\r\n"),
            (("GET", "k"), b"$3\r\n\x00\r\n\r\n"),
            (("SET", "k", "w", "NX"), b"$-1\r\n"),
            (("SET", "k", "w", "xx"), b"+OK\r\n"),
            (("SET", "new", "w", "XX"), b"$-1\r\n"),
            (("SET", "new", "w", "NX", "EX", "100"), b"+OK\r\n"),
            (("SET", "new", "w", "px", "5000000"), b"+OK\r\n"),
            (("EXISTS", "k", "k", "none"), b":2\r\n"),
            (("DBSIZE",), b":2\r\n"),
            (("TYPE", "k"), b"+string\r\n"),
            (("DEL", "k", "k", "new", "none"), b":2\r\n"),
            (("TYPE", "k"), b"+none\r\n"),
            (("", ""), b"-ERR unknown command '', with args beginning with: '' \r\n"),
            (("SET", "", ""), b"+OK\r\n"),
            (("GET", ""), b"$0\r\n\r\n"),
        )

    def test_set_options_that_are_wrong(self):
        syntax = b"-ERR syntax error\r\n"
        number = b"-ERR value is not an integer or out of range\r\n"
        invalid = b"-ERR invalid expire time in 'set' command\r\n"
        self.expect(
            (("SET", "k"), b"-ERR wrong number of arguments for 'set' command\r\n"),
            (("SET", "k", "v", "WHAT"), syntax),
            (("SET", "k", "v", "NX", "XX"), syntax),
            (("SET", "k", "v", "EX"), syntax),
            (("SET", "k", "v", "EX", "1", "PX", "1"), syntax),
            (("SET", "k", "v", "EX", "1.5"), number),
            (("SET", "k", "v", "EX", "9223372036854775808"), number),
            (("SET", "k", "v", "EX", "0"), invalid),
            (("SET", "k", "v", "PX", "-1"), invalid),
            (("SET", "k", "v", "EX", "9223372036854775807"), invalid),
            (("SET", "k", "v", "PX", "9223372036854775807"), invalid),
            (("GET", "k"), b"$-1\r\n"),
        )

    def test_counters(self):
        number = b"-ERR value is not an integer or out of range\r\n"
        overflow = b"-ERR increment or decrement would overflow\r\n"
        self.expect(
            (("INCR", "n"), b":1\r\n"),
            (("INCRBY", "n", "41"), b":42\r\n"),
            (("INCRBY", "n", "-2"), b":40\r\n"),
            (("DECR", "n"), b":39\r\n"),
            (("DECRBY", "n", "9"), b":30\r\n"),
            (("GET", "n"), b"$2\r\n30\r\n"),
            (("INCRBY", "n", "ten"), number),
            (("DECRBY", "n", "-9223372036854775808"), b"-ERR decrement would overflow\r\n"),
            (("SET", "n", "9223372036854775807"), b"+OK\r\n"),
            (("INCR", "n"), overflow),
            (("SET", "n", "-9223372036854775808"), b"+OK\r\n"),
            (("DECR", "n"), overflow),
            (("SET", "n", " 1"), b"+OK\r\n"),
            (("INCR", "n"), number),
        )

    def test_many_keys(self):
        self.expect(
            (("MSET", "a", "1", "b", "2"), b"+OK\r\n"),
            (("MGET", "a", "none", "b"), b"*3\r\n$1\r\n1\r\n$-1\r\n$1\r\n2\r\n"),
            (("MSET", "a", "1", "b"), b"-ERR wrong number of arguments for 'mset' command\r\n"),
            (("MSET",), b"-ERR wrong number of arguments for 'mset' command\r\n"),
            (("MGET",), b"-ERR wrong number of arguments for 'mget' command\r\n"),
            (("FLUSHALL", "later"), b"-ERR syntax error\r\n"),
            (("DBSIZE",), b":2\r\n"),
            (("FLUSHALL",), b"+OK\r\n"),
            (("DBSIZE",), b":0\r\n"),
        )

    def test_lists_are_another_type(self):
        wrong = b"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
        self.expect(
            (("RPUSH", "l", "b", "c"), b":2\r\n"),
            (("LPUSH", "l", "a"), b":3\r\n"),
            (("LLEN", "l"), b":3\r\n"),
            (("TYPE", "l"), b"+list\r\n"),
            (("GET", "l"), wrong),
            (("INCR", "l"), wrong),
            (("MGET", "l"), b"*1\r\n$-1\r\n"),
            (("LPOP", "l"), b"$1\r\na\r\n"),
            (("RPOP", "l"), b"$1\r\nc\r\n"),
            (("RPOP", "l"), b"$1\r\nb\r\n"),
            (("RPOP", "l"), b"$-1\r\n"),
            (("LLEN", "l"), b":0\r\n"),
            (("SET", "s", "v"), b"+OK\r\n"),
            (("LPUSH", "s", "v"), wrong),
            (("LPOP", "s"), wrong),
            (("LLEN", "s"), wrong),
        )

    def test_expiry(self):
        self.expect(
            (("TTL", "k"), b":-2\r\n"),
            (("EXPIRE", "k", "10"), b":0\r\n"),
            (("SET", "k", "v"), b"+OK\r\n"),
            (("TTL", "k"), b":-1\r\n"),
            (("EXPIRE", "k", "1000"), b":1\r\n"),
            (("EXPIRE", "k", "soon"), b"-ERR value is not an integer or out of range\r\n"),
            (("EXPIRE", "k", "9223372036854775807"),
             b"-ERR invalid expire time in 'expire' command\r\n"),
            (("EXPIRE", "k", "1", "NX"), b"-ERR Unsupported option NX\r\n"),
            (("EXISTS", "k"), b":1\r\n"),
            (("EXPIRE", "k", "-1"), b":1\r\n"),
            (("EXISTS", "k"), b":0\r\n"),
            (("SET", "k", "v", "PX", "1"), b"+OK\r\n"),
        )
        with self.server.connect() as sock:
            wait_until(lambda: ask(sock, array("GET", "k")) == b"$-1\r\n", "k to expire")
            for amount, option, request in ((100000, "EX", ("SET", "t", "v", "EX", "100000")),
                                            (100000, "PX", ("SET", "t", "v", "PX", "100000000")),
                                            (200000, "EXPIRE", ("EXPIRE", "t", "200000"))):
                ask(sock, array(*request))
                left = int(ask(sock, array("TTL", "t"))[1:])
                # Far more than any machine's delay, far less than a wrong unit would make of it.
                self.assertTrue(amount - 1000 <= left <= amount, (option, left))

    def test_expired_keys_go_without_being_asked_for(self):
        with self.server.connect() as sock:
            request = b"".join(array("SET", f"k{i}", "v", "PX", "1") for i in range(100))
            self.assertEqual(ask(sock, request, 100), b"+OK\r\n" * 100)
            wait_until(lambda: ask(sock, array("DBSIZE")) == b":0\r\n", "the sweep")
        self.assertEqual(self.server.info("expired_keys"), 100)

    def test_unknown_commands_quote_the_client_without_breaking_the_reply(self):
        self.expect(
            (("NOPE", "a", "b c"),
             b"-ERR unknown command 'NOPE', with args beginning with: 'a' 'b c' \r\n"),
            (("A\r\n+OK",), b"-ERR unknown command 'A  +OK', with args beginning with: \r\n"),
            (("X" * 200, "y" * 200),
             b"-ERR unknown command '" + b"X" * 128 + b"', with args beginning with: '"
             + b"y" * 128 + b"' \r\n"),
            (("PING",), b"+PONG\r\n"),
        )

    def test_info_counts(self):
        self.expect((("SET", "k", "v"), b"+OK\r\n"))
        self.assertEqual(self.server.info("tcp_port"), self.server.port)
        self.assertEqual(self.server.info("worker_threads"), 2)
        self.assertEqual(self.server.info("process_id"), self.server.process.pid)
        self.assertGreaterEqual(self.server.info("total_commands_processed"), 4)


class Protocol(WithServer):
    def expect_stream(self, sent, received):
        """Sends all and reads up to the close that the server has to make by itself."""
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

    def test_half_a_request_holds_up_nobody_else(self):
        with self.server.connect() as slow:
            slow.sendall(array("SET", "k", "v")[:-5])
            # More clients than workers: one of them shares the slow one's.
            for _ in range(4):
                self.expect((("PING",), b"+PONG\r\n"))
            slow.sendall(array("SET", "k", "v")[-5:])
            self.assertEqual(Reader(slow).reply(), b"+OK\r\n")

    def test_protocol_errors_are_told_and_close_the_connection(self):
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
        # INFO's own connection makes no error.
        self.assertEqual(self.server.info("protocol_errors"), 10)

    def test_requests_before_a_protocol_error_are_answered_those_after_it_are_not(self):
        self.expect_stream(
            array("SET", "k", "v") + b"*1\r\n!\r\n" + array("DEL", "k"),
            b"+OK\r\n-ERR Protocol error: expected '$', got '!'\r\n")
        self.expect((("GET", "k"), b"$1\r\nv\r\n"))

    def test_an_error_reply_survives_input_that_nobody_reads(self):
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
        requests = 5000  # 500 MB of replies if they were all made
        with self.server.connect() as sock:
            self.assertEqual(ask(sock, array("SET", "k", value)), b"+OK\r\n")
        before = self.server.peak_memory()
        with self.server.connect(receive_buffer=65536) as sock:
            sock.sendall(array("GET", "k") * requests)
            done = self.server.info("total_commands_processed")
            wait_until(lambda: self.server.info("total_commands_processed") > done + 10,
                       "the first requests to be executed")
            # The pause came long before the last request; and the client's reading ends it.
            for _ in range(50):
                self.expect((("PING",), b"+PONG\r\n"))
            self.assertLess(self.server.info("total_commands_processed"), requests)
            expected = b"$%d\r\n%s\r\n" % (len(value), value)
            reader = Reader(sock)
            for _ in range(requests):
                self.assertEqual(reader.reply(), expected)
        self.assertLess(self.server.peak_memory() - before, 64 * MIB)


class Clients(WithServer):
    options = ("--threads", "3")

    def test_threads_are_named(self):
        # A thread names itself, which is after it was started.
        expected = ["kvd-worker-0", "kvd-worker-1", "kvd-worker-2"]
        wait_until(lambda: self.server.worker_names() == expected, "the threads' names")

    def test_clients_that_vanish_leave_no_descriptor_behind(self):
        before = self.server.descriptors()
        self.expect((("SET", "k", "x" * 500000), b"+OK\r\n"))
        half = array("SET", "k", "value")[:-4]
        for round_number in range(60):
            sock = self.server.connect()
            if round_number % 3 == 0:
                sock.sendall(half)
            elif round_number % 3 == 1:
                sock.sendall(array("GET", "k") * 20)
            else:
                sock.sendall(b"*1\r\n!\r\n")
            if round_number % 2 == 0:
                # Close by reset.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
        wait_until(lambda: self.server.info("connected_clients") == 1, "the clients to be gone")
        wait_until(lambda: self.server.descriptors() == before, "the descriptors to be closed")
        self.expect((("GET", "k"), b"$500000\r\n" + b"x" * 500000 + b"\r\n"))

    def test_counts_of_concurrent_clients_add_up(self):
        def work():
            with self.server.connect() as sock:
                ask(sock, array("INCR", "n") * 500, 500)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.expect((("GET", "n"), b"$4\r\n4000\r\n"))


@unittest.skipUnless(shutil.which("redis-cli") and shutil.which("redis-benchmark"),
                     "redis-cli and redis-benchmark (Debian: redis-tools) are not installed")
class StockClients(WithServer):
    def cli(self, *arguments, stdin=None):
        result = subprocess.run(
            ["redis-cli", "-h", "127.0.0.1", "-p", str(self.server.port), *arguments],
            input=stdin, capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def benchmark(self, *arguments):
        result = subprocess.run(
            ["redis-benchmark", "-h", "127.0.0.1", "-p", str(self.server.port), "-n", "2000",
             "--csv", *arguments],
            capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = result.stdout.splitlines()
        self.assertTrue(rows[0].startswith('"test","rps"'), result.stdout)
        return [row.split(",")[0].strip('"') for row in rows[1:]]

    def test_redis_cli(self):
        self.assertEqual(self.cli("PING"), "PONG\n")
        self.assertEqual(self.cli("SET", "k", "a value"), "OK\n")
        self.assertEqual(self.cli("GET", "k"), "a value\n")
        self.assertEqual(self.cli("--no-raw", "GET", "none"), "(nil)\n")
        self.assertEqual(self.cli("--no-raw", "MGET", "k", "none"), '1) "a value"\n2) (nil)\n')
        self.assertEqual(self.cli("-x", "SET", "in", stdin="from stdin"), "OK\n")
        self.assertEqual(self.cli("GET", "in"), "from stdin\n")
        self.assertEqual(self.cli("NOPE"),
                         "ERR unknown command 'NOPE', with args beginning with: \n\n")
        self.assertEqual(self.cli(stdin="SET n 4\nINCR n\nQUIT\n"), "OK\n5\n")
        self.assertIn("errors: 0, replies: 1000",
                      self.cli("--pipe", stdin="SET k v\r\n" * 1000))

    def test_redis_benchmark(self):
        tests = ["PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "MSET (10 keys)"]
        self.assertEqual(self.benchmark("-t", "ping,set,get,incr,mset", "-c", "50"), tests)
        self.assertEqual(
            self.benchmark("-t", "ping,set,get,incr,mset", "-c", "50", "-P", "16"), tests)
        self.assertEqual(self.cli("GET", "counter:__rand_int__"), "4000\n")

    def test_redis_benchmark_with_large_values_and_many_keys(self):
        self.assertEqual(self.benchmark("-t", "set", "-d", "1000", "-r", "100"), ["SET"])
        self.assertEqual(len(self.cli("GET", "key:000000000007")), 1001)

    def test_redis_cli_ends_the_server(self):
        self.assertEqual(self.cli("SHUTDOWN", "NOSAVE"), "")
        self.assertEqual(self.server.end(None), (0, b"", b""))


class Ends(unittest.TestCase):
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

    def test_verbose_speaks_on_standard_error_only(self):
        code, out, err = self.start("--verbose", "--threads", "1").end()
        self.assertEqual((code, out), (0, b""))
        self.assertRegex(
            err.decode(),
            r"\Akvd: 1 worker threads serve 127\.0\.0\.1:\d+\n"
            r"kvd: ended after 0 connections, 0 keys held\n\Z")

    def test_the_port_is_free_again_at_once(self):
        # An address that nobody else on this machine uses, or the port could go to somebody else.
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
        server = self.start("--threads", "1", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (limit, limit)))
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
            result = subprocess.run([KVD, *options], capture_output=True, text=True,
                                    timeout=BOUND_S, check=False)
            self.assertEqual((result.returncode, result.stdout), (1, ""), options)
            self.assertIn(said, result.stderr)
            self.assertIn("\nkvd: remedy: ", "\n" + result.stderr)

    def test_help_is_on_standard_output(self):
        result = subprocess.run([KVD, "--help"], capture_output=True, text=True, timeout=BOUND_S,
                                check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("usage: kvd "))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: kvd_protocol_test.py KVD [unittest options]")
    KVD = os.path.abspath(sys.argv.pop(1))
    # Of a build with AddressSanitizer: what it keeps of freed memory would count as kvd's.
    os.environ["ASAN_OPTIONS"] = ":".join(
        [*filter(None, [os.environ.get("ASAN_OPTIONS")]), "quarantine_size_mb=1"])
    # What kvd traces stays until somebody reads it, and nobody does here. In memory, as in service.
    with tempfile.TemporaryDirectory(
            prefix="kvd-test.", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as directory:
        os.environ["RINGSIDE_SHM_DIR"] = directory
        unittest.main(verbosity=2)
