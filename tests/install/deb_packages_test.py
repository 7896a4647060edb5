#!/usr/bin/env python3
"""The Debian packages: built, checked by lintian, installed, used, upgraded under load and purged, each in a new Debian root. The
commands are those of docs/how-to/install.md.

usage: deb_packages_test.py SOURCE_ROOT
RINGSIDE_TEST_PACKAGES=DIR  packages that are built already: those of the tree in DIR/1, those of version 0.1.0-2 in DIR/2
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "end-to-end"))

from booted_systemd import BootedSystemd, why_not
from checked_output import print_and_check
from fresh_root import FreshRoot, Unreachable, make_root
from installation import read, run, write
from progress_file import ProgressFile
from readme_blocks import code_blocks, command_lines
from traced_processes import program, wait_until

SOURCE_ROOT = None
COMPILE_BOUND_S = 5400
UNIT = "ringside-consumerd.service"
CONSUMERD, TOOLS, LIBRARY = "ringside-consumerd", "ringside-tools", "libringside1"
PACKAGES = [CONSUMERD, TOOLS, LIBRARY, "libringside-dev", "libringside-trace0", "libringside-trace-dev", "libringside-interop0",
            "libringside-interop-dev", "ringside-fleet", "python3-ringside"]
COMPILERS = ["g++", "cmake", "ninja-build", "pkg-config", "python3", "file"]
THREADS = 2

scratch = None
base = None
# Folders with the packages of two versions.
old = new = None


def setUpModule():
    global scratch, base, old, new
    if reason := why_not():
        raise unittest.SkipTest(reason)
    for tool in ("mmdebstrap", "lintian"):
        if shutil.which(tool) is None:
            raise unittest.SkipTest(f"needs {tool} (packaging/install-build-deps.sh)")
    folder = tempfile.TemporaryDirectory(prefix="ringside-packages.")
    unittest.addModuleCleanup(folder.cleanup)
    scratch = folder.name
    os.chmod(scratch, 0o755)
    base = os.path.join(scratch, "base")
    try:
        make_root(base, ["systemd", "ca-certificates"])
    except Unreachable as reason:
        raise unittest.SkipTest(f"needs Debian's archive: {reason}") from reason
    if ready := os.environ.get("RINGSIDE_TEST_PACKAGES"):
        old, new = os.path.join(ready, "1"), os.path.join(ready, "2")
        return
    old, new = build_twice()


def page(section):
    """A section of the page."""
    text = read(os.path.join(SOURCE_ROOT, "docs/how-to/install.md"))
    return re.search(rf"(?ms)^## {section}\n(.*?)(?=^## |\Z)", text).group(1)


def build_twice():
    """Two versions of the packages, built in different folders of a new root, which has only what the page installs."""
    root = FreshRoot(base, "builder")
    unittest.addModuleCleanup(root.remove)
    for name in ("src", "second/place"):
        os.makedirs(os.path.join(root.path, name))
        archive = subprocess.Popen([os.path.join(SOURCE_ROOT, "packaging/source-archive.sh")], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-C", os.path.join(root.path, name), "--no-same-owner", "-xf", "-"], stdin=archive.stdout, check=True)
        assert archive.wait() == 0
    root.run("apt-get", "update")
    for command in command_lines(page("Build Debian packages")):
        print(root.shell(command, folder="/src", bound_s=COMPILE_BOUND_S)[-2000:], flush=True)
    root.shell("packaging/deb/build.sh --version 0.1.0-2 --output /new", folder="/second/place", bound_s=COMPILE_BOUND_S,
               DEB_BUILD_OPTIONS="nocheck")
    return os.path.join(root.path, "src/build-deb"), os.path.join(root.path, "new")


def package(folder, name):
    found = glob.glob(os.path.join(folder, name + "_*.deb"))
    assert len(found) == 1, (folder, name, found)
    return found[0]


def control(path, field):
    return run(["dpkg-deb", "--field", path, field]).strip()


class Built(unittest.TestCase):
    def test_all_packages_are_built_with_debug_symbols(self):
        names = {control(path, "Package") for path in glob.glob(os.path.join(old, "*.deb"))}
        with_code = [name for name in PACKAGES if not name.endswith("-dev") and name != "python3-ringside"]
        self.assertEqual(names, set(PACKAGES) | {name + "-dbgsym" for name in with_code})

    def test_lintian_finds_nothing(self):
        changes, = glob.glob(os.path.join(old, "*.changes"))
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", changes], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_each_override_has_its_reason(self):
        for path in glob.glob(os.path.join(SOURCE_ROOT, "packaging/deb/debian/*lintian-overrides")):
            lines = read(path).splitlines()
            for above, line in zip([""] + lines, lines):
                self.assertTrue(line.startswith("#") or above.startswith("#"), f"{path}: {line}")

    def test_a_build_elsewhere_has_the_same_content(self):
        for name in PACKAGES:
            with self.subTest(package=name):
                first, second = (self.sums(package(folder, name)) for folder in (old, new))
                self.assertGreater(len(first), 1)
                self.assertEqual(first, second)

    def sums(self, path):
        """{file: MD5 sum} of its content without the file that has the version."""
        with tempfile.TemporaryDirectory() as folder:
            run(["dpkg-deb", "--control", path, folder + "/control"])
            lines = read(folder + "/control/md5sums").splitlines()
        pairs = dict(reversed(line.split(None, 1)) for line in lines)
        return {name: value for name, value in pairs.items() if not name.endswith("changelog.Debian.gz")}

    def test_services_depend_on_the_library_that_they_were_built_with(self):
        with tempfile.TemporaryDirectory() as folder:
            run(["dpkg-deb", "--control", package(old, LIBRARY), folder + "/control"])
            self.assertRegex(read(folder + "/control/shlibs"), r"(?m)^libringside 1 libringside1 \(>= 0\.1\.0\)$")

    def test_no_library_has_a_path_of_the_build(self):
        for name in PACKAGES:
            with tempfile.TemporaryDirectory() as folder:
                run(["dpkg-deb", "--extract", package(old, name), folder])
                for path in glob.glob(folder + "/usr/lib/*/*.so.*"):
                    self.assertNotRegex(run(["readelf", "--dynamic", path]), "RPATH|RUNPATH")


class FreshInstall(unittest.TestCase):
    """A root without a running systemd, as in a container."""

    @classmethod
    def setUpClass(cls):
        cls.root = FreshRoot(base, "user")
        cls.addClassCleanup(cls.root.remove)
        cls.root.run("apt-get", "update")
        cls.root.run("apt-get", "install", "--yes", "--no-install-recommends", *COMPILERS, bound_s=1200)
        shutil.copytree(old, cls.root.path + "/machine/build-deb")
        # The dependencies first, so that what the packages alone leave is seen.
        told = cls.root.shell("apt-get install --simulate --no-install-recommends ./build-deb/*.deb", folder="/machine")
        needed = set(re.findall(r"(?m)^Inst (\S+)", told)) - {control(path, "Package") for path in glob.glob(old + "/*.deb")}
        cls.root.run("apt-get", "install", "--yes", "--no-install-recommends", *needed, bound_s=1200)

    def install(self):
        for command in command_lines(page("Install Debian packages")):
            if command.startswith("apt-get"):
                self.root.shell(command, folder="/machine")

    def test_it_is_used_and_purged(self):
        before = self.root.files()
        self.install()
        self.nothing_is_started()
        self.a_program_is_compiled_and_traced()
        self.python_records()
        self.root.shell("apt-get install --yes ./build-deb/*-dev_*.deb ./build-deb/*0_*.deb", folder="/machine")
        self.cmake_and_pkg_config_find_all_libraries()
        self.manuals_and_completions_are_where_they_are_searched()
        self.purge(before)

    def nothing_is_started(self):
        self.assertEqual(self.root.processes(), [])
        self.assertRegex(self.root.shell("getent passwd ringside"), ":/var/lib/ringside:/usr/sbin/nologin")
        # Enabled for the next boot.
        self.assertTrue(os.path.islink(self.root.path + "/etc/systemd/system/multi-user.target.wants/" + UNIT))
        self.assertEqual(self.root.shell("stat -c '%U %a' /run/ringside"), "ringside 3770\n")
        self.assertEqual(read(self.root.path + "/etc/ringside/consumerd.toml"),
                         read(os.path.join(SOURCE_ROOT, "packaging/systemd/consumerd.toml")))

    def a_program_is_compiled_and_traced(self):
        work = self.root.path + "/trial"
        os.mkdir(work)
        source = code_blocks(read(os.path.join(SOURCE_ROOT, "README.md")), "cpp")[0]
        write(work + "/service.cpp", source)
        told = [self.root.shell(command, folder="/trial") for command in command_lines(page("Use the packages"))]
        self.assertIn("order 2 filled at 102.25", told[1])
        self.assertEqual(len(told[2].splitlines()), source.count("RS_NOTICE") + 3)
        self.assertIn("order 2 filled at 102.25", told[2])
        self.assertIn("libringside.so.1 => /lib/x86_64-linux-gnu", self.root.run("ldd", "/trial/service"))

    def python_records(self):
        write(self.root.path + "/trial/service.py", 'import ringside\nringside.init(service="py")\nringside.event("order.fill", qty=7)\n')
        self.assertIn("order.fill qty=7", self.root.shell("ringrun -- python3 service.py", folder="/trial"))
        self.assertEqual(self.root.run("python3", "-c", "import ringside; print(ringside.__file__)"),
                         "/usr/lib/python3/dist-packages/ringside/__init__.py\n")
        self.assertEqual(self.root.run("python3", "-c", "from importlib import metadata; print(metadata.version('ringside'))"), "0.1.0\n")

    def cmake_and_pkg_config_find_all_libraries(self):
        shutil.copytree(os.path.join(HERE, "cmake-consumer"), self.root.path + "/trial/consumer")
        for name in ("c11_program.c", "trace_program.cpp", "interop_program.cpp"):
            shutil.copy(os.path.join(HERE, name), self.root.path + "/trial")
        shutil.copytree(os.path.join(SOURCE_ROOT, "tests/golden/1.0"), self.root.path + "/trial/golden")
        self.root.shell("cmake -S consumer -B built -G Ninja -DWAY=package -DPROGRAMS=/trial && cmake --build built", folder="/trial")
        self.assertIn("order 2 filled at 102.25", self.root.shell("ringrun -- built/service_static", folder="/trial"))
        self.assertIn("3 records", self.root.shell("built/reader golden/worked_example.ringtrace", folder="/trial"))
        self.assertIn("3 records", self.root.shell("built/converter read golden/worked_example.ringtrace", folder="/trial"))
        for name in ("ringside", "ringside-trace", "ringside-interop"):
            self.assertIn("-l" + name, self.root.run("pkg-config", "--cflags", "--libs", name))
            self.root.run("pkg-config", "--static", "--libs", name)

    def manuals_and_completions_are_where_they_are_searched(self):
        for path in ("/usr/share/man/man1/ringcat.1.gz", "/usr/share/man/man1/ringctl-level.1.gz", "/usr/share/man/man1/consumerd.1.gz",
                     "/usr/share/man/man3/rs_init.3.gz", "/usr/share/bash-completion/completions/ringcat",
                     "/usr/share/zsh/vendor-completions/_ringcat", "/usr/share/fish/vendor_completions.d/consumerd.fish",
                     "/usr/share/ringside/monitoring/ringside_alerts.yml", "/usr/share/doc/libringside-dev/examples/hello.cpp"):
            with self.subTest(path=path):
                self.assertTrue(os.path.exists(self.root.path + path))

    def purge(self, before):
        for name in ("/var/lib/ringside", "/var/lib/ringside-user/alice", "/etc/ringside"):
            os.makedirs(self.root.path + name, exist_ok=True)
        write(self.root.path + "/var/lib/ringside/a.ringtrace", "a trace")
        write(self.root.path + "/etc/ringside/consumerd@alice.env", "RINGSIDE_CONSUMERD_KEEP_BYTES=20G\n")
        remove, purge = command_lines(page("Remove Debian packages"))
        self.root.shell(remove)
        for kept in ("/var/lib/ringside/a.ringtrace", "/etc/ringside/consumerd.toml"):
            self.assertTrue(os.path.exists(self.root.path + kept), kept)
        self.root.shell(purge)
        self.root.run("dpkg", "--purge", *PACKAGES)
        left = self.root.files() - before
        self.assertEqual({path for path in left if not path.startswith(("/trial", "/machine"))} - {"/trial"}, BACKUPS & left)
        self.assertEqual(before - self.root.files(), set())
        self.assertIn("no packages found", self.root.call("dpkg-query", "--show", *PACKAGES).stdout)
        self.assertRegex(self.root.run("getent", "passwd", "ringside"), "^ringside:")


# Of the tools that change the lists of users.
BACKUPS = {"/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/.pwd.lock"}


LOAD = """[Service]
Type=exec
User=alice
ExecStart=/bin/sh -c 'while [ ! -e /stop ]; do sleep 0.05; done | exec /opt/test/workload --first 0 --threads {threads} \
--records 0 --burst 100 --progress /opt/test/load.progress'
StandardOutput=file:/opt/test/load.out
Environment=RINGSIDE_SERVICE=load RINGSIDE_BLOCK_TIMEOUT_MS=60000
"""


class UnderLoad(unittest.TestCase):
    """A root with systemd as process 1 and a service that logs all the time."""

    INSTANCE = "ringside-consumerd@alice.service"

    @classmethod
    def setUpClass(cls):
        root = FreshRoot(base, "booted")
        cls.addClassCleanup(root.remove)
        shutil.copytree(old, root.path + "/old/build-deb")
        shutil.copytree(new, root.path + "/new/build-deb")
        root.run("apt-get", "update")
        # Dependencies and the packages; then only the dependencies. The booted system has no network.
        files = [f"/old/build-deb/{os.path.basename(package(old, name))}" for name in (CONSUMERD, TOOLS, LIBRARY)]
        root.run("apt-get", "install", "--yes", "--no-install-recommends", *files, bound_s=1200)
        root.run("apt-get", "purge", "--yes", CONSUMERD, TOOLS, LIBRARY)
        root.run("useradd", "--system", "alice")
        root.close()
        cls.system = BootedSystemd(root.path)
        cls.addClassCleanup(cls.system.close)

    def documented(self, section, folder, **names):
        for command in command_lines(page(section)):
            for name, value in names.items():
                command = command.replace(name, value)
            if "-dev_" not in command:
                self.system.run("sh", "-ec", f"cd {folder}; {command}")

    def advance(self, progress):
        before = [progress.returned(index) for index in range(THREADS)]
        wait_until(lambda: all(progress.returned(index) > before[index] + 2000 for index in range(THREADS)), "the service to log")

    def start_load(self):
        os.makedirs(self.system.path("/opt/test"))
        shutil.copy(program("workload"), self.system.path("/opt/test/workload"))
        progress = ProgressFile(self.system.path("/opt/test/load.progress"))
        os.chmod(progress.path, 0o666)
        self.system.write("/etc/systemd/system/load.service", LOAD.format(threads=THREADS))
        return progress

    def version(self, name):
        return self.system.run("dpkg-query", "--show", "--showformat=${Version}", name)

    def process(self):
        return self.system.property(UNIT, "MainPID")

    def test_an_upgrade_loses_nothing_and_purge_leaves_nothing(self):
        progress = self.start_load()
        self.documented("Install Debian packages", "/old", NAME="load")
        self.assertEqual((self.version(CONSUMERD), self.system.property(UNIT, "ActiveState")), ("0.1.0-1", "active"))
        self.assertEqual(self.system.run("systemctl", "is-enabled", UNIT).strip(), "enabled")
        self.advance(progress)
        settings = "/etc/ringside/consumerd.toml"
        self.system.write(settings, read(self.system.path(settings)).replace("4G", "5G"))
        self.system.run("systemctl", "start", self.INSTANCE)
        instance = self.system.property(self.INSTANCE, "MainPID")
        before, mounted = self.process(), self.system.run("stat", "-c", "%d", "/run/ringside")
        self.documented("Upgrade Debian packages", "/new")
        self.assertEqual((self.version(CONSUMERD), self.version(LIBRARY)), ("0.1.0-2", "0.1.0-2"))
        self.assertEqual(self.system.property(UNIT, "ActiveState"), "active")
        self.assertNotEqual(self.process(), before)
        self.assertEqual(self.system.property(self.INSTANCE, "ActiveState"), "active")
        self.assertNotEqual(self.system.property(self.INSTANCE, "MainPID"), instance)
        self.assertEqual(self.system.run("stat", "-c", "%d", "/run/ringside"), mounted)
        self.assertIn("5G", read(self.system.path(settings)))
        self.advance(progress)
        self.no_record_is_lost(progress)
        self.purge()

    def no_record_is_lost(self, progress):
        self.system.write("/stop", "")
        wait_until(lambda: self.system.property("load", "ActiveState") != "active", "the service to end")
        self.assertEqual(self.system.property("load", "Result"), "success", self.system.call("journalctl", "-u", "load").stdout)
        self.assertIn("dropped=0", read(self.system.path("/opt/test/load.out")))
        wait_until(lambda: not [name for name in os.listdir(self.system.path("/run/ringside")) if ".load." in name],
                   "the segment to be drained and removed")
        self.system.run("systemctl", "stop", UNIT)
        top = self.system.path("/var/lib/ringside")
        output = print_and_check(*sorted(os.path.join(top, name) for name in os.listdir(top)
                                         if name.startswith("load.") and name.endswith((".ringtrace", ".ringtrace.zst"))))
        for index in range(THREADS):
            self.assertEqual(output.records_of[index], progress.returned(index))
        self.assertEqual((output.lost, output.lost_without_thread), (0, 0))
        self.system.run("systemctl", "start", UNIT)

    def purge(self):
        self.documented("Remove Debian packages", "/")
        self.assertEqual(self.system.call("pidof", "consumerd").stdout, "")
        found = self.system.run("find", "/etc", "/run", "/var/lib", "/usr", "-xdev", "-name", "*ringside*", "-not", "-path", "/var/lib/dpkg/*",
                                "-not", "-path", "/etc/systemd/system/load.service.d/*", "-not", "-path", "/run/systemd/*")
        self.assertEqual(found, "")
        self.assertNotIn("/run/ringside", self.system.run("cat", "/proc/mounts"))
        self.assertRegex(self.system.run("getent", "passwd", "ringside"), "^ringside:")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
