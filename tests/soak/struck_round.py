"""One round of a soak: services and consumerd under faults at random moments, then a comparison of the logged records with
the trace files."""

import collections
import functools
import os
import re
import signal
import subprocess
import time

from checked_output import print_and_check
from progress_file import ProgressFile
from traced_processes import CONSUMER_EXIT_OWNED, TestBed, wait_until

TRACE_NAME = re.compile(r".*\.\d+\.ringtrace(\.zst)?$")
THREADS_PER_SERVICE = 8  # thread numbers that belong to one service


class Service:
    """A service whose threads log predictable records and note each one in the progress page."""

    def __init__(self, bed, dice, number):
        self.first = number * THREADS_PER_SERVICE
        self.threads = dice.choice((1, 2, 3))
        self.drops = dice.random() < 0.2
        self.ended_well = False
        self.progress = ProgressFile(os.path.join(bed.work_dir, f"progress-{number}"))
        arguments = ["--first", self.first, "--threads", self.threads, "--records", 0,
                     "--progress", self.progress.path]
        arguments += ["--burst", dice.choice((20, 60, 150, 600)), "--pause-us", dice.randrange(1000, 4000)]
        self.process = bed.start_service(
            *arguments, service=f"soak{number}", piped=True,
            overflow="drop" if self.drops else "block",
            ring_bytes=dice.choice((1 << 16, 1 << 18, 1 << 20)))

    def check(self, output):
        """Every record whose call returned, and at most the unfinished one besides; losses only where they are allowed.
        Returns the number of records compared."""
        for index in range(self.threads):
            thread, returned = self.first + index, self.progress.returned(index)
            allowed = (returned,) if self.ended_well else (returned, returned + 1)
            assert output.accounted_for(thread) in allowed, \
                f"thread {thread}: {returned} calls returned, {output.accounted_for(thread)} records are reported"
            assert self.drops or output.lost_of.get(thread, 0) == 0, f"thread {thread} has losses"
        return sum(output.records_of.get(self.first + index, 0) for index in range(self.threads))


def check_complaints(consumer):
    """consumerd has no error to report, except that another consumerd drains a segment."""
    errors = [line for line in consumer.stderr().splitlines()
              if "error" in line and "is drained by the consumerd" not in line]
    assert not errors, errors


