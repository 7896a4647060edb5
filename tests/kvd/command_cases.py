"""The reply of each command, and its effect on the store."""

from kvd_service import WithServer, wait_until
from resp_client import array, ask


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
                # Far more than any machine's delay, far less than the effect of a wrong unit.
                self.assertTrue(amount - 1000 <= left <= amount, (option, left))

    def test_expired_keys_are_removed_without_a_request(self):
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
