#!/usr/bin/env python3
"""Installs the build below a temporary folder and uses the library of foreign formats by a program that is outside of the
tree: it reads and converts traces, and gets what is wrong as values.

usage: installed_interop_test.py SOURCE_ROOT BUILD_ROOT
"""

import os
import subprocess
import sys
import tempfile
import unittest

from installation import BOUND_S, CPP_COMPILERS, STRICT, Installation, read, run, write

SOURCE_ROOT = BUILD_ROOT = None
HERE = os.path.dirname(os.path.abspath(__file__))

installed = None


def setUpModule():
    global installed
    folder = tempfile.TemporaryDirectory(prefix="ringside-install.")
    unittest.addModuleCleanup(folder.cleanup)
    installed = Installation(folder.name, BUILD_ROOT)


class InstalledInterop(unittest.TestCase):
    FOREIGN = "tests/interop/nettrace/s02_all_flag_bytes.nettrace"
    OWN = "tests/golden/1.0/worked_example.ringtrace"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-use.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # zstd, on which the reader library is built, comes from the system.
        self.environment = {**installed.environment, "PKG_CONFIG_PATH": installed.environment["PKG_CONFIG_LIBDIR"],
                            "TMPDIR": self.folder}
        del self.environment["PKG_CONFIG_LIBDIR"]

    def build(self, compiler="g++"):
        program = os.path.join(self.folder, "program")
        flags = run(["pkg-config", "--cflags", "--libs", "ringside-interop"], env=self.environment).split()
        run([compiler, "-std=c++20", *STRICT, os.path.join(HERE, "interop_program.cpp"), "-o", program, *flags],
            cwd=self.folder, env=self.environment)
        return program

    def use(self, program, *words):
        """Exit status and standard output; standard error must stay empty, because the library prints nothing."""
        done = subprocess.run([program, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=BOUND_S, check=False)
        self.assertEqual(done.stderr, b"")
        return done.returncode, done.stdout.decode()

    def ringcat(self, *words):
        return run([installed.program("ringcat"), *words], env=self.environment)

    def path(self, name):
        return os.path.join(SOURCE_ROOT, name)

    def test_a_program_reads_and_converts_a_foreign_trace_when_built_by_every_compiler(self):
        for compiler in CPP_COMPILERS:
            with self.subTest(compiler=compiler):
                program = self.build(compiler)
                code, text = self.use(program, "read", self.path(self.FOREIGN))
                records = len(self.ringcat("--to", "ndjson", "--no-losses", self.path(self.FOREIGN)).splitlines())
                self.assertGreater(records, 10)
                self.assertEqual((code, text.splitlines().index(f"{records} records in 1 files")), (0, records))
                output = os.path.join(self.folder, compiler + ".json")
                code, text = self.use(program, "convert", "chrome", output, self.path(self.FOREIGN))
                self.assertEqual((code, text.splitlines()[0]), (0, f"{records} events"))
                expected = os.path.join(self.folder, compiler + ".expected")
                self.ringcat("--to", "chrome", "--no-losses", "-o", expected, self.path(self.FOREIGN))
                self.assertEqual(read(output), read(expected))

    def test_traces_of_different_formats_are_one_sequence(self):
        code, text = self.use(self.build(), "read", self.path(self.FOREIGN), self.path(self.OWN))
        lines = [line for line in text.splitlines() if line[:1].isdigit()]
        self.assertRegex(lines[-1], "^[0-9]+ records in 2 files$")
        times = [int(line.split()[0]) for line in lines[:-1]]
        self.assertIn(1700000000000001010, times)
        self.assertEqual((code, times), (0, sorted(times)))

    def test_the_output_can_go_to_a_function(self):
        code, text = self.use(self.build(), "sink", "csv", self.path(self.OWN))
        self.assertEqual((code, text), (0, self.ringcat("--to", "csv", self.path(self.OWN)) + "3 events\n"))

    def test_errors_are_values(self):
        program = self.build()
        missing = os.path.join(self.folder, "missing")
        output = os.path.join(self.folder, "output")
        for words, error in ((("read", missing), "error .*missing.*No such file"),
                             (("convert", "csv", output, missing), "0 events\nerror .*missing.*No such file"),
                             (("convert", "nothing", output, missing), "0 events\nerror cannot write format nothing; use one of"),
                             (("convert", "nanolog", output, missing), "0 events\nerror cannot write format nanolog; use one of"),
                             (("sink", "ctf", missing), "0 events\nerror ctf is a directory; give its path as output"),
                             (("convert", "csv", program, missing), "0 events\nerror .*program already exists")):
            with self.subTest(words=words):
                code, text = self.use(program, *words)
                self.assertEqual(code, 1)
                self.assertRegex(text, "^" + error)
        self.assertEqual(os.listdir(self.folder), ["program"])

    def test_damage_is_a_value_and_the_part_before_it_is_read(self):
        with open(self.path(self.FOREIGN), "rb") as file:
            whole = file.read()
        cut = os.path.join(self.folder, "cut.nettrace")
        with open(cut, "wb") as file:
            file.write(whole[:-20])
        program = self.build()
        code, text = self.use(program, "read", cut)
        self.assertEqual(code, 0)
        self.assertRegex(text, "(?m)^[1-9][0-9]* records in 1 files\n(.*\n)*damage .*cut.nettrace:[0-9]+: ")
        code, text = self.use(program, "convert", "folded", os.path.join(self.folder, "output"), cut)
        self.assertEqual(code, 0)
        self.assertRegex(text, "(?m)^damage .*cut.nettrace:[0-9]+: ")
        self.assertRegex(text, "(?m)^note [0-9]+ records?: ")

    def test_only_public_functions_are_exported_and_the_reader_exists_once(self):
        library = installed.find("libringside-interop.so")
        defined = run(["nm", "--dynamic", "--defined-only", "--extern-only", "--demangle", library]).splitlines()
        names = [line.split(" ", 2)[2].split("@@")[0] for line in defined if " A " not in line]
        self.assertIn("ringside::interop::convert", [name.split("(")[0] for name in names])
        self.assertEqual([name for name in names if not name.startswith("ringside::interop::")], [])
        self.assertIn("libringside-trace.so.0", run(["readelf", "--dynamic", library]))
        every = run(["nm", "--demangle", "--defined-only", installed.find("libringside-interop.so")])
        self.assertNotIn("ringside::trace::TraceSet::next", every)

    def test_headers_need_nothing_that_is_not_installed(self):
        top = os.path.join(installed.include, "ringside-interop")
        headers = sorted(os.listdir(top))
        self.assertEqual(headers, ["conversion.hpp", "diagnostic.hpp", "trace.hpp"])
        flags = run(["pkg-config", "--cflags", "ringside-interop"], env=self.environment).split()
        source = os.path.join(self.folder, "alone.cpp")
        for header in headers:
            text = read(os.path.join(top, header))
            self.assertNotRegex(text, r"#include .*(tools/|fmt/|simdjson|nlohmann|CLI)")
            write(source, f"#include <ringside-interop/{header}>\n")
            for compiler in CPP_COMPILERS:
                with self.subTest(header=header, compiler=compiler):
                    run([compiler, "-std=c++20", *STRICT, "-fsyntax-only", source, *flags], cwd=self.folder,
                        env=self.environment)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
