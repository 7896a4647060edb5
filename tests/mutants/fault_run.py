"""One run of a test with one fault (or with none): its outcome, and which of its cases failed."""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid

SKIPPED = 77  # meson's exit status for a test that could not run
MARK = "RINGSIDE_MUTANT_RUN"


@dataclasses.dataclass
class Outcome:
    """The outcome of one run."""

    failed: bool
    timed_out: bool
    seconds: float
    case: str  # the first case that failed, as a filter for its program; can be empty

    @property
    def passed(self):
        return not self.failed


class ParallelRuns:
    """Runs tests in parallel, except those that meson runs alone."""

    def __init__(self):
        self._changed = threading.Condition()
        self._running = 0
        self._alone = False

    def enter(self, alone):
        with self._changed:
            self._changed.wait_for(lambda: not self._alone and not (alone and self._running))
            self._running += 1
            self._alone = alone

    def leave(self):
        with self._changed:
            self._running -= 1
            self._alone = False
            self._changed.notify_all()


RUNS = ParallelRuns()


def kill_marked(mark):
    """Kills the processes that a test started and left, found by the environment that they inherited."""
    wanted = f"{MARK}={mark}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass


def failed_case(output):
    """The first failed case of a gtest or unittest program: the reported one, or the one that ran when it died."""
    match = re.search(r"^\[  FAILED  \] (\w[\w./]*\.[\w./]+)", output, re.MULTILINE)
    if match:
        return match.group(1)
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
    if begun and f"OK ] {begun[-1]} " not in output:
        return begun[-1]
    match = re.search(r"^(?:FAIL|ERROR): (test_\w+) \(__main__\.(\w+)", output, re.MULTILINE)
    return f"{match.group(2)}.{match.group(1)}" if match else ""


def test_command(test, case):
    """The command for a whole test, some cases or one, up to the first failure (GTEST_FAIL_FAST for the others)."""
    command = list(test["cmd"])
    case = case or test["cases"]
    script = next((word for word in command[:2] if word.endswith(".py")), None)
    if script is None:
        return command + ([f"--gtest_filter={case}"] if case else [])
    if "unittest.main" not in pathlib.Path(script).read_text():
        return command
    return command + ["--failfast"] + ([case] if case else [])


def run_test(test, number, bound_seconds, case=""):
    """Runs a test of `meson introspect` with the fault of this number, or one case of it."""
    mark = uuid.uuid4().hex
    directory = tempfile.mkdtemp(prefix="mutant-")
    os.chmod(directory, 0o1777)  # the mode of /tmp: tests run programs as other users, too
    environment = dict(os.environ, **test["env"])
    environment.setdefault("RINGSIDE_TEST_SEED", "1")  # the same run with the fault and without
    environment.update({"RINGSIDE_FAULT": str(number), "GTEST_FAIL_FAST": "1", "TMPDIR": directory,
                        MARK: mark})
    command = test_command(test, case)
    RUNS.enter(not test["is_parallel"])
    try:
        begin = time.monotonic()
        with open(os.path.join(directory, "output"), "w+b") as output:
            process = subprocess.Popen(command, cwd=test["workdir"], env=environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(bound_seconds)
                timed_out = False
            except subprocess.TimeoutExpired:
                status, timed_out = 1, True
            seconds = time.monotonic() - begin
            kill_marked(mark)
            process.wait()
            output.seek(0)
            text = output.read().decode(errors="replace")
    finally:
        RUNS.leave()
        shutil.rmtree(directory, ignore_errors=True)
    # A filter that matches no case proves nothing.
    failed = status not in (0, SKIPPED) or "[==========] Running 0 tests" in text
    return Outcome(failed, timed_out, seconds, failed_case(text) if failed else "")
