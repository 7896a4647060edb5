"""Traces to make reports of, each by a program of the build and its consumerd."""

import os
import subprocess
import tempfile
import time

NUMBERS_AND_TEXTS, SPANS = "numbers_and_texts", "spans"
THREADS = 2
RECORDS = {NUMBERS_AND_TEXTS: 3_000_000, SPANS: 10_000_000}
BOUND_S = 600


def commands(build, name, records):
    each = str(records // THREADS)
    return {NUMBERS_AND_TEXTS: [os.path.join(build, "tests/end-to-end/e2e_workload"), "--threads", str(THREADS), "--records", each],
            SPANS: [os.path.join(build, "tests/report/span_load"), str(THREADS), each]}[name]


def make(build, name, folder, records):
    """Runs the load until all of it is in the folder."""
    with tempfile.TemporaryDirectory(prefix="ringside-report-", dir="/dev/shm") as shm_dir:
        consumer = subprocess.Popen([os.path.join(build, "consumerd/consumerd"), "--shm-dir", shm_dir, "--output", folder],
                                    stdout=subprocess.DEVNULL)
        try:
            environment = {**os.environ, "RINGSIDE_SHM_DIR": shm_dir, "RINGSIDE_OVERFLOW": "block", "RINGSIDE_BLOCK_TIMEOUT_MS": "60000"}
            subprocess.run(commands(build, name, records), env=environment, stdout=subprocess.DEVNULL, check=True, timeout=BOUND_S)
            end = time.monotonic() + BOUND_S
            while any(entry.startswith("ringside.") for entry in os.listdir(shm_dir)):
                if time.monotonic() > end or consumer.poll() is not None:
                    raise RuntimeError(f"consumerd has not written all of {name}")
                time.sleep(0.05)
        finally:
            consumer.terminate()
            consumer.wait()


def trace_of(build, name, parent, records):
    """The folder of a trace; one that an earlier run has left there is used again."""
    folder = os.path.join(parent, f"{name}-{records}")
    if not os.path.isdir(folder):
        os.makedirs(folder + ".new")
        make(build, name, folder + ".new", records)
        os.rename(folder + ".new", folder)
    return folder
