"""The output of `protoc --decode`, as dictionaries of lists."""

import re
import subprocess

ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)")
NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"'": b"'", b"\\": b"\\"}


def unescape(match):
    code = match.group(1)
    return NAMED.get(code) or bytes([int(code, 8)])


def value(text):
    if text.startswith('"'):
        return ESCAPE.sub(unescape, text[1:-1].encode()).decode()
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text  # the name of an enumeration value


def decode(data, directory, proto, message):
    text = subprocess.run(["protoc", "--proto_path", directory, "--decode", message, proto],
                          input=data, capture_output=True, check=True, timeout=120).stdout.decode()
    root = {}
    open_messages = [root]
    for line in text.split("\n"):
        line = line.strip()
        if not line:
            continue
        if line == "}":
            open_messages.pop()
        elif line.endswith(" {"):
            inner = {}
            open_messages[-1].setdefault(line[:-2], []).append(inner)
            open_messages.append(inner)
        else:
            name, _, rest = line.partition(": ")
            open_messages[-1].setdefault(name, []).append(value(rest))
    assert open_messages == [root]
    return root
