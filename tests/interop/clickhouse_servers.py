"""ClickHouse for tests: Debian's server over HTTP, and a current one as a library in its own process."""

import ctypes
import glob
import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse

BOUND_S = 60
CONFIG = """<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>{port}</http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>{path}/data/</path>
  <tmp_path>{path}/tmp/</tmp_path>
  <mark_cache_size>67108864</mark_cache_size>
  <users_config>{path}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>UTC</timezone>
</yandex>
"""
USERS = """<yandex>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password></password><profile>default</profile><quota>default</quota>
    <networks><ip>127.0.0.1</ip></networks>
  </default></users>
</yandex>
"""
# Where packaging/install-clickhouse.sh puts it.
LIBRARY_DIRECTORIES = [os.environ.get("RINGSIDE_CHDB_DIR", ""), "/usr/local/lib/ringside-test-chdb",
                       os.path.expanduser("~/.cache/ringside-test-chdb")]


def server_program():
    return shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")


def current_library():
    for directory in filter(None, LIBRARY_DIRECTORIES):
        found = glob.glob(os.path.join(directory, "node_modules/@chdb/lib-linux-x64-gnu/libchdb.so"))
        if found:
            return found[0]
    return None


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Server:
    """Debian's server, with its data in `directory`, until the end of `with`."""

    # Another program can take a port between the test's check and the server's start.
    TRIES = 5

    def __init__(self, directory):
        self.directory = directory
        self.process = None
        self.port = 0

    def __enter__(self):
        for _ in range(self.TRIES):
            if self.starts():
                return self
        raise AssertionError("the server does not start: " + self.log())

    def starts(self):
        self.port = free_port()
        for name, text in (("config.xml", CONFIG.format(port=self.port, path=self.directory)), ("users.xml", USERS)):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(self.directory, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [server_program(), "--config-file=" + os.path.join(self.directory, "config.xml")], stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, cwd=self.directory)
        until = time.monotonic() + BOUND_S
        while self.process.poll() is None and time.monotonic() < until:
            try:
                self.request("GET", "/ping", b"")
                return True
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
        self.stop()
        return False

    def log(self):
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def stop(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.stop()

    def request(self, method, path, data):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND_S)
        try:
            connection.request(method, path, data)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        assert answer.status == 200, body.decode(errors="replace")
        return body

    def query(self, text):
        return self.request("POST", "/", text.encode()).decode()

    def insert(self, query, path):
        with open(path, "rb") as file:
            self.request("POST", "/?query=" + urllib.parse.quote(query), file.read())


def run_queries(library, directory, queries):
    """Runs the queries in this process, which ends afterwards."""
    chdb = ctypes.CDLL(library)
    chdb.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
    chdb.chdb_connect.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
    chdb.chdb_query.restype = ctypes.c_void_p
    chdb.chdb_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    for name, result in (("buffer", ctypes.c_void_p), ("length", ctypes.c_size_t), ("error", ctypes.c_char_p)):
        function = getattr(chdb, "chdb_result_" + name)
        function.restype, function.argtypes = result, [ctypes.c_void_p]
    arguments = [b"clickhouse", b"--path=" + os.fsencode(directory)]
    connection = chdb.chdb_connect(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
    assert connection and connection[0], "no connection"
    for query in queries:
        result = chdb.chdb_query(connection[0], query.encode(), b"JSONEachRow")
        error = chdb.chdb_result_error(result)
        if error:
            sys.exit(query[:200] + ": " + error.decode(errors="replace"))
        length = chdb.chdb_result_length(result)
        if length:
            sys.stdout.buffer.write(ctypes.string_at(chdb.chdb_result_buffer(result), length))
    sys.stdout.flush()
    os._exit(0)  # the library's threads at exit are not part of the test


def current_answers(directory, queries):
    """The answers of a current ClickHouse, one JSON object per line."""
    done = subprocess.run([sys.executable, __file__, current_library(), directory, *queries], capture_output=True,
                          timeout=10 * BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr.decode(errors="replace")[-2000:])
    return done.stdout.decode()


if __name__ == "__main__":
    run_queries(sys.argv[1], sys.argv[2], sys.argv[3:])
