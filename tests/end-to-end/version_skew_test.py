#!/usr/bin/env python3
"""Services, consumerd, tools and files of other versions meet those of this build: they work together, or are refused with a
message that names what to do; never silently wrong. The other version is a number that the test changes in shared memory or
in a file. tests/release/ does the same with two builds.

usage: version_skew_test.py SOURCE_ROOT"""

import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import urllib.request

from checked_output import print_and_check
from metrics_test import free_port
from segment_counters import RING_METADATA_KIND, VERSION_OFFSET, regions_of
from steady_load import Load
from trace_blocks import HEADER, blocks
from traced_processes import BOUND_S, TestBed, program, wait_until

SOURCE_ROOT = None
STAGING_VERSION_OFFSET = 8
CONSUMER_POS_PLACE = 426  # field_offsets in the header of a segment
PAGE_WITH_MESSAGES = "docs/how-to/upgrade.md"


def read_word(path, offset=VERSION_OFFSET):
    with open(path, "rb") as file:
        file.seek(offset)
        return struct.unpack("<I", file.read(4))[0]


def write_word(path, value, offset=VERSION_OFFSET):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(struct.pack("<I", value))


def text_of(version):
    return f"{version >> 16}.{version & 0xFFFF}"


def documented(message):
    """The page shows this message, with other names and numbers."""
    with open(os.path.join(SOURCE_ROOT, PAGE_WITH_MESSAGES), encoding="utf-8") as file:
        page = file.read()
    plain = re.sub(r"/\S+/ringside[.-]\S*|\d+\.\d+", "*", message)
    return plain in re.sub(r"/\S+/ringside[.-]\S*|\d+\.\d+", "*", page)


def run(name, *arguments):
    return subprocess.run([program(name), *map(str, arguments)], capture_output=True, text=True, timeout=BOUND_S, check=False)


def metrics_at(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=BOUND_S) as answer:
        return answer.read().decode()


