"""The tracers that kvd is built with: their setup while kvd is measured, and the resulting trace.

Usage of each:
    with tracer.around(folder) as surroundings:      # a new, empty folder
        ... kvd runs with surroundings.environment ...
        surroundings.served(kvd_pid)                 # waits until the consumer has found kvd
        surroundings.pids()                          # of the processes that trace
        surroundings.finish(count)                   # kvd has ended: Trace(bytes, lost, records)
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from processes import Process, ProcessError, wait_until


@dataclass
class Trace:
    size: int = 0
    lost: int | None = 0        # None if it cannot be known
    records: int | None = None  # None if not counted


def size_of(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


@dataclass
class Surroundings:
    """The surroundings of a kvd that does not trace."""
    environment: dict = field(default_factory=dict)

    def served(self, kvd_pid):
        pass

    def pids(self):
        return []

    def finish(self, count):  # pylint: disable=unused-argument
        return Trace()


class Untraced:
    name = "none"

    def missing(self):
        return None

    @contextlib.contextmanager
    def around(self, _folder):
        yield Surroundings()


class RingsideSurroundings(Surroundings):
    def __init__(self, ringcat, consumerd, shm, trace):
        super().__init__({"RINGSIDE_SHM_DIR": shm})
        self.ringcat, self.consumerd, self.shm, self.trace = ringcat, consumerd, shm, trace

    def served(self, kvd_pid):
        pattern = re.compile(rf"/ringside\.[^/]*\.{kvd_pid}\.")
        maps = Path(f"/proc/{self.consumerd.pid}/maps")
        self.consumerd.wait_until(lambda: pattern.search(maps.read_text(encoding="utf-8")),
                                  "consumerd serves kvd's segment")

    def pids(self):
        return [self.consumerd.pid]

    def finish(self, count):
        self.consumerd.wait_until(lambda: not list(Path(self.shm).glob("ringside.kvd*")),
                                  "consumerd has drained kvd's segment", 60)
        self.consumerd.stop()
        trace = Trace(size_of(self.trace))
        text = subprocess.Popen([self.ringcat, self.trace], stdout=subprocess.PIPE)
        kept = subprocess.run(["grep", "-cwv", "LOST"] if count else ["grep", "-w", "LOST"], stdin=text.stdout,
                              capture_output=True, text=True, check=False)
        text.stdout.close()
        if text.wait() != 0:
            raise ProcessError(f"ringcat found damage or missing records in {self.trace}")
        if count:
            trace.records = int(kept.stdout)
        else:
            trace.lost = sum(int(n) for n in re.findall(r"\] (\d+) records?: ", kept.stdout))
        return trace


class Ringside:
    name = "ringside"

    def __init__(self, consumerd, ringcat):
        self.consumerd, self.ringcat = str(consumerd), str(ringcat)

    def missing(self):
        absent = [path for path in (self.consumerd, self.ringcat) if not os.access(path, os.X_OK)]
        return f"{' and '.join(absent)} not built" if absent else None

    @contextlib.contextmanager
    def around(self, folder):
        trace = str(folder / "trace")
        os.mkdir(trace)
        with tempfile.TemporaryDirectory(prefix="ringside-integration.", dir="/dev/shm") as shm, \
                Process([self.consumerd, "--output", trace, "--shm-dir", shm], folder / "consumerd.log") as consumerd:
            yield RingsideSurroundings(self.ringcat, consumerd, shm, trace)


class SpdlogSurroundings(Surroundings):
    def __init__(self, file):
        super().__init__({"KVD_LOG_FILE": str(file)})
        self.file = file

    def finish(self, count):
        trace = Trace(self.file.stat().st_size)
        if count:
            with open(self.file, "rb") as file:
                trace.records = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
        return trace


class Spdlog:
    name = "spdlog"

    def missing(self):
        return None

    @contextlib.contextmanager
    def around(self, folder):
        yield SpdlogSurroundings(folder / "kvd.log")


def lttng(*arguments, check=True):
    done = subprocess.run(["lttng", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False)
    if check and done.returncode != 0:
        raise ProcessError(f"lttng {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return done


class LttngSurroundings(Surroundings):
    def __init__(self, session, output, pids):
        # kvd waits for the session daemon at its start, so that its first statement is traced.
        super().__init__({"LTTNG_UST_REGISTER_TIMEOUT": "3000"})
        self.session, self.output, self.consumer_pids = session, output, pids

    def pids(self):
        return self.consumer_pids()

    def finish(self, count):
        lttng("stop", self.session)
        told = lttng("--mi", "xml", "list", self.session).stdout
        lost = sum(int(n) for n in re.findall(r"<discarded_events>(\d+)<", told))
        # LTTng subtracts two counts without checking the sign of the difference.
        trace = Trace(size_of(self.output), lost if lost < 1 << 63 else None)
        if count:
            counted = subprocess.run(
                ["babeltrace2", "--component=sink.utils.counter", "--params=step=+0", str(self.output)],
                capture_output=True, text=True, check=False)
            found = re.search(r"^ *([0-9,]+) Event", counted.stdout, re.MULTILINE)
            if counted.returncode != 0 or not found:
                raise ProcessError(f"babeltrace2 cannot count {self.output}: {counted.stderr[-400:]}")
            trace.records = int(found.group(1).replace(",", ""))
        return trace


class Lttng:
    """Uses the running session daemon, or starts one that ends with `stack` if there is none."""
    name = "lttng"
    CHANNEL = ["--userspace", "--subbuf-size=1M", "--num-subbuf=4", "--discard"]

    def __init__(self, stack, folder):
        self.stack, self.folder = stack, folder
        self.sessions = 0

    def missing(self):
        absent = [tool for tool in ("lttng", "lttng-sessiond", "babeltrace2") if not shutil.which(tool)]
        if absent:
            return f"no {', no '.join(absent)} (packaging/install-perf-peers.sh installs them)"
        if lttng("list", check=False).returncode != 0:
            daemon = self.stack.enter_context(
                Process(["lttng-sessiond", "--no-kernel"], self.folder / "lttng-sessiond.log"))
            try:
                daemon.wait_until(lambda: lttng("list", check=False).returncode == 0, "lttng-sessiond answers")
            except ProcessError as error:
                return str(error)
        return None

    @staticmethod
    def consumer_pids():
        """The processes of lttng-consumerd, which starts with the first session."""
        found = subprocess.run(["pgrep", "-f", "^[^ ]*lttng-consumerd"], capture_output=True, text=True, check=False)
        return [int(pid) for pid in found.stdout.split()]

    @contextlib.contextmanager
    def around(self, folder):
        self.sessions += 1
        session = f"ringside-perf-{os.getpid()}-{self.sessions}"
        output = folder / "ctf"
        lttng("create", session, f"--output={output}")
        try:
            lttng("enable-channel", f"--session={session}", *self.CHANNEL, "all")
            lttng("enable-event", f"--session={session}", "--userspace", "--channel=all", "kvd:*")
            lttng("start", session)
            yield LttngSurroundings(session, output, self.consumer_pids)
        finally:
            lttng("destroy", session, check=False)


def of_build(build, stack, folder):
    """All tracers, including those that are unavailable on this machine; `stack` owns their shared resources."""
    return [Untraced(), Ringside(build / "consumerd/consumerd", build / "tools/ringcat"), Spdlog(),
            Lttng(stack, folder)]


__all__ = ["Trace", "of_build", "wait_until"]
