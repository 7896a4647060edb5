"""Starts the kvd under test, and ensures that none outlives the test."""

import ctypes
import os
import re
import resource
import signal
import socket
import subprocess
import time
import unittest

from resp_client import array, ask

BOUND_S = 60.0
MIB = 1 << 20

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


class Program:
    """The program that all tests run; set once, before the first of them."""

    path = None
    shm_directory = None


def wait_until(condition, what):
    deadline = time.monotonic() + BOUND_S
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out after {BOUND_S} s, waiting for {what}")
        time.sleep(0.01)


def launch(limit_descriptors=None):
    """The arguments of subprocess.Popen for a kvd."""
    def before_exec():
        # A killed test cannot clean up, and a remaining kvd would keep its directory.
        if LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
        if limit_descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit_descriptors, limit_descriptors))

    directory = Program.shm_directory
    return {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": before_exec,
            "pass_fds": (directory.hold,),
            "env": {**os.environ, "RINGSIDE_SHM_DIR": directory.path}}


def run_to_end(*options):
    """A kvd that exits on its own."""
    return subprocess.run([Program.path, *options], **launch(), text=True, timeout=BOUND_S,
                          check=False)


class Server:
    def __init__(self, *options, address="127.0.0.1", port=0, limit_descriptors=None):
        self.address = address
        self.process = subprocess.Popen(
            [Program.path, "--bind", address, "--port", str(port), *options],
            **launch(limit_descriptors))
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(rf"kvd: listening on {re.escape(address)}:(\d+)\n", line)
        if not match:
            self.process.kill()
            raise AssertionError(f"not ready: {line!r} {self.process.communicate()!r}")
        self.port = int(match.group(1))

    def connect(self, receive_buffer=None):
        sock = socket.socket()
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(BOUND_S)
        sock.connect((self.address, self.port))
        return sock

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def peak_memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) * 1024

    def worker_names(self):
        names = []
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/comm", encoding="ascii") as comm:
                names.append(comm.read().strip())
        return sorted(name for name in names if name.startswith("kvd-worker"))

    def info(self, name):
        with self.connect() as sock:
            text = ask(sock, array("INFO"))
        return int(re.search(rb"(?m)^%s:(\d+)\r$" % name.encode(), text).group(1))

    def end(self, number=signal.SIGTERM):
        """Returns the exit status, the rest of standard output, and standard error."""
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=BOUND_S)
        return self.process.returncode, out, err

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class WithServer(unittest.TestCase):
    options = ("--threads", "2")

    def setUp(self):
        self.server = Server(*self.options)
        self.addCleanup(self.server.kill)

    def tearDown(self):
        # Whatever a test did to it: it exits normally, and a sanitizer has found nothing.
        if self.server.process.poll() is None:
            self.assertEqual(self.server.end(), (0, b"", b""))

    def expect(self, *pairs):
        """(request, reply): a request is a tuple of arguments; all on one connection."""
        with self.server.connect() as sock:
            for request, reply in pairs:
                self.assertEqual(ask(sock, array(*request)), reply, request)
