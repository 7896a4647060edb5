"""Whether a test catches a fault. A busy machine, or a test that fails sometimes, must not count."""

import dataclasses

from fault_run import run_test

# A test that takes longer than this with a fault hangs: without the fault it takes far less.
BOUND_SECONDS = 90
BOUND_MULTIPLE = 6
# How often a test that fails only sometimes is tried, and how often it must fail.
TRIES = 4
ENOUGH = 2


class Untrustworthy(Exception):
    """A test fails without any fault."""


@dataclasses.dataclass
class Catch:
    test: str
    case: str
    note: str  # "time-out", "3 of 4 runs", or empty


class Judge:
    """Runs tests against faults. `reference` maps tests to the seconds of their run without a fault."""

    def __init__(self, tests, reference):
        self._tests = tests
        self._reference = reference

    def measure(self, name):
        """The run without a fault, which must pass. It has three tries, because the machine can be busy."""
        if name in self._reference:
            return
        for _ in range(3):
            outcome = run_test(self._tests[name], 0, self._tests[name]["timeout"] * 5)
            if outcome.passed:
                self._reference[name] = outcome.seconds
                return
        raise Untrustworthy(f"{name} fails without any fault ({outcome.case or 'no case named'})")

    def catch(self, name, number):
        """How the test catches the fault; None if it passes."""
        first = self._run(name, number)
        if first.passed:
            return None
        if first.case and not first.timed_out and self._confirmed(name, number, first.case):
            return Catch(name.partition(" ")[0], first.case, "")
        failures, tries = 1, 1
        while failures < ENOUGH and tries < TRIES:
            failures += self._run(name, number).failed
            tries += 1
        if failures < ENOUGH or not self._sound(name, first):
            return None
        note = "time-out" if first.timed_out else f"{failures} of {tries} runs" if failures < tries else ""
        return Catch(name.partition(" ")[0], first.case, note)

    def catch_again(self, test, case, number):
        """Whether this case, which caught the fault before, still does: two short runs."""
        entry = f"{test} {case}"
        caught = self._confirmed(entry, number, case)
        return Catch(test, case, "") if caught else None

    def _bound(self, name):
        return max(BOUND_SECONDS, BOUND_MULTIPLE * self._reference.get(name, 0))

    def _run(self, name, number, case=""):
        return run_test(self._tests[name], number, self._bound(name), case)

    def _confirmed(self, name, number, case):
        """Cheaper than whole runs: the one case fails with the fault, and passes without."""
        return self._run(name, number, case).failed and self._run(name, 0, case).passed

    def _sound(self, name, first):
        """Whether the test passes now without the fault, far from the bound, on the machine with its present load."""
        outcome = self._run(name, 0)
        if first.timed_out:
            return outcome.passed and outcome.seconds < self._bound(name) / 2
        return outcome.passed