class StruckRound:
    """`consumers`: the programs to alternate between; `threads`: the numbers of encoder threads. Adds to `counts` (collections.Counter)."""

    def __init__(self, dice, consumers, counts, threads=(1, 3), service_count=3, blows=24, longest_pause_s=0.08):
        self.dice, self.consumers, self.counts, self.threads = dice, consumers, counts, threads
        self.service_count, self.blows, self.longest_pause_s = service_count, blows, longest_pause_s
        self.bed = None
        self.services, self.all_services = [], []
        self.consumer, self.rival = None, None
        self.consumer_program = consumers[0]
        self.stopped = set()

    def run(self):
        with TestBed() as self.bed:
            for _ in range(self.service_count):
                self.services.append(self.new_service())
            self.start_consumer()
            for _ in range(self.blows):
                time.sleep(self.dice.uniform(0, self.longest_pause_s))
                if self.stopped and self.dice.random() < 0.5:
                    self.resume(self.dice.choice(sorted(self.stopped, key=lambda p: p.pid)))
                self.dice.choice(self.BLOWS)(self)
            self.finish()
            self.check()

    # Starting processes

    def new_service(self):
        service = Service(self.bed, self.dice, len(self.all_services))
        self.all_services.append(service)
        return service

    def start_consumer(self):
        arguments = ["--io", self.dice.choice(("auto", "auto", "pwrite"))]
        if self.dice.random() < 0.7:
            arguments += ["--rotate-bytes", self.dice.choice(("64K", "256K", "1M"))]
        if self.dice.random() < 0.4:
            arguments += ["--pack"]
        self.consumer = self.run_consumer(*arguments)

    def run_consumer(self, *arguments):
        threads = self.dice.choice(self.threads)
        if threads != 1 and has_threads(self.consumer_program):
            arguments = [*arguments, "--threads", threads]
            self.counts["consumerd started with several threads"] += 1
        command = self.bed.consumer_command("--verbose", *arguments)
        return self.bed.start([self.consumer_program, *command[1:]])

    # Faults

    def kill_process(self, process):
        self.stopped.discard(process)
        process.kill()
        if process.name.startswith("consumerd"):
            check_complaints(process)
            self.counts["files of further encoder threads"] += process.stderr().count("also writing")

    def kill_service(self):
        place = self.dice.randrange(len(self.services))
        self.kill_process(self.services[place].process)
        self.counts["services killed"] += 1
        self.services[place] = self.new_service()

    def kill_starting_service(self):
        service = self.new_service()
        time.sleep(self.dice.uniform(0, 0.008))
        self.kill_process(service.process)
        self.counts["services killed while they started"] += 1

    def kill_consumer(self):
        self.kill_process(self.consumer)
        self.counts["consumerd killed"] += 1
        if self.dice.random() < 0.3:  # no consumerd runs for some time
            time.sleep(self.dice.uniform(0, 2 * self.longest_pause_s))
        self.start_consumer()

    def kill_starting_consumer(self):
        self.kill_process(self.consumer)
        self.start_consumer()
        time.sleep(self.dice.uniform(0, 0.012))  # also during recovery
        self.kill_process(self.consumer)
        self.counts["consumerd killed"] += 2
        self.start_consumer()

    def kill_ending_consumer(self):
        self.consumer.send(self.dice.choice((signal.SIGTERM, signal.SIGHUP)))
        time.sleep(self.dice.uniform(0, 0.008))
        self.kill_process(self.consumer)
        self.counts["consumerd killed while it ended or rotated"] += 1
        self.start_consumer()

    def kill_both(self):
        place = self.dice.randrange(len(self.services))
        deaths = [self.services[place].process, self.consumer]
        self.dice.shuffle(deaths)
        self.kill_process(deaths[0])
        time.sleep(self.dice.choice((0, self.dice.uniform(0, 0.01))))
        self.kill_process(deaths[1])
        self.counts["both killed at once"] += 1
        self.services[place] = self.new_service()
        self.start_consumer()

    def stop_service(self):
        self.stop(self.dice.choice(self.services).process)
        self.counts["services stopped"] += 1

    def stop_consumer(self):
        self.stop(self.consumer)
        self.counts["consumerd stopped"] += 1

    def stop(self, process):
        process.send(signal.SIGSTOP)
        self.stopped.add(process)

    def resume(self, process):
        process.send(signal.SIGCONT)
        self.stopped.discard(process)

    def upgrade(self):
        """The service keeps running; another build of consumerd takes over from one that is stopped or killed."""
        others = [each for each in self.consumers if each != self.consumer_program]
        if self.dice.random() < 0.5 or self.consumer in self.stopped:
            self.kill_process(self.consumer)
            self.counts["consumerd killed"] += 1
        else:
            self.wait_until_consumer_is_ready()
            self.consumer.send(signal.SIGTERM)
            status = self.consumer.wait()
            # A consumerd that starts slowly can find that its rival has taken what its predecessor left.
            allowed = (0,) if self.rival is None else (0, CONSUMER_EXIT_OWNED)
            assert status in allowed, f"consumerd ended with {status}: {self.consumer.stderr()}"
        self.consumer_program = self.dice.choice(others) if others else self.consumer_program
        self.start_consumer()
        self.counts["consumerd upgraded"] += 1

    def wait_until_consumer_is_ready(self):
        wait_until(lambda: "watching" in self.consumer.stderr() or not self.consumer.running(), "consumerd to be ready")

    def start_rival(self):
        """A second consumerd beside the first: it gets the segments that the first has not taken, and dies."""
        if self.rival is not None:
            self.kill_process(self.rival)
            self.counts["rival consumerd killed"] += 1
        self.rival = self.run_consumer("--rotate-bytes", "256K")

    def rotate(self):
        if self.consumer not in self.stopped:
            self.wait_until_consumer_is_ready()
        if "watching" in self.consumer.stderr():  # before, it has no handler, and the signal would end it
            self.consumer.send(signal.SIGHUP)

    BLOWS = (kill_service, kill_service, kill_starting_service, kill_consumer, kill_consumer,
             kill_starting_consumer, kill_ending_consumer, kill_both, stop_service, stop_consumer,
             upgrade, start_rival, rotate)

    # The end of the round

    def finish(self):
        for process in list(self.stopped):
            self.resume(process)
        for process in (self.rival, self.consumer):
            if process is not None:
                self.kill_process(process)
        self.consumer = self.run_consumer("--pack")
        for service in self.services:
            service.process.end_input()
        for service in self.services:
            status = service.process.wait()
            assert status == 0, f"a service ended with {status}: {service.process.stderr()}"
            service.ended_well = True
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(self.consumer)  # interrupts packing, if it still runs
        check_complaints(self.consumer)
        if self.dice.random() < 0.5:
            self.bed.run_consumer_once("--pack")
        assert self.bed.shm_names() == [], self.bed.shm_names()

    def check(self):
        traces = self.bed.traces()
        foreign = [path for path in traces if not TRACE_NAME.match(path)]
        assert not foreign, f"left beside the traces: {foreign}"
        output = print_and_check(*traces, bound_s=600)
        known = {service.first + index for service in self.all_services
                 for index in range(service.threads)}
        assert set(output.records_of) <= known, set(output.records_of) - known
        for service in self.all_services:
            self.counts["records checked"] += service.check(output)
        self.counts["records reported dropped"] += output.lost
        self.counts["trace files"] += len(traces)


@functools.cache
def has_threads(program):
    """An older consumerd has no --threads."""
    return "--threads" in subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout


def version_of(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def other_version(program, directory):
    """A copy of consumerd with another version: a different program to the kernel and to its user."""
    with open(program, "rb") as file:
        image = file.read()
    version = version_of(program).encode()
    path = os.path.join(directory, "consumerd-other")
    with open(path, "wb") as file:
        file.write(image.replace(version, version[:-1] + (b"9" if version[-1:] != b"9" else b"8")))
    os.chmod(path, 0o700)
    assert version_of(path) != version_of(program), version_of(path)
    return path


def new_counts():
    return collections.Counter()
