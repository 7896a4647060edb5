"""Random traces and ringcat's results for them, for the tests of formats."""

import json
import os
import re
import subprocess
import sys
import tempfile

BOUND_S = 120
SEEDS = [int(seed) for seed in os.environ.get("RINGSIDE_TEST_SEEDS", "1 2 3 4 5").split()]


def program(name):
    return os.environ["RINGSIDE_TEST_" + name.upper()]


def ringcat(*arguments, **how):
    """Returns the exit code, standard output as bytes, and standard error as text."""
    done = subprocess.run([program("ringcat"), *map(str, arguments)], capture_output=True,
                          timeout=BOUND_S, check=False, **how)
    return done.returncode, done.stdout, done.stderr.decode()


class RandomTrace:
    """A file that is removed with this object. `shape`: see write_random_trace."""

    def __init__(self, seed, **shape):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.path = os.path.join(self.directory.name, "random.ringtrace")
        subprocess.run([program("write_random_trace"), str(seed), self.path,
                        *(f"{name}={int(value)}" for name, value in shape.items())],
                       check=True, timeout=BOUND_S)
        print(f"seed {seed} {shape}", file=sys.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def path_of(self, name):
        return os.path.join(self.directory.name, name)

    def events(self, *options):
        return events_of(self.path, *options)

    def converted(self, format_name, *options):
        """Returns the output as bytes, and the messages."""
        path = self.path_of("converted." + format_name)
        code, output, said = ringcat("--to", format_name, "-o", path, "--force", *options, self.path)
        assert code == 0 and not output, (code, output[:1000], said)
        with open(path, "rb") as file:
            return file.read(), said


def without_clock_notes(said):
    """Foreign formats state no errors of their hosts' clocks, which is reported for several hosts."""
    return re.sub(r"(?m)^ringcat: the clock errors? of .*\n", "", said)


def events_of(path, *options):
    """Records and losses in order of time, as --format json prints them."""
    code, output, said = ringcat("--format", "json", *options, path)
    assert code == 0 and not without_clock_notes(said), (code, said)
    return [json.loads(line) for line in output.splitlines()]


# What NetLogger messages carry for every record and loss.
CARRIED = ("kind", "unix_ns", "level", "category", "service", "pid", "host", "name", "file", "line", "function",
           "count", "cause", "substream", "activity", "related", "stack_id", "duration_ns")


def there_and_back(test, trace, format_name):
    """Pairs of what was converted and what came back, equal in all CARRIED members, and the messages."""
    there = trace.events()
    _, said = trace.converted(format_name)
    back = events_of(trace.path_of("converted." + format_name))
    for events in (there, back):
        events.sort(key=lambda e: (e["unix_ns"], e["service"], e["thread"]["id"], e["kind"], e["sequence"]))
    test.assertEqual(len(there), len(back))
    for one, other in zip(there, back):
        for member in CARRIED:
            test.assertEqual(one.get(member), other.get(member), (member, one, other))
        test.assertEqual(one["thread"]["id"], other["thread"]["id"])
    return list(zip(there, back)), said


def comparable(events):
    """Without the numbers of statements and streams, which a conversion may assign anew. Stream numbers order events of the
    same time."""
    return sorted(({**event, "site": None} for event in events),
                  key=lambda e: (e["unix_ns"], e["pid"], e["thread"]["id"], e["sequence"], e["kind"]))
