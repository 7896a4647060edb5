#!/usr/bin/env python3
"""The pod of packaging/kubernetes/sidecar.yaml, without a container engine: the service and consumerd have nothing in common but one
tmpfs of 64 MiB and a memory limit, and are stopped as a kubelet stops them. Nothing is lost."""

import os
import signal
import subprocess
import unittest

from checked_output import print_and_check
from container_tools import missing
from pod import Pod
from progress_file import ProgressFile
from traced_processes import BOUND_S, TestBed, wait_until

MANIFEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging", "kubernetes", "sidecar.yaml")
NAMESPACES = ("user", "mnt", "pid", "ipc", "net", "uts")
THREADS = 3
# Only a service without a handler for SIGTERM uses it up: as the first process of its pid namespace, it does not end.
GRACE_S = 0.5
SIDECAR_GRACE_S = 60


def unsuitable():
    """Why this machine cannot run the containers; '' if it can."""
    if os.geteuid() != 0:
        return "needs root to map the ids of user namespaces"
    if subprocess.run(["unshare", "--user", "--mount", "--pid", "--ipc", "--net", "--uts", "--fork", "true"], stderr=subprocess.DEVNULL,
                      timeout=BOUND_S, check=False).returncode != 0:
        return "the machine forbids namespaces"
    return missing("docker-seccomp.json", "Docker's seccomp profile")


REASON = unsuitable()


@unittest.skipIf(REASON, REASON)
class Sidecar(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def pod(self, **how):
        pod = Pod(self.bed, MANIFEST, **how)
        pod.__enter__()
        self.addCleanup(pod.__exit__)
        return pod

    def start_service(self, pod, *arguments, overflow="block"):
        """A service that waits for room in its rings, so that the test counts all records; `drop` is the default."""
        pod.containers["service"]["env"] += [{"name": "RINGSIDE_OVERFLOW", "value": overflow},
                                             {"name": "RINGSIDE_BLOCK_TIMEOUT_MS", "value": "60000"}]
        progress = ProgressFile(os.path.join(pod.shm, "progress"))
        os.chmod(progress.path, 0o666)
        service = pod.start("service", ["workload", "--threads", str(THREADS), "--progress", "/ringside/progress", *arguments],
                            piped=True)
        return service, progress

    def check_trace(self, progress):
        """Each thread's records, present without a gap: those whose calls returned, and at most the one that was under way."""
        output = print_and_check(*self.bed.traces())
        self.assertEqual((output.lost, output.lost_without_thread), (0, 0))
        for thread in range(THREADS):
            returned = progress.returned(thread)
            self.assertGreater(returned, 0)
            self.assertIn(output.records_of[thread], (returned, returned + 1), f"thread {thread}")

    def stop_consumer(self, pod, consumer):
        status = pod.stop(consumer, SIDECAR_GRACE_S)
        self.assertEqual(status, 0, consumer.process.stderr())

    def test_the_containers_share_the_segments_alone(self):
        pod = self.pod()
        consumer = pod.start_consumer()
        service, progress = self.start_service(pod, "--records", "0")
        wait_until(progress.total, "the first record")
        seen = {name: {os.readlink(f"/proc/self/ns/{name}"), service.namespace(name), consumer.namespace(name)}
                for name in NAMESPACES}
        self.assertEqual({name: len(ids) for name, ids in seen.items()}, dict.fromkeys(NAMESPACES, 3))
        states = [container.status() for container in (service, consumer)]
        self.assertEqual(len({state["Uid"] for state in states}), 2)
        for state in states:
            self.assertEqual(state["NSpid"].split()[1], "1")
            self.assertEqual((state["CapEff"], state["CapBnd"], state["NoNewPrivs"]), ("0" * 16, "0" * 16, "1"))
            self.assertEqual(state["Seccomp"], "2")
        self.assertIn("writing with pwrite instead", consumer.process.stderr())
        if pod.memory.path:
            self.assertTrue(all(pod.memory.holds(container.pid) for container in (service, consumer)))
        else:
            print(f"no memory limit: {pod.memory.why_not}")

    def test_nothing_is_lost_when_the_service_is_killed_after_its_grace_period(self):
        pod = self.pod()
        consumer = pod.start_consumer()
        service, progress = self.start_service(pod, "--records", "0")
        wait_until(lambda: progress.total() > 50_000, "records")
        self.assertEqual(pod.stop(service, GRACE_S), 128 + signal.SIGKILL)
        self.stop_consumer(pod, consumer)
        self.check_trace(progress)
        self.assertEqual(os.listdir(pod.shm), ["progress"])
        if pod.memory.path:
            self.assertEqual(pod.memory.killed_processes(), 0)
            print(f"most memory used by the pod: {pod.memory.peak_bytes() >> 20} MiB")

    def test_nothing_is_lost_when_both_end_in_order(self):
        pod = self.pod()
        consumer = pod.start_consumer()
        service, progress = self.start_service(pod, "--records", "30000")
        self.assertEqual(service.process.wait(), 0, service.process.stderr())
        self.stop_consumer(pod, consumer)
        self.check_trace(progress)
        self.assertEqual(int(service.process.values()["logged"]), progress.total())

    def test_nothing_is_lost_when_consumerd_is_killed_and_started_again(self):
        pod = self.pod()
        consumer = pod.start_consumer()
        service, progress = self.start_service(pod, "--records", "0")
        for _ in range(2):
            logged = progress.total()
            wait_until(lambda: progress.total() > logged + 20_000, "records")
            consumer.send(signal.SIGKILL)
            self.assertEqual(consumer.process.wait(), 128 + signal.SIGKILL)
            consumer = pod.start_consumer()
        self.assertEqual(pod.stop(service, GRACE_S), 128 + signal.SIGKILL)
        self.stop_consumer(pod, consumer)
        self.check_trace(progress)

    def test_probes_succeed_while_consumerd_runs_and_fail_when_it_hangs(self):
        pod = self.pod()
        consumer = pod.start_consumer()
        self.assertEqual((pod.probe(consumer), pod.probe(consumer, "/readyz")), (200, 200))
        consumer.send(signal.SIGSTOP)
        self.assertEqual(pod.probe(consumer), 0)
        consumer.send(signal.SIGCONT)
        self.stop_consumer(pod, consumer)

    def test_shared_memory_without_room_is_reported_and_the_service_continues(self):
        pod = self.pod(shm_bytes=64 << 10)
        consumer = pod.start_consumer()
        service, progress = self.start_service(pod, "--records", "2000")
        self.assertEqual(service.process.wait(), 0, service.process.stderr())
        (line,) = service.process.stderr().splitlines()
        for words in ("ringside: ", "/ringside", "No space left", "enlarge"):
            self.assertIn(words, line)
        self.assertEqual(int(service.process.values()["refused"]), THREADS * 2000)
        self.stop_consumer(pod, consumer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
