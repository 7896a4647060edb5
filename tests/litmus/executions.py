"""All executions of a litmus test: which write each read returns, and in which order the writes of a location take effect."""

import itertools

from memory_models import MODELS, Event, Execution


def events_of(litmus):
    """The events, the pairs (read, write) of changes, and for each event its operation."""
    locations = sorted({operation.location for operation in litmus.operations if operation.location})
    events = [Event(i, -1, "W", "relaxed", location) for i, location in enumerate(locations)]
    changes, source = set(), {}
    for operation in litmus.operations:
        kinds = {"load": "R", "store": "W", "change": "RW", "fence": "F"}[operation.kind]
        made = []
        for kind in kinds:
            made.append(Event(len(events), operation.thread, kind, operation.order, operation.location))
            events.append(made[-1])
            source[made[-1]] = operation
        if len(made) == 2:
            changes.add(tuple(made))
    return events, changes, source


def values_of(litmus, events, changes, source, reads_from):
    """The value of each event, or None if changes read each other in a circle."""
    origin = {read: write for write, read in reads_from}
    read_of = {write: read for read, write in changes}
    values = {e: litmus.initial.get(e.location, 0) for e in events if e.thread == -1}
    waiting = [e for e in events if e.thread != -1 and e.kind != "F"]
    while waiting:
        left = []
        for event in waiting:
            operation = source[event]
            needs = origin[event] if event.kind == "R" else read_of[event] if operation.adds else None
            if needs is not None and needs not in values:
                left.append(event)
            else:
                values[event] = values[needs] if event.kind == "R" else operation.value + (0 if needs is None else values[needs])
        if len(left) == len(waiting):
            return None
        waiting = left
    return values


def shows(terms, source, values, orders):
    """Whether the execution ends in this state."""
    for thread, name, value in terms:
        if thread is None:
            writes = [e for e in values if e.kind == "W" and e.location == name]
            last = [e for e in writes if not any((e, other) in orders for other in writes)]
            found = values[last[0]]
        else:
            found = next(values[e] for e in values if e.kind == "R" and e.thread == thread and source[e].register == name)
        if found != value:
            return False
    return True


def observable(litmus):
    """The names of the models that allow the forbidden state, and the number of executions that were tried."""
    events, changes, source = events_of(litmus)
    reads = [e for e in events if e.kind == "R"]
    writes = {e.location: [w for w in events if w.kind == "W" and w.location == e.location] for e in events if e.location}
    later = {name: [[all_writes[0], *rest] for rest in itertools.permutations(all_writes[1:])] for name, all_writes in writes.items()}
    found, tried = set(), 0
    for chosen in itertools.product(*(writes[read.location] for read in reads)):
        reads_from = set(zip(chosen, reads))
        values = values_of(litmus, events, changes, source, reads_from)
        if values is None:
            continue
        for order in itertools.product(*later.values()):
            tried += 1
            orders = {pair for each in order for pair in itertools.combinations(each, 2)}
            if not any(shows(terms, source, values, orders) for terms in litmus.forbidden):
                continue
            execution = Execution(events, reads_from, orders, changes)
            found |= {name for name, allows in MODELS.items() if name not in found and allows(execution)}
    return found, tried
