"""The operations of the sources on words that threads and processes share, with the memory orders that matter: (side, word)."""

import re

FOLDERS = ("shm-layout", "libagent", "trace-format", "consumerd", "tools")
SUFFIXES = (".hpp", ".cpp", ".h", ".c")
ORDER = re.compile(r"(?:memory_order_|__ATOMIC_)(acquire|release|acq_rel|seq_cst)", re.IGNORECASE)
SIDES = {"acquire": ["acquire"], "release": ["release"], "acq_rel": ["release", "acquire"], "seq_cst": ["full"]}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def opening_before(text, at):
    """Where the innermost parenthesis begins that is open at `at`."""
    depth = 0
    while depth >= 0:
        at -= 1
        depth += {")": 1, "(": -1}.get(text[at], 0)
    return at


def without_trailing_brackets(text):
    """`text` without the calls and indices at its end: `ids[i].load` has no meaning here, `ids.load` has."""
    text = text.rstrip()
    while text.endswith((")", "]")):
        pair, depth, at = {")": "()", "]": "[]"}[text[-1]], 0, len(text)
        while True:
            at -= 1
            depth += {pair[1]: 1, pair[0]: -1}.get(text[at], 0)
            if depth == 0:
                break
        text = text[:at].rstrip()
    return text


def last_name(text):
    text = without_trailing_brackets(text)
    name = re.search(r"\w+$", text)[0]
    return last_name(text[:-len(".load")]) if name == "load" else name  # of a pointer that an atomic word holds


def operations(text):
    """Sorted (side, word) of a source text, one for each order that matters; a fence has the word `fence`. `side` is acquire, release or
    full. Raises ValueError where an order is not that of an operation on a word."""
    text = without_comments(text)
    found = []
    for match in ORDER.finditer(text):
        opening = opening_before(text, match.start())
        call = re.search(r"(\w+)$", text[:opening])[1]
        before = text[:opening - len(call)].rstrip()
        if call.endswith("signal_fence"):
            continue
        if call.endswith("thread_fence"):
            word = "fence"
        elif call.startswith("__atomic_"):
            argument = re.match(r"\s*&?((?:[^,()]|\([^()]*\))*),", text[opening + 1:])[1]
            word = last_name(argument)
        elif before.endswith((".", "->")):
            word = last_name(before.removesuffix(".").removesuffix("->"))
        else:
            raise ValueError(f"the memory order in '{call}(...)' belongs to no operation on a word")
        found += [(side, word) for side in SIDES[match[1].lower()]]
    return sorted(found)


def in_tree(root):
    """{path: [(side, word)]} of all sources that have such operations."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "/examples/" not in path.as_posix():
                text = path.read_text(encoding="utf-8")
                if pairs := operations(text):
                    found[path.relative_to(root).as_posix()] = pairs
    return found
