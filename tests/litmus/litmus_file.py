"""Reads a litmus test in the C form of herd7, as far as the files of this folder need it: a name, initial values, threads without
branches, and one condition."""

import dataclasses
import re

ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
ORDER = re.compile(r"memory_order_(relaxed|acquire|release|acq_rel|seq_cst)")
# The orders that a weaker one may replace it by; a fence is removed instead.
WEAKER = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"], "seq_cst": ["acq_rel"]}

THREAD = re.compile(r"P(\d+)\s*\(([^)]*)\)\s*\{(.*?)\n\}", re.DOTALL)
FENCE = re.compile(r"atomic_thread_fence\(memory_order_(\w+)\)")
STORE = re.compile(r"atomic_store_explicit\((\w+), (\d+), memory_order_(\w+)\)")
LOAD = re.compile(r"int (\w+) = atomic_load_explicit\((\w+), memory_order_(\w+)\)")
CHANGE = re.compile(r"int (\w+) = atomic_(exchange|fetch_add)_explicit\((\w+), (\d+), memory_order_(\w+)\)")


@dataclasses.dataclass(frozen=True)
class Operation:
    """One statement. A change reads and writes in one step; `kind` is load, store, change or fence."""
    thread: int
    kind: str
    order: str
    location: str = ""
    register: str = ""
    value: int = 0
    adds: bool = False


@dataclasses.dataclass(frozen=True)
class Litmus:
    name: str
    initial: dict
    operations: tuple
    forbidden: tuple  # alternatives: all of (thread or None, register or location, value)


def statement(thread, text):
    if found := FENCE.fullmatch(text):
        return Operation(thread, "fence", found[1])
    if found := STORE.fullmatch(text):
        return Operation(thread, "store", found[3], found[1], value=int(found[2]))
    if found := LOAD.fullmatch(text):
        return Operation(thread, "load", found[3], found[2], found[1])
    if found := CHANGE.fullmatch(text):
        return Operation(thread, "change", found[5], found[3], found[1], int(found[4]), found[2] == "fetch_add")
    raise ValueError(f"unknown statement '{text}'")


def parse(text):
    """The test in `text`; raises ValueError if any part of it is not understood."""
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
    head = re.match(r'C (\w+)\s*("[^"]*")?\s*\{([^}]*)\}', text)
    if head is None:
        raise ValueError("expected: C NAME, a comment in quotes, { initial values }")
    initial = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+);", head[3])}
    rest = text[head.end():]
    operations = []
    for number, (index, parameters, body) in enumerate(THREAD.findall(rest)):
        if int(index) != number:
            raise ValueError(f"expected P{number}, found P{index}")
        known = set(re.findall(r"atomic_int\* (\w+)", parameters))
        for line in filter(None, (part.strip() for part in body.split(";"))):
            operation = statement(number, line)
            if operation.location and operation.location not in known:
                raise ValueError(f"P{number} has no parameter '{operation.location}'")
            operations.append(operation)
    condition = re.fullmatch(r"~exists \((.*)\)", THREAD.sub("", rest).strip(), re.DOTALL)
    if condition is None:
        raise ValueError("expected: ~exists (CONDITION)")
    return Litmus(head[1], initial, tuple(operations), tuple(alternatives(condition[1])))


def alternatives(text):
    for alternative in text.split("\\/"):
        terms = []
        for term in alternative.strip().removeprefix("(").removesuffix(")").split("/\\"):
            found = re.fullmatch(r"(?:(\d+):)?(\w+)=(\d+)", term.strip())
            if found is None:
                raise ValueError(f"unknown condition '{term.strip()}'")
            terms.append((None if found[1] is None else int(found[1]), found[2], int(found[3])))
        yield tuple(terms)


def weakened(text):
    """Each version of `text` in which one order is weaker: (what was changed, the text)."""
    for fence in re.finditer(r"^.*atomic_thread_fence.*\n", text, re.MULTILINE):
        yield f"without {fence[0].strip()}", text[:fence.start()] + text[fence.end():]
    for found in ORDER.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1:text.find("\n", found.end())].strip()
        if "atomic_thread_fence" in line:
            continue
        for weaker in WEAKER.get(found[1], []):
            yield f"{line} with {weaker}", text[:found.start()] + f"memory_order_{weaker}" + text[found.end():]
