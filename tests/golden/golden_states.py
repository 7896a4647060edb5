"""What a file says was collected, as `ringcat collected --format json` prints it: from the independent reader's sections."""

from trace_collection import State
from trace_dictionary import LEVELS

CAUSES = ("unknown", "tool", "service", "configuration", "trigger", "expired")
POLICIES = ("block", "drop", "overwrite")
RULES = ("", "sample", "redact", "filter", "option")
STATES = ("off", "on", "counting")


def stated_by(section):
    """One object for each state of the section, with the members that golden files decide."""
    spans = []
    for one in section.collected:
        if isinstance(one, State):
            spans.append(_span(section, one))
        else:
            _add_effects(section, one, spans[-1])
    return spans


def of_json(span):
    """The same members of an object that ringcat prints."""
    def numbers(statements):
        return [one["site"] for one in statements]

    return {
        **{name: span.get(name) for name in ("unix_ns", "level", "level_until_unix_ns", "level_after", "overflow",
                                             "block_timeout_ms")},
        "statements": [(one["site"], one["state"], one.get("until_unix_ns"), one.get("state_after"))
                       for one in span["statements"]],
        "changes": [tuple(one.get(name) for name in ("cause", "unix_ns", "command", "user", "uid", "pid"))
                    for one in span["changes"]],
        "rules": [(one["kind"], [(pair["name"], pair["value"]) for pair in one["settings"]], numbers(one.get("statements", [])))
                  for one in span["rules"]],
        "hidden": [(one["site"], one["fields"]) for one in span["hidden"]]}


def _span(section, state):
    level_ends = section.unix_ns(state.level_time_limit) if state.level_time_limit else None
    return {
        "unix_ns": section.unix_ns(state.until), "level": LEVELS[state.level], "level_until_unix_ns": level_ends,
        "level_after": LEVELS[state.level_after] if level_ends else None, "overflow": POLICIES[state.policy],
        "block_timeout_ms": state.block_timeout_ms,
        "statements": [(one.site_id, STATES[one.state], section.unix_ns(one.time_limit), STATES[one.after]) if one.time_limit
                       else (one.site_id, STATES[one.state], None, None) for one in state.statements],
        "changes": [(CAUSES[one.cause], section.unix_ns(one.ticks), one.command or None, one.user or None, *(one.ids or (None, None)))
                    for one in state.changes],
        "rules": [(RULES[one.kind], one.settings, []) for one in state.rules], "hidden": []}


def _add_effects(section, effects, span):
    for site_id, (rule, fields) in effects.by_site.items():
        if rule:
            span["rules"][rule - 1][2].append(site_id)
        if fields:
            span["hidden"].append((site_id, [section.dictionary.sites[site_id].fields[index].name for index in fields]))
