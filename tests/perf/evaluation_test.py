#!/usr/bin/env python3
"""The programs and scripts of perf/evaluation run, agree with each other, and make the page. Figures are not checked.

usage: evaluation_test.py SOURCE_FOLDER BUILD_FOLDER"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BOUND_S = 200
NOT_POSSIBLE = 77
SURVEYED = r'''
LOG(NOTICE, "table %s has id %d");
LOG(NOTICE,
    "took %0.1lf ms " "%" PRIu64 " times",
    a, b(1, "no format"));
  // LOG(NOTICE, "a comment");
RAMCLOUD_CLOG(ERROR, "100%% \"full\" %p", p);
DIE("nothing");
LOGGING("another function");
LOG(NOTICE, text);
'''


def run(*command, **how):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=BOUND_S, check=False, **how)
    if done.returncode == NOT_POSSIBLE:
        raise unittest.SkipTest(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Evaluation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_page_has_every_part(self):
        figures = run(BUILD / "perf/evaluation/ring_sizes", "--quick", "--repeats", 1, env={**os.environ, "TMPDIR": str(self.folder)})
        figures += run(EVALUATION / "evaluate.py", "--quick", "--folder", self.folder, BUILD, "throughput", "text", "aggregation", "size")
        figures += run(BUILD / "perf/evaluation/bottlenecks", "--quick", "--folder", self.folder)
        for subject in ("nanolog", "zlib9", "ringside"):
            for bits in (8, 16, 24, 64):
                figures += json.dumps({"row": "compression", "unit": "ns/integer", "subject": subject, "case": f"integers_0_{bits}",
                                       "best": 2.0, "bytes": bits / 8}) + "\n"
        lines = [json.loads(line) for line in figures.splitlines()]
        self.assertTrue(all(line["rate"] > 0 for line in lines if "rate" in line))
        self.assertEqual({line["calls"] for line in lines if line.get("row") == "ring_sizes"}, {1_000_000})
        shares = [line["median"] for line in lines if line.get("ring_bytes") == 4096 and line["case"] == "static"]
        self.assertEqual((shares[0], shares), (1, sorted(shares, reverse=True)))
        written = {(line["message"], line["mode"]): line["bytes"] for line in lines if line.get("part") == "bottlenecks"}
        self.assertEqual(len(written), 10)
        for message, ring_bytes in (("static", 8), ("five_arguments", 32)):
            # Without an encoder, the bytes of the rings: some clock records come in addition.
            self.assertTrue(ring_bytes <= written[message, "no_encoder"] < ring_bytes + 1, written)
            self.assertEqual(written[message, "release"], 0)
            self.assertLess(written[message, "full"], ring_bytes / 2)
        (self.folder / "figures").write_text(figures)
        (self.folder / "survey").write_text("| survey |\n")
        run(EVALUATION / "render.py", self.folder / "figures", self.folder / "survey", EVALUATION / "introduction.md", self.folder)
        page = (self.folder / "EVALUATION.md").read_text()
        for words in ("| survey |", "| 1 threads |", "| no encoder, no output | ", "| static | ordered |", "| ringcat agg | warm |", "| zlib9 | 4,000; 1.00 |", "| 4 KiB |", "bytes for 5 statements"):
            self.assertIn(words, page)
        for message in ("static", "five_arguments"):
            for plot in ("ring_sizes", "bottlenecks"):
                self.assertIn("<polyline", (self.folder / f"plots/{plot}_{message}.svg").read_text())

    def test_a_part_is_measured_again_alone(self):
        page = self.folder / "EVALUATION.md"
        page.write_text("old introduction\n\n## Throughput (figure 9.2)\n\nkept\n\n## The dictionary (section 9.4)\n\nreplaced\n")
        lines = [{"part": "size", "statements": 4, "dictionary_bytes": 808}]
        for ring_bytes in (0, 4096):
            for ns, share in ((10, 1), (1000, 1e-9)):
                lines.append({"row": "ring_sizes", "case": "static", "ring_bytes": ring_bytes, "calls": 10**9, "ns": ns, "median": share})
        (self.folder / "figures").write_text("".join(json.dumps(line) + "\n" for line in lines))
        run(EVALUATION / "render.py", self.folder / "figures", "-", EVALUATION / "introduction.md", self.folder)
        text = page.read_text()
        self.assertTrue(text.startswith((EVALUATION / "introduction.md").read_text()))
        self.assertIn("## Throughput (figure 9.2)\n\nkept\n", text)
        self.assertIn("## The dictionary (section 9.4)\n\n808 bytes for 4 statements: 202 for each", text)
        self.assertNotIn("replaced", text)
        # As many calls have a section of their own: they are measured for fewer rings.
        self.assertNotIn("## Latency by the size of the ring", text)
        self.assertIn("| 4 KiB | 1,000 | 1,000 |", text.partition("## Latency of a billion calls")[2])

    def test_the_text_of_a_trace_is_aggregated_like_the_trace(self):
        numbers = range(-3, 200_000, 7)  # several reads of the file
        lines = self.folder / "lines"
        lines.write_text("".join(f"x UnrelatedLog #5\ny Hello World # {n}\n" for n in numbers))
        said = run(BUILD / "perf/evaluation/text_aggregate", lines).split()
        self.assertEqual(said, [str(len(numbers)), "-3", f"{sum(numbers) / len(numbers):.3f}", str(numbers[-1])])

    def test_the_survey_counts_statements_and_conversions(self):
        (self.folder / "a.cc").write_text(SURVEYED)
        (self.folder / "aTest.cc").write_text(SURVEYED)
        table = run(EVALUATION / "statement_survey.py", f"ramcloud={self.folder}")
        static = len("table  has id ") + len("took  ms  times") + len('100% "full" ') + len("nothing")
        self.assertIn(f"| ramcloud | {static / 4:.2f} | 0.50 | 0.25 | 0.25 | 0.25 | 4 |\n", table)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    BUILD = pathlib.Path(sys.argv.pop())
    EVALUATION = pathlib.Path(sys.argv.pop()) / "perf" / "evaluation"
    unittest.main(verbosity=2)
