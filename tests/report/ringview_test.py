#!/usr/bin/env python3
"""`ringview`: what it answers, and whom. ringview_page_test.py tests its page."""

import gzip
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from live_view import LISTENING, LiveCase, UnixConnection, next_state
from steady_load import Load
from traced_processes import BOUND_S, program, wait_until

class Ringview(LiveCase):
    def test_only_its_own_pages_with_the_token_are_answered(self):
        view = self.view()
        host = f"127.0.0.1:{view.port}"
        self.assertEqual(view.ask("GET", "/", token=False)[0], 200)
        self.assertEqual(view.ask("GET", "/data")[0], 200)
        # An address is written to logs and histories.
        self.assertEqual(view.ask("GET", f"/data?token={view.token}", token=False)[0], 401)
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
        connection, events = view.events()
        self.assertEqual(events.getheader("Content-Type"), "text/event-stream")
        numbers = []
        _, load = self.load()
        while len(set(numbers)) < 3:
            numbers.append(next_state(events)["number"])
        load.stop()
        self.assertEqual(numbers, sorted(numbers))
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
            open_pages.append(view.events())
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

    def test_requests_are_those_of_http(self):
        view = self.view()
        head = "Host: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
        for path in ("/", "/data"):
            answer = view.raw(f"HEAD {path} HTTP/1.1\r\n{head}")
            self.assertTrue(answer.startswith("HTTP/1.1 200 ") and answer.endswith("\r\n\r\n"), answer)
        for request, methods in (("DELETE / HTTP/1.1", "GET, HEAD"), ("GET /control HTTP/1.1", "POST")):
            answer = view.raw(f"{request}\r\n{head}")
            self.assertTrue(answer.startswith("HTTP/1.1 405 ") and f"\r\nAllow: {methods}\r\n" in answer, answer)
        self.assertTrue(view.raw("GET /data HTTP/1.1\r\nHost: {host}\r\n" + head).startswith("HTTP/1.1 400 "))
        for path in ("/data%00", "/%64ata"):
            self.assertTrue(view.raw(f"GET {path} HTTP/1.1\r\n{head}").startswith("HTTP/1.1 404 "), path)
        self.assertTrue(view.raw("GET /data HTTP/1.1\r\nHost: {host}\r\nAuthorization: bearer {token}\r\n\r\n").startswith("HTTP/1.1 200 "))
        self.assertEqual(view.ask("GET", "/data", Host=f"LOCALHOST:{view.port}")[0], 200)

    def test_data_is_smaller_for_clients_that_take_gzip(self):
        _, load = self.load()
        view = self.view()
        wait_until(lambda: view.data()["summary"]["records"] > 1000, "records")
        load.stop()

        def ask(encodings):
            connection = view.connection()
            connection.request("GET", "/data", headers={"Authorization": "Bearer " + view.token, "Accept-Encoding": encodings})
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            return answer.getheader("Content-Encoding"), body

        for encodings in ("gzip", "br, gzip;q=0.1", "deflate,gzip"):
            encoding, body = ask(encodings)
            text = gzip.decompress(body)
            self.assertEqual((encoding, json.loads(text)["summary"]["version"]), ("gzip", 1))
            self.assertLess(3 * len(body), len(text))
        for encodings in ("identity", "gzip;q=0", "xgzip"):
            encoding, body = ask(encodings)
            self.assertEqual((encoding, json.loads(body)["summary"]["version"]), (None, 1))

    def test_clients_without_the_token_keep_none_out(self):
        view = self.view()
        connection, events = view.events()
        next_state(events)
        held = []
        for number in range(100):
            held.append(socket.create_connection(("127.0.0.1", view.port), BOUND_S))
            held[-1].sendall([b"G", b"GET /data HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: " + f"127.0.0.1:{view.port}".encode() + b"\r\n\r\n"][number % 3])
            if number > 30:
                self.assertEqual(view.ask("GET", "/data")[0], 200, number)
        # A stream with the token is not among those that make place.
        _, load = self.load()
        next_state(events)
        load.stop()
        for one in held:
            one.close()
        events.close()
        connection.close()

    def test_a_request_that_is_not_complete_in_time_is_ended(self):
        view = self.view()
        with socket.create_connection(("127.0.0.1", view.port)) as connection:
            connection.setblocking(False)
            connection.sendall(b"GET /data HTTP/1.1\r\nX-Slow: ")

            def is_ended():
                try:
                    connection.send(b"x")
                    return connection.recv(1) == b""
                except BlockingIOError:
                    return False
                except (ConnectionResetError, BrokenPipeError):
                    return True

            wait_until(is_ended, "the end of the connection")

    def test_files_that_cannot_be_read_are_named(self):
        trace = self.finished_trace(0)
        wrong = os.path.join(self.bed.output_dir, "wrong.1.ringtrace")
        with open(wrong, "w", encoding="utf-8") as file:
            file.write("no trace" * 1000)
        view = self.view()
        wait_until(lambda: view.live()["unreadable"]["count"] == 1, "the wrong file")
        live = view.live()
        self.assertEqual((live["unreadable"]["first"][0]["path"], live["error"]), (wrong, ""))
        self.assertIn("trace", live["unreadable"]["first"][0]["why"])
        os.remove(wrong)
        shutil.copy(trace, self.bed.output_dir)
        wait_until(lambda: view.data()["summary"]["records"] > 0, "the other file")
        wait_until(lambda: view.live()["unreadable"]["count"] == 0, "the wrong file to be forgotten")

    def test_files_of_others_are_named(self):
        trace = shutil.copy(self.finished_trace(0), self.bed.output_dir)
        os.chmod(trace, 0)
        view = self.view_of_another_user()
        self.assertEqual(wait_until(lambda: view.live()["unreadable"]["first"], "the file"),
                         [{"path": trace, "why": "Permission denied; run ringview as a user who may read it"}])

    def test_a_directory_that_vanishes_is_reported(self):
        shutil.copy(self.finished_trace(0), self.bed.output_dir)
        view = self.view()
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        number, read = view.live()["number"], view.live()["read_unix_ms"]
        moved = self.bed.output_dir + ".moved"
        os.rename(self.bed.output_dir, moved)
        self.addCleanup(shutil.rmtree, moved, True)
        self.assertEqual(wait_until(lambda: view.live()["error"], "the error"), f"{self.bed.output_dir}: does not exist; check the path")
        # What was read stays, with its time.
        self.assertEqual((view.live()["number"], view.live()["read_unix_ms"]), (number, read))
        os.rename(moved, self.bed.output_dir)
        wait_until(lambda: view.live()["error"] == "", "the directory")
        # Nothing has changed, so nothing is made again.
        self.assertEqual(view.live()["number"], number)

    def test_services_without_a_consumer_are_known(self):
        view = self.view()
        consumer, load = self.load()
        states = lambda: [(one["service"], one["pid"], one["consumer"]) for one in view.live()["services"] or []]  # noqa: E731
        wait_until(lambda: ("load0", load.process.pid, "polling") in states(), "the service")
        consumer.send(signal.SIGKILL)
        consumer.wait()
        wait_until(lambda: ("load0", load.process.pid, "none") in states(), "that nothing reads it")
        consumer = self.bed.start_consumer()
        wait_until(lambda: ("load0", load.process.pid, "polling") in states(), "the new consumer")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        wait_until(lambda: view.live()["services"] == [], "no service")
        self.bed.stop_consumer(consumer)

    def test_options_select_records(self):
        for first in (0, 7):
            shutil.copy(self.finished_trace(first), self.bed.output_dir)
        view = self.view("--port", "0", "--service", "load7")
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        self.assertEqual({row["service"] for row in view.data()["statements"]}, {"load7"})
        self.assertEqual(view.live()["selection"], ["--service load7"])
        for options, other in ((["--service", "load0", "--service", "load7"], []), (["--since", "@1"], []), (["--since", "-1h", "--service", "*7"], ["--service", "*7"])):
            view = self.view("--port", "0", *options)
            done = subprocess.run([program("ringcat"), "report", "--json", *(other or options), self.bed.output_dir], capture_output=True, text=True, timeout=BOUND_S, check=True)
            report = json.loads(done.stdout)
            wait_until(lambda: view.data()["statements"] == report["statements"], options)  # noqa: B023
        view = self.view("--port", "0", "--since", "2100-01-01")
        wait_until(lambda: view.live()["read_unix_ms"], "the files")
        self.assertEqual(view.data()["summary"]["records"], 0)
        done = subprocess.run([program("ringview"), "--since", "tomorrow", self.bed.output_dir], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, "invalid time 'tomorrow'" in done.stderr), (2, True), done.stderr)

    def test_a_relative_time_moves_with_the_present(self):
        view = self.view("--port", "0", "--since", "-2s")
        consumer, load = self.load()
        wait_until(lambda: view.data()["summary"]["records"] > 0, "records")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        wait_until(lambda: view.data()["summary"]["records"] == 0, "all records to be older")

    def test_the_socket_of_another_one_stays(self):
        path = os.path.join(self.bed.work_dir, "view.socket")
        first = self.view("--socket", path)
        os.remove(path)
        second = self.view("--socket", path)
        first.process.send_signal(signal.SIGTERM)
        self.assertEqual(first.process.wait(BOUND_S), 0)
        token = LISTENING.search(second.said())[2]
        self.assertEqual(second.ask("GET", "/data", token=token, connection=UnixConnection(path))[0], 200)
        for host, status in (("localhost:evil", 403), ("localhost:", 403), ("localhost:80", 200)):
            self.assertEqual(second.ask("GET", "/data", token=token, connection=UnixConnection(path), Host=host)[0], status, host)


if __name__ == "__main__":
    unittest.main(verbosity=2)
