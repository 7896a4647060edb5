#!/usr/bin/env python3
"""A current ClickHouse that answers HTTP as its server does: the library that packaging/install-clickhouse.sh installs, in a
process of its own.

usage: clickhouse_library_server.py PORT DIRECTORY"""

import ctypes
import os
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from clickhouse_servers import current_library  # noqa: E402

# Parameters of a request that are not settings.
NOT_SETTINGS = {"query", "database", "wait_end_of_query", "default_format"}
# The status of an exception with this code; 500 for others.
STATUSES = {60: 404, 81: 404, 47: 400, 62: 400, 115: 404, 516: 403}


class Engine:
    """The library has one connection for the process: one query at a time."""

    def __init__(self, directory):
        self.directory = directory
        self.lock = threading.Lock()
        library = self.library = ctypes.CDLL(current_library())
        library.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
        library.chdb_connect.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
        library.chdb_query_n.restype = ctypes.c_void_p
        library.chdb_query_n.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
        for name, result in (("buffer", ctypes.c_void_p), ("length", ctypes.c_size_t), ("error", ctypes.c_char_p)):
            function = getattr(library, "chdb_result_" + name)
            function.restype, function.argtypes = result, [ctypes.c_void_p]
        library.chdb_destroy_query_result.argtypes = [ctypes.c_void_p]
        arguments = [b"clickhouse", b"--path=" + os.fsencode(os.path.join(directory, "data"))]
        self.connection = library.chdb_connect(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
        assert self.connection and self.connection[0], "no connection"
        self.settings = set()

    def execute(self, query, form="TabSeparated"):
        """The result, or an exception's text as the second one."""
        text, form = query.encode(), form.encode()
        result = self.library.chdb_query_n(self.connection[0], text, len(text), form, len(form))
        try:
            error = self.library.chdb_result_error(result)
            length = self.library.chdb_result_length(result)
            if error:
                return b"", error.decode(errors="replace")
            return (ctypes.string_at(self.library.chdb_result_buffer(result), length) if length else b""), None
        finally:
            self.library.chdb_destroy_query_result(result)

    def answer(self, parameters, body):
        with self.lock:
            before = [f"USE {parameters.get('database', 'default')}"]
            before += [f"SET {name} = DEFAULT" for name in self.settings - set(parameters)]
            wanted = {name: value for name, value in parameters.items() if name not in NOT_SETTINGS}
            before += [f"SET {name} = '{value}'" for name, value in wanted.items()]
            self.settings |= set(wanted)
            for query in before:
                _, error = self.execute(query)
                if error:
                    return b"", error
            if "query" not in parameters:
                return self.execute(body.decode(), parameters.get("default_format", "TabSeparated"))
            # Rows come as the body.
            path = os.path.join(self.directory, "rows")
            with open(path, "wb") as file:
                file.write(body)
            head, form = parameters["query"].rsplit(" FORMAT ", 1)
            return self.execute(f"{head} FROM INFILE '{path}' FORMAT {form}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine = None

    def log_message(self, *_):
        pass

    def send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send(200, b"Ok.\n")

    def do_POST(self):
        parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        result, error = self.engine.answer(parameters, body)
        if error is None:
            return self.send(200, result)
        code = error.split("Code: ", 1)[-1].split(".", 1)[0]
        return self.send(STATUSES.get(int(code) if code.isdigit() else 0, 500), error.encode())


if __name__ == "__main__":
    Handler.engine = Engine(sys.argv[2])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
