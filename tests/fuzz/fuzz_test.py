#!/usr/bin/env python3
"""Runs a fuzz target a bounded number of times. Its seeds are the golden files (for segments: what the library makes) and
earlier findings. With --inputs, runs it once on each of these.

usage: fuzz_test.py NAME PROGRAM [--inputs]

RINGSIDE_FUZZ_RUNS sets the number of runs, RINGSIDE_FUZZ_SECONDS their time instead. The fuzzer's findings stay in
RINGSIDE_FUZZ_FINDINGS (default: the working directory); after the fix, add them to regressions/NAME/."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden")
RUNS = {"trace": 2000, "packed": 400, "columns": 5000, "dictionary": 10000, "segment": 400, "fleet": 2000}
# The formats of other tools: the folders of their samples, and the suffix or suffixes of these.
FOREIGN = os.path.join(HERE, "..", "interop")
SAMPLES = {
    "chrome": ("json", ".json"), "ndjson": ("json", ".ndjson"),
    "ctf": ("ctf", ""), "heph": ("heph", ".heph"), "nanolog": ("nanolog", ".log"),
    "netlogger": ("netlogger", ".nlb"), "nettrace": ("nettrace", (".nettrace", ".netperf")),
    "perfetto": ("perfetto", ".perfetto"), "trcbin": ("tptp", ".trcbin"),
    "trcxml": ("tptp", ".trcxml"), "ulm": ("ulm", ".ulm"),
}
FOREIGN_RUNS = 300
# Texts that users type, for the targets that have no fuzzer: only with --inputs.
TEXTS = {
    "where": [
        "price > 100 && side == \"B\"", "`order.id` in (1, 2, -3) || !(length == 7)",
        "msg =~ 'side [BS]$' && msg !~ \"lost\"", "low - 1 < low && high / 2.5e3 >= 0x64",
        "level >= WARNING && level != \"ERROR\"", "thread == 1001 || thread == 'main'",
        "service == 'shop' && pid > 0 && line * 2 + 1 > 200 && file =~ 'orders'",
        "category == '' || function != '\\\\' || site == \"\\\"\" || true && !false",
        "id == 2 and side", "((price", "qty = 1", "price in (", "'open"],
    "template": [
        "{time} {level:<8} {field:order.id:>10} {msg:^40}", "{{{utc}}} {unix_ns:>30}{fields}",
        "{category} {site} {file}:{line} {function} {service} {pid} {host} {thread} {thread_id} {seq}",
        "{duration_ns}{activity}{related}{cut}", "time,level,id,price,msg,fields", "{field:}",
        "{msg:>99999999999}", "{nope}", "a{", "a}b", "{msg:*3}"],
}
# A file of at most MAX_BYTES does not justify an allocation near this size, frames of 1 MiB included.
MAX_BYTES = 1 << 15
MALLOC_LIMIT_MB = 32
RSS_LIMIT_MB = 1024
FRAME_BYTES = 16
DICTIONARY = 2
COLUMN_MAGIC = b"RSCF"
SITE, STYLE_AT, BRACE_STYLE = 1, 26, 2  # of dictionary entries


def golden_files(suffix):
    for folder, _, names in sorted(os.walk(GOLDEN)):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(suffix))


def dictionaries(data):
    """The payloads of a valid file's DICTIONARY blocks."""
    at = 0
    while data[at:at + 4] == b"RSBK":
        kind, size = data[at + 4], struct.unpack_from("<I", data, at + 8)[0]
        if kind == DICTIONARY:
            yield data[at + FRAME_BYTES:at + FRAME_BYTES + size]
        at += FRAME_BYTES + size


def in_braces(payload):
    """The same entries with formats in brace style, of the same lengths."""
    entries, at = bytearray(payload), 0
    while at + 28 <= len(entries):
        size, kind = struct.unpack_from("<IH", entries, at)
        if size == 0:
            break
        if kind == SITE:
            entries[at + STYLE_AT] = BRACE_STYLE
        at += size
    return re.sub(rb"%[a-z]", b"{}", re.sub(rb"%[.0-9#+-][a-z]", b"{:}", bytes(entries)))


def fleet_inputs(data):
    """Messages with the blocks of a file, and the same as a file of the sink; see fleet_target.cpp."""
    parts = [b"", data, b"".join(dictionaries(data)), data]
    text = b"".join(struct.pack("<I", len(part)) + part for part in parts)
    return [bytes([how]) + text + b"RSXM\1\0" for how in (0, 1, 2, 4, 12)]


