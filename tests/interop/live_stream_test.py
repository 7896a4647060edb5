#!/usr/bin/env python3
"""`ringcat -` shows what has come so far when the writer of the pipe pauses, in each format that streams."""

import os
import queue
import random
import signal
import subprocess
import threading
import unittest

from heph_packets import EPOCH_NS, epoch, event
from netlogger_messages import body, header
from random_traces import BOUND_S, SEEDS, RandomTrace, program, ringcat

FORMATS = ("ringtrace", "heph", "netlogger", "ulm", "nettrace", "trcbin", "trcxml", "ndjson", "chrome", "perfetto")


class Stream:
    """ringcat that reads a pipe whose writer is this process."""

    def __init__(self, *options):
        self.process = subprocess.Popen([program("ringcat"), *options, "-"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines, self.said = queue.Queue(), queue.Queue()
        self.readers = [threading.Thread(target=self.read, args=(stream, lines)) for stream, lines in
                        ((self.process.stdout, self.lines), (self.process.stderr, self.said))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(stream, lines):
        try:
            for line in stream:
                lines.put(line.decode())
        except ValueError:  # closed by the test
            pass

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self):
        """Waits for a line."""
        return self.lines.get(timeout=BOUND_S)

    def told(self, words):
        """Waits for a message with these words."""
        while words not in (line := self.said.get(timeout=BOUND_S)):
            pass
        return line

    def end(self):
        """The exit code, the other lines, and the messages."""
        self.process.stdin.close()
        return self.finish()

    def finish(self):
        code = self.process.wait(BOUND_S)
        for reader in self.readers:
            reader.join()
        return code, list(self.lines.queue), "".join(self.said.queue)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass


class LiveStream(unittest.TestCase):
    def test_each_format_is_shown_while_its_writer_pauses(self):
        for form in FORMATS:
            with self.subTest(form=form), RandomTrace(SEEDS[0], records=3000) as trace:
                data, _ = trace.converted(form)
                path = trace.path_of("converted." + form)
                code, output, _ = ringcat("--template", "{unix_ns} {level} {msg}", path)
                wanted = output.decode().splitlines(keepends=True)
                with Stream("--template", "{unix_ns} {level} {msg}") as stream:
                    middle = 2 * len(data) // 3
                    stream.write(data[:middle])
                    first = stream.line()
                    self.assertIn(first, wanted)
                    stream.write(data[middle:])
                    ended, rest, said = stream.end()
                self.assertEqual(sorted([first, *rest]), sorted(wanted))
                self.assertEqual(ended, code, said)

    def test_every_record_comes_as_it_is_written(self):
        with Stream("--template", "{msg}") as stream:
            stream.write(header(1, ["NL.EVNT", "n"], ["tick"]))
            for n in range(20):
                stream.write(body(1, [n], 3_000_000_000 + n))
                self.assertEqual(stream.line(), f"tick n={n}\n")
            self.assertEqual(stream.end(), (0, [], ""))

    def test_a_record_that_is_written_in_parts_comes_when_it_is_whole(self):
        with Stream("--template", "{msg}") as stream:
            stream.write(epoch() + event(1, 0, 10, "one") + event(1, 1, 20, "two")[:30])
            self.assertEqual(stream.line(), "one\n")
            stream.write(event(1, 1, 20, "two")[30:])
            self.assertEqual(stream.line(), "two\n")
            self.assertEqual(stream.end(), (0, [], ""))

    def test_the_format_is_recognised_by_what_has_come(self):
        with Stream("--template", "{utc} {msg}") as stream:
            stream.write(b"DATE=20200102030405.5 HOST=h PROG=p LVL=Info NL.EVNT=a\n")
            self.assertEqual(stream.line(), "2020-01-02T03:04:05.500000000Z a LVL=Info\n")
            self.assertEqual(stream.end(), (0, [], ""))

    def test_records_that_come_too_late_for_the_order_are_counted(self):
        with Stream("--template", "{msg}") as stream:
            stream.write(epoch() + event(1, 0, 1000, "late end"))
            self.assertEqual(stream.line(), "late end\n")
            stream.write(event(2, 0, 10, "early"))
            self.assertEqual(stream.line(), "early\n")
            code, rest, said = stream.end()
        self.assertEqual((code, rest), (0, []))
        self.assertIn("1 records arrived late, after newer ones were printed", said)

    def test_losses_and_threads_that_appear_later_are_shown(self):
        with Stream("--template", "{level} {thread_id} {msg}") as stream:
            stream.write(epoch() + event(1, 0, 10, "one"))
            self.assertEqual(stream.line(), "INFO 1 one\n")
            stream.write(event(2, 0, 20, "two") + event(1, 5, 30, "three"))
            self.assertEqual(stream.line(), "INFO 2 two\n")
            self.assertIn("LOST 1 4 records", stream.line())
            self.assertEqual(stream.line(), "INFO 1 three\n")
            self.assertEqual(stream.end(), (0, [], ""))

    def test_damage_is_reported_with_its_offset_after_what_came_before_it(self):
        good = epoch() + event(1, 0, 10, "one")
        with Stream("--template", "{msg}") as stream:
            stream.write(good)
            self.assertEqual(stream.line(), "one\n")
            stream.write(b"nonsense")
            code, rest, said = stream.end()
        self.assertEqual((code, rest), (1, []))
        self.assertIn(f"standard input:{len(good)}: not a packet", said)

    def test_a_signal_prints_what_has_come(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            with Stream("--template", "{msg}") as stream:
                stream.write(epoch() + event(1, 0, 10, "one"))
                self.assertEqual(stream.line(), "one\n")
                stream.process.send_signal(how)
                self.assertEqual(stream.finish(), (0, [], ""))

    def test_it_ends_with_the_reader_of_its_output_and_after_the_wanted_lines(self):
        with Stream("--template", "{msg}", "--head", "2") as stream:
            stream.write(epoch() + event(1, 0, 10, "one"))
            self.assertEqual(stream.line(), "one\n")
            stream.write(event(1, 1, 20, "two") + event(1, 2, 30, "three"))
            self.assertEqual(stream.finish(), (0, ["two\n"], ""))
        with subprocess.Popen([program("ringcat"), "--template", "{msg}", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdin.write(epoch() + event(1, 0, 10, "one"))
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"one\n")
            process.stdout.close()
            self.assertEqual(process.wait(BOUND_S), 0)

    def test_unknown_names_are_reported_without_an_end(self):
        with Stream("--template", "{msg}", "--where", "n > 1") as stream:
            stream.write(header(1, ["NL.EVNT", "m"], ["a"]) + body(1, [1]))
            stream.told("waiting for records that have it")
            stream.write(header(2, ["NL.EVNT", "n"], ["b"]) + body(2, [2]))
            self.assertEqual(stream.line(), "b n=2\n")
            self.assertEqual(stream.end()[:2], (0, []))

    def test_what_needs_all_records_still_gets_them(self):
        data = epoch() + event(1, 0, 1000, "late") + event(2, 0, 10, "early")
        with Stream("--template", "{msg}", "--tail", "2") as stream:
            stream.write(data[:-1])
            stream.write(data[-1:])
            self.assertEqual(stream.end(), (0, ["early\n", "late\n"], ""))
        # A file is sorted, also as standard input.
        with RandomTrace(SEEDS[0], records=500) as trace:
            trace.converted("heph")
            path = trace.path_of("converted.heph")
            with open(path, "rb") as file:
                done = ringcat("-", stdin=file)
            self.assertEqual(done, ringcat(path))

    def test_shown_records_do_not_keep_their_space_on_the_disk(self):
        with Stream("--template", "{field:n}") as stream:
            stream.write(header(1, ["NL.EVNT", "n", "t"], ["tick"]))
            rng = random.Random(SEEDS[0])
            blocks = []
            for _ in range(6):
                stream.write(b"".join(body(1, [n, rng.randbytes(120).hex()]) for n in range(10_000)))
                for n in range(10_000):
                    self.assertEqual(stream.line(), f"{n}\n")
                # It has been shown; its space is given back before more is read.
                stream.write(body(1, [-1, ""]))
                self.assertEqual(stream.line(), "-1\n")
                blocks.append(self.blocks_of(stream.process.pid))
            self.assertEqual(stream.end()[0], 0)
        # Each round has 2.4 MB of texts.
        self.assertLess(max(blocks), 2 << 20)

    @staticmethod
    def blocks_of(pid):
        """Bytes of unnamed files on the disk."""
        total = 0
        for entry in os.scandir(f"/proc/{pid}/fd"):
            try:
                if "ringside." in os.readlink(entry.path):
                    total += os.stat(entry.path).st_blocks * 512
            except OSError:
                pass
        return total


if __name__ == "__main__":
    unittest.main(verbosity=2)
