#!/usr/bin/env python3
"""Installs the build below a temporary folder and uses it as a new user would: through pkg-config, with the README's own
program and commands, in C++20 and in C11. A program that reads traces is built against the reader library.

usage: installed_library_test.py SOURCE_ROOT BUILD_ROOT [README]
"""

import concurrent.futures
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from installation import CPP_COMPILERS, STRICT, Installation, read, run, write
from readme_blocks import code_blocks, command_lines

SOURCE_ROOT = BUILD_ROOT = README = None
HERE = os.path.dirname(os.path.abspath(__file__))
C_COMPILERS = ["gcc", "clang"]
WITHOUT_EXTRAS = ["-fno-exceptions", "-fno-rtti"]
CPP_WAYS = [[compiler, "-std=" + standard, *options]
            for compiler in CPP_COMPILERS for standard in ("c++20", "c++2b") for options in ([], WITHOUT_EXTRAS)]
C_WAYS = [[compiler, "-std=" + standard] for compiler in C_COMPILERS for standard in ("c11", "c17")]

# Headers named as other libraries name their own, which are C++ in spite of their suffix.
BORROWED_NAME = re.compile(r"ringside/compat/(\w+)/.*\.h$")

# Commands of the README that cannot run inside a test, and the test or program that runs them instead.
RUN_ELSEWHERE = {
    "packaging/demo.sh": "the test demo, on this build",
    "packaging/test.sh": "the command that runs this test",
    "packaging/install-build-deps.sh --build": "packaging/test.sh and packaging/demo.sh begin with it",
    "meson setup build --buildtype=release -Dunity=on -Dtests=false -Dperf=false && meson install -C build && ldconfig":
        "product_alone, and setUpModule with --destdir",
}

installed = None


def readme_program():
    blocks = code_blocks(read(README), "cpp")
    if not blocks:
        raise AssertionError(f"{README} has no ```cpp block: the program to compile against the library")
    return blocks[0]


def literal_start(program):
    """The text of the first logged message up to its first conversion."""
    match = re.search(r'RS_[A-Z]+\((?:RS_LEVEL_\w+, *)?"([^"%\\]+)', program)
    if match is None:
        raise AssertionError("the program logs nothing that can be recognised in the trace:\n" + program)
    return match.group(1)


def setUpModule():
    global installed
    folder = tempfile.TemporaryDirectory(prefix="ringside-install.")
    unittest.addModuleCleanup(folder.cleanup)
    installed = Installation(folder.name, BUILD_ROOT)


class InstalledLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-use.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.shm = os.path.join(self.folder, "shm")
        os.mkdir(self.shm)
        with socket.socket() as any_free:
            any_free.bind(("127.0.0.1", 0))
            self.port = any_free.getsockname()[1]
        self.environment = {**installed.environment, "RINGSIDE_SHM_DIR": self.shm}

    def build(self, compiler, standard, source):
        program = os.path.join(self.folder, "program")
        run([compiler, "-std=" + standard, *STRICT, source, "-o", program, *installed.flags()], cwd=self.folder,
            env=self.environment)
        return program

    def trace_of(self, program):
        """ringcat's output for one run of the program."""
        run([program], cwd=self.folder, env=self.environment)
        self.assertEqual(len(os.listdir(self.shm)), 1, "consumerd must find the program's segment")
        output = tempfile.mkdtemp(dir=self.folder)
        run([installed.program("consumerd"), "--once", "--shm-dir", self.shm, "--output", output], env=self.environment)
        self.assertEqual(os.listdir(self.shm), [], "a drained segment of an ended process is removed")
        return run([installed.program("ringcat"), output], env=self.environment)

    def test_readme_program_is_traced_when_built_by_every_compiler(self):
        text = readme_program()
        for compiler in CPP_COMPILERS:
            with self.subTest(compiler=compiler):
                source = os.path.join(self.folder, "program.cpp")
                write(source, text)
                trace = self.trace_of(self.build(compiler, "c++20", source))
                self.assertIn(literal_start(text), trace)
                self.assertNotIn("LOST", trace)

    def test_readme_program_is_as_short_as_promised(self):
        lines = [line for line in readme_program().splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 10)

    def test_c11_program_is_traced_when_built_by_every_compiler(self):
        for compiler in C_COMPILERS:
            with self.subTest(compiler=compiler):
                trace = self.trace_of(self.build(compiler, "c11", os.path.join(HERE, "c11_program.c")))
                for text in ("C11 order 7 filled at 101.25 on XETR", "order.fill id=7 venue=XETR", "order 7 closed"):
                    self.assertIn(text, trace)
                self.assertNotIn("LOST", trace)

    def test_every_installed_header_compiles_on_its_own(self):
        headers = installed.headers()
        self.assertIn("ringside/ringside.hpp", headers)
        self.assertIn("ringside/ringside.h", headers)
        checks = []
        # The compilers and standards take turns: what a header lacks, it lacks with each of them.
        for header, cpp, c in zip(headers, itertools.cycle(CPP_WAYS), itertools.cycle(C_WAYS)):
            if BORROWED_NAME.match(header):
                continue
            checks.append(([header], cpp, "c++"))
            if header.endswith(".h"):
                checks.append(([header], c, "c"))
        # Their warnings differ, and so does what they accept: together with each. Headers of different languages or other
        # libraries are not for one source.
        own = [header for header in headers if not header.startswith("ringside/compat/") and header != "ringside/older_log.hpp"]
        for suffix, ways, language in ((".hpp", CPP_WAYS, "c++"), (".h", C_WAYS, "c")):
            checks += [([header for header in own if header.endswith(suffix)], way, language) for way in ways]
        flags = installed.flags("--cflags")

        def fault_of(check):
            names, way, language = check
            source = "".join(f"#include <{header}>\n" for header in names) + "int main(void) { return 0; }\n"
            done = subprocess.run([*way, *STRICT, "-Wconversion", "-fsyntax-only", "-x", language, "-", *flags],
                                  cwd=self.folder, env=self.environment, input=source, text=True,
                                  capture_output=True, check=False)
            return (names, way, done.stderr) if done.returncode != 0 or done.stderr else None

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.assertEqual([fault for fault in pool.map(fault_of, checks) if fault], [])

    def test_installed_headers_with_names_of_other_libraries_compile_together(self):
        names = [match for match in map(BORROWED_NAME.match, installed.headers()) if match]
        libraries = sorted({match.group(1) for match in names})
        self.assertEqual(libraries, ["glog", "nanolog", "quill", "spdlog"])
        for library, compiler in itertools.product(libraries, CPP_COMPILERS):
            with self.subTest(library=library, compiler=compiler):
                source = os.path.join(self.folder, "names.cpp")
                write(source, "".join(f"#include <{match.group()}>\n" for match in names if match.group(1) == library) +
                      "int main() { return 0; }\n")
                self.build(compiler, "c++17", source)

    def test_commands_of_the_readme_work_as_printed(self):
        commands = [self.moved(line) for line in command_lines(read(README)) if line not in RUN_ELSEWHERE]
        compiles = re.compile(r"(?:c|g|clang)\+\+ .*?([\w.-]+\.cpp)\b")
        sources = [match.group(1) for match in map(compiles.search, commands) if match]
        self.assertEqual(len(sources), 1, f"one command of the README compiles its program; found: {commands}")
        write(os.path.join(self.folder, sources[0]), readme_program())
        write(os.path.join(self.folder, "commands.sh"), "set -e\n" + "\n".join(commands) + "\n")
        out = run(["bash", "-x", "commands.sh"], cwd=self.folder,
                  env={**self.environment, "PATH": self.command_folder() + ":" + os.environ["PATH"]})
        self.assertIn(literal_start(readme_program()), out, "the README's commands show the trace")
        self.assertIn("ringside_build_info{", out, "the README's commands show metrics")

    def moved(self, command):
        """The command with this test's installation and an unused port."""
        alerts = installed.find("ringside_alerts.yml")
        command = command.replace("/usr/local/share/ringside/monitoring/ringside_alerts.yml", alerts)
        return command.replace(":9465", f":{self.port}")

    def command_folder(self):
        """A folder for PATH in which programs use this test's segments instead of all segments of the machine."""
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder)
        for name in ("ringcat", "ringrun"):
            os.symlink(installed.program(name), os.path.join(folder, name))
        for name in ("consumerd", "ringctl", "ringstat"):
            program = os.path.join(folder, name)
            write(program, f'#!/bin/sh\nexec "{installed.program(name)}" "$@" --shm-dir "{self.shm}"\n')
            os.chmod(program, 0o755)
        return folder


