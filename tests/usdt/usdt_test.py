#!/usr/bin/env python3
"""A program that is compiled with RINGSIDE_USDT has a probe for each statement, which readelf lists, gdb stops at, and
bpftrace attaches to where the machine permits it. Without RINGSIDE_USDT it has none."""

import collections
import glob
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROBED = os.environ["RINGSIDE_TEST_PROBED_STATEMENTS"]
UNPROBED = os.environ["RINGSIDE_TEST_UNPROBED_STATEMENTS"]
BOUND_S = 120


def run(*command, shm_dir=None):
    environment = os.environ | ({"RINGSIDE_SHM_DIR": shm_dir} if shm_dir else {})
    return subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False, env=environment,
                          errors="replace")


def expected_probes():
    """Name to arguments, from the sources: the comment "probe" precedes a statement. None: it never fires."""
    probes = {}
    for path in glob.glob(os.path.join(FOLDER, "probed_*")):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            found = re.fullmatch(r"\s*/[/*] probe\b(.*?)(\*/)?", line)
            if found is not None:
                name = re.sub(r"\W", "_", os.path.basename(path)) + f"_{number + 1}"
                probes[name] = None if "never" in found[1] else shlex.split(found[1])
    return probes


def noted_probes(program):
    """(name, arguments) of each note of the provider `ringside`."""
    done = run("readelf", "-n", program)
    assert done.returncode == 0, done.stderr
    return re.findall(r"Provider: ringside\n\s+Name: (\S+)\n\s+Location: .*Semaphore: 0x0+\n\s+Arguments: ?(.*)\n",
                      done.stdout)


class Usdt(unittest.TestCase):
    def test_each_statement_has_a_note_with_its_place_and_arguments(self):
        noted = collections.defaultdict(set)
        for name, arguments in noted_probes(PROBED):
            noted[name].add(len(arguments.split()))
        wanted = expected_probes()
        self.assertGreater(len(wanted), 20)
        self.assertEqual(set(noted), set(wanted))
        for name, arguments in wanted.items():
            # The inline function runs with several values, and the last statement never.
            if arguments is not None and "inline" not in name:
                self.assertEqual(noted[name], {len(arguments)}, name)

    def test_without_the_option_there_are_no_notes(self):
        self.assertEqual(noted_probes(UNPROBED), [])
        sections = run("readelf", "-S", "--wide", UNPROBED).stdout
        self.assertNotIn(".stapsdt", sections)

    def test_the_probed_program_records_the_same(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
            self.assertEqual(run(PROBED, shm_dir=directory).returncode, 0)
            self.assertEqual(run(UNPROBED, shm_dir=directory).returncode, 0)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb_stops_at_each_statement_that_records_and_reads_its_arguments(self):
        wanted = expected_probes()
        script = ["set pagination off", "set breakpoint pending off", "set print elements 15"]
        for name, arguments in wanted.items():
            script += [f"break -probe-stap ringside:{name}", "commands", "silent", f'printf "hit {name} %d", $_probe_argc']
            # The inline function has one argument, with two values in turn.
            for i, value in enumerate((arguments or [])[:1 if "inline" in name else None]):
                # A text in the sources stands for the text at the address.
                is_number = re.fullmatch(r"-?\d+", value)
                script.append(f'printf " %ld", $_probe_arg{i}' if is_number else
                              f'printf " %.15s", (const char*)$_probe_arg{i}')
            script += ['printf "\\n"', "continue", "end"]
        script += ["run", "quit"]
        with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
            path = os.path.join(directory, "script")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(script))
            done = run("gdb", "-batch", "-nx", "-x", path, PROBED, shm_dir=directory)
        if "ptrace: Operation not permitted" in done.stderr:
            self.skipTest("this machine forbids debuggers")
        hits = collections.defaultdict(list)
        for name, count, values in re.findall(r"^hit (\S+) (\d+)(.*)$", done.stdout, re.M):
            hits[name].append((int(count), values.split(" ", 1)[1] if values else ""))
        for name, arguments in wanted.items():
            with self.subTest(name):
                if arguments is None:
                    self.assertEqual(hits[name], [], done.stderr)
                elif "inline" in name:
                    self.assertEqual([count for count, _ in hits[name]], [1, 1], done.stderr)
                    self.assertEqual([values.split()[0] for _, values in hits[name]], ["43", "44"])
                else:
                    # gdb prints signed numbers, and as much of a text as is asked for.
                    shown = [str(int(a) - (1 << 64)) if re.fullmatch(r"\d{19}", a) else
                             a if re.fullmatch(r"-?\d+", a) else a[:15] for a in arguments]
                    self.assertEqual(hits[name], [(len(arguments), " ".join(shown))], done.stderr + done.stdout)

    @unittest.skipUnless(shutil.which("bpftrace"), "bpftrace is not installed")
    def test_bpftrace_attaches_to_a_statement(self):
        name = next(name for name, arguments in expected_probes().items() if arguments == ["-5", "7", "alpha"])
        program = f'usdt:{PROBED}:ringside:{name} {{ printf("hit %d %d\\n", arg0, arg1); }}'
        with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
            done = run("bpftrace", "-e", program, "-c", PROBED, shm_dir=directory)
        if done.returncode != 0:
            self.skipTest("this machine does not permit bpftrace: " + done.stderr.strip()[:200])
        self.assertIn("hit -5 7\n", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
