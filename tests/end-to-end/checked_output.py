"""ringcat's output for trace files, checked line by line against what the workloads logged."""

import subprocess

from traced_processes import BOUND_S, program


class Output:
    """The counts of a checked output: records and losses by the workload's thread numbers."""

    def __init__(self, values):
        self.records = int(values["records"])
        self.lost = int(values["lost"])
        self.cut = int(values["cut"])
        self.lost_without_thread = int(values["lost_without_thread"])  # not part of `lost`
        self.records_of, self.lost_of = {}, {}
        for key, value in values.items():
            if key.startswith("thread."):
                _, number, what = key.split(".")
                (self.records_of if what == "records" else self.lost_of)[int(number)] = int(value)

    def accounted_for(self, thread):
        """The number of records that the trace accounts for, present or lost."""
        return self.records_of.get(thread, 0) + self.lost_of.get(thread, 0)


def print_and_check(*paths, bound_s=3 * BOUND_S, ringcat_notes=False):
    """Pipes ringcat's output through the checker; raises on any fault.

    Each line equals its prediction. Each thread's records are in order, with gaps only where a LOST line reports them.
    Times never decrease, and ringcat has no remarks (unless `ringcat_notes`)."""
    with subprocess.Popen([program("ringcat"), "--utc", *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as ringcat, \
         subprocess.Popen([program("check_output")], stdin=ringcat.stdout, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as checker:
        ringcat.stdout.close()
        try:
            told, complaints = checker.communicate(timeout=bound_s)
            notes = ringcat.stderr.read().decode(errors="replace")
            status = ringcat.wait(bound_s)
        except BaseException:
            checker.kill()
            ringcat.kill()
            raise
    assert checker.returncode == 0, f"{paths}: {complaints}\nringcat said: {notes}"
    assert status == 0, f"ringcat ended with {status}: {notes}"
    assert ringcat_notes or not notes, f"ringcat remarked: {notes}"
    return Output(dict(line.split("=") for line in told.split()))


def print_raw(*paths):
    """The lines as bytes; ringcat must have no remarks."""
    done = subprocess.run([program("ringcat"), "--utc", *paths], capture_output=True,
                          timeout=BOUND_S, check=False)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)
    return done.stdout.splitlines()


def verify(*paths):
    """ringcat verify must find no fault, in whatever order the files are given."""
    done = subprocess.run([program("ringcat"), "verify", *paths], capture_output=True, text=True,
                          timeout=BOUND_S, check=False)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stdout, done.stderr)


def message_of(line):
    """The part of a line (bytes) after the thread in brackets."""
    return line.split(b"] ", 1)[1]
