#!/usr/bin/env python3
"""Replaces the section on packing in perf/COMPRESSION.md by the results of packing_study.

usage: packing_table.py perf/results/packing.jsonl perf/COMPRESSION.md
"""
import collections
import json
import pathlib
import re
import sys

TITLE = "## Packing: bytes or columns"
TEXT = f"""{TITLE}

`packing_study` packs whole trace files twice with zstd at level 3: as bytes, and as columns (`trace-format/README.md`, "Columns"). `mix` is 300,000
order book and HTTP messages with random values. redis and memcached are services that were
traced by hand ("redis and memcached" below); they were measured later, while other programs used both processors. The others are Loghub's samples of 2,000 lines
(https://github.com/logpai/loghub): its templates are the statements, the rest of each line its arguments. Processor time per record, the quietest of
three turns; "restore" gives back the bytes of the trace file. Live: the extents before packing.

```
perf/compression/log_records.py HDFS_2k.log_structured.csv > HDFS.tsv      # for each sample
taskset -c 1 build/perf/compression/packing_study mix memcached=memcached.ringtrace HDFS=HDFS.tsv > perf/results/packing.jsonl
perf/compression/packing_table.py perf/results/packing.jsonl perf/COMPRESSION.md
```
"""
HEADER = ["records of", "number", "live, bytes", "packed as bytes", "as columns", "columns / bytes", "pack as bytes, ns", "as columns",
          "restore bytes, ns", "columns"]


def section(path):
    cases = collections.OrderedDict()
    for line in pathlib.Path(path).read_text().splitlines():
        row = json.loads(line)
        cases.setdefault(row["case"], {})[row["subject"], row["metric"]] = row["median"]
    lines = ["| " + " | ".join(HEADER) + " |", "| " + " | ".join("---" for _ in HEADER) + " |"]
    for name, of in cases.items():
        cells = [name, f"{of['live', 'records']:,.0f}", f"{of['live', 'size']:.2f}", f"{of['bytes', 'size']:.2f}",
                 f"{of['columns', 'size']:.2f}", f"{of['columns', 'size'] / of['bytes', 'size']:.2f}",
                 f"{of['bytes', 'pack']:,.0f}", f"{of['columns', 'pack']:,.0f}",
                 f"{of['bytes', 'restore']:,.0f}", f"{of['columns', 'restore']:,.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return TEXT + "\n" + "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page = pathlib.Path(sys.argv[2])
    text = page.read_text()
    found = re.search(rf"^{re.escape(TITLE)}$.*?(?=^## )", text, re.DOTALL | re.MULTILINE)
    at, end = (found.start(), found.end()) if found else (text.index("## Conclusions"),) * 2
    page.write_text(text[:at] + section(sys.argv[1]) + "\n" + text[end:])


if __name__ == "__main__":
    main()