class Skew(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def segment(self, service):
        (name,) = self.bed.segments(service + ".")
        return os.path.join(self.bed.shm_dir, name)

    def expect_everything(self, *loads):
        output = print_and_check(*self.bed.traces(), bound_s=300)
        expected = {}
        for load in loads:
            expected.update(load.expected())
        self.assertEqual((output.records_of, output.lost), (expected, 0))
        self.assertEqual(self.bed.shm_names(), [])


class Segments(Skew):
    def test_another_minor_version_is_served(self):
        for change in (1, 50, -1, -5):
            with self.subTest(change):
                load = Load(self.bed, 0, 2, "--burst", 300)
                path = self.segment("load0")
                version = read_word(path) + change
                write_word(path, version)
                consumer = self.bed.start_consumer("--rotate-bytes", "1M")
                load.advance()
                self.assertEqual(run("ringctl", "flush", "--shm-dir", self.bed.shm_dir).returncode, 0)
                doctor = run("ringctl", "doctor", "--shm-dir", self.bed.shm_dir).stdout
                self.assertIn(f"version: ABI {text_of(version)}\n", doctor)
                self.assertEqual("its library is newer than this tool" in doctor, change > 0, doctor)
                self.assertIn("load0", run("ringstat", "--once", "--interval", "50ms", "--shm-dir", self.bed.shm_dir).stdout)
                load.stop()
                self.bed.wait_until_segments_are_gone()
                self.bed.stop_consumer(consumer)
                self.assertNotIn("error", consumer.stderr())
                self.expect_everything(load)
                shutil.rmtree(self.bed.output_dir)
                os.mkdir(self.bed.output_dir)

    def test_another_major_version_is_refused_and_disturbs_no_service(self):
        for change in (1, -1):
            with self.subTest(change):
                self.refuse_major(change)
                shutil.rmtree(self.bed.output_dir)
                os.mkdir(self.bed.output_dir)

    def refuse_major(self, change):
        strange, usual = (Load(self.bed, first, 2, "--burst", 300) for first in (0, 10))
        path = self.segment("load0")
        own = read_word(path)
        other = own + change * (1 << 16)
        write_word(path, other)
        port = free_port()
        consumer = self.bed.start_consumer("--metrics", f"127.0.0.1:{port}")
        wait_until(lambda: "draining" in consumer.stderr(), "the usual segment to be adopted")
        usual.advance()
        message = (f"consumerd: error: {path} has ABI version {text_of(other)}, this consumerd supports version {text_of(own)}; "
                   "use the consumerd of the service's release\n")
        wait_until(lambda: message in consumer.stderr(), "the refusal")
        self.assertTrue(documented(message), message)
        # The figures are updated every second.
        wait_until(lambda: re.search(r"\nringside_segments_refused_total [1-9]", metrics_at(port)), "the refusal in the metrics")
        for tool in (("ringctl", "list"), ("ringctl", "flush"), ("ringctl", "doctor"), ("ringstat", "--once", "--interval", "50ms")):
            done = run(*tool, "--shm-dir", self.bed.shm_dir)
            self.assertRegex(done.stdout + done.stderr, rf"has ABI version {text_of(other)}\b.* this tool supports {text_of(own)};", tool)
            self.assertNotEqual(done.returncode, 0, tool)
        salvaged = run("ringcat", "--segment", path)
        self.assertNotEqual(salvaged.returncode, 0)
        self.assertIn(f"ABI version {text_of(other)}", salvaged.stderr)
        # Nothing was touched: a consumerd of the right version finds everything.
        self.bed.stop_consumer(consumer)
        write_word(path, own)
        successor = self.bed.start_consumer()
        wait_until(lambda: successor.stderr().count("draining") == 2, "both segments to be adopted")
        for load in (strange, usual):
            load.advance()
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(successor)
        self.expect_everything(strange, usual)

    def test_a_single_run_lists_what_it_refuses(self):
        load = Load(self.bed, 0, 1, "--burst", 100)
        path = self.segment("load0")
        own = read_word(path)
        write_word(path, own + (1 << 16))
        consumer = self.bed.start_consumer("--once")
        self.assertEqual(consumer.wait(), 1)
        self.assertRegex(consumer.stderr(), rf"not drained: .*{re.escape(path)} has ABI version")
        write_word(path, own)
        consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.expect_everything(load)


class Staging(Skew):
    def test_a_staging_file_of_another_version_waits_for_its_consumerd(self):
        load = Load(self.bed, 0, 2, "--burst", 300)
        consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        wait_until(lambda: max(self.positions()) > 0, "the first records to be taken")
        consumer.kill()
        (name,) = [name for name in self.bed.shm_names() if name.startswith("ringside-staging.")]
        staging = os.path.join(self.bed.shm_dir, name)
        write_word(staging, 2, STAGING_VERSION_OFFSET)
        with open(staging, "rb") as file:
            before = file.read()
        taken = self.positions()
        older = self.bed.start_consumer()
        message = f"staging file {staging} cannot be read by this version; recover it with the consumerd version that created it\n"
        wait_until(lambda: message in older.stderr(), "the refusal")
        self.assertTrue(documented("consumerd: error: " + message), message)
        time.sleep(0.3)  # it must not take the segment in the meantime
        self.assertNotIn("draining", older.stderr())
        older.send(signal.SIGTERM)
        older.wait()
        with open(staging, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(self.positions(), taken)
        write_word(staging, 1, STAGING_VERSION_OFFSET)
        newer = self.bed.start_consumer()
        wait_until(lambda: "draining" in newer.stderr(), "the segment to be adopted")
        load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(newer)
        self.expect_everything(load)

    def positions(self):
        """The consumer's position of each ring."""
        with open(self.segment("load0"), "rb") as file:
            (stride, offset, size), = [region[1:] for region in regions_of(file) if region[0] == RING_METADATA_KIND]
            file.seek(CONSUMER_POS_PLACE)
            place = struct.unpack("<H", file.read(2))[0]
            found = []
            for ring in range(min(size // stride, 4)):
                file.seek(offset + ring * stride + place)
                found.append(struct.unpack("<Q", file.read(8))[0])
        return found


class Traces(Skew):
    """Files as a later version of the format could write them."""

    def setUp(self):
        super().setUp()
        sys.path.insert(0, os.path.join(SOURCE_ROOT, "tests", "independent-reader"))
        from trace_frames import crc32c  # the checksum as specified
        self.crc32c = crc32c
        self.path = shutil.copy(os.path.join(SOURCE_ROOT, "tests", "golden", "1.6", "spans.ringtrace"), self.bed.work_dir)
        with open(self.path, "rb") as file:
            self.data = file.read()
        self.lines = run("ringcat", "--utc", "--raw", self.path).stdout
        self.assertGreater(len(self.lines.splitlines()), 5)

    def frame(self, kind, payload, flags=0):
        front = b"RSBK" + struct.pack("<BBHI", kind, 1, flags, len(payload))
        return front + struct.pack("<I", self.crc32c(front, payload)) + payload

    def write(self, version, reader, added=b""):
        (kind, offset, payload), *_ = blocks(self.path)
        self.assertEqual((kind, offset), (HEADER, 0))
        header = struct.pack("<HHHH", *version, *reader) + payload[8:]
        path = os.path.join(self.bed.work_dir, "other.ringtrace")
        with open(path, "wb") as file:
            file.write(self.frame(HEADER, header) + added + self.data[16 + len(payload):])
        return path

    def test_unknown_parts_of_a_newer_file_are_skipped(self):
        done = run("ringcat", "--utc", "--raw", self.write((1, 99), (1, 0), self.frame(200, b"of another release")))
        self.assertEqual((done.returncode, done.stdout), (0, self.lines), done.stderr)

    def test_a_file_that_requires_a_newer_reader_is_refused(self):
        for version, reader in (((1, 99), (1, 98)), ((2, 0), (2, 0))):
            path = self.write(version, reader)
            done = run("ringcat", path)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("the section has format {}.{} and requires a reader of format {}.{}, this reader supports ".format(*version, *reader),
                          done.stderr)
            self.assertIn("use a newer ringcat", done.stderr)
            # Beside a file that can be read, too.
            done = run("ringcat", "--utc", "--raw", path, self.path)
            self.assertEqual((done.returncode, done.stdout), (1, self.lines))
            self.assertIn("use a newer ringcat", done.stderr)

    def test_an_unknown_part_without_which_the_rest_is_wrong_stops_the_reader(self):
        done = run("ringcat", self.write((1, 99), (1, 0), self.frame(200, b"of another release", flags=1)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("newer ringcat", done.stderr)


if __name__ == "__main__":
    SOURCE_ROOT = sys.argv.pop(1)
    unittest.main(verbosity=2)
