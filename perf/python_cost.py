#!/usr/bin/env python3
"""What a record costs in Python: the handler, events and spans, beside the handlers of Python's logging.

usage: python_cost.py LIBRARY [ROUNDS]

LIBRARY: libringside.so.1 of a build without sanitizers. Each round measures every case once, so that all cases see the same
machine. A time is processor time of the thread, without the loop; the result is the median of the rounds. The last part shows
where the time of an event goes."""

import logging
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = 5000
DEFAULT_ROUNDS = 15


def time_ns(function):
    """Of one call."""
    calls = range(CALLS)
    begin = time.thread_time_ns()
    for _ in calls:
        pass
    between = time.thread_time_ns()
    for _ in calls:
        function()
    return (time.thread_time_ns() - between - (between - begin)) / CALLS


def log_record(message, *args, **extra):
    record = logging.LogRecord("app.orders", logging.INFO, __file__, 300, message, args, None, "place")
    record.__dict__.update(extra)
    return record


def handler_cases(ringside, directory):
    """A record that exists already: what the handler adds to Python's logging."""
    file_handler = logging.FileHandler(os.path.join(directory, "app.log"))
    file_handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    typed, plain = log_record("order %d filled at %.2f by %s", 7, 100.25, "ann"), log_record("started")
    extra, text = log_record("filled", px=100.25, qty=7), log_record("ratio %s", 0.5)
    handler, null = ringside.Handler(), logging.NullHandler()
    return {
        "NullHandler.handle": lambda: null.handle(typed),
        "FileHandler.handle, 3 arguments": lambda: file_handler.handle(typed),
        "FileHandler.handle, no argument": lambda: file_handler.handle(plain),
        "Handler.handle, 3 arguments": lambda: handler.handle(typed),
        "Handler.handle, no argument": lambda: handler.handle(plain),
        "Handler.handle, %s of a float": lambda: handler.handle(text),
        "Handler.handle, 2 extra fields": lambda: handler.handle(extra),
    }


def logger_with(name, handler):
    logger = logging.getLogger("measured." + name)
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    return logger


def call_cases(ringside, directory):
    """Whole log calls."""
    file_handler = logging.FileHandler(os.path.join(directory, "calls.log"))
    file_handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    null, file, ring = (logger_with(name, handler) for name, handler in (
        ("null", logging.NullHandler()), ("file", file_handler), ("ring", ringside.Handler())))
    return {
        "logger.info, NullHandler": lambda: null.info("order %d filled at %.2f by %s", 7, 100.25, "ann"),
        "logger.info, FileHandler": lambda: file.info("order %d filled at %.2f by %s", 7, 100.25, "ann"),
        "logger.info, Handler": lambda: ring.info("order %d filled at %.2f by %s", 7, 100.25, "ann"),
    }


def named_cases(ringside):
    def span():
        with ringside.span("handle_get", key="alpha"):
            pass

    def span_with_result():
        with ringside.span("handle_get", key="alpha") as measured:
            measured.set(bytes=512)

    def nothing():
        with ringside.context(user=7):
            pass

    within = ringside.context(user=7)

    def event_in_context():
        ringside.event("order.fill", px=100.25, qty=7)

    cases = {
        "event, 2 numbers": lambda: ringside.event("order.fill", px=100.25, qty=7),
        "event, 2 numbers and a text": lambda: ringside.event("order.fill", px=100.25, qty=7, venue="XETR"),
        "counter": lambda: ringside.counter("queue", depth=7),
        "span": span,
        "span with set()": span_with_result,
        "context": nothing,
    }
    def in_context():
        with within:
            return time_ns(event_in_context)
    return cases, {"event, 2 numbers, in a context": in_context}


def part_cases(ringside):
    """What an event consists of."""
    # pylint: disable=protected-access,import-outside-toplevel
    from ringside import library, named_record
    from ringside.context import current_scope
    ringside.event("parts", px=100.25, qty=7)
    plan = list(named_record._plans.values())[-1]
    scope, fields = current_scope(), {"px": 100.25, "qty": 7}
    invalid = bytes(16)
    record = library.block_record

    def called(name, level=logging.INFO, /, **given):
        return name, level, given

    def found():
        frame = sys._getframe(0)
        return named_record.last_plan((0, id(frame.f_code), frame.f_lasti)), current_scope()

    return {
        "the call, with keywords": lambda: called("parts", px=100.25, qty=7),
        "finding the place and the writer": found,
        "the writer, with the call of the library": lambda: plan.write("parts", logging.INFO, fields, 0, scope),
        "the call of the library by ctypes alone (refused)": lambda: record(invalid, 16),
    }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else DEFAULT_ROUNDS
    os.environ["RINGSIDE_LIBRARY"] = os.path.abspath(sys.argv[1])
    sys.path.insert(0, os.path.join(HERE, os.pardir, "libagent", "python"))
    import ringside  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory(dir="/dev/shm") as shm_dir, tempfile.TemporaryDirectory() as directory:
        if not ringside.init("python_cost", shm_dir=shm_dir, overflow="overwrite"):
            sys.exit("no segment: see the message above")
        named, measured = named_cases(ringside)
        cases = {**handler_cases(ringside, directory), **call_cases(ringside, directory), **named, **part_cases(ringside)}
        cases = {**{name: lambda case=case: time_ns(case) for name, case in cases.items()}, **measured}
        times = {name: [] for name in cases}
        for _ in range(rounds):
            for name, case in cases.items():
                times[name].append(case())
    medians = {name: statistics.median(found) for name, found in times.items()}
    base = medians["FileHandler.handle, 3 arguments"]
    print(f"{'case':52} {'median ns':>9} {'least ns':>8}  of FileHandler.handle")
    for name, median in medians.items():
        print(f"{name:52} {median:9.0f} {min(times[name]):8.0f}  {median / base:.3f}")


if __name__ == "__main__":
    main()
