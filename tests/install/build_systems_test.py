#!/usr/bin/env python3
"""Uses Ringside from other projects as their build systems do: an installation by CMake and by pkg-config, also after it has
moved; the source tree by CMake and by Meson. What they build is run, and its trace is read.

usage: build_systems_test.py SOURCE_ROOT BUILD_ROOT [TEST...]
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from installation import CPP_COMPILERS, STRICT, Installation, read, run, write
from readme_blocks import code_blocks

SOURCE_ROOT = BUILD_ROOT = None
HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = "tests/golden/1.0/worked_example.ringtrace"
SERVICE_TEXT = "order 2 filled at 102.25"
C_SERVICE_TEXT = "C11 order 7 filled at 101.25 on XETR"
# What is compiled here is run once.
QUICK = "-O0"
BUILD_BOUND_S = 400

installed = None
programs = None


def setUpModule():
    global installed, programs
    folder = tempfile.TemporaryDirectory(prefix="ringside-install.")
    unittest.addModuleCleanup(folder.cleanup)
    # Moved after its installation: nothing in it may know where it was.
    first = os.path.join(folder.name, "first")
    os.mkdir(first)
    Installation(first, BUILD_ROOT)
    moved = os.path.join(folder.name, "moved elsewhere")
    os.rename(first, moved)
    installed = Installation.at(moved)
    programs = os.path.join(folder.name, "programs")
    os.mkdir(programs)
    for name in ("c11_program.c", "trace_program.cpp", "interop_program.cpp"):
        shutil.copy(os.path.join(HERE, name), programs)
    write(os.path.join(programs, "service.cpp"), code_blocks(read(os.path.join(SOURCE_ROOT, "README.md")), "cpp")[0])


class Consumer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-consumer.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # What a user has: no paths of the installation.
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("RINGSIDE_") and name not in ("LD_LIBRARY_PATH", "CXXFLAGS", "CFLAGS")}

    def trace_of(self, program, **more):
        """ringcat's output for one run of the program."""
        shm, output = (tempfile.mkdtemp(dir=self.folder) for _ in range(2))
        run([program], cwd=self.folder, env={**self.environment, **more, "RINGSIDE_SHM_DIR": shm})
        run([installed.program("consumerd"), "--once", "--shm-dir", shm, "--output", output], env=installed.environment)
        return run([installed.program("ringcat"), output], env=installed.environment)

    def assert_records(self, build, names, **more):
        for name in names:
            with self.subTest(program=name):
                text = C_SERVICE_TEXT if name == "c_service" else SERVICE_TEXT
                self.assertIn(text, self.trace_of(os.path.join(build, name), **more))

    def assert_reads(self, reader):
        self.assertIn("3 records, 0 missing", run([reader, os.path.join(SOURCE_ROOT, TRACE)], env=self.environment))

    def configure(self, way, *options):
        build = os.path.join(self.folder, "build")
        run(["cmake", "-S", os.path.join(HERE, "cmake-consumer"), "-B", build, "-G", "Ninja", "-DWAY=" + way,
             "-DPROGRAMS=" + programs, *options], cwd=self.folder, env=self.environment)
        return build

    def build(self, build):
        run(["cmake", "--build", build, "-j", "2"], bound_s=BUILD_BOUND_S, cwd=self.folder, env=self.environment)
        return build

    def cmake_from_source(self, way, source, *options):
        return self.build(self.configure(way, "-DRINGSIDE_SOURCE=" + source, "-DCMAKE_UNITY_BUILD=ON",
                                         "-DCMAKE_UNITY_BUILD_BATCH_SIZE=100", "-DCMAKE_CXX_FLAGS=" + QUICK, *options))

    def meson_from_source(self, reads):
        project = os.path.join(self.folder, "project")
        shutil.copytree(os.path.join(HERE, "meson-consumer"), project)
        cache = os.path.join(project, "subprojects/packagecache")
        os.makedirs(cache)
        shutil.move(archive_in(self.folder), cache)
        # The wrap file of a release also has the address of its archive.
        write(os.path.join(project, "subprojects/ringside.wrap"),
              "[wrap-file]\ndirectory = ringside-0.1.0\nsource_filename = ringside-0.1.0.tar.xz\n"
              f"source_hash = {sha256(os.path.join(cache, 'ringside-0.1.0.tar.xz'))}\n"
              "source_url = https://example.org/ringside-0.1.0.tar.xz\n\n"
              "[provide]\ndependency_names = ringside, ringside-trace\n")
        build = os.path.join(self.folder, "build")
        out = run(["meson", "setup", "-Doptimization=0", "-Dunity=on", "-Dprograms=" + programs,
                   "-Dreads=" + str(reads).lower(), build, project], env={**self.environment, "PKG_CONFIG_PATH": ""})
        # Users of the library need none of the libraries of the programs.
        self.assertNotRegex(out, r"(?i)dependency (CLI11|re2|gtest|ncurses\w*|simdjson) found")
        run(["ninja", "-C", build, "-j", "2"], bound_s=BUILD_BOUND_S, env=self.environment)
        self.assert_records(build, ["service", "c_service"])
        return build


