"""The tables of RESULTS.md: which of the recorded results the page shows, and how."""

from dataclasses import dataclass, field

CASES = ["static", "integer", "two_integers", "double", "five_arguments", "string39"]


@dataclass
class Table:
    """One line per case and `label` member; each column shows the results that have its members."""
    row: str
    columns: list           # (title, members of the result); None as title: one column per subject
    label: tuple = ()       # members that distinguish lines, beside the case
    cases: tuple = ()       # empty: all
    only: dict = field(default_factory=dict)  # members that every result must have


@dataclass
class Section:
    title: str
    text: str
    tables: list


def each_subject(metric, **members):
    return None, {"metric": metric, **members}


def of_ringside(title, metric, **members):
    return title, {"subject": "ringside", "metric": metric, **members}


SECTIONS = [
    Section("Log call, back to back",
            "Compared with the floor, a loop that reads the TSC and stores it, burst by burst. First the ratio, then ns.", [
        Table("back_to_back", [each_subject("ratio_to_floor")]),
        Table("back_to_back", [each_subject("call"), of_ringside("the floor beside ringside", "floor")])]),
    Section("Log call, one per 600 ns",
            "Each call measured singly; the clock's own cost is subtracted. First ns, then Ringside's ratio to the floor.", [
        Table("paced", [each_subject("call"), of_ringside("the floor beside ringside", "floor")], label=("p",),
              cases=("static", "two_integers", "string39"), only={"p": ("p50", "p99.9")}),
        Table("paced", [of_ringside(p, "ratio_to_floor", p=p) for p in ("p50", "p90", "p99", "p99.9", "p99.99")])]),
    Section("Sustained, one producer to a file on disk",
            "From the first call until everything is in the file, in million records per second.", [
        Table("sustained", [each_subject("rate"), of_ringside("ringside, ratio to the floor", "ratio_to_floor")],
              only={"sink": ("disk",)})]),
    Section("kvd under redis-benchmark",
            "Requests per second with all statements on, as a ratio to those without a tracer; `none` shows the noise.", [
        Table("integration", [each_subject("rate_to_none")], label=("pipeline",))]),
    Section("Bytes per record",
            "The growth of the file, divided by the number of records; arguments are constant, except in the last column.", [
        Table("bytes_per_record", [each_subject("file", arguments="constant"),
                                   of_ringside("ringside, random", "file", arguments="random")])]),
    Section("Encoder alone, one core", "Its rate compared with the floor's, and ns per record.", [
        Table("encoder", [of_ringside(f"{arguments}, {unit}", metric, arguments=arguments)
                          for metric, unit in (("ratio_to_floor", "x"), ("record", "ns"))
                          for arguments in ("constant", "random")])]),
]

# Results of which the page shows single ones: row, members that they must have.
SINGLE = [
    ("cold", {"metric": "call", "case": "two_integers"}),
    ("producers", {"metric": "ratio_to_floor", "case": "two_integers", "producers": 4}),
    ("consumer_clock", {"metric": "call", "case": "two_integers"}),
    ("shared_stamp", {"metric": "call", "case": "two_integers"}),
    ("cost_sampling", {"metric": "ratio_to_not_measuring", "case": "two_integers", "one_in": 1024}),
    ("decoder", {"metric": "record", "case": "two_integers", "arguments": "random", "by": "extent"}),
    ("text", {"metric": "one_core", "case": "five_arguments", "arguments": "random"}),
    ("text_threads", {"metric": "rate_to_one_thread", "case": "static"}),
    ("mix_bytes", {"metric": "packed"}),
    ("aggregation", {"metric": "record", "case": "integer_of_five_arguments"}),
    ("aggregation", {"metric": "record", "case": "one_percent_among_static"}),
    ("tail", {"metric": "command", "streams": 64}),
    ("grep", {"metric": "one_core", "literal": "absent"}),
    ("grep", {"metric": "one_core", "literal": "rare"}),
    ("ordered", {"metric": "ratio_to_file_order", "streams": 4096}),
    ("readable", {"metric": "call_to_file"}),
    ("followed", {"metric": "call_to_line"}),
    ("poll_round", {"rings": 1024}),
    ("idle", {"metric": "consumerd", "rings": 64}),
    ("idle", {"metric": "wake_ups", "rings": 64}),
    ("first_call", {"metric": "call", "case": "thread"}),
    ("memory", {"metric": "pss", "threads": 64, "case": "rings_used"}),
]
# Programs that read the text of the same trace; the page shows them beside a single result.
TEXT_TOOLS = {"gnu_grep", "gnu_tail", "text"}
COMMON = {"row", "subject", "case", "metric", "unit", "median", "low", "high", "best", "repeats", "target"}


def number(value):
    if value == 0:
        return "0"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def cell(line):
    """Median, quartiles, quietest value; and whether it meets its target, if it has one."""
    text = number(line["median"])
    if line["repeats"] > 1:
        text += f" ({number(line['low'])} to {number(line['high'])}; {number(line['best'])})"
    target = line.get("target")
    if target:
        bound = f"≤ {target['at_most']:g}" if "at_most" in target else f"≥ {target['at_least']:g}"
        text += f" {'✓' if target['met'] else '✗'} {bound}"
    return text


def has(line, members):
    return all(line.get(name) == value for name, value in members.items())


def rank(line):
    case = CASES.index(line["case"]) if line["case"] in CASES else len(CASES)
    return case, line["case"]


def columns_of(table, lines):
    """[(title, members)] of the columns that have any result; a column for each subject is several."""
    columns = []
    for title, members in table.columns:
        if title is not None:
            columns.append((title, members))
            continue
        subjects = list(dict.fromkeys(line["subject"] for line in lines if has(line, members)))
        subjects.sort(key=lambda subject: subject != "ringside")
        columns += [(subject, {"subject": subject, **members}) for subject in subjects]
    return [column for column in columns if any(has(line, column[1]) for line in lines)]


def grid(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)] +
                     ["| " + " | ".join(row) + " |" for row in rows])


def table_text(table, results):
    """Empty if none of its results was measured."""
    lines = [line for line in results if line["row"] == table.row and (not table.cases or line["case"] in table.cases)
             and all(line.get(name) in values for name, values in table.only.items())]
    columns = columns_of(table, lines)
    rows = {}
    for line in sorted(lines, key=rank):
        circumstances = [line[name] if name == "p" else f"{name} {line[name]}" for name in table.label]
        name = ", ".join([line["case"], *circumstances])
        for title, members in columns:
            if has(line, members):
                rows.setdefault(name, {})[title] = cell(line)
    if not rows:
        return ""
    titles = [title for title, _ in columns]
    return grid(["", *titles], [[name, *(cells.get(title, "") for title in titles)] for name, cells in rows.items()])


def single_lines(results):
    lines = [line for row, members in SINGLE for line in results if line["row"] == row and has(line, members)]
    return [line for line in lines if line["subject"] == "ringside"]


def single_table(lines, results):
    def what(line):
        members = [f"{name} {line[name]}" for name in line if name not in COMMON]
        return ", ".join([*dict.fromkeys((line["row"], line["case"])), *members])

    def of_text(line):
        measured = {name: value for name, value in line.items() if name in ("row", "case", "metric") or name not in COMMON}
        return "; ".join(f"{one['subject']} {cell(one)}" for one in results
                         if one["subject"] in TEXT_TOOLS and has(one, measured))

    return grid(["", "", "ringside", "of the same trace as text"],
                [[what(line), f"{line['metric'].replace('_', ' ')}, {line['unit']}", cell(line), of_text(line)]
                 for line in lines])
