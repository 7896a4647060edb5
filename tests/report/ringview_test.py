#!/usr/bin/env python3
"""`ringview`: the page follows traces that grow, and answers only its own pages, with the token."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

import browser
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

    def __init__(self, bed, *options):
        self.bed = bed
        self.log = os.path.join(bed.output_dir, "..", os.path.basename(bed.output_dir) + ".ringview.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([program("ringview"), "--interval-ms", "50", "--shm-dir", bed.shm_dir, *options, bed.output_dir],  # pylint: disable=consider-using-with
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

    def data(self):
        status, text = self.ask("GET", "/data")
        assert status == 200, text
        return json.loads(text)

    def control(self, **request):
        return self.ask("POST", "/control", json.dumps(request))


class Ringview(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def view(self, *options):
        view = View(self.bed, *(options or ["--port", "0"]))
        self.addCleanup(view.close)
        return view

    def load(self, threads=1):
        consumer = self.bed.start_consumer()
        load = Load(self.bed, 0, threads, "--burst", 50, "--pause-us", 1000)
        wait_until(self.bed.traces, "a trace")
        return consumer, load

    def test_only_its_own_pages_with_the_token_are_answered(self):
        view = self.view()
        host = f"127.0.0.1:{view.port}"
        self.assertEqual(view.ask("GET", "/", token=False)[0], 200)
        self.assertEqual(view.ask("GET", "/data")[0], 200)
        self.assertEqual(view.ask("GET", f"/data?token={view.token}", token=False)[0], 200)
        for wrong in (False, "", view.token[:-1], view.token + "0", view.token[:-1] + "x", "0" * 32):
            for path in ("/data", "/events"):
                self.assertEqual(view.ask("GET", path, token=wrong)[0], 401, wrong)
        for name in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{view.port}", ""):
            self.assertEqual(view.ask("GET", "/data", Host=name)[0], 403, name)
        for name in (host, f"localhost:{view.port}", f"[::1]:{view.port}"):
            self.assertEqual(view.ask("GET", "/data", Host=name)[0], 200, name)
        for origin in ("http://evil.example", f"https://{host}", "null", f"http://{host}.evil.example", f"http://evil.example/{host}"):
            self.assertEqual(view.ask("GET", "/data", Origin=origin)[0], 403, origin)
        self.assertEqual(view.ask("GET", "/data", Origin=f"http://{host}")[0], 200)
        self.assertEqual(view.ask("GET", "/../etc/passwd")[0], 404)
        self.assertEqual((view.ask("POST", "/data")[0], view.ask("GET", "/control")[0], view.ask("DELETE", "/")[0]), (405, 405, 405))

    def test_the_page_states_a_strict_policy(self):
        view = self.view()
        connection = view.connection()
        connection.request("GET", "/")
        answer = connection.getresponse()
        page = answer.read().decode()
        connection.close()
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
        directives = {words.split()[0]: words.split()[1:] for words in policy.split(";")}
        self.assertEqual((directives["default-src"], directives["connect-src"]), (["'none'"], ["'self'"]))
        for name in ("script-src", "style-src"):
            self.assertRegex(" ".join(directives[name]), r"^('sha256-[\w+/=]+' ?)+$")
        self.assertEqual({name: answer.getheader(name) for name in ("X-Content-Type-Options", "Cache-Control", "Content-Security-Policy", "Referrer-Policy")},
                         {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Security-Policy": "frame-ancestors 'none'",
                          "Referrer-Policy": "no-referrer"})
        self.assertNotIn(view.token, page)

    def test_data_grows_with_the_trace(self):
        view = self.view()
        self.assertEqual(view.data()["summary"]["records"], 0)
        consumer, load = self.load()
        wait_until(lambda: view.data()["summary"]["records"] > 100, "records")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        expected = sum(load.expected().values())
        wait_until(lambda: view.data()["summary"]["records"] == expected, "all records")
        self.assertEqual(view.data()["live"]["control"], False)

    def test_data_is_that_of_a_report(self):
        view = self.view()
        consumer = self.bed.start_consumer()
        for example in ("EXAMPLE_SPANS", "EXAMPLE_TASKS", "EXAMPLE_CONTEXTS"):
            program_path = os.environ["RINGSIDE_TEST_" + example]
            subprocess.run([program_path], env={**os.environ, "RINGSIDE_SHM_DIR": self.bed.shm_dir}, timeout=BOUND_S, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        done = subprocess.run([program("ringcat"), "report", "--json", self.bed.output_dir], capture_output=True, text=True, timeout=BOUND_S, check=True)
        report = json.loads(done.stdout)
        self.assertGreater(report["timeline"]["spans"], 5)
        del report["summary"]["title"]

        def is_equal():
            data = view.data()
            del data["live"], data["summary"]["title"]
            return data == report

        wait_until(is_equal, "the same data")

    def test_events_tell_of_changes(self):
        view = self.view()
        connection = view.connection()
        connection.request("GET", f"/events?token={view.token}")
        events = connection.getresponse()
        self.assertEqual(events.getheader("Content-Type"), "text/event-stream")
        numbers = []
        _, load = self.load()
        while len(numbers) < 3:
            line = events.readline()
            if line.startswith(b"data: "):
                numbers.append(int(line[6:]))
        load.stop()
        self.assertEqual(numbers, sorted(set(numbers)))
        events.close()
        connection.close()

    def test_control_needs_its_option(self):
        view = self.view()
        self.assertEqual(view.control(action="level", level="error"), (403, "ringview runs without --allow-control\n"))

    def test_control_changes_services(self):
        view = self.view("--port", "0", "--allow-control")
        self.assertEqual(view.data()["live"]["control"], True)
        consumer, load = self.load()
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        row = view.data()["statements"][0]
        status, text = view.control(action="disable", site=f"{row['file']}:{row['line']}", service=row["service"])
        self.assertEqual(status, 200, text)
        before = view.data()["statements"][0]["records"]

        def has_stopped():
            nonlocal before
            now = view.data()
            stopped = now["statements"][0]["records"] == before and sum(one["records"] for one in now["statements"][1:]) > 0
            before = now["statements"][0]["records"]
            return stopped

        wait_until(has_stopped, "the statement to be silent")
        self.assertEqual(view.control(action="level", level="off")[0], 200)
        self.assertEqual(view.control(action="level", level="trace")[0], 200)
        load.stop()
        self.bed.stop_consumer(consumer)

    def test_what_control_does_not_know_is_refused(self):
        view = self.view("--port", "0", "--allow-control")
        page = os.path.join(self.bed.output_dir, "written")
        for request, reason in (({}, "the action must be"), ({"action": "upgrade"}, "the action must be"), ({"action": "level", "level": "--help"}, "the level must be"),
                                ({"action": "disable"}, "missing site"), ({"action": 7}, "a JSON object of texts"), ({"action": "snapshot", "service": f"--output={page}"}, "service"),
                                ({"action": "disable", "site": "--help"}, ""), ({"action": "disable", "site": "a\0b"}, "a JSON object of texts")):
            status, text = view.control(**request)
            self.assertEqual(status, 400, request)
            self.assertIn(reason, text)
        for body in (b"", b"[]", b"\xff", b"[" * 60000):
            self.assertEqual(view.ask("POST", "/control", body)[0], 400)
        self.assertEqual(view.ask("POST", "/control", b"x" * 70000)[0], 413)
        self.assertFalse(os.path.exists(page))

    def test_a_socket_of_this_user(self):
        path = os.path.join(self.bed.output_dir, "view.socket")
        view = self.view("--socket", path)
        token = LISTENING.search(view.said())[2]
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(view.ask("GET", "/data", token=token, connection=UnixConnection(path))[0], 200)
        self.assertEqual(view.ask("GET", "/data", token=token, connection=UnixConnection(path), Host="evil.example")[0], 403)
        second = subprocess.run([program("ringview"), "--socket", path, self.bed.output_dir], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((second.returncode, "another process listens there" in second.stderr), (3, True))
        view.process.send_signal(signal.SIGTERM)
        self.assertEqual((view.process.wait(BOUND_S), os.path.exists(path)), (0, False))

    def test_a_file_that_is_no_socket_stays(self):
        path = os.path.join(self.bed.output_dir, "file")
        with open(path, "w", encoding="utf-8") as file:
            file.write("kept")
        done = subprocess.run([program("ringview"), "--socket", path, self.bed.output_dir], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, "is not a socket" in done.stderr), (3, True))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")

    def test_it_ends_although_pages_are_open(self):
        view = self.view()
        open_pages = []
        for _ in range(5):
            connection = view.connection()
            connection.request("GET", f"/events?token={view.token}")
            open_pages.append((connection, connection.getresponse()))
        view.process.send_signal(signal.SIGTERM)
        self.assertEqual(view.process.wait(BOUND_S), 0)
        for connection, answer in open_pages:
            answer.close()
            connection.close()

    def test_whatever_comes_it_answers_others(self):
        view = self.view()
        held = [socket.create_connection(("127.0.0.1", view.port)) for _ in range(20)]
        for number, connection in enumerate(held):
            connection.sendall([b"", b"GET", b"\0" * 5000, b"GET / HTTP/1.1\r\n", b"POST /control HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"][number % 5])
        self.assertEqual(view.ask("GET", "/data")[0], 200)
        for connection in held:
            connection.close()
        self.assertIsNone(view.process.poll())

    def test_a_missing_directory_is_reported(self):
        done = subprocess.run([program("ringview"), "--port", "0", "/nonexistent"], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, "/nonexistent" in done.stderr), (3, True))

    @unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
    def test_the_cost_of_log_calls_is_shown_where_it_is_measured(self):
        view = self.view()
        consumer, load = self.load()
        wait_until(lambda: view.data()["summary"]["records"] > 100, "records")
        self.assertEqual(view.data()["live"]["call_costs"], [])
        load.stop()
        self.bed.wait_until_segments_are_gone()
        measured = Load(self.bed, 0, 1, "--burst", 50, "--pause-us", 1000, environment={"RINGSIDE_COST_SAMPLING": "1"})
        wait_until(lambda: view.data()["live"]["call_costs"], "costs")
        (cost,) = view.data()["live"]["call_costs"]
        self.assertEqual((cost["pid"], cost["one_in"]), (measured.process.pid, 1))
        self.assertGreater(cost["calls_measured"], 0)
        self.assertLessEqual(cost["p50_ns"], cost["p99_ns"])
        self.assertLessEqual(cost["p99_ns"], cost["max_ns"])
        with browser.Browser() as window:
            window.visit(f"http://127.0.0.1:{view.port}/#token={view.token}")
            wait_until(lambda: "Log calls take:" in "".join(window.texts("#health")), "the cost")
            self.assertIn(f"{measured.process.pid}: mean ", "".join(window.texts("#health")))
            # Afterwards the trace has them.
            measured.stop()
            wait_until(lambda: view.data()["live"]["call_costs"] == [], "no running service")
            wait_until(lambda: view.data()["health"].get("call_costs"), "the cost in the trace")
            self.assertEqual(view.data()["health"]["call_costs"][0]["pid"], measured.process.pid)
            wait_until(lambda: f"{measured.process.pid}: mean " in "".join(window.texts("#health")), "the cost of the ended service")
        self.bed.stop_consumer(consumer)

    def test_the_page_follows_in_a_browser(self):
        view = self.view("--port", "0", "--allow-control")
        consumer, load = self.load()
        with browser.Browser() as window:
            window.visit(f"http://127.0.0.1:{view.port}/#token={view.token}&q=precision")
            counted = lambda: int(re.sub(r"\D", "", (window.texts("header p") or ["0"])[0].split(" records")[0]) or 0)  # noqa: E731
            wait_until(lambda: counted() > 0, "the first data")
            first = counted()
            wait_until(lambda: counted() > first, "more records")
            # The token is gone from the address, and what else it had is kept.
            self.assertEqual(window.run("return location.hash"), "#q=precision")
            self.assertEqual(len(window.texts("#statements .statement")), 1)
            self.assertEqual([url for url in window.requests() if not url.startswith((f"http://127.0.0.1:{view.port}/", "data:,"))], [])
            self.assertEqual(window.texts("#live [role=status]")[0], "Follows the traces.")
            window.one("#statements tbody tr:not(.space)").click()
            [button for button in window.all("#live button") if button.text.startswith("Disable")][0].click()
            wait_until(lambda: "e2e_workload" in "".join(window.texts("#live [role=status]")) or len(window.all("#live [role=status]")) > 1, "the answer")
            window.driver.refresh()
            wait_until(lambda: counted() > first, "the data after the page was loaded again")
            self.assertEqual(window.complaints(), [])
        load.stop()
        self.bed.stop_consumer(consumer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
