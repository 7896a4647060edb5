#!/usr/bin/env python3
"""Prints what babeltrace2 reads from a CTF trace, one JSON object per message.

Run by the python3 that Debian's python3-bt2 belongs to. usage: babeltrace_events.py DIRECTORY
"""

import json
import sys

import bt2


def plain(field):
    """Numbers, texts, lists and objects. For an enumeration: the number and its names."""
    if isinstance(field, bt2._EnumerationFieldConst):
        try:
            names = sorted(field.labels)
        except AssertionError:  # raised by this version if there are none
            names = []
        return {"number": int(field), "names": names}
    if isinstance(field, bt2._StructureFieldConst):
        return {name: plain(member) for name, member in field.items()}
    if isinstance(field, bt2._VariantFieldConst):
        return plain(field.selected_option)
    if isinstance(field, bt2._ArrayFieldConst):
        return [plain(element) for element in field]
    if isinstance(field, bt2._StringFieldConst):
        # For an empty string this version returns the text of the previous field; its length is correct.
        return str(field) if len(field) > 0 else ""
    if isinstance(field, bt2._RealFieldConst):
        # All bits: JSON has no NaN and no infinities.
        return {"hex": float(field).hex()}
    return int(field)


def told(message):
    if isinstance(message, bt2._EventMessageConst):
        event = message.event
        context = event.common_context_field or {}
        specific = event.specific_context_field or {}
        return {
            "kind": "event", "unix_ns": message.default_clock_snapshot.ns_from_origin, "name": event.name,
            "id": event.cls.id, "stream": event.stream.id, "log_level": str(event.cls.log_level),
            "context": {**{name: plain(field) for name, field in context.items()},
                        **{name: plain(field) for name, field in specific.items()}},
            "fields": plain(event.payload_field) if event.payload_field is not None else {},
        }
    if isinstance(message, bt2._DiscardedEventsMessageConst):
        return {"kind": "discarded", "count": message.count, "stream": message.stream.id,
                "since_unix_ns": message.beginning_default_clock_snapshot.ns_from_origin,
                "unix_ns": message.end_default_clock_snapshot.ns_from_origin}
    return None


def main():
    environment = None
    for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
        if environment is None and isinstance(message, bt2._StreamBeginningMessageConst):
            environment = {key: plain_value(value) for key, value in message.stream.trace.environment.items()}
            print(json.dumps({"kind": "environment", "entries": environment}))
        line = told(message)
        if line is not None:
            print(json.dumps(line))


def plain_value(value):
    return str(value) if isinstance(value, bt2._StringValueConst) else int(value)


if __name__ == "__main__":
    main()
