"""Raw messages of a NATS server, and those that its streams store."""

import base64
import json
import socket

BOUND_S = 30


class NatsClient:
    def __init__(self, port, **login):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=BOUND_S)
        self.input = self.socket.makefile("rb")
        connect = json.dumps({"verbose": False, "headers": True, **login})
        self.socket.sendall(f"CONNECT {connect}\r\nSUB answers.test 1\r\n".encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def subscribe(self, subject):
        """next() returns what comes to it from now on."""
        self.socket.sendall(f"SUB {subject} 2\r\nPING\r\n".encode())
        while self.input.readline() != b"PONG\r\n":
            pass

    def next(self):
        """The next message, a JSON object."""
        while True:
            words = self.input.readline().split()
            assert words, "the server closed the connection"
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                message = self.input.read(int(words[-1]))
                self.input.readline()
                return json.loads(message[int(words[-2]):] if words[0] == b"HMSG" else message)

    def publish(self, subject, payload, answers=""):
        self.socket.sendall(f"PUB {subject} {answers} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def request(self, subject, payload):
        """The answer, which has no headers."""
        self.publish(subject, payload, "answers.test")
        while True:
            words = self.input.readline().split()
            assert words, "the server closed the connection"
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif words[0] == b"MSG":
                answer = self.input.read(int(words[-1]))
                self.input.readline()
                return json.loads(answer)
            assert words[0] != b"-ERR", words

    def store(self, subject, payload):
        """Returns its number."""
        answer = self.request(subject, payload)
        assert "error" not in answer, answer
        return answer["seq"]

    def stored(self, stream, number):
        """(subject, headers, payload) of a message; None without one."""
        answer = self.request(f"$JS.API.STREAM.MSG.GET.{stream}", json.dumps({"seq": number}).encode())
        if "message" not in answer:
            return None
        message = answer["message"]
        lines = base64.b64decode(message.get("hdrs", "")).decode().split("\r\n")[1:]
        headers = dict(line.split(": ", 1) for line in lines if ": " in line)
        return message["subject"], headers, base64.b64decode(message.get("data", ""))
