"""What was collected: the content of COLLECTION blocks."""

import struct
from dataclasses import dataclass

from trace_dictionary import Unsound

STATE, EFFECTS = 1, 2
OFF, ON, COUNTING = 0, 1, 2
TOOL, SERVICE, TRIGGER = 1, 2, 4
IDS_KNOWN = 1


@dataclass
class Statement:
    site_id: int
    state: int
    after: int
    time_limit: int


@dataclass
class Change:
    cause: int
    ticks: int
    number: int
    ids: tuple  # uid and pid; None: unknown
    user: str
    command: str


@dataclass
class Rule:
    kind: int
    settings: list


@dataclass
class State:
    since: int
    until: int
    level: int
    level_after: int
    level_time_limit: int
    policy: int
    block_timeout_ms: int
    statements: list
    changes: list
    rules: list

    def state_of(self, site_id, site_level, ticks):
        """The state of a statement at a time that this block covers."""
        for statement in self.statements:
            if statement.site_id == site_id:
                is_over = statement.time_limit and ticks >= statement.time_limit
                return statement.after if is_over else statement.state
        is_over = self.level_time_limit and ticks >= self.level_time_limit
        return OFF if site_level < (self.level_after if is_over else self.level) else ON


@dataclass
class Effects:
    by_site: dict  # id: (number of the sampling rule, indices of hidden fields)


def _text(payload, at):
    length = struct.unpack_from("<H", payload, at)[0]
    if length > len(payload) - at - 2:
        raise Unsound("a text that ends after its entry")
    return payload[at + 2:at + 2 + length].decode("utf-8", "surrogateescape"), at + 2 + length


def _entries(payload, at, count):
    """The bytes of each entry, its size included, and the position after them."""
    entries = []
    for _ in range(count):
        size = struct.unpack_from("<I", payload, at)[0]
        if not 4 <= size <= len(payload) - at:
            raise Unsound("an entry that ends after its block")
        entries.append(payload[at:at + size])
        at += size
    return entries, at


def _change(entry):
    cause, ticks, number, flags, uid, pid = struct.unpack_from("<IQQIII", entry, 4)
    user, at = _text(entry, 36)
    command, _ = _text(entry, at)
    return Change(cause, ticks, number, (uid, pid) if flags & IDS_KNOWN else None, user, command)


def _rule(entry):
    kind, count = struct.unpack_from("<HH", entry, 4)
    settings, at = [], 8
    for _ in range(count):
        name, at = _text(entry, at)
        value, at = _text(entry, at)
        settings.append((name, value))
    return Rule(kind, settings)


def _state(payload):
    timeout, since, until, limit, level, after, policy = struct.unpack_from("<IQQQBBB", payload, 4)
    statements, changes, rules = struct.unpack_from("<III", payload, 36)
    if statements > (len(payload) - 48) // 16:
        raise Unsound("more statements than there are bytes for")
    listed = [Statement(*struct.unpack_from("<IBB2xQ", payload, 48 + 16 * i)) for i in range(statements)]
    change_entries, at = _entries(payload, 48 + 16 * statements, changes)
    rule_entries, _ = _entries(payload, at, rules)
    return State(since, until, level, after, limit, policy, timeout, listed,
                 [_change(entry) for entry in change_entries], [_rule(entry) for entry in rule_entries])


def _effects(payload):
    count, at, by_site = struct.unpack_from("<I", payload, 4)[0], 8, {}
    for _ in range(count):
        site_id, rule, hidden = struct.unpack_from("<IHH", payload, at)
        by_site[site_id] = (rule, list(struct.unpack_from(f"<{hidden}H", payload, at + 8)))
        at += 8 + 2 * hidden
    return Effects(by_site)


def parse_collection(payload):
    """A State, Effects, or None for a kind that this reader does not know."""
    kind = struct.unpack_from("<I", payload)[0]
    if kind == STATE:
        return _state(payload)
    return _effects(payload) if kind == EFFECTS else None
