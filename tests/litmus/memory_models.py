"""Two memory models, as axioms over the events of an execution: that of C++20, which binds compilers, and that of AArch64, which binds
processors. Sources: Lahav et al., "Repairing sequential consistency in C/C++11" (2017), with release sequences as in C++20 and without
the axiom that forbids loads before dependent stores, which the standard has not; Pulte et al., "Simplifying ARM concurrency" (2018),
without dependencies, which these tests do not use."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Event:
    """One access or fence. A change is a read and a write that follow each other. Thread -1 has the initial values."""
    index: int
    thread: int
    kind: str  # R, W, F
    order: str
    location: str = ""

    def acquires(self):
        return self.order in ("acquire", "acq_rel", "seq_cst") and self.kind in "RF"

    def releases(self):
        return self.order in ("release", "acq_rel", "seq_cst") and self.kind in "WF"


def join(first, second):
    after = {}
    for a, b in second:
        after.setdefault(a, []).append(b)
    return {(a, c) for a, b in first for c in after.get(b, ())}


def closure(pairs):
    found = set(pairs)
    while True:
        more = join(found, found) | found
        if more == found:
            return found
        found = more


def has_cycle(pairs):
    return any(a == b for a, b in closure(pairs))


def inverse(pairs):
    return {(b, a) for a, b in pairs}


class Execution:
    """`reads_from`: pairs (write, read); `orders`: all pairs of writes of a location in their order; `changes`: pairs (read, write)."""

    def __init__(self, events, reads_from, orders, changes):
        self.events = events
        self.rf = reads_from
        self.co = orders
        self.rmw = changes
        self.fr = {(a, b) for a, b in join(inverse(reads_from), orders) if a != b}
        self.po = {(a, b) for a in events for b in events if a.thread == b.thread != -1 and a.index < b.index}
        self.same = {(a, b) for a in events for b in events if a.location and a.location == b.location and a != b}

    def external(self, pairs):
        return {(a, b) for a, b in pairs if a.thread != b.thread}

    def is_atomic(self):
        return not self.rmw & join(self.fr, self.co)


def synchronizes(x):
    heads = {(w, w) for w in x.events if w.kind == "W"}
    step = join(x.rf, x.rmw)
    sequence = heads | join(heads, closure(step)) if step else heads
    # A fence begins with the first write after it, and ends with the last read before it.
    releases = {(a, a) for a in x.events if a.kind == "W" and a.releases()}
    releases |= {(f, w) for f, w in x.po if f.kind == "F" and f.releases() and w.kind == "W"}
    acquires = {(r, r) for r in x.events if r.kind == "R" and r.acquires()}
    acquires |= {(r, f) for r, f in x.po if f.kind == "F" and f.acquires() and r.kind == "R"}
    return join(join(join(releases, sequence), x.rf), acquires)


def allowed_by_cpp(x):
    first = {(a, b) for a in x.events for b in x.events if a.thread == -1 != b.thread}
    hb = closure(x.po | first | synchronizes(x))
    eco = closure(x.rf | x.co | x.fr)
    if any(a == b for a, b in hb) or any(a == b for a, b in join(hb, eco)) or not x.is_atomic():
        return False
    fences = {f for f in x.events if f.kind == "F" and f.order == "seq_cst"}
    between = hb | join(join(hb, eco), hb)
    return not has_cycle({(a, b) for a, b in between if a in fences and b in fences})


def allowed_by_aarch64(x):
    # Coherence of each location.
    if has_cycle((x.po & x.same) | x.co | x.fr | x.rf) or not x.is_atomic():
        return False
    acquires = {e for e in x.events if e.kind == "R" and e.acquires()}   # ldar, or an instruction with A
    releases = {e for e in x.events if e.kind == "W" and e.releases()}   # stlr, or an instruction with L
    full = {f for f in x.events if f.kind == "F" and f.releases()}       # dmb ish
    loads = {f for f in x.events if f.kind == "F" and f.order == "acquire"}  # dmb ishld
    barriers = {(a, b) for a, b in x.po if a in acquires or b in releases or (a in releases and b in acquires)}
    barriers |= join({(a, f) for a, f in x.po if f in full}, x.po)
    barriers |= join({(a, f) for a, f in x.po if f in loads and a.kind == "R"}, x.po)
    return not has_cycle(x.external(x.rf | x.co | x.fr) | x.rmw | barriers)


MODELS = {"C++": allowed_by_cpp, "AArch64": allowed_by_aarch64}
