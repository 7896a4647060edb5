"""Many clients, clients that disappear, and the stock Redis clients."""

import shutil
import socket
import struct
import subprocess
import threading
import unittest

from kvd_service import BOUND_S, WithServer, wait_until
from resp_client import array, ask


class Clients(WithServer):
    options = ("--threads", "3")

    def test_threads_are_named(self):
        # A thread names itself only after it has started.
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
                # Closes by reset.
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
