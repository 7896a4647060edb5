"""A fleet whose sink inserts into ClickHouse, and what ringcat says about the originals."""

import hashlib
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from running_clickhouse import RunningClickHouse  # noqa: E402
from shipped_traces_test import Fleet  # noqa: E402
from traced_processes import BOUND_S, program, wait_until  # noqa: E402

# The rows without those that come again and are not merged yet.
TOTALS = ("SELECT count(), uniqExact(segment, stream, sequence), "
          "sum(halfMD5(concat(toString(time_ns), '|', service, '|', host, '|', toString(sequence), '|', toString(level), '|', "
          "message, '|', toString(ifNull(duration_ns, toUInt64(0)))))) FROM records FINAL")
# The view has each record once, too.
COUNTED = "SELECT sum(records) FROM statement_minutes FINAL"


def events_of(*paths, may_miss=False):
    """All events as ringcat prints them; `may_miss`: files are missing, so that ringcat complains."""
    done = subprocess.run([program("ringcat"), "--format", "json", *paths], capture_output=True, text=True, timeout=BOUND_S,
                          check=False)
    assert done.returncode == 0 or may_miss, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def records_of(events):
    return [event for event in events if event["kind"] != "loss"]


def losses_of(events):
    return [event for event in events if event["kind"] == "loss"]


def totals_of(records):
    """What TOTALS must say."""
    total = 0
    for record in records:
        text = "|".join([str(record["unix_ns"]), record["service"], record.get("host", ""), str(record["sequence"]),
                         record["level"], record["msg"], str(record.get("duration_ns", 0))])
        total += int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "big")
    return [str(len(records)), str(len(records)), str(total % (1 << 64))]


def ringsink(*arguments):
    return subprocess.run([program("ringsink"), *map(str, arguments)], capture_output=True, text=True, timeout=BOUND_S,
                          check=False)


class ClickHouseFleet(Fleet):
    SINKS = 2

    def __init__(self, bed, is_old):
        super().__init__(bed)
        self.clickhouse = RunningClickHouse(os.path.join(bed.work_dir, "clickhouse"), is_old)
        for done in (subprocess.run([program("ringship"), "init", "--server", self.url], capture_output=True, text=True,
                                    timeout=BOUND_S, check=False), self.init()):
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done

    def close(self):
        self.clickhouse.kill()

    def init(self, *arguments):
        return ringsink("init", "--clickhouse", self.clickhouse.url, *arguments)

    def sink_command(self, *arguments):
        return [program("ringsink"), "--server", self.url, "--clickhouse", self.clickhouse.url, "--flush-ms", "200",
                "--ack-wait-ms", "3000", *arguments]

    def start_sink(self):
        self.sink = [self.bed.start(self.sink_command()) for _ in range(self.SINKS)]

    def kill(self, which):
        if which == "clickhouse":
            self.clickhouse.kill()
            assert self.clickhouse.start(), self.clickhouse.log()
        elif which == "sink":
            process = self.sink.pop(0)
            process.kill()
            self.bed.processes.remove(process)
            self.sink.append(self.bed.start(self.sink_command()))
        else:
            super().kill(which)

    def ship_rest(self):
        done = self.bed.start(self.ship_command("--once"))
        assert done.wait() == 0, done.stderr()

    def insert_rest(self, is_complete=lambda: True):
        """What the sink said. A message that a killed process had comes again after some time."""
        said = ""
        for _ in range(8):
            sink = self.bed.start(self.sink_command("--until-idle-s", "4"))
            assert sink.wait() == 0, sink.stderr()
            said += sink.stderr()
            if is_complete():
                break
        return said

    def stop(self):
        for process in [self.shipper, *self.sink]:
            process.send(signal.SIGTERM)
            # 3: what it had could not be inserted in time; by the signal itself, if it has only just begun.
            assert process.wait() in (0, 3, -signal.SIGTERM), process.stderr()
