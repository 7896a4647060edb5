"""A ringview that tests start, and what it answers."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import unittest

from steady_load import Load
from traced_processes import BOUND_S, TestBed, program, wait_until

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{32})\n")
LISTENING = re.compile(r"listening on (\S+); the path of the page is /#token=([0-9a-f]{32})\n")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=BOUND_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class View:
    """A running ringview."""

    def __init__(self, bed, *options, folder=None, user=None):
        self.bed = bed
        self.log = os.path.join(bed.output_dir, "..", os.path.basename(bed.output_dir) + ".ringview.log")
        with open(self.log, "wb") as log:
            # Without a path, if `folder` is empty.
            paths = [folder] if folder else [bed.output_dir] if folder is None else []
            self.process = subprocess.Popen([program("ringview"), "--interval-ms", "50", "--shm-dir", bed.shm_dir, *options, *paths], user=user,  # pylint: disable=consider-using-with
                                            stderr=log, stdin=subprocess.DEVNULL)
        wait_until(lambda: "token=" in self.said() or self.process.poll() is not None, "the address")
        found = ADDRESS.search(self.said())
        self.port, self.token = (int(found[1]), found[2]) if found else (None, None)

    def said(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.log)

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND_S)

    def ask(self, method, path, body=None, token=True, connection=None, **headers):
        connection = connection or self.connection()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers["Authorization"] = "Bearer " + (token if isinstance(token, str) else self.token)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def raw(self, request):
        """The answer to these bytes; {host} is the address."""
        with socket.create_connection(("127.0.0.1", self.port), BOUND_S) as connection:
            connection.sendall(request.replace("{host}", f"127.0.0.1:{self.port}").replace("{token}", self.token).encode())
            return connection.makefile("rb").read().decode()

    def events(self):
        """The states, as they come. Close it."""
        connection = self.connection()
        connection.request("GET", "/events", headers={"Authorization": "Bearer " + self.token})
        return connection, connection.getresponse()

    def data(self):
        status, text = self.ask("GET", "/data")
        assert status == 200, text
        return json.loads(text)

    def live(self):
        return self.data()["live"]

    def address(self, fragment=""):
        return f"http://127.0.0.1:{self.port}/#token={self.token}" + (f"&{fragment}" if fragment else "")

    def control(self, **request):
        return self.ask("POST", "/control", json.dumps(request))


def next_state(events):
    """Of an answer to /events."""
    while True:
        line = events.readline()
        assert line, "the stream has ended"
        if line.startswith(b"data: "):
            return json.loads(line[6:])


class LiveCase(unittest.TestCase):
    """A test with a directory of traces."""

    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def view(self, *options, **how):
        view = View(self.bed, *(options or ["--port", "0"]), **how)
        self.addCleanup(view.close)
        return view

    def view_of_another_user(self):
        """It may read the directory, but not files that have the mode 0."""
        if os.geteuid() != 0:
            return self.view()
        for folder in (self.bed.output_dir, self.bed.work_dir, self.bed.shm_dir):
            os.chmod(folder, 0o755)
        return self.view(user=65534)

    def load(self, threads=1, first=0, burst=50, pause_us=1000):
        consumer = self.bed.start_consumer()
        load = Load(self.bed, first, threads, "--burst", burst, "--pause-us", pause_us)
        wait_until(self.bed.traces, "a trace")
        return consumer, load

    def finished_trace(self, first):
        """The file of a service that has ended. It is not in the directory of the traces any more."""
        before = set(self.bed.traces())
        consumer, load = self.load(first=first)
        load.advance()
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        (path,) = set(self.bed.traces()) - before
        kept = os.path.join(self.bed.work_dir, os.path.basename(path))
        os.rename(path, kept)
        return kept
