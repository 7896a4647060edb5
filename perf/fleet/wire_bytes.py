#!/usr/bin/env python3
"""Bytes on the wire of one record: as ringship sends it, and as OTLP in protobuf, with gzip and zstd.

usage: wire_bytes.py BUILD      BUILD: the folder of a build that has perf/fleet/ship_load and tools/ringcat

Two forms of OTLP: all that `ringcat --to otlp` exports, and the time, severity and text alone. Batches have 512 records, as in
the SDKs, and 8,192, as in the Collector. Prints a table in Markdown."""

import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

RECORDS = 100_000
BATCHES = (512, 8192)


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def part(number, data):
    """A field of bytes."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def any_value(value):
    (kind, content), = value.items()
    if kind == "stringValue":
        return part(1, content.encode())
    if kind == "boolValue":
        return varint(2 << 3) + varint(int(content))
    if kind == "intValue":
        return varint(3 << 3) + varint(int(content))
    if kind == "doubleValue":
        return varint(4 << 3 | 1) + struct.pack("<d", float(content))
    raise ValueError(f"no encoding of {kind}")


def key_values(number, pairs):
    return b"".join(part(number, part(1, pair["key"].encode()) + part(2, any_value(pair["value"]))) for pair in pairs)


def log_record(record, is_lean):
    data = varint(1 << 3 | 1) + struct.pack("<Q", int(record["timeUnixNano"]))
    data += varint(2 << 3) + varint(record["severityNumber"]) + part(3, record["severityText"].encode())
    data += part(5, any_value(record["body"]))
    return data if is_lean else data + key_values(6, record.get("attributes", []))


def request(resource, records, is_lean):
    """An ExportLogsServiceRequest."""
    logs = part(1, b"") + b"".join(part(2, log_record(record, is_lean)) for record in records)
    return part(1, part(1, key_values(1, resource.get("attributes", []))) + part(2, logs))


def zstd(data):
    return subprocess.run(["zstd", "-3qc"], input=data, capture_output=True, check=True).stdout


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "one.ringtrace")
        run = subprocess.run([os.path.join(build, "perf/fleet/ship_load"), "--shippers", "4", "--records", str(RECORDS), "--write-trace", trace],
                             capture_output=True, text=True, check=True)
        shipped = json.loads(run.stdout)
        lines = subprocess.run([os.path.join(build, "tools/ringcat"), "--to", "otlp", trace], capture_output=True, check=True).stdout
    documents = [json.loads(line) for line in lines.splitlines()]
    resource = documents[0]["resourceLogs"][0]["resource"]
    records = [record for document in documents for logs in document["resourceLogs"] for scope in logs["scopeLogs"]
               for record in scope["logRecords"]]
    assert len(records) == RECORDS, len(records)
    ours = shipped["wire_bytes_per_record"]
    print("| | bytes per record | ratio |\n| --- | --- | --- |")
    print(f"| ringship, messages of up to 512 KiB, zstd 3 | {ours:.1f} | 1 |")
    for is_lean, what in ((True, "time, severity and text"), (False, "all that ringcat exports")):
        for batch in BATCHES:
            requests = [request(resource, records[at:at + batch], is_lean) for at in range(0, len(records), batch)]
            for name, compress in (("not compressed", len), ("gzip 6", lambda data: len(gzip.compress(data, 6))),
                                   ("zstd 3", lambda data: len(zstd(data)))):
                each = sum(map(compress, requests)) / len(records)
                print(f"| OTLP, {what}, batches of {batch:,}, {name} | {each:.1f} | {each / ours:.1f} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
