"""What the panels of a report show, as texts; and the numbers of `ringcat` in the same form."""

import collections
import decimal
import re

WHOLE = decimal.Decimal(1)
UNITS = (("ns", 1), ("µs", 10**3), ("ms", 10**6), ("s", 10**9), ("min", 6 * 10**10), ("h", 36 * 10**11), ("d", 864 * 10**11))

# Scrolls through a table, of which only the visible rows are in the document. A row is its cells, and the title of the first one with a title.
ROWS = """
const [panel, count, done] = arguments, scroll = document.querySelector(panel), rows = new Map();
const read = () => {
  const before = parseFloat(scroll.querySelector('tr.space')?.style.height ?? '0');
  const shown = [...scroll.querySelectorAll('tbody tr:not(.space)')];
  const first = shown.length === 0 ? 0 : Math.round(before / shown[0].offsetHeight);
  shown.forEach((row, i) => rows.set(first + i, {cells: [...row.children].map((cell) => cell.textContent), title: row.querySelector('[title]')?.title ?? ''}));
};
const step = async () => {
  for (let top = 0; ; top += scroll.clientHeight / 2) {
    scroll.scrollTop = top;
    for (let i = 0; i < 3; ++i) await new Promise((resolve) => requestAnimationFrame(resolve));
    read();
    if (rows.size >= count || scroll.scrollTop + scroll.clientHeight >= scroll.scrollHeight) break;
  }
  done([...rows.keys()].sort((a, b) => a - b).slice(0, count).map((key) => rows.get(key)));
};
step();
"""

# Moves through all spans of all tracks of the timeline by keys, and reads the tip of each.
SPANS = """
const [longest, tracks, done] = arguments, canvas = document.querySelector('#timeline canvas');
const key = async (name) => {
  canvas.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
  await new Promise((resolve) => setTimeout(resolve));
  return [...document.querySelectorAll('#timeline .tip > *')].map((each) => each.textContent);
};
const step = async () => {
  const found = new Map();
  for (let i = 0; i <= tracks; ++i) await key('[');
  for (let track = 0; track < tracks; ++track) {
    for (let i = 0; i < longest; ++i) await key(',');
    let tip = [...document.querySelectorAll('#timeline .tip > *')].map((each) => each.textContent);
    for (let i = 0; i < longest; ++i) {
      if (tip.length > 0) found.set(JSON.stringify(tip), tip);
      tip = await key('.');
    }
    await key(']');
  }
  done([...found.values()]);
};
step();
"""


def rounded(number):
    return int(number.quantize(WHOLE, rounding=decimal.ROUND_HALF_UP))


def significant(number, digits):
    """As toPrecision() of JavaScript, then without zeros at the end."""
    if not number:
        return decimal.Decimal(0)
    return number.quantize(WHOLE.scaleb(number.adjusted() - digits + 1), rounding=decimal.ROUND_HALF_UP)


def plain(number):
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count_text(number):
    return f"{number:,}"


def duration_text(ns):
    name, unit = next((name, unit) for name, unit in reversed(UNITS) if ns >= unit or unit == 1)
    number = decimal.Decimal(ns) / unit
    return f"{rounded(number) if number >= 100 else plain(significant(number, 3))} {name}"


def byte_text(number):
    for power, unit in enumerate(("B", "kB", "MB", "GB", "TB")):
        scaled = decimal.Decimal(number) / 1000**power
        if scaled < 1000 or unit == "TB":
            return f"{rounded(scaled)} {unit}" if scaled >= 100 or not power else f"{significant(scaled, 3):f} {unit}"
    raise AssertionError(number)


def moment_text(time):
    """Of a time as `ringcat --format json` prints it."""
    return time.replace("T", " ").rstrip("Z")


def visible(text, most=2000):
    """As the page shows a text: without characters that are invisible or change the order of others."""
    shown = text[:most] + "…" if len(text) > most else text
    return re.sub("[\\x00-\\x1f\\x7f-\\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", shown)


class ShownPage:
    """The panels of the page that a browser has open."""

    def __init__(self, window):
        self.window = window

    def status(self, panel):
        return self.window.texts(f"#{panel} [role=status]")[0]

    def header(self):
        """(records, bytes in rings, threads, files), as texts."""
        text = " ".join(self.window.texts("header p")[0].split())
        return re.match(r"([\d,]+) records?, (\S+ \S+) in rings, ([\d,]+) threads?, ([\d,]+) files?; from ", text).groups()

    def rows(self, selector, count):
        return self.window.driver.execute_async_script(ROWS, selector, count)

    def statements(self):
        """(records, bytes, lost, level, service, text, place) of each row, in the order of the table."""
        count = int(self.status("statements").split(" of ")[0].replace(",", ""))
        return [(row["cells"][0], row["cells"][3], row["cells"][4], row["cells"][5], row["cells"][6], row["cells"][7], row["title"].strip())
                for row in self.rows("#statements .scroll", count)]

    def records(self, most=10_000):
        """(time of day, level, thread, message) of each row; the time has the date if the records are of several days."""
        count = min(most, sum(int(each.replace(",", "")) for each in re.findall(r"^[\d,]+|[\d,]+(?= loss)", self.status("records"))))
        return [tuple(row["cells"][:4]) for row in self.rows("#records .records", count)]

    def last_record(self):
        """The same of the last row."""
        self.window.run("document.querySelector('#records .records').scrollTop = 1e9")
        self.window.settle()
        return tuple(self.window.run("return [...[...document.querySelectorAll('#records tbody tr:not(.space)')].at(-1).children].map((cell) => cell.textContent)")[:4])

    def spans(self, longest, tracks):
        """(name, duration, time, track) of each span of the timeline, which has so many tracks of at most so many spans."""
        tips = self.window.driver.execute_async_script(SPANS, longest, tracks)
        # Tracks without spans have other records.
        return [(tip[0], tip[1], tip[2].removesuffix(" UTC"), tip[4]) for tip in tips if tip[2].endswith(" UTC")]

    def functions(self):
        """{name: (total, self, number)} of the flame graph's table."""
        rows = self.window.run("return [...document.querySelectorAll('#flame .functions tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
        return {row[3]: (row[0].split(" (")[0], row[1].split(" (")[0], row[2]) for row in rows}

    def marks(self):
        """{sign: texts} of the banner."""
        found = collections.defaultdict(list)
        for text in self.window.texts("#health .mark"):
            sign, _, rest = " ".join(text.split()).partition(" ")
            found[sign].append(rest)
        return found


def wanted_statements(stats):
    """The same of `ringcat stats --format json`, without the place."""
    return [(count_text(site["records"]), byte_text(site["ring_bytes"]), count_text(site["lost"]) if site["lost"] else "", site["level"],
             visible(site["service"], 40), visible(site["text"], 200) or "(no text)") for site in stats["sites"]]


def thread_text(source):
    """The thread of a record or a stream, as the list of records shows it."""
    thread = source.get("thread", {"id": source.get("thread_id"), "name": source.get("thread_name")})
    return visible(f"{source['service']} {thread['name']} {thread['id']}", 60)


def wanted_records(events):
    """The same of `ringcat --format json`."""
    found = []
    is_dated = bool(events) and events[0]["time"][:10] != events[-1]["time"][:10]
    for event in events:
        is_loss = event["kind"] == "loss"
        text = f"{event['count']:,} record{'' if event['count'] == 1 else 's'} lost ({event['cause']})" if is_loss else event["msg"]
        found.append((moment_text(event["time"])[0 if is_dated else 11:], "LOST" if is_loss else event["level"], thread_text(event), visible(text, 300)))
    return found
