#!/usr/bin/env python3
"""Invalid conversions are refused with a message, and failures during a conversion are reported."""

import os
import resource
import signal
import struct
import subprocess
import tempfile
import unittest

from random_traces import RandomTrace, ringcat

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "nettrace", "s02_all_flag_bytes.nettrace")
REAL = os.path.join(HERE, "nettrace", "mixed_managed_external_samples.nettrace")


def bounded(limit, value):
    """For a child: sets one limit, and ignores the signal for exceeding it."""
    def bound():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(limit, (value, value))
    return bound


class Misuse(unittest.TestCase):
    def test_options_without_effect_are_refused(self):
        for options, name in ((("--to", "csv", "--format", "json"), "--format"),
                              (("--to", "csv", "--template", "{msg}"), "--template"),
                              (("--to", "csv", "--columns", "msg"), "--columns"),
                              (("--to", "csv", "--utc"), "--utc"),
                              (("--to", "csv", "--raw"), "--raw"),
                              (("--to", "csv", "--color", "always"), "--color"),
                              (("--force",), "--force"),
                              (("-o", "file"), "-o")):
            code, output, said = ringcat(*options, SAMPLE)
            self.assertEqual((code, output), (2, b""), options)
            self.assertIn(name, said)

    def test_invalid_ports_are_refused(self):
        for port in ("65536", "70000", "4294967376", "99999999999999999999", "-1", "+80", " 80"):
            for command in (("--to", "csv", "-o", f"tcp://127.0.0.1:{port}", SAMPLE),
                            ("--listen", f"tcp://127.0.0.1:{port}", "--from", "netlogger")):
                code, output, said = ringcat(*command)
                self.assertNotEqual(code, 0, command)
                self.assertEqual(output, b"")
                self.assertIn(f"invalid port '{port}'", said)

    def test_standard_input_is_read_once(self):
        with open(SAMPLE, "rb") as file:
            code, output, said = ringcat("-", "-", stdin=file)
        self.assertEqual((code, output), (2, b""))
        self.assertIn("once", said)

    def test_a_file_of_a_directory_that_is_a_trace_names_the_directory(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            trace = os.path.join(directory, "trace.ctf")
            self.assertEqual(ringcat("--to", "ctf", "-o", trace, SAMPLE)[0], 0)
            names = sorted(os.listdir(trace))
            self.assertIn("metadata", names)
            for name in names:
                path = os.path.join(trace, name)
                code, output, said = ringcat(path)
                self.assertEqual((code, output, said), (
                    3, b"", f"ringcat: {path}: a file of a trace that is a directory; give '{trace}/'\n"))
                code, _, said = ringcat(name, cwd=trace)
                self.assertEqual((code, said), (
                    3, f"ringcat: {name}: a file of a trace that is a directory; give '.'\n"))
            # Other files beside a trace are what they are.
            beside = os.path.join(trace, "own.ringtrace")
            self.assertEqual(ringcat("--to", "ringtrace", "-o", beside, SAMPLE)[0], 0)
            self.assertEqual(ringcat(beside)[0], 0)

    def test_input_that_cannot_be_read_is_reported(self):
        for command in ((), ("inspect",)):
            folder = os.open(HERE, os.O_RDONLY)
            try:
                code, output, said = ringcat(*command, "-", stdin=folder)
            finally:
                os.close(folder)
            self.assertEqual((code, output), (2 if command else 3, b""))
            self.assertIn("reading failed: Is a directory", said)

    def test_many_files_are_read_as_far_as_the_system_lets_them(self):
        code, output, said = ringcat("--format", "csv", *[SAMPLE] * 100,
                                     preexec_fn=lambda: resource.setrlimit(
                                         resource.RLIMIT_NOFILE,
                                         (20, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
        self.assertEqual(code, 0, said)
        self.assertGreater(len(output.splitlines()), 25600)
        # UBSan uses a pipe to check whether memory is readable: without descriptors it takes objects for invalid.
        code, output, said = ringcat(*[SAMPLE] * 100, preexec_fn=bounded(resource.RLIMIT_NOFILE, 20),
                                     env={**os.environ, "UBSAN_OPTIONS": "halt_on_error=0"})
        self.assertEqual((code, output), (3, b""))
        self.assertIn("ulimit -n", said)

    def test_output_that_fails_is_reported(self):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "out")
            with RandomTrace(1, records=30_000) as trace:
                for to in ("csv", "perfetto", "nettrace", "speedscope", "ctf"):
                    code, _, said = ringcat("--to", to, "-o", path, trace.path,
                                            preexec_fn=bounded(resource.RLIMIT_FSIZE, 8192))
                    self.assertEqual((code, "File too large" in said), (3, True), (to, said))
                    self.assertEqual(os.listdir(directory), [], to)
            code, _, said = ringcat(REAL, preexec_fn=bounded(resource.RLIMIT_FSIZE, 8192))
            self.assertEqual((code, "File too large" in said), (3, True), said)
            for command in (("inspect", "--json"), ("inspect", "--csv"), ("--to", "csv")):
                with open("/dev/full", "wb") as full:
                    done = subprocess.run([os.environ["RINGSIDE_TEST_RINGCAT"], *command, REAL],
                                          stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 3)
                self.assertIn(b"No space left", done.stderr)


    def test_counting_without_disk_space_is_reported(self):
        with open(os.path.join(HERE, "nettrace", "s00_empty.nettrace"), "rb") as file:
            data = file.read()[:-1]
        events = struct.pack("<HHQQ", 20, 1, 0, 2**64 - 1) + b"\0\1" * 1_000_000
        for kind, body in ((b"EventBlock", events), (b"SPBlock", struct.pack("<QI", 1, 0))):
            data += b"\5\5\1" + struct.pack("<III", 2, 2, len(kind)) + kind + b"\6"
            data += struct.pack("<I", len(body))
            data += bytes(-len(data) % 4) + body + b"\6"
        with tempfile.NamedTemporaryFile(prefix="ringside-test-", suffix=".nettrace") as file:
            file.write(data + b"\1")
            file.flush()
            code, output, said = ringcat("inspect", file.name)
            self.assertEqual((code, b"1000000" in output), (0, True), said)
            code, output, said = ringcat("inspect", file.name,
                                         preexec_fn=bounded(resource.RLIMIT_FSIZE, 8192))
            self.assertEqual((code, "File too large" in said), (3, True), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
