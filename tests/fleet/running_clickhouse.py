"""A ClickHouse server over HTTP that can be killed and started again: Debian's, or a current one."""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from clickhouse_servers import CONFIG, USERS, current_library, free_port, server_program  # noqa: E402

BOUND_S = 120
LIBRARY_SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clickhouse_library_server.py")


class RunningClickHouse:
    """`is_old`: Debian's version 18.16."""

    TRIES = 5

    def __init__(self, directory, is_old):
        self.directory, self.is_old = directory, is_old
        self.process, self.port = None, 0
        os.makedirs(directory, exist_ok=True)
        for _ in range(self.TRIES):
            # Another program can take a port between the test's check and the server's start.
            self.port = free_port()
            if self.start():
                return
        raise AssertionError("the server does not start: " + self.log())

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def command(self):
        if not self.is_old:
            return [sys.executable, LIBRARY_SERVER, str(self.port), self.directory]
        for name, text in (("config.xml", CONFIG.format(port=self.port, path=self.directory)), ("users.xml", USERS)):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        return [server_program(), "--config-file=" + os.path.join(self.directory, "config.xml")]

    def start(self):
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            cwd=self.directory)
        until = time.monotonic() + BOUND_S
        while self.process.poll() is None and time.monotonic() < until:
            try:
                self.request("GET", "/ping", b"")
                return True
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
        self.kill()
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def log(self):
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def request(self, method, path, data):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND_S)
        try:
            connection.request(method, path, data)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        assert answer.status == 200, (data[:300], body.decode(errors="replace"))
        return body.decode()

    def query(self, text, **parameters):
        return self.request("POST", "/?" + urllib.parse.urlencode({"database": "ringside", **parameters}), text.encode())

    def rows(self, text):
        """The answer as lists of texts."""
        return [line.split("\t") for line in self.query(text).split("\n") if line]

    def objects(self, text):
        answer = self.query(text + "\nFORMAT JSONEachRow" if self.is_old else text, default_format="JSONEachRow")
        return [json.loads(line) for line in answer.split("\n") if line]


# Why tests with a version cannot run; empty: they can.
NO_OLD_SERVER = "" if server_program() else "clickhouse-server is not installed: packaging/install-build-deps.sh"
NO_CURRENT_SERVER = "" if current_library() else "libchdb.so is not installed: packaging/install-clickhouse.sh"
