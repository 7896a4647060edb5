"""The client's half of RESP2, on a socket."""


def array(*arguments):
    out = b"*%d\r\n" % len(arguments)
    for argument in arguments:
        if isinstance(argument, str):
            argument = argument.encode()
        out += b"$%d\r\n%s\r\n" % (len(argument), argument)
    return out


class Reader:
    """Reads whole replies from a socket, as unchanged bytes."""

    def __init__(self, sock):
        self.file = sock.makefile("rb")

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise AssertionError(f"the stream ended in a reply: {line!r}")
        if line[:1] == b"$" and line != b"$-1\r\n":
            return line + self.file.read(int(line[1:]) + 2)
        if line[:1] == b"*":
            return line + b"".join(self.reply() for _ in range(int(line[1:])))
        return line


def ask(sock, request, replies=1):
    sock.sendall(request)
    reader = Reader(sock)
    return b"".join(reader.reply() for _ in range(replies))


def receive_all(sock):
    """Everything up to the end of the stream."""
    parts = []
    while part := sock.recv(65536):
        parts.append(part)
    return b"".join(parts)
