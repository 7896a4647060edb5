#!/usr/bin/env python3
"""The program ringcat: every option at least once, and its messages about wrong ones."""

import os
import pty
import shutil
import signal
import subprocess
import tempfile
import time
import unicodedata
import unittest

RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]
WRITE_TRACE = os.environ["RINGSIDE_TEST_WRITE_ORDERS_TRACE"]
OK, DAMAGED, USAGE, UNREADABLE = 0, 1, 2, 3

LINES = [
    "2025-11-20 21:35:16.000000001 orders.cpp:100 INFO [1001 main] order 1 filled at 100.25 side B",
    "2025-11-20 21:35:17.000000001 orders.cpp:100 INFO [1001 main] order 2 filled at 99.50 side S",
    "2025-11-20 21:35:18.000000001 orders.cpp:100 INFO [1001 main] order -3 filled at 101.00 side B",
    "2025-11-20 21:35:19.000000001 queues.cpp:110 WARNING [1001 main] queue length 7",
    "2025-11-20 21:35:20.000000001 queues.cpp:110 WARNING [1001 main] queue length 18446744073709551615",
    "2025-11-20 21:35:21.000000001 net.cpp:120 ERROR [1001 main] connection lost",
    "2025-11-20 21:35:23.000000001 -:0 LOST [1002 worker-2] 12 records: the ring was full",
]
LOSS = 6


class RingcatTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.trace = os.path.join(cls.directory.name, "orders.ringtrace")
        subprocess.run([WRITE_TRACE, cls.trace], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def ringcat(self, *arguments, environment=None, cwd=None):
        return subprocess.run([RINGCAT, *arguments], capture_output=True, timeout=60, check=False,
                              cwd=cwd, env={**os.environ, "TZ": "UTC", **(environment or {})})

    def lines(self, *arguments):
        done = self.ringcat("--utc", *arguments, self.trace)
        self.assertEqual((done.returncode, done.stderr), (OK, b""))
        return done.stdout.decode(errors="surrogateescape").splitlines()

    def numbers(self, *arguments):
        """The numbers of the printed lines among all lines, without losses."""
        return [int(line[17:19]) - 16 for line in self.lines(*arguments, "--no-losses")
                if line.startswith("2025")]

    def refusal(self, *arguments, status=USAGE):
        done = self.ringcat(*arguments)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()


class Filters(RingcatTest):
    def test_all_records_without_options(self):
        self.assertEqual(self.lines()[:7], LINES)
        self.assertEqual(self.lines("--threads", "1"), self.lines("--threads", "3"))
        self.assertEqual(self.numbers(), [0, 1, 2, 3, 4, 5, 7, 8, 9])

    def test_times(self):
        self.assertEqual(self.lines("--since", "2025-11-20T21:35:18Z", "--until", "@1763674521"), LINES[2:5])
        self.assertEqual(self.lines("--since=2025-11-20 21:35:23", "--until", "2025-11-20 21:35:23.000000002", "--level", "error"), [LINES[LOSS]])
        self.assertEqual(self.lines("--since", "-5m"), [])
        for command in ([], ["agg", "order"], ["slice", "-o", "/nonexistent/out"]):
            said = self.refusal(*command, "--since", "now", "--until", "-5m", self.trace)
            self.assertIn("--since: 'now' must be before --until '-5m'", said)
        self.assertEqual(self.numbers("--until", "now", "--since", "2025-11-20T22:35:25+01:00"), [9])

    def test_local_time(self):
        done = self.ringcat("--until", "2025-11-20 23:35:17", self.trace, environment={"TZ": "XYZ-2"})
        self.assertEqual(done.stdout.decode(), LINES[0].replace(" 21:", " 23:") + "\n")

    def test_levels(self):
        self.assertEqual(self.numbers("--level", "warning"), [3, 4, 5])
        self.assertEqual(self.numbers("--level", "WARNING+"), [3, 4, 5])
        self.assertEqual(self.numbers("--level", "trace"), [0, 1, 2, 3, 4, 5, 7, 8, 9])

    def test_categories(self):
        self.assertEqual(self.numbers("--category", "orders"), [0, 1, 2])
        self.assertEqual(self.numbers("--category", "q*", "--category", "orders"), [0, 1, 2, 3, 4])

    def test_sites(self):
        for glob in ("queues.cpp", "src/queues.cpp", "queues.cpp:110", "src/q*:110", "queue length", "*length %lu"):
            with self.subTest(glob=glob):
                self.assertEqual(self.numbers("--site", glob), [3, 4])
        self.assertEqual(self.numbers("--site", "site"), [0, 1, 2, 3, 4, 5, 7, 8, 9])

    def test_threads_and_services(self):
        self.assertEqual(self.numbers("--thread", "1002"), [7, 8, 9])
        self.assertEqual(self.lines("--thread", "main"), LINES[:6])
        self.assertEqual(self.numbers("--thread", "work*"), [7, 8, 9])
        self.assertEqual(self.lines("--service", "sh?p"), self.lines())

    def test_grep(self):
        self.assertEqual(self.numbers("--grep", "^connection (lost|found)$"), [5])
        self.assertEqual(self.numbers("--grep", "filled at 1[0-9]{2}"), [0, 2])
        self.assertEqual(self.numbers("--grep", r"filled at 1\d\d\b"), [0, 2])
        self.assertEqual(self.numbers("--grep", "INFO"), [], "only the message is searched")

    def test_where(self):
        self.assertEqual(self.numbers("--where", 'price > 100 && side == "B"'), [0, 2])
        self.assertEqual(self.numbers("--where", "level >= ERROR || msg =~ 'length 7'"), [3, 5])

    def test_filters_join(self):
        self.assertEqual(self.numbers("--where", "price > 100", "--grep", "order 1 "), [0])
        self.assertEqual(self.numbers("--where", "true", "--level", "error", "--thread", "main"), [5])

    def test_losses_are_shown_unless_excluded(self):
        self.assertEqual(self.lines("--level", "error"), LINES[5:7])
        self.assertEqual(self.lines("--level", "error", "--no-losses"), [LINES[5]])

    def test_statements_whose_types_do_not_match_are_named_once(self):
        done = self.ringcat("--utc", "--no-losses", "--where", "side > 5", self.trace)
        self.assertEqual((done.returncode, done.stdout), (OK, b""))
        self.assertRegex(done.stderr.decode(), r'^ringcat: --where: src/orders.cpp:100 "order .*" never matches: '
                                               r'at character 6: cannot compare a text with a number; [^\n]*\n$')


class Amount(RingcatTest):
    def test_head(self):
        for threads in ("1", "3"):
            self.assertEqual(self.lines("--head", "2", "--threads", threads), LINES[:2])
        self.assertEqual(self.lines("--head", "0"), [])
        self.assertEqual(self.lines("--head", "99"), self.lines())
        self.assertEqual(self.lines("--head", "1", "--level", "error"), [LINES[5]], "of the requested ones")

    def test_tail(self):
        self.assertEqual(self.lines("--tail", "2", "--until", "2025-11-20 21:35:20"), LINES[2:4])
        self.assertEqual(self.lines("--tail", "0"), [])
        self.assertEqual(self.lines("--tail", "99"), self.lines())

    def test_head_and_tail_exclude_each_other(self):
        self.assertIn("excludes", self.refusal("--head", "1", "--tail", "1", self.trace))
        self.assertIn("--tail", self.refusal("--tail", "x", self.trace))


class Follow(RingcatTest):
    def follow(self, *arguments, path):
        return subprocess.Popen([RINGCAT, "--utc", "-f", *arguments, path], stdout=subprocess.PIPE, bufsize=0,
                                stderr=subprocess.PIPE, env={**os.environ, "TZ": "UTC"})

    def grown(self, name):
        """A file with the first half of the trace, and the bytes that follow later."""
        with open(self.trace, "rb") as file:
            data = file.read()
        half = data.rindex(b"RSBK", 0, data.rindex(b"RSBK"))
        path = os.path.join(self.directory.name, name)
        with open(path, "wb") as file:
            file.write(data[:half])
        return path, data[half:]

    def end(self, process):
        """Sends Ctrl-C; returns the rest of the output."""
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (OK, b""))
        return output.decode(errors="surrogateescape").splitlines()

    def test_continues_with_what_is_written_until_a_signal(self):
        path, rest = self.grown("grows")
        with self.follow(path=path) as process:
            first = [process.stdout.readline().decode() for _ in range(6)]
            self.assertEqual("".join(first).splitlines(), LINES[:6])
            with open(path, "ab") as file:
                file.write(rest)
            self.assertEqual(process.stdout.readline().decode().rstrip("\n"), LINES[LOSS])
            self.assertEqual(self.end(process), self.lines()[7:])

    def test_tail_counts_what_is_there_and_head_ends_it(self):
        path, rest = self.grown("tail")
        with self.follow("--tail", "1", "--level", "error", path=path) as process:
            self.assertEqual(process.stdout.readline().decode().rstrip("\n"), LINES[5])
            with open(path, "ab") as file:
                file.write(rest)
            self.assertEqual(process.stdout.readline().decode().rstrip("\n"), LINES[LOSS])
            self.assertEqual(self.end(process), [])
        with self.follow("--head", "2", path=path) as process:
            output, _ = process.communicate(timeout=60)
            self.assertEqual((process.returncode, output.decode().splitlines()), (OK, LINES[:2]))

    def test_tail_counts_what_is_there_in_the_files_before_the_one_that_is_written(self):
        directory = os.path.join(self.directory.name, "rotated")
        os.mkdir(directory)
        shutil.copy(self.trace, os.path.join(directory, "a.ringtrace"))
        with open(self.trace, "rb") as source, open(os.path.join(directory, "b.ringtrace"), "wb") as file:
            data = source.read()
            file.write(data[:data.index(b"RSBK", 1)])
        with self.follow("--tail", "1", path=directory) as process:
            self.assertEqual(process.stdout.readline().decode(errors="surrogateescape").rstrip("\n"), self.lines()[-1])
            self.assertEqual(self.end(process), [])

    def test_ends_when_its_reader_has_ended(self):
        with self.follow("--head", "1000", path=self.trace) as process:
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(60), OK)

    def test_requires_existing_paths(self):
        self.assertIn("/nonexistent", self.refusal("-f", "/nonexistent", status=UNREADABLE))
        self.assertIn("excludes", self.refusal("-f", "--segment", self.trace))


