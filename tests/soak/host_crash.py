"""The files after a machine crash: trace files that end anywhere, and neither segments nor staging files.

Everything whole before a cut is read, and nothing else. The exit status says whether something is missing. consumerd starts
again beside such files and leaves them alone."""

import bisect
import os
import struct
import subprocess

from checked_output import Output, print_and_check
from steady_load import Load
from traced_processes import BOUND_S, TestBed, program, wait_until

MAGIC, FRAME_BYTES = b"RSBK", 16
EXTENT = 3


class WholeBlocks:
    """Where the blocks of a trace file end, and how many records of each stream they hold."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.image = file.read()
        self.ends, self.extents = [0], []
        at = 0
        while self.image[at:at + 4] == MAGIC and at + FRAME_BYTES <= len(self.image):
            end = at + FRAME_BYTES + struct.unpack_from("<I", self.image, at + 8)[0]
            if end > len(self.image):
                break
            if self.image[at + 4] == EXTENT:
                stream = struct.unpack_from("<Q", self.image, at + FRAME_BYTES)[0]
                count = struct.unpack_from("<I", self.image, at + FRAME_BYTES + 40)[0]
                self.extents.append((end, stream, count))
            self.ends.append(end)
            at = end

    def whole_until(self, cut, zeros):
        """The end of the last block that the cut leaves whole. A block that ends in zeros stays whole if they are lost."""
        place = bisect.bisect_right(self.ends, cut)
        if zeros and place < len(self.ends) and not any(self.image[cut:self.ends[place]]):
            return self.ends[place]
        return self.ends[place - 1]

    def count_records(self, wanted, end):
        """Adds the records before `end` to the counts `wanted` by stream."""
        for extent_end, stream, count in self.extents:
            if extent_end <= end:
                wanted[stream] = wanted.get(stream, 0) + count


def expected_remark(rest):
    """ringcat's exit status and words for the bytes after the last whole block (trace-format/README.md)."""
    if not any(rest):
        return 0, None  # nothing, or space that was allocated ahead
    payload_bytes = struct.unpack_from("<I", rest, 8)[0] if len(rest) >= FRAME_BYTES else 0
    if len(rest) < FRAME_BYTES + payload_bytes:
        return 0, "the file ends inside a block"
    return 1, "bytes in 1 places could not be read"


def decode(paths):
    """The result of ringcat and the checker for the files: counts, ringcat's exit status, its remarks."""
    lines = subprocess.run([program("ringcat"), "--utc", *paths], capture_output=True, check=False,
                           timeout=BOUND_S)
    checked = subprocess.run([program("check_output")], input=lines.stdout, capture_output=True,
                             check=False, timeout=BOUND_S)
    remarks = lines.stderr.decode(errors="replace")
    assert checked.returncode == 0, f"{checked.stderr.decode(errors='replace')}\n{remarks}"
    values = dict(line.split("=") for line in checked.stdout.decode().split())
    return Output(values), lines.returncode, remarks


def write(path, image):
    with open(path, "wb") as file:
        file.write(image)


