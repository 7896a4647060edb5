"""The results so far, kept in a file so that a run can be stopped and continued, and their table."""

import dataclasses
import json
import re
import zlib


@dataclasses.dataclass
class FormerCatch:
    """A row of an earlier table."""

    change: str
    test: str
    case: str
    note: str


class Progress:
    """Results by the content of each fault: a fault that has changed since then has no result."""

    def __init__(self, path):
        self._path = path
        self._known = json.loads(path.read_text()) if path.exists() else {"reference": {}, "faults": {}}
        self.reference = self._known["reference"]

    @staticmethod
    def _version(fault):
        # Without the path of the file, which can be moved.
        return zlib.crc32(repr((fault.after, fault.old, fault.new)).encode())

    def result(self, fault):
        """None if the fault was not tried; otherwise which test caught it and which did not."""
        known = self._known["faults"].get(fault.id)
        return known if known and known["version"] == self._version(fault) else None

    def is_open(self, fault):
        """Whether a test remains that could catch it."""
        known = self.result(fault)
        return not known or (not known["test"] and not set(fault.tests) <= set(known["passed"]))

    def add(self, fault, passed, caught=None):
        """Adds the tests that passed with the fault, and the one that caught it."""
        old = self.result(fault)
        before = [] if old is None else [test for test in old["passed"] if test not in passed]
        self._known["faults"][fault.id] = {
            "version": self._version(fault), "passed": before + passed,
            "test": caught.test if caught else "", "case": caught.case if caught else "",
            "note": caught.note if caught else ""}
        self.save()

    def adopt(self, fault, former):
        """Takes what an earlier table says of the fault, unless it has changed or was run since."""
        if former.change == _change(fault) and self.result(fault) is None:
            self.add(fault, [], former)

    def forget(self, fault):
        self._known["faults"].pop(fault.id, None)

    def save(self):
        new = self._path.with_suffix(".new")
        # A copy, because another thread can measure at the same time.
        known = self._known | {"reference": dict(self.reference)}
        new.write_text(json.dumps(known, indent=1))
        new.replace(self._path)


class Totals:
    """The number of faults by result."""

    def __init__(self, faults, progress):
        done = [fault for fault in faults if not progress.is_open(fault)]
        self.all = len(faults)
        self.open = len(faults) - len(done)
        self.caught = sum(1 for fault in done if progress.result(fault)["test"])
        self.equivalent = sum(1 for fault in done if fault.survives and not progress.result(fault)["test"])
        self.survived = len(done) - self.caught - self.equivalent

    def share(self):
        changing = self.caught + self.survived
        return f"{self.caught} of {changing} ({100 * self.caught / changing:.1f} %)" if changing else "-"


def _code(text):
    short = " ".join(text.split()).replace("|", "\\|")
    return f"`{short if len(short) <= 70 else short[:67] + '...'}`"


def _change(fault):
    return f"{_code(fault.old)} becomes {_code(fault.new)}"


def _row(fault, progress):
    known = progress.result(fault)
    missing = ", ".join(test for test in fault.tests if known is None or test not in known["passed"])
    if known and known["test"]:
        details = ", ".join(part for part in (known["case"], known["note"]) if part)
        verdict = f"`{known['test']}`" + (f" ({details})" if details else "")
    elif known is None or missing:
        verdict = f"not run yet: {missing}" + (f"; not caught by {', '.join(known['passed'])}" if known else "")
    elif fault.survives:
        verdict = f"changes nothing: {fault.survives}"
    else:
        verdict = f"**not caught** by {', '.join(known['passed'])}"
    return f"| {fault.name.replace('_', ' ')} | `{fault.file}`: {_change(fault)} | {verdict} |"


def catches_of_table(path):
    """By AREA.NAME, what a former table says of each caught fault: its change, test, case and note."""
    catches = {}
    area = ""
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("## "):
            area = line[3:]
        row = re.match(r"\| ([^|]+) \| `[^`]+`: (.*) \| `([\w-]+)`(?: \((.*)\))? \|$", line)
        if row:
            details = (row.group(4) or "").split(", ")
            has_case = "." in details[0]
            name = f"{area}.{row.group(1).replace(' ', '_')}"
            case = details[0] if has_case else ""
            note = details[-1] if len(details) > has_case else ""
            catches[name] = FormerCatch(row.group(2), row.group(3), case, note)
    return catches


def write_table(path, faults, progress, date):
    whole = Totals(faults, progress)
    lines = ["# Which test catches which fault", "",
             f"{whole.all} faults. Of those that change behaviour and were run to the end, {whole.share()} are caught. "
             f"{whole.equivalent} more change nothing that a test can see. {whole.open} have tests that were not run yet.",
             "", f"`tests/mutants/run.py` wrote this table on {date}. A catch is a test that failed with the fault, failed "
             "with it again, and then passed without it. The result of an earlier run stays until its fault changes or is run "
             "again.", "",
             "| part | faults | caught | not caught | change nothing | not finished |",
             "| --- | --- | --- | --- | --- | --- |"]
    areas = sorted({fault.area for fault in faults})
    for area in areas:
        part = Totals([fault for fault in faults if fault.area == area], progress)
        lines.append(f"| {area} | {part.all} | {part.share()} | {part.survived} | {part.equivalent} | {part.open} |")
    for area in areas:
        lines += ["", f"## {area}", "", "| fault | place | caught by |", "| --- | --- | --- |"]
        lines += [_row(fault, progress) for fault in faults if fault.area == area]
    path.write_text("\n".join(lines) + "\n")