class Terminal(RingcatTest):
    YELLOW = "queues.cpp:110 \x1b[33mWARNING\x1b[0m [1001 main] queue length 7"

    def on_terminal(self, *arguments, environment=None):
        """ringcat's output on a terminal."""
        ours, theirs = pty.openpty()
        variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        process = subprocess.Popen([RINGCAT, *arguments, self.trace], stdin=theirs, stdout=theirs, stderr=theirs,
                                   env={**variables, "TERM": "xterm", **(environment or {})})
        os.close(theirs)
        output = read_terminal(ours)
        self.assertEqual(process.wait(60), OK)
        return output

    def test_levels_have_colours_on_a_terminal_alone(self):
        self.assertIn(self.YELLOW, self.on_terminal())
        self.assertIn("\x1b[35mLOST\x1b[0m", self.on_terminal())
        for level, code in (("INFO", None), ("DEBUG", "2"), ("NOTICE", "36"), ("ERROR", "31")):
            shown = level if code is None else f"\x1b[{code}m{level}\x1b[0m"
            self.assertIn(f" {shown} [", self.on_terminal())
        self.assertNotIn("\x1b[33m", "".join(self.lines()))

    def test_colours_can_be_turned_on_and_off(self):
        self.assertIn(self.YELLOW, "".join(self.lines("--color", "always")))
        self.assertIn(self.YELLOW, "".join(self.lines("--color", "always", "--threads", "1")))
        self.assertNotIn("\x1b[33m", self.on_terminal("--color", "never"))
        self.assertNotIn("\x1b[33m", self.on_terminal(environment={"NO_COLOR": "1"}))
        self.assertNotIn("\x1b[33m", self.on_terminal(environment={"TERM": "dumb"}))
        self.assertIn(self.YELLOW, self.on_terminal(environment={"NO_COLOR": ""}))
        self.assertIn("--color", self.refusal("--color", "sometimes", self.trace))

    def test_csv_is_shown_to_a_terminal_and_left_alone_elsewhere(self):
        csv = ("--format", "csv", "--columns", "level,msg")
        self.assertIn("\\x1b[31mred", self.on_terminal(*csv))
        self.assertIn("\x1b[31mred", "\n".join(self.lines(*csv)))

    def test_a_progress_bar_shows_over_long_work(self):
        large = os.path.join(self.directory.name, "large")
        subprocess.run([WRITE_TRACE, large, "400000"], check=True)
        ours, theirs = pty.openpty()
        # The pipe is full until it is read: ringcat cannot end before that.
        with subprocess.Popen([RINGCAT, large], stdout=subprocess.PIPE, stderr=theirs) as process:
            os.close(theirs)
            first = process.stdout.read(1)
            time.sleep(1.2)
            output = first + process.stdout.read()
            shown = read_terminal(ours)
            self.assertEqual(process.wait(60), OK)
        self.assertEqual(output.count(b"connection lost"), 400001)
        self.assertRegex(shown, r"\[#*-*\] +[0-9]+ %, ")
        self.assertTrue(shown.endswith("\r\x1b[K"), "and is removed")