class HostCrash:
    """Adds to `counts`: cuts made, and records checked in what they left."""

    def __init__(self, dice, counts, cuts=24):
        self.dice, self.counts, self.cuts = dice, counts, cuts

    def run(self):
        with TestBed() as bed:
            self.crash(bed)
            traces = sorted(bed.traces(), key=lambda path: int(path.split(".")[-2]))
            files = [WholeBlocks(path) for path in traces]
            for number in range(self.cuts):
                self.check_cut(traces, files, self.choose_cut(files[-1]), zeros=number % 3 == 2)
            self.check_lost_middle(traces, files)
            self.start_again(bed, traces, files[-1])

    def crash(self, bed):
        """Services and consumerd die in the same instant, and the memory of the machine is lost."""
        load = Load(bed, 0, 3, "--burst", 60, "--pause-us", 3000)
        consumer = bed.start_consumer("--rotate-bytes", "96K", "--io", self.dice.choice(("auto", "pwrite")))
        wait_until(lambda: self.newest_is_under_way(bed), "a few files, the newest with records of all")
        consumer.kill()
        load.process.kill()
        for name in bed.shm_names():
            os.unlink(os.path.join(bed.shm_dir, name))
        for path in bed.traces():
            if path.endswith(".new"):  # it holds nothing from a ring
                os.unlink(path)

    @staticmethod
    def newest_is_under_way(bed):
        traces = [path for path in bed.traces() if not path.endswith(".new")]
        newest = max(traces, key=lambda path: int(path.split(".")[-2]), default=None)
        return len(traces) >= 3 and os.path.getsize(newest) > 12 << 10

    def choose_cut(self, file):
        """Chooses any byte; the ends of blocks more often than others."""
        if self.dice.random() < 0.5:
            near = self.dice.choice(file.ends) + self.dice.randrange(-2, FRAME_BYTES + 2)
            return min(max(near, 0), len(file.image))
        return self.dice.randrange(len(file.image) + 1)

    def check_cut(self, traces, files, cut, zeros):
        """The newest file ends at `cut`, or continues with zeros that were allocated but never written."""
        last = files[-1]
        image = last.image[:cut] + (bytes(len(last.image) - cut) if zeros else b"")
        write(traces[-1], image)
        what = f"cut at {cut} of {len(last.image)}{', zeros after it' if zeros else ''}"
        whole = last.whole_until(cut, zeros)
        status, remark = expected_remark(image[whole:])
        wanted = {}
        for file in files[:-1]:
            file.count_records(wanted, len(file.image))
        last.count_records(wanted, whole)
        output, told_status, remarks = decode(traces)
        found = sorted(output.records_of.values())
        assert found == sorted(wanted.values()), f"{what}: {found} of {wanted} were read"
        assert output.lost == 0, f"{what}: {output.lost} are reported lost"
        assert told_status == status, f"{what}: ringcat ended with {told_status}: {remarks}"
        if remark:
            assert remark in remarks, f"{what}: {remarks}"
        elif remarks:  # even the file's first blocks are missing
            in_last = {}
            last.count_records(in_last, whole)
            assert not in_last and remarks.count("\n") == 1 and "contains no readable trace" in remarks, f"{what}: {remarks}"
        self.counts["host crashes: files cut"] += 1
        self.counts["records checked"] += output.records

    def check_lost_middle(self, traces, files):
        """An older file was cut, too: the records missing in between are counted, and the exit status says so."""
        write(traces[-1], files[-1].image)
        older, newest_streams = files[-2], {stream for _, stream, _ in files[-1].extents}
        cut = self.dice.choice(older.ends[len(older.ends) // 2:-1])
        write(traces[-2], older.image[:cut])
        missing = sum(count for end, stream, count in older.extents
                      if end > cut and stream in newest_streams)
        output, status, remarks = decode(traces)
        what = f"an older file cut at {cut}"
        assert output.lost == missing, f"{what}: {output.lost} reported missing, {missing} are"
        assert status == (1 if missing else 0), f"{what}: ringcat ended with {status}: {remarks}"
        assert not missing or "records are missing" in remarks, f"{what}: {remarks}"
        write(traces[-2], older.image)
        self.counts["host crashes: older files cut"] += 1
        self.counts["records checked"] += output.records

    def start_again(self, bed, traces, last):
        """After the machine has restarted: consumerd drains new services beside the remains."""
        write(traces[-1], last.image[:self.choose_cut(last)])
        before = [WholeBlocks(path).image for path in traces]
        load = Load(bed, 100, 2, "--burst", 50)
        consumer = bed.start_consumer()
        load.advance()
        load.stop()
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)
        assert "error" not in consumer.stderr(), consumer.stderr()
        assert [WholeBlocks(path).image for path in traces] == before, "the remains were changed"
        output = print_and_check(*[path for path in bed.traces() if path not in traces])
        assert output.records_of == load.expected(), (output.records_of, load.expected())
        self.counts["host crashes: consumerd started again"] += 1
        self.counts["records checked"] += output.records