class InstalledTraceLibrary(unittest.TestCase):
    TRACE = "tests/golden/1.0/worked_example.ringtrace"
    EVENTS = ("1700000000000001000 s t n=%d 5\n1700000000000001010 s t n=%d 6\n1700000000000001020 s t n=%d 6\n"
              "3 records, 0 missing\n")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-use.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # zstd, on which the library is built, comes from the system.
        self.environment = {**installed.environment, "PKG_CONFIG_PATH": installed.environment["PKG_CONFIG_LIBDIR"]}
        del self.environment["PKG_CONFIG_LIBDIR"]

    def flags(self, *options):
        return run(["pkg-config", *options, "ringside-trace"], env=self.environment).split()

    def build(self, compiler, source, *flags):
        program = os.path.join(self.folder, "program")
        run([compiler, "-std=c++20", *STRICT, source, "-o", program, *flags], cwd=self.folder, env=self.environment)
        return program

    def read(self, program):
        return run([program, os.path.join(SOURCE_ROOT, self.TRACE)], env=self.environment)

    def test_a_program_reads_a_trace_when_built_by_every_compiler(self):
        for compiler in CPP_COMPILERS:
            with self.subTest(compiler=compiler):
                program = self.build(compiler, os.path.join(HERE, "trace_program.cpp"), *self.flags("--cflags", "--libs"))
                self.assertEqual(self.read(program), self.EVENTS)

    def test_a_program_may_hold_the_library(self):
        archive = installed.find("libringside-trace.a")
        program = self.build("g++", os.path.join(HERE, "trace_program.cpp"), *self.flags("--cflags"), archive, "-lzstd",
                             "-pthread")
        self.environment["LD_LIBRARY_PATH"] = ""
        self.assertEqual(self.read(program), self.EVENTS)

    def headers(self):
        """The folder of the library's headers, and their paths in it."""
        top = os.path.join(installed.include, "ringside-trace")
        return top, sorted(os.path.relpath(os.path.join(folder, name), top)
                           for folder, _, files in os.walk(top) for name in files)

    def test_the_rooms_of_headers_are_not_part_of_public_paths(self):
        _, headers = self.headers()
        of_rooms = [header.split("/") for header in headers if header.count("/") == 2]
        self.assertIn(["trace-format", "reader", "trace_set.hpp"], of_rooms)
        for top, room, name in of_rooms:
            with self.subTest(room=room, name=name):
                self.assertTrue(room == "query" or f"{top}/{name}" in headers)

    def test_headers_need_nothing_that_is_not_installed(self):
        top, headers = self.headers()
        self.assertIn("trace-format/trace_follower.hpp", headers)
        source = os.path.join(self.folder, "all.cpp")
        for order in (headers, headers[::-1]):
            write(source, "".join(f'#include "{header}"\n' for header in order))
            for compiler in CPP_COMPILERS:
                with self.subTest(compiler=compiler):
                    run([compiler, "-std=c++20", *STRICT, "-fsyntax-only", source, *self.flags("--cflags")],
                        cwd=self.folder, env=self.environment)


class ReadmeBlocks(unittest.TestCase):
    PAGE = "x\n```sh\n# why\npackaging/test.sh   # all of it\n\nc++ a.cpp \\\n  -o a\n```\n```cpp\nint a;\n```\n"

    def test_commands_are_found(self):
        self.assertEqual(command_lines(self.PAGE), ["packaging/test.sh", "c++ a.cpp -o a"])

    def test_languages_are_distinguished(self):
        self.assertEqual(code_blocks(self.PAGE, "cpp"), ["int a;\n"])

    def test_scripts_that_run_elsewhere_exist(self):
        for command in RUN_ELSEWHERE:
            if command.startswith("packaging/"):
                self.assertTrue(os.access(os.path.join(SOURCE_ROOT, command.split()[0]), os.X_OK), command)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for tool in ["meson", "pkg-config", *CPP_COMPILERS, *C_COMPILERS]:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing; packaging/install-build-deps.sh installs it")
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    README = os.path.abspath(sys.argv.pop(1)) if sys.argv[1:] else os.path.join(SOURCE_ROOT, "README.md")
    unittest.main(verbosity=2)