def read_terminal(ours):
    """Everything written to the other end of a pseudo-terminal until it closes; closes this end."""
    output = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # EIO: the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(ours)
    return output.decode(errors="replace")


class WrongInput(RingcatTest):
    def test_messages_contain_no_control_sequences(self):
        name = b"a\x1b[2J\x07\xc2\x9b31m\x9b\nb.ringtrace"
        path = os.path.join(os.fsencode(self.directory.name), name)
        shutil.copy(self.trace, path)
        missing = path + b".not"
        with open(path + b".bad", "wb") as file:
            file.write(b"RSBK\x1b[2J" * 100)
        for command in ("print", "stats", "verify", "agg", "pack", "unpack", "slice", "merge",
                        "repair"):
            output = ["-o", "/nowhere/x"] if command in ("slice", "merge", "repair") else []
            group = ["--by", "thread"] if command == "agg" else []
            for file in (path, path + b".bad", missing):
                done = self.ringcat(command, *output, *group, file)
                said = (done.stdout + done.stderr).decode()
                self.assertEqual([c for c in said if c not in "\n\t" and unicodedata.category(c) == "Cc"],
                                 [], (command, file, said))
        done = self.ringcat("--segment", path)
        self.assertEqual(done.returncode, UNREADABLE)
        self.assertRegex(done.stderr, rb"^ringcat: [ -~]*\\x1b[ -~]*\n$")

    def test_wrong_options_are_explained(self):
        for arguments, said in ((("--grep", "(", self.trace), r"^ringcat: --grep: invalid regular expression '\('"),
                                (("--since", "soon", self.trace), r"^ringcat: --since: invalid time 'soon'; use "),
                                (("--until", "25:00", self.trace), r"^ringcat: --until: invalid time '25:00'"),
                                (("--level", "loud", self.trace), r"^ringcat: --level: invalid level 'loud'; use one of"),
                                (("--where", "a >", self.trace), r"^ringcat: --where: at character 4 of 'a >'"),
                                (("--threads", "0", self.trace), "--threads"),
                                (("--head", "-3", self.trace), "^ringcat: --head: '-3' is not an integer of at least 0; ringcat --help shows the usage\n$"),
                                (("--head", "3x", self.trace), "^ringcat: --head: '3x' is not an integer"),
                                (("--head", "99999999999999999999", self.trace), "^ringcat: --head: '9+' is not an integer"),
                                (("--nonsense", self.trace), "--nonsense"),
                                ((), "PATH")):
            with self.subTest(arguments=arguments):
                self.assertRegex(self.refusal(*arguments), said)

    def test_what_cannot_be_read_is_named(self):
        empty = os.path.join(self.directory.name, "empty")
        os.makedirs(empty, exist_ok=True)
        foreign = os.path.join(empty, "foreign")
        with open(foreign, "w", encoding="ascii") as file:
            file.write("no trace")
        for path, what in (("/nonexistent", "cannot be opened: No such file or directory"),
                           (empty, "no trace files found"), (foreign, "not a trace"), ("/etc/passwd", "not a trace")):
            for command in ("print", "stats"):
                with self.subTest(path=path, command=command):
                    self.assertRegex(self.refusal(command, path, status=UNREADABLE), f"^ringcat: {path}: {what}; ")

    def test_damage_is_skipped_and_reported(self):
        with open(self.trace, "rb") as file:
            data = bytearray(file.read())
        data[data.index(b"RSBK", data.index(b"worker-2")) + 40] ^= 1
        path = os.path.join(self.directory.name, "damaged")
        with open(path, "wb") as file:
            file.write(data)
        done = self.ringcat("--utc", path)
        self.assertEqual(done.returncode, DAMAGED)
        self.assertRegex(done.stderr.decode(), r"bytes in 1 places could not be read")

    def test_a_truncated_file_is_not_damage(self):
        with open(self.trace, "rb") as file:
            data = file.read()
        path = os.path.join(self.directory.name, "truncated")
        with open(path, "wb") as file:
            file.write(data[:-60])
        self.assertEqual(self.ringcat(path).returncode, OK)

    def test_help_and_version(self):
        for arguments in (("--help",), ("print", "--help"), ("--version",)):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.ringcat(*arguments).returncode, OK)
        said = self.ringcat("--help").stdout.decode()
        for word in ("Exit status", "Subcommands", "--where", "--since"):
            self.assertIn(word, said)

    def test_a_file_called_like_a_subcommand(self):
        with open(self.trace, "rb") as source, open(os.path.join(self.directory.name, "print"), "wb") as target:
            target.write(source.read())
        done = self.ringcat("--utc", "./print", cwd=self.directory.name)
        self.assertEqual(done.stdout.decode(errors="replace").splitlines()[0], LINES[0])
        self.assertEqual(self.ringcat("print", cwd=self.directory.name).returncode, USAGE)

    def printing_commands(self):
        for options in ([], ["--format", "json"], ["--format", "csv", "--columns", "time,msg"], ["--to", "ndjson"], ["--to", "chrome"],
                        ["print"], ["stats"], ["stats", "--format", "json"], ["agg", "text:*"], ["agg", "text:*", "--format", "csv"],
                        ["hist", "order", "--field", "price"], ["verify"], ["verify", "--format", "json"], ["inspect"],
                        ["inspect", "--json"]):
            yield [RINGCAT, *options, self.trace]
        for options in (["--help"], ["--version"], ["stats", "--help"], ["agg", "--help"], ["hist", "--help"], ["verify", "--help"],
                        ["inspect", "--help"], ["pack", "--help"], ["slice", "--help"]):
            yield [RINGCAT, *options]

    def test_a_closed_output_pipe_is_not_a_failure(self):
        for command in self.printing_commands():
            read_end, write_end = os.pipe()
            os.close(read_end)
            try:
                done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, timeout=60, check=False)
            finally:
                os.close(write_end)
            self.assertEqual(done.returncode, OK, command)
            self.assertNotIn(b"cannot write", done.stderr, command)

    def test_output_that_cannot_be_written(self):
        for command in self.printing_commands():
            with open("/dev/full", "wb") as full:
                done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual(done.returncode, UNREADABLE, command)
            self.assertRegex(done.stderr, rb"cannot write: No space left", command)


if __name__ == "__main__":
    unittest.main(verbosity=2)
