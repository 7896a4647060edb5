#!/usr/bin/env python3
"""`ringcat verify`: valid files pass, and each wrong block is found at its offset."""

import json
import os
import re
import shutil
import struct
import subprocess
import unittest

from trace_frames import FRAME_BYTES, Block, crc32c, frames
from traced_processes import BOUND_S, TestBed, program

OK, DAMAGED, USAGE, UNREADABLE = 0, 1, 2, 3
BYTES_APART = int(os.environ.get("RINGSIDE_TEST_BYTES_APART", "1"))
HEADER, DICTIONARY, EXTENT, CLOCK, SEQUENCE_POINT, END, STREAM, CALL_COSTS = 1, 2, 3, 4, 5, 9, 10, 15


def verify(*arguments):
    done = subprocess.run([program("ringcat"), "verify", *arguments], capture_output=True, text=True,
                          timeout=BOUND_S, check=False)
    return done.returncode, done.stdout, done.stderr


def block_bytes(kind, payload):
    head = b"RSBK" + struct.pack("<BBHI", kind, 1, 0, len(payload))
    return head + struct.pack("<I", crc32c(head, payload)) + payload


class VerifyCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with TestBed() as bed:
            service = bed.start_service("--threads", 2, "--records", 400, overflow="drop",
                                        ring_bytes=1 << 16, environment={"RINGSIDE_COST_SAMPLING": "4"})
            assert service.wait() == 0
            bed.run_consumer_once()
            with open(bed.traces()[0], "rb") as file:
                cls.data = file.read()
        cls.blocks = list(frames(cls.data))
        assert all(isinstance(block, Block) for block in cls.blocks)

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.path = os.path.join(self.bed.output_dir, "x.ringtrace")

    def verify_bytes(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        return verify(self.path)

    def changed(self, block, payload):
        """The file with another payload, validly framed, in place of the block's."""
        return (self.data[:block.offset] + block_bytes(block.type, bytes(payload))
                + self.data[block.end():])

    def first(self, kind):
        return next(block for block in self.blocks if block.type == kind)

    def assert_found(self, data, offset, what):
        status, told, _ = self.verify_bytes(data)
        self.assertEqual(status, DAMAGED, told)
        self.assertRegex(told, re.escape(f"{self.path}:{offset}: ") + what)

    def test_a_sound_file(self):
        status, told, complaint = self.verify_bytes(self.data)
        self.assertEqual((status, complaint), (OK, ""), told)
        self.assertRegex(told, r"x\.ringtrace: intact; 1 sections \(0 without END\), ")
        self.assertRegex(told, r" 0 missing, 0 bytes damaged")

    def test_a_file_that_is_still_written(self):
        for cut in (10, 100, 1000):
            status, told, _ = self.verify_bytes(self.data[:-cut])
            self.assertEqual(status, OK, told)
            self.assertIn("1 without END", told)

    def test_a_wrong_checksum(self):
        bad = bytearray(self.data)
        block = self.first(EXTENT)
        bad[block.offset + 40] ^= 1
        self.assert_found(bad, block.offset, "damaged")

    def test_an_extent_that_is_missing(self):
        extents = [block for block in self.blocks if block.type == EXTENT]
        streams = {}
        for block in extents:
            stream = struct.unpack_from("<Q", block.payload)[0]
            streams.setdefault(stream, []).append(block)
        # The sequence point reports records that no extent has.
        gone = max(streams.values(), key=len)[-1]
        status, told, _ = self.verify_bytes(self.data[:gone.offset] + self.data[gone.end():])
        self.assertEqual(status, DAMAGED)
        self.assertRegex(told, r"\d+ records of stream \d+ are missing|an END counts")

    def test_a_repeated_extent(self):
        block = self.first(EXTENT)
        twice = self.data[:block.end()] + self.data[block.offset:]
        self.assert_found(twice, block.end(), "stream .* goes back")

    def test_times_that_contradict_the_records(self):
        block = self.first(EXTENT)
        payload = bytearray(block.payload)
        largest = struct.unpack_from("<Q", payload, 32)[0]
        struct.pack_into("<Q", payload, 32, largest + 1)
        self.assert_found(self.changed(block, payload), block.offset, "the times of an extent's records")

    def test_invalid_records(self):
        block = self.first(EXTENT)
        payload = bytearray(block.payload)
        payload[64] = 0xF0
        self.assert_found(self.changed(block, payload), block.offset, "cannot decode an extent")

    def test_a_stream_without_a_name(self):
        block = self.first(STREAM)
        status, told, _ = self.verify_bytes(self.data[:block.offset] + self.data[block.end():])
        self.assertEqual(status, DAMAGED)
        self.assertIn("which has no STREAM block", told)

    def test_an_end_that_miscounts(self):
        block = self.first(END)
        payload = bytearray(block.payload)
        payload[0] ^= 1
        self.assert_found(self.changed(block, payload), block.offset, "an END counts")

    def test_impossible_costs_of_log_calls(self):
        block = self.first(CALL_COSTS)
        payload = bytearray(block.payload)
        struct.pack_into("<I", payload, 24, 0)
        self.assert_found(self.changed(block, payload), block.offset, "a CALL_COSTS block is invalid")

    def test_an_invalid_dictionary(self):
        block = self.first(DICTIONARY)
        payload = bytearray(block.payload)
        payload[0] ^= 1
        self.assert_found(self.changed(block, payload), block.offset, "damaged dictionary")

    def index_of(self, **lies):
        """A valid INDEX block for the file, and an END that points to it."""
        end = self.first(END)
        own, largest, points, metadata, smallest = end.offset, 0, [], [], (1 << 64) - 1
        for block in self.blocks:
            if block.type in (CLOCK, DICTIONARY, STREAM):
                metadata.append(block.offset)
            if block.type == EXTENT:
                smallest = min(smallest, struct.unpack_from("<Q", block.payload, 24)[0])
                largest = max(largest, struct.unpack_from("<Q", block.payload, 32)[0])
            if block.type == SEQUENCE_POINT:
                points.append((block.offset, struct.unpack_from("<Q", block.payload)[0], largest))
        values = {"own": own, "smallest": smallest, "largest": largest, "metadata": metadata,
                  "points": points, **lies}
        if "before" in lies:
            values["points"] = [(*point[:2], lies["before"]) for point in points]
        index = struct.pack("<QQQIIII", values["own"], values["smallest"], values["largest"],
                            len(values["metadata"]), 0, len(values["points"]), 0)
        index += b"".join(struct.pack("<Q", offset) for offset in values["metadata"])
        index += b"".join(struct.pack("<QQQ", *point) for point in values["points"])
        index = block_bytes(8, index)
        distance = struct.pack("<Q", values.get("distance", len(index)))
        return self.data[:end.offset] + index + block_bytes(END, end.payload[:24] + distance)

    def test_a_wrong_index(self):
        status, told, _ = self.verify_bytes(self.index_of())
        self.assertEqual(status, OK, told)
        status, told, _ = self.verify_bytes(self.index_of(points=[]))
        self.assertEqual(status, OK, told)
        offset = self.first(END).offset
        for lie, what in (({"own": 1}, "an INDEX has the wrong offset of itself"),
                          ({"smallest": 1}, "the times of an INDEX"),
                          ({"largest": 1}, "the times of an INDEX"),
                          ({"metadata": []}, "an INDEX does not list all CLOCK"),
                          ({"before": 0}, "an INDEX lists a sequence point that does not exist"),
                          ({"points": [(1, 2, 3)]}, "an INDEX lists a sequence point that does not exist")):
            self.assert_found(self.index_of(**lie), offset, what)
        status, told, _ = self.verify_bytes(self.index_of(distance=5))
        self.assertEqual(status, DAMAGED)
        self.assertIn("an END does not point to an INDEX", told)

    def test_a_wrong_sequence_point(self):
        block = next(block for block in self.blocks
                     if block.type == SEQUENCE_POINT and len(block.payload) > 16)
        for number in (0, 1 << 40):
            payload = bytearray(block.payload)
            struct.pack_into("<Q", payload, 24, number)
            self.assert_found(self.changed(block, payload), block.offset,
                              "a sequence point has stream|.* are missing")

    def test_for_programs(self):
        bad = bytearray(self.data)
        block = self.first(EXTENT)
        bad[block.offset + 40] ^= 1
        with open(self.path, "wb") as file:
            file.write(bad)
        status, told, _ = verify("--format", "json", self.path)
        self.assertEqual(status, DAMAGED)
        lines = [json.loads(line) for line in told.splitlines()]
        self.assertEqual((lines[0]["file"], lines[0]["offset"]), (self.path, block.offset))
        self.assertEqual(lines[-1]["files"], 1)
        self.assertFalse(lines[-1]["sound"])
        self.assertEqual(lines[-1]["counts"]["damaged_bytes"], block.end() - block.offset)
        self.assertGreater(lines[-1]["counts"]["findings"], 0)

    @unittest.skipUnless(shutil.which("zstd"), "zstd is not installed (apt-get install zstd)")
    def test_a_packed_file(self):
        with open(self.path, "wb") as file:
            file.write(self.data)
        packed = self.path + ".zst"
        subprocess.run(["zstd", "-q", self.path, "-o", packed], check=True)
        status, told, _ = verify(packed)
        self.assertEqual(status, OK, told)
        with open(packed, "r+b") as file:
            file.seek(os.path.getsize(packed) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 0x55]))
        self.assertEqual(verify(packed)[0], DAMAGED)

    def test_every_byte_counts(self):
        """On a small file: a flipped byte is found; a cut end is damage only in a file with an END."""
        small = os.path.join(self.bed.work_dir, "small.ringtrace")
        example = os.path.join(os.environ["RINGSIDE_TEST_GOLDEN"], "1.0", "worked_example.ringtrace")
        with open(example, "rb") as file:
            data = file.read()
        for place in range(0, len(data), BYTES_APART):
            bad = bytearray(data)
            bad[place] ^= 0xFF
            with open(small, "wb") as file:
                file.write(bad)
            status, told, _ = verify(small)
            # The last block can look unfinished when its length is what is wrong.
            allowed = (DAMAGED,) if not 306 <= place < 322 else (DAMAGED, OK)
            self.assertIn(status, allowed, f"byte {place}: {told}")
            with open(small, "wb") as file:
                file.write(data[:place])
            self.assertEqual(verify(small)[0], OK, f"cut at {place}")

    def test_unreadable_files(self):
        self.assertEqual(verify()[0], USAGE)
        self.assertEqual(verify("--nonsense", self.path)[0], USAGE)
        self.assertEqual(verify(self.path)[0], UNREADABLE)
        empty = os.path.join(self.bed.work_dir, "logs")
        status, _, complaint = verify(empty)
        self.assertEqual(status, UNREADABLE)
        self.assertIn("no trace files found", complaint)
        for foreign in (b"nothing of the kind", b"ringo\n"):
            status, _, complaint = self.verify_bytes(foreign)
            self.assertEqual(status, UNREADABLE)
            self.assertIn("not a Ringside trace", complaint)


if __name__ == "__main__":
    unittest.main(verbosity=2)
