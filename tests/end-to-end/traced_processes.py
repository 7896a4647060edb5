"""The processes of a test (services, consumerd, ringcat), each in its own process group, and their directories. All of it
is removed at the end, even if the test fails."""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Only a hang reaches this; the test's timeout in meson is longer.
BOUND_S = 100.0

CONSUMER_EXIT_OWNED = 3

# meson ends a test with SIGTERM when its time is up; exit normally, so that atexit handlers run.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))


def program(name):
    """The path of a program of this build, from meson's environment."""
    return os.environ["RINGSIDE_TEST_" + name.upper()]


def wait_until(condition, what, bound_s=BOUND_S):
    """Returns the first true value of `condition()`."""
    deadline = time.monotonic() + bound_s
    pause_s = 0.0005
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out after {bound_s} s, waiting for {what}")
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.02)


class Process:
    """A running program. Its standard error (and output, unless piped) goes to a file."""

    def __init__(self, bed, arguments, environment=None, stdin=None, pipe_stdout=False):
        self.name = os.path.basename(arguments[0])
        stem = os.path.join(bed.log_dir, f"{next(bed.numbers)}-{self.name}")
        self.stderr_path, self.stdout_path = stem + ".err", stem + ".out"
        self.pipes_stdout = pipe_stdout
        with open(self.stderr_path, "wb") as stderr, open(self.stdout_path, "wb") as stdout:
            self.popen = subprocess.Popen(
                arguments, env={**os.environ, **(environment or {})},
                stdin=stdin if stdin is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipe_stdout else stdout, stderr=stderr,
                start_new_session=True)
        self.pid = self.popen.pid

    def send(self, signal_number):
        """After SIGSTOP, waits until all its threads have stopped or the process has ended."""
        self.popen.send_signal(signal_number)
        if signal_number == signal.SIGSTOP and self.popen.returncode is None:
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def kill(self):
        """Sends SIGKILL to the whole group, and waits until it has ended."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.popen.wait(BOUND_S)
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe:
                pipe.close()

    def running(self):
        return self.popen.poll() is None

    def wait(self, bound_s=BOUND_S):
        """The exit status; negative after a signal."""
        try:
            return self.popen.wait(bound_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} does not end within {bound_s} s; it said: "
                                 f"{self.stderr()}") from None

    def end_input(self):
        self.popen.stdin.close()

    def stderr(self):
        with open(self.stderr_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def stdout(self):
        with open(self.stdout_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def values(self):
        """The key=value pairs that the program printed."""
        return dict(word.split("=", 1) for word in self.stdout().split() if "=" in word)


class TestBed:
    """Fresh directories and the processes started on them. A context manager."""

    __test__ = False

    def __init__(self, shm_dir=None, output_dir=None):
        self.shm_dir = shm_dir or tempfile.mkdtemp(prefix="ringside-test-", dir="/dev/shm")
        self.work_dir = tempfile.mkdtemp(prefix="ringside-test-")
        self.output_dir = output_dir or os.path.join(self.work_dir, "traces")
        self.log_dir = os.path.join(self.work_dir, "logs")
        os.makedirs(self.output_dir, exist_ok=True)
        os.mkdir(self.log_dir)
        self.numbers = iter(range(1_000_000))
        self.processes = []
        atexit.register(self.close)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for process in self.processes:
            process.kill()
        self.processes.clear()
        shutil.rmtree(self.shm_dir, ignore_errors=True)
        if os.environ.get("RINGSIDE_TEST_KEEP") != "1":
            shutil.rmtree(self.work_dir, ignore_errors=True)
        atexit.unregister(self.close)

    def start(self, arguments, **how):
        process = Process(self, [str(argument) for argument in arguments], **how)
        self.processes.append(process)
        return process

    def start_service(self, *arguments, which="workload", service=None, overflow="block",
                      timeout_ms=60_000, ring_bytes=None, piped=False, environment=None):
        """Starts a traced program; `piped`: its standard input and output are pipes of the test."""
        settings = {"RINGSIDE_SHM_DIR": self.shm_dir, "RINGSIDE_OVERFLOW": overflow,
                    "RINGSIDE_BLOCK_TIMEOUT_MS": str(timeout_ms)}
        if service:
            settings["RINGSIDE_SERVICE"] = service
        if ring_bytes:
            settings["RINGSIDE_RING_BYTES"] = str(ring_bytes)
        settings.update(environment or {})
        return self.start([program(which), *arguments], environment=settings,
                          stdin=subprocess.PIPE if piped else None, pipe_stdout=False)

    def consumer_command(self, *arguments):
        return [program("consumerd"), "--output", self.output_dir, "--shm-dir", self.shm_dir,
                *arguments]

    def start_consumer(self, *arguments):
        return self.start(self.consumer_command("--verbose", *arguments))

    def start_session(self, name, *arguments):
        """Starts a session of all consumers. Returns the directory of its traces."""
        output = os.path.join(self.output_dir, name)
        done = subprocess.run([program("ringctl"), "session", "start", name, "--output", output, *arguments, "--shm-dir",
                               self.shm_dir], capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return output

    def run_consumer_once(self, *arguments):
        """Runs `consumerd --once`, which must exit with 0."""
        consumer = self.start_consumer("--once", *arguments)
        status = consumer.wait()
        assert status == 0, f"consumerd --once: exit status {status}: {consumer.stderr()}"
        return consumer

    def stop_consumer(self, consumer, signal_number=signal.SIGTERM):
        """Stops it with a signal, after it has installed its handler."""
        wait_until(lambda: "watching" in consumer.stderr() or not consumer.running(),
                   "consumerd to be ready")
        consumer.send(signal_number)
        status = consumer.wait()
        assert status == 0, f"consumerd: exit status {status}: {consumer.stderr()}"

    def shm_names(self):
        return sorted(os.listdir(self.shm_dir))

    def segments(self, service=""):
        return [name for name in self.shm_names() if name.startswith(f"ringside.{service}")]

    def wait_until_segments_are_gone(self, service=""):
        """Waits until every ended service is drained, written and removed."""
        wait_until(lambda: not self.segments(service), "the segments of ended services to be removed")

    def traces(self):
        return sorted(os.path.join(self.output_dir, name) for name in os.listdir(self.output_dir))
