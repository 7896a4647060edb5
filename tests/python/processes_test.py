#!/usr/bin/env python3
"""Children of fork and of multiprocessing record, and nothing is lost if a process is killed."""

import unittest

from python_service import PythonTest

FORK = """
import os
log.info("parent %d", 1)
ringside.event("e", n=1)
with ringside.context(user=7), ringside.span("around", where="parent") as around:
    child = os.fork()
    if child == 0:
        log.info("child %d", 2)
        log.info("parent %d", 3)
        around.set(where="child")
        ringside.event("e", n=2)
    else:
        os.waitpid(child, 0)
if child == 0:
    os._exit(0)
log.info("end")
"""
MULTIPROCESSING = """
import multiprocessing, sys

def work(number):
    with ringside.context(worker=number), ringside.span("work"):
        log.info("working %d of %s", number, "many")
    return number

if __name__ == "__main__":
    method = sys.argv[1]
    multiprocessing.set_start_method(method)
    log.info("main")
    with multiprocessing.Pool(2) as pool:
        assert pool.map(work, range(20)) == list(range(20))
    process = multiprocessing.Process(target=work, args=[100])
    process.start()
    process.join()
    assert process.exitcode == 0
"""
KILLED = """
import os, signal, threading
def work(number):
    for n in range(500):
        log.info("%d %d", number, n)
        with ringside.span("work", number=number, n=n):
            pass
threads = [threading.Thread(target=work, args=[number]) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os.kill(os.getpid(), signal.SIGKILL)
"""
HANDLED = """
import signal, time
caught = []
def on_signal(*_):
    caught.append(1)
    log.info("signal %d", len(caught))
    with ringside.context(signal=True):
        ringside.event("signal", n=len(caught))
signal.signal(signal.SIGALRM, on_signal)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
written = 0
end = time.monotonic() + 0.5
while time.monotonic() < end:
    log.info("main %d %s", written, "text")
    written += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(caught), written)
"""


class Processes(PythonTest):
    def test_a_forked_child_records(self):
        records = self.run_traced(FORK)
        found = {(record["msg"], record["pid"]): record["fields"] for record in records}
        pids = {record["pid"] for record in records}
        parent = next(record["pid"] for record in records if record["msg"] == "end")
        child = (pids - {parent}).pop()
        self.assertEqual(len(pids), 2)
        self.assertEqual(found["child 2", child], {"arg1": 2, "user": 7})
        self.assertEqual(found["parent 3", child], {"arg1": 3, "user": 7})
        spans = {record["pid"]: record["fields"] for record in records if record.get("name") == "around"}
        self.assertEqual(spans, {parent: {"where": "parent", "user": 7}, child: {"where": "child", "user": 7}})
        self.assertEqual(len(records), 8)

    def check_multiprocessing(self, method):
        records = self.run_traced(MULTIPROCESSING, method)
        logs = [record for record in records if record["msg"].startswith("working")]
        self.assertEqual(sorted(record["fields"]["arg1"] for record in logs), [*range(20), 100])
        for record in logs:
            self.assertEqual(record["fields"]["arg1"], record["fields"]["worker"])
        self.assertEqual(len([record for record in records if record.get("site_kind") == "span"]), 21)
        main = next(record["pid"] for record in records if record["msg"] == "main")
        self.assertNotIn(main, {record["pid"] for record in logs})

    def test_children_of_multiprocessing_fork_record(self):
        self.check_multiprocessing("fork")

    def test_children_of_multiprocessing_spawn_record(self):
        self.check_multiprocessing("spawn")

    def test_nothing_of_a_killed_process_is_lost(self):
        process = self.start(KILLED)
        self.assertEqual(process.wait(), -9, process.stderr())
        records = self.records()
        logs = [record["msg"] for record in records if record.get("site_kind") != "span"]
        self.assertEqual(sorted(logs), sorted(f"{number} {n}" for number in range(3) for n in range(500)))
        self.assertEqual(len(records), 3000)

    def test_a_signal_handler_records(self):
        caught, written = map(int, self.output_of(HANDLED, environment={"RINGSIDE_RING_BYTES": str(64 << 20)}).split())
        records = self.records()
        self.assertGreater(caught, 0)
        self.assertEqual([record["msg"] for record in records if record["msg"].startswith("main")],
                         [f"main {n} text" for n in range(written)])
        self.assertEqual(len(records), written + 2 * caught)


if __name__ == "__main__":
    unittest.main(verbosity=2)