class CMake(Consumer):
    def test_an_installation_that_has_moved_is_found(self):
        build = self.build(self.configure("package", "-DCMAKE_PREFIX_PATH=" + installed.prefix))
        self.assert_records(build, ["service", "service_static", "c_service"])
        self.assert_reads(os.path.join(build, "reader"))
        self.assertIn("3 records in 1 files", run([os.path.join(build, "converter"), "read", os.path.join(SOURCE_ROOT, TRACE)],
                                                  env=self.environment))
        self.assertRegex(run(["file", os.path.join(build, "service_static")]), "statically linked")

    def find(self, *questions):
        """What cmake says to each find_package(Ringside ...) in this installation."""
        asked = "".join(f"unset(Ringside_DIR CACHE)\nfind_package(Ringside {question})\n"
                        'message("found ${Ringside_FOUND} ${Ringside_VERSION}")\n' for question in questions)
        write(os.path.join(self.folder, "CMakeLists.txt"),
              "cmake_minimum_required(VERSION 3.19)\nproject(Finder LANGUAGES C)\n" + asked)
        done = subprocess.run(["cmake", "-S", self.folder, "-B", tempfile.mkdtemp(dir=self.folder),
                               "-DCMAKE_PREFIX_PATH=" + installed.prefix], env=self.environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def test_only_a_compatible_version_is_found(self):
        for versions, answer in ((("", "0.1", "0.1.0", "0.1.0 EXACT", "0", "0.0.1...0.2", "0.1...0.1.0"), "found 1 0.1.0"),
                                 (("0.2", "0.1.1", "1.0", "0.0.9", "0.0.1...<0.1.0", "0.1.1...2"), "found 0 ")):
            told = self.find(*[version + " QUIET" for version in versions])
            self.assertEqual(re.findall("found . (?:0.1.0)?", told), [answer] * len(versions), told)

    def test_a_component_that_is_not_there_is_named(self):
        self.assertIn("found 1 ", self.find("COMPONENTS agent OPTIONAL_COMPONENTS timeline"))
        self.assertIn("Component timeline is not installed", self.find("REQUIRED COMPONENTS agent timeline"))

    def test_the_source_tree_is_fetched(self):
        self.assert_records(self.cmake_from_source("fetch", archive_in(self.folder)), ["service", "service_static", "c_service"])

    def test_a_source_list_that_is_missing_is_named(self):
        tree = os.path.join(self.folder, "tree")
        os.makedirs(os.path.join(tree, "libagent"))
        shutil.copytree(os.path.join(SOURCE_ROOT, "packaging/cmake"), os.path.join(tree, "packaging/cmake"))
        shutil.copy(os.path.join(SOURCE_ROOT, "meson.build"), tree)
        write(os.path.join(tree, "libagent/meson.build"), "ringside_sources = files()\n")
        done = subprocess.run(["cmake", "-S", os.path.join(tree, "packaging/cmake"), "-B", os.path.join(self.folder, "b")],
                              env=self.environment, check=False, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has no list ringside_sources", " ".join(done.stderr.split()))


def archive_in(folder):
    """An archive of the source files, as `meson dist` makes one of the last commit."""
    top = os.path.join(folder, "ringside-0.1.0")
    for part in ("libagent", "shm-layout", "trace-format", "packaging"):
        shutil.copytree(os.path.join(SOURCE_ROOT, part), os.path.join(top, part))
    for name in ("meson.build", "meson_options.txt", "README.md", "LICENSE"):
        shutil.copy(os.path.join(SOURCE_ROOT, name), top)
    archive = shutil.make_archive(top, "xztar", folder, "ringside-0.1.0")
    shutil.rmtree(top)
    return archive


class Meson(Consumer):
    def test_the_source_tree_is_a_subproject(self):
        self.meson_from_source(reads=False)


class Reader(Consumer):
    """The reader from source: only with --full, because it takes minutes to compile."""

    def test_the_source_tree_is_a_subdirectory(self):
        build = self.cmake_from_source("subdirectory", SOURCE_ROOT, "-DRINGSIDE_READER=ON")
        self.assert_records(build, ["service", "service_static", "c_service"])
        self.assert_reads(os.path.join(build, "reader"))

    def test_the_source_tree_is_a_subproject(self):
        self.assert_reads(os.path.join(self.meson_from_source(reads=True), "reader"))


def sha256(path):
    return run(["sha256sum", path]).split()[0]


class PkgConfig(Consumer):
    def flags(self, name, *options):
        environment = {**self.environment, "PKG_CONFIG_PATH": os.path.dirname(installed.find("ringside.pc"))}
        return shlex.split(run(["pkg-config", *options, name], env=environment))

    def compile(self, compiler, source, flags, *options):
        program = os.path.join(self.folder, "program")
        run([compiler, *STRICT, os.path.join(programs, source), "-o", program, *options, *flags], env=self.environment)
        return program

    def test_an_installation_that_has_moved_is_used(self):
        for name, source in (("ringside", "service.cpp"), ("ringside-trace", "trace_program.cpp"),
                             ("ringside-interop", "interop_program.cpp")):
            with self.subTest(name=name):
                flags = self.flags(name, "--cflags", "--libs")
                program = self.compile("g++", source, flags, "-std=c++20")
                if name == "ringside":
                    self.assertIn(SERVICE_TEXT, self.trace_of(program, LD_LIBRARY_PATH=installed.environment["LD_LIBRARY_PATH"]))

    def test_a_fully_static_program_is_traced(self):
        for compiler, source, standard, text in (("g++", "service.cpp", "c++20", SERVICE_TEXT),
                                                 ("clang++", "service.cpp", "c++20", SERVICE_TEXT),
                                                 ("gcc", "c11_program.c", "c11", C_SERVICE_TEXT),
                                                 ("clang", "c11_program.c", "c11", C_SERVICE_TEXT)):
            with self.subTest(compiler=compiler):
                program = self.compile(compiler, source, self.flags("ringside", "--static", "--cflags", "--libs"),
                                       "-std=" + standard, "-static")
                self.assertRegex(run(["file", program]), "statically linked")
                self.assertIn(text, self.trace_of(program))


class Page(Consumer):
    """The blocks of docs/how-to/build-systems.md are projects that work."""

    def blocks(self, language):
        return code_blocks(read(os.path.join(SOURCE_ROOT, "docs/how-to/build-systems.md")), language)

    def project(self, name, text):
        folder = os.path.join(self.folder, "project")
        os.mkdir(folder)
        shutil.copy(os.path.join(programs, "service.cpp"), folder)
        write(os.path.join(folder, name), text)
        return folder, os.path.join(self.folder, "build")

    def test_a_project_finds_an_installation(self):
        folder, build = self.project("CMakeLists.txt", self.blocks("cmake")[0])
        run(["cmake", "-S", folder, "-B", build, "-DCMAKE_PREFIX_PATH=" + installed.prefix], env=self.environment)
        run(["cmake", "--build", build], env=self.environment)
        self.assertIn(SERVICE_TEXT, self.trace_of(os.path.join(build, "service")))

    # What these two compile, the tests above compile.
    def test_a_project_fetches_the_source(self):
        folder, build = self.project("CMakeLists.txt", self.blocks("cmake")[1])
        shutil.move(archive_in(self.folder), folder)
        run(["cmake", "-S", folder, "-B", build, "-G", "Ninja"], env=self.environment)
        self.assertIn("service: CXX_EXECUTABLE_LINKER", run(["ninja", "-C", build, "-t", "targets", "all"]))

    def test_a_project_has_the_source_as_a_subproject(self):
        folder, build = self.project("meson.build", self.blocks("meson")[0])
        cache = os.path.join(folder, "subprojects/packagecache")
        os.makedirs(cache)
        archive = shutil.move(archive_in(self.folder), cache)
        write(os.path.join(folder, "subprojects/ringside.wrap"), self.blocks("ini")[0].replace("SHA256", sha256(archive)))
        run(["meson", "setup", build, folder], env=self.environment)
        targets = run(["ninja", "-C", build, "-t", "targets", "all"])
        self.assertIn("service: cpp_LINKER", targets)
        self.assertNotIn("libringside-trace", targets)

    def test_commands_work(self):
        # Those of package managers are run by package_managers_test.py.
        commands = [block for block in self.blocks("sh") if "pkg-config" in block]
        self.assertTrue(commands)
        write(os.path.join(self.folder, "commands.sh"), "set -ex\n" + "\n".join(commands))
        shutil.copy(os.path.join(programs, "service.cpp"), self.folder)
        environment = {**self.environment, "PKG_CONFIG_PATH": os.path.dirname(installed.find("ringside.pc"))}
        # The shell divides flags at spaces, so a user's prefix has none.
        short = os.path.join(self.folder, "prefix")
        os.symlink(installed.prefix, short)
        environment["PKG_CONFIG_PATH"] = environment["PKG_CONFIG_PATH"].replace(installed.prefix, short)
        run(["bash", "commands.sh"], cwd=self.folder, env=environment)
        self.assertIn(SERVICE_TEXT, self.trace_of(os.path.join(self.folder, "service-static")))


class Symbols(unittest.TestCase):
    """The shared libraries export what their programs use, with a version, and nothing of other libraries."""

    VERSIONS = {"libringside.so": "RINGSIDE_1", "libringside-trace.so": "RINGSIDE_TRACE_0",
                "libringside-interop.so": "RINGSIDE_INTEROP_0"}
    # Functions and static objects of ringside, of its classes their tables, and the calls of C.
    OWN = re.compile(r"(rs_|_Z(N|NK|T[ISTV]N|Thn\w+_N|GVN)8ringside)")

    def test_every_exported_symbol_is_of_the_library_and_has_its_version(self):
        for library, version in self.VERSIONS.items():
            with self.subTest(library=library):
                lines = run(["nm", "--dynamic", "--defined-only", "--extern-only", "--with-symbol-versions", installed.find(library)]).splitlines()
                symbols = [line.split()[-1] for line in lines if not line.endswith(" A " + version)]
                self.assertGreater(len(symbols), 2)
                self.assertEqual([name for name in symbols if not name.endswith("@@" + version)], [])
                self.assertEqual([name for name in symbols if not self.OWN.match(name)], [])


class PrintedPaths(unittest.TestCase):
    def test_no_installed_text_names_the_build(self):
        for folder, _, names in os.walk(installed.root):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith((".pc", ".cmake", ".py", ".json", ".yml", ".service", ".hpp", ".h")) and not os.path.islink(path):
                    with self.subTest(path=path):
                        text = read(path)
                        self.assertNotIn(BUILD_ROOT + "/", text)
                        self.assertNotIn(SOURCE_ROOT + "/", text)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
