#!/usr/bin/env python3
"""Files of every released version of the format are always read the same: lines, events, exit status; by ringcat, by the
reader library, and by the independent reader; rotated and packed files too."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from golden_states import of_json, stated_by
from trace_dump import dump_line
from trace_extent import KIND_CONTEXT
from trace_reader import Loss, TraceFile, in_order
from traced_processes import BOUND_S, program

FOLDER = os.path.dirname(os.path.abspath(__file__))
STATUS_DAMAGED = 1
COLUMN_MAGIC = b"RSCF"


def golden_files():
    """Files, and directories whose files are one trace."""
    for version in sorted(os.listdir(FOLDER)):
        if re.fullmatch(r"[\d.]+", version):
            for name in sorted(os.listdir(os.path.join(FOLDER, version))):
                path = os.path.join(FOLDER, version, name)
                if name.endswith(".ringtrace") or os.path.isdir(path):
                    yield path


def beside(path, suffix):
    return path.removesuffix(".ringtrace") + suffix


def files_of(path):
    return [path] if os.path.isfile(path) else [os.path.join(path, name)
                                                for name in sorted(os.listdir(path))]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def restored(path):
    if path.endswith(".ringtrace"):
        return read(path)
    content = run("zstd", "-dc", path).stdout
    if COLUMN_MAGIC not in content:
        return content
    with tempfile.TemporaryDirectory(prefix="ringside-golden-") as folder:
        copy = shutil.copy(path, folder)
        assert run(program("ringcat"), "unpack", copy).returncode == 0
        return read(copy.removesuffix(".zst"))


def is_context(event):
    return not isinstance(event, Loss) and event.site.kind == KIND_CONTEXT


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=BOUND_S, check=False)


class GoldenFiles(unittest.TestCase):
    def test_there_are_some_of_the_first_version(self):
        names = [os.path.relpath(path, FOLDER) for path in golden_files()]
        self.assertGreater(len([name for name in names if name.startswith("1.0")]), 5)

    def test_lines(self):
        for path in golden_files():
            with self.subTest(path):
                done = run(program("ringcat"), "--utc", "--raw", path)
                self.assertEqual(done.stdout, read(beside(path, ".txt")))
                damaged = os.path.basename(path).startswith("damaged")
                self.assertEqual(done.returncode, STATUS_DAMAGED if damaged else 0, done.stderr)

    def test_events(self):
        for path in golden_files():
            with self.subTest(path):
                dump = run(program("dump_trace"), path).stdout
                files = [TraceFile(restored(file)) for file in files_of(path)]
                # A context is shown with other records only.
                independent = [dump_line(*event) for event in in_order(files) if not is_context(event[2])]
                self.assertEqual(dump.decode().splitlines(), independent)
                expected = beside(path, ".events")
                if os.path.exists(expected):
                    self.assertEqual(dump, read(expected))

    def test_what_was_collected(self):
        files = [path for path in golden_files() if os.path.exists(beside(path, ".states"))]
        self.assertTrue(files)
        for path in files:
            with self.subTest(path):
                done = run(program("ringcat"), "collected", "--format", "json", path)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(done.stdout.decode().splitlines(), read(beside(path, ".states")).decode().splitlines())
                (section,) = TraceFile(read(path)).sections
                self.assertEqual(stated_by(section), [of_json(json.loads(line)) for line in done.stdout.splitlines()])

    def test_what_log_calls_took(self):
        path = os.path.join(FOLDER, "1.8", "measured.ringtrace")
        done = run(program("ringcat"), "stats", "--format", "json", path)
        (stated,) = json.loads(done.stdout)["call_costs"]
        (expected,) = json.loads(read(beside(path, ".costs")))
        self.assertEqual(set(stated), set(expected))
        for name, value in expected.items():
            if isinstance(value, float):  # the last bit is up to the compiler
                self.assertAlmostEqual(stated[name], value, places=6, msg=name)
            else:
                self.assertEqual(stated[name], value, name)
        (section,) = TraceFile(read(path)).sections
        newest = max(section.call_costs, key=lambda costs: costs.until)
        calls = sum(newest.calls.values())
        self.assertEqual((stated["calls_measured"], stated["calls_waited"], stated["one_in"]), (calls, newest.waited, newest.one_in))
        self.assertEqual(stated["until_unix_ns"], section.unix_ns(newest.until))
        self.assertAlmostEqual(stated["mean_ns"], newest.ticks / calls / section.header.tick_hz * 1e9, places=6)
        last = max(newest.calls)
        end_of_last = (4 + (last + 1) % 4) << ((last + 1) // 4 - 1)
        self.assertAlmostEqual(stated["max_ns"], end_of_last / section.header.tick_hz * 1e9, places=6)

    def test_files_before_1_3_do_not_state_what_was_collected(self):
        for path in golden_files():
            if os.path.relpath(path, FOLDER).split(os.sep)[0] in ("1.0", "1.1", "1.2"):
                with self.subTest(path):
                    done = run(program("ringcat"), "collected", "--format", "json", path)
                    self.assertEqual(done.stdout, b"")

    def test_columns_restore_the_bytes(self):
        # They depend on the encoder's choices: if these change, files with columns can no longer be read.
        packed = os.path.join(FOLDER, "1.4", "columns", "random.ringtrace.zst")
        self.assertEqual(restored(packed), read(os.path.join(FOLDER, "1.0", "random.ringtrace")))

    def test_each_rotated_file_alone(self):
        for path in golden_files():
            if os.path.basename(path) == "rotated":
                alone = [run(program("ringcat"), "--utc", "--raw", file) for file in files_of(path)]
                self.assertEqual(b"".join(done.stdout for done in alone), read(beside(path, ".txt")))
                self.assertTrue(all(done.stdout for done in alone))
                verified = run(program("ringcat"), "verify", path)
                self.assertEqual((verified.returncode, verified.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