def foreign_samples(name):
    """The samples that are not longer than the fuzzer's inputs."""
    folder, suffix = os.path.join(FOREIGN, SAMPLES[name][0]), SAMPLES[name][1]
    for sample in sorted(os.listdir(folder)):
        path = os.path.join(folder, sample)
        if os.path.isdir(path):  # the metadata, and each of the streams by itself
            with open(os.path.join(path, "metadata"), "rb") as file:
                metadata = file.read()
            for stream in sorted(set(os.listdir(path)) - {"metadata", "index"}):
                with open(os.path.join(path, stream), "rb") as file:
                    yield (struct.pack("<I", len(metadata)) + metadata + file.read())[:MAX_BYTES]
        elif suffix and sample.endswith(suffix) and os.path.getsize(path) <= MAX_BYTES:
            with open(path, "rb") as file:
                yield file.read()


def write_seeds(name, folder):
    """Seeds and regressions of the target, as files in `folder`."""
    count = 0

    def add(data):
        nonlocal count
        with open(os.path.join(folder, f"seed-{count}"), "wb") as file:
            file.write(data)
        count += 1

    for text in TEXTS.get(name, []):
        add(text.encode())
    if name == "segment":
        for policy in ("drop", "overwrite"):
            subprocess.run([os.environ["RINGSIDE_TEST_SEGMENT_SEEDS"], f"{folder}/{policy}-"],
                           check=True, env={**os.environ, "RINGSIDE_OVERFLOW": policy,
                                            "RINGSIDE_SHM_DIR": os.environ["RINGSIDE_FUZZ_PLACE"]})
        count = len(os.listdir(folder))
    for sample in foreign_samples(name) if name in SAMPLES else []:
        add(sample)
    for path in golden_files(".zst") if name == "columns" else []:
        content = subprocess.run(["zstd", "-dqc", path], capture_output=True, check=True).stdout
        if COLUMN_MAGIC in content:  # after the first frame, which restores nothing
            add(content[content.index(COLUMN_MAGIC):])
    for path in golden_files(".ringtrace") if name not in [*TEXTS, *SAMPLES, "columns", "segment"] else []:
        with open(path, "rb") as file:
            data = file.read()
        if name == "dictionary":
            for payload in dictionaries(data):
                add(payload)
                add(in_braces(payload))
        elif name == "fleet":
            for made in fleet_inputs(data):
                add(made)
        elif name == "trace":
            add(data)
        else:
            packed = subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True)
            add(packed.stdout)
    for path in golden_files(".zst") if name == "packed" else []:
        with open(path, "rb") as file:
            add(file.read())
    assert count > 0, "no seeds"
    regressions = os.path.join(HERE, "regressions", name)
    for found in sorted(os.listdir(regressions)) if os.path.isdir(regressions) else []:
        shutil.copy(os.path.join(regressions, found), folder)


def main(name, program, *how):
    in_memory = "/dev/shm" if name in ("segment", "fleet") or name in SAMPLES else None
    with tempfile.TemporaryDirectory(prefix="ringside-fuzz-") as corpus, \
            tempfile.TemporaryDirectory(prefix="ringside-fuzz-", dir=in_memory) as place:
        os.environ["RINGSIDE_FUZZ_PLACE"] = place
        os.environ["RINGSIDE_FUZZ_FORMAT"] = name
        if name in SAMPLES:
            os.environ["TMPDIR"] = place  # imported data stays in memory
        write_seeds(name, corpus)
        seeds = [os.path.join(corpus, seed) for seed in sorted(os.listdir(corpus))]
        if how:
            return subprocess.run([program, *seeds], check=False).returncode
        findings = os.environ.get("RINGSIDE_FUZZ_FINDINGS", ".")
        bound = f"-runs={os.environ.get('RINGSIDE_FUZZ_RUNS', RUNS.get(name, FOREIGN_RUNS))}"
        if "RINGSIDE_FUZZ_SECONDS" in os.environ:
            bound = f"-max_total_time={os.environ['RINGSIDE_FUZZ_SECONDS']}"
        return subprocess.run(
            [program, bound, f"-max_len={MAX_BYTES}", f"-malloc_limit_mb={MALLOC_LIMIT_MB}",
             f"-rss_limit_mb={RSS_LIMIT_MB}", "-timeout=30", "-print_final_stats=1",
             # hides consumerd's log; sanitizer reports are printed nevertheless
             f"-close_fd_mask={2 if name == 'segment' else 0}",
             f"-artifact_prefix={findings}/", corpus], check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
