"""The single faults of faults/*.toml: what each changes, and how it is built into a source text."""

import pathlib
import tomllib
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
KEYS = {"file", "old", "new", "after", "tests", "survives"}


class Fault:
    """One fault. `number` selects it at run time (fault.h)."""

    def __init__(self, number, area, name, table):
        unknown = set(table) - KEYS
        if unknown:
            raise ValueError(f"{area}.{name}: unknown key {sorted(unknown)[0]!r}")
        self.number = number
        self.area = area
        self.name = name
        self.id = f"{area}.{name}"
        self.file = table["file"]
        self.old = table["old"].strip()
        self.new = table["new"].strip()
        self.after = table.get("after", "")
        self.tests = table.get("tests", [])
        self.survives = table.get("survives", "")  # why no test can catch it

    def place(self, text):
        """Offset of `old` in the text of the file. It must be unambiguous."""
        begin = 0
        if self.after:
            begin = text.find(self.after)
            if begin < 0:
                raise ValueError(f"{self.id}: {self.file} has no {self.after!r}")
        at = text.find(self.old, begin)
        if at < 0:
            raise ValueError(f"{self.id}: {self.file} has no {self.old!r}")
        if not self.after and text.find(self.old, at + 1) >= 0:
            raise ValueError(
                f"{self.id}: {self.file} has {self.old!r} more than once; "
                "add `after`, a text before the one that is meant"
            )
        return at

    def switched(self, old):
        """The source text with the fault if it is selected, otherwise `old`."""
        if self.old.endswith(";") or (self.old.endswith("}") and ";" in self.old):
            return f"if (RINGSIDE_FAULT({self.number})) {{ {self.new} }} else {{ {old} }}"
        return f"(RINGSIDE_FAULT({self.number}) ? ({self.new}) : ({old}))"


def read_faults(folder=FOLDER / "faults"):
    """All faults, by area, in the order of their file."""
    faults = []
    for path in sorted(folder.glob("*.toml")):
        with open(path, "rb") as file:
            tables = tomllib.load(file)
        for name, table in tables.items():
            # Not a count, so that the code of the other faults does not change when a fault is added.
            number = zlib.crc32(f"{path.stem}.{name}".encode()) & 0x7FFFFFFF
            faults.append(Fault(number, path.stem, name, table))
    numbers = {fault.number for fault in faults} | {0}
    if len(numbers) != len(faults) + 1:
        raise ValueError("two faults have the same number; rename one")
    return faults


def with_faults(text, faults):
    """The text of one file with all of its faults, switched off."""
    regions = {}
    for fault in faults:
        at = fault.place(text)
        regions.setdefault((at, at + len(fault.old)), []).append(fault)
    before = len(text)
    for (begin, end), group in sorted(regions.items(), reverse=True):
        if end > before:
            names = ", ".join(f"{fault.id}" for fault in group)
            raise ValueError(f"{names}: overlaps another fault; faults of one place share `old`")
        before = begin
        changed = text[begin:end]
        for fault in group:
            changed = fault.switched(changed)
        text = text[:begin] + changed + text[end:]
    return text
