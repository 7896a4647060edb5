"""A trace for pictures: fixed times and numbers, with something for each panel."""

import json
import random

BEGIN_NS = 1_760_000_000_000_000_000
REQUESTS = 240
THREADS = ((11, "accept"), (12, "worker-1"), (13, "worker-2"))


def record(at, level, thread, text, line, **more):
    return {"kind": "record", "unix_ns": BEGIN_NS + at, "level": level, "service": "shop", "pid": 4711, "host": "east-1", "thread": {"id": thread[0], "name": thread[1]},
            "category": "", "name": text, "file": "src/shop.cpp", "line": line, "function": "serve", "msg": text, "fields": {}, **more}


def span(at, duration, *what, **more):
    return record(at, *what, site_kind="span", duration_ns=duration, **more)


def lines(seed, slower=1.0):
    """The lines of a trace for `ringcat`, as it prints them with --format json."""
    random_ = random.Random(seed)
    found = []
    for number in range(REQUESTS):
        at, thread = number * 4_000_000 + random_.randrange(100_000), THREADS[1 + number % 2]
        duration = int(random_.lognormvariate(14, 0.4) * slower)
        more = {"activity": f"{number + 1:032x}"}
        found.append(record(at - 20_000, "INFO", THREADS[0], "request accepted", 12, fields={"queue": number % 17}, **more))
        found.append(span(at, duration, "INFO", thread, "request", 20, fields={"number": number, "bytes": int(random_.lognormvariate(8, 1))}, **more))
        found.append(span(at + duration // 10, duration // 3, "INFO", thread, "read_cache", 31, fields={"key": f"item {number % 40}"}, **more))
        found.append(span(at + duration // 2, duration // 3, "INFO", thread, "write_reply", 44, fields={"bytes": 512 + number}, **more))
        if number % 30 == 7:
            found.append(record(at + duration // 2, "WARNING", thread, "item is not in the cache", 35, fields={"key": f"item {number % 40}"}, **more))
        if number % 80 == 50:
            found.append(record(at + duration, "ERROR", thread, "connection closed by the client", 50, fields={"errno": 104}, **more))
    loss = {"kind": "loss", "unix_ns": BEGIN_NS + 500_000_000, "since_unix_ns": BEGIN_NS + 440_000_000, "count": 1234, "cause": "ring_full", "sequence": 700,
            "service": "shop", "pid": 4711, "host": "east-1", "thread": {"id": 12, "name": "worker-1"}}
    return "".join(json.dumps(line) + "\n" for line in sorted((*found, loss), key=lambda line: line["unix_ns"]))
