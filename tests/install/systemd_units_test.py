#!/usr/bin/env python3
"""The files for systemd, as installed: valid, hardened, and with the paths of the build's prefix.

usage: systemd_units_test.py SOURCE_ROOT BUILD_ROOT
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

from installation import read, run, write
from readme_blocks import code_blocks, command_lines

SOURCE_ROOT = BUILD_ROOT = None
SERVICES = ["ringside-consumerd.service", "ringside-consumerd@.service"]
SHIPPER = "ringside-ringship.service"  # only if ringship is built
PROGRAMS = ("bin/consumerd", "bin/ringship")
# In tenths, as systemd-analyze takes it.
HIGHEST_EXPOSURE = 15


def prefix_of(build):
    options = json.loads(run(["meson", "introspect", "--buildoptions", build]))
    return {option["name"]: option["value"] for option in options}["prefix"]


def installed_files(build):
    """{path after the installation: file of the source or build tree}"""
    return {path: file for file, path in json.loads(run(["meson", "introspect", "--installed", build])).items()}


class SystemdFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="ringside-systemd.")
        cls.addClassCleanup(cls.scratch.cleanup)

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.scratch.name)

    def installed(self, build):
        """A root folder with the files for systemd, and programs of that name which do nothing."""
        root = os.path.join(self.folder, "root")
        for path, file in installed_files(build).items():
            if "systemd" in path or path.endswith((".d/ringside.conf", *PROGRAMS)):
                os.makedirs(os.path.dirname(root + path), exist_ok=True)
                shutil.copy(file if os.path.exists(file) else "/bin/true", root + path)
        return root

    def units(self, root, prefix):
        folder = os.path.join(root + prefix, "lib/systemd/system")
        return [os.path.join(folder, name) for name in SERVICES + [SHIPPER] if name in SERVICES or os.path.exists(os.path.join(folder, name))]

    def build_with(self, *options):
        build = os.path.join(self.folder, "build")
        run(["meson", "setup", "-Dtests=false", "-Dperf=false", *options, build, SOURCE_ROOT])
        return build

    def check_paths(self, build, prefix):
        """Each path that a file names is one that this build installs, or belongs to the system."""
        root = self.installed(build)
        files = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name not in ("consumerd", "ringship")]
        ships = any(path.endswith("bin/ringship") for path in installed_files(build))
        self.assertEqual(len(files), 8 if ships else 7, files)
        named = set()
        for file in files:
            text = read(file)
            self.assertNotIn("@bindir", text)
            self.assertNotRegex(text, "@(bin|data|sysconf)dir@")
            lines = [line for line in text.splitlines() if not line.startswith("#")]
            named |= set(re.findall(r"(?:^|[ =\"-])(/[\w./-]+)", "\n".join(lines), re.MULTILINE))
        system = {"/bin/kill", "/run/ringside", "/var/lib/ringside"}
        own = named - system
        etc = "/etc" if prefix == "/usr" else prefix + "/etc"
        data = prefix + "/share/ringside/systemd/consumerd.toml"
        shipper = {prefix + "/bin/ringship", etc + "/ringside/ringship.env"} if ships else set()
        self.assertEqual(own - shipper, {prefix + "/bin/consumerd", etc + "/ringside", etc + "/ringside/consumerd.toml",
                               etc + "/ringside/consumerd", data})
        self.assertTrue(os.path.exists(root + prefix + "/bin/consumerd"))
        self.assertTrue(os.path.exists(root + data))

    def test_paths_are_those_of_the_prefix(self):
        self.check_paths(BUILD_ROOT, prefix_of(BUILD_ROOT))

    def test_paths_are_those_of_another_prefix(self):
        build = self.build_with("--prefix=/opt/ringside-1")
        self.check_paths(build, "/opt/ringside-1")

    def test_paths_are_those_of_a_distribution(self):
        build = self.build_with("--prefix=/usr")
        self.check_paths(build, "/usr")
        for path in ("/usr/lib/systemd/system/ringside-consumerd.service", "/usr/lib/sysusers.d/ringside.conf",
                     "/usr/lib/tmpfiles.d/ringside.conf"):
            self.assertIn(path, installed_files(build))

    def test_they_can_be_left_out(self):
        build = self.build_with("-Dsystemd=disabled")
        self.assertEqual([path for path in installed_files(build) if "systemd" in path or path.endswith("ringside.conf")], [])

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "needs systemd-analyze")
    def test_the_units_are_valid_and_hardened(self):
        root = self.installed(BUILD_ROOT)
        prefix = prefix_of(BUILD_ROOT)
        # The program must exist under its name on this machine.
        folder = os.path.join(self.folder, "units")
        os.mkdir(folder)
        for unit in self.units(root, prefix):
            text = read(unit)
            for name in PROGRAMS:
                text = text.replace(f"{prefix}/{name}", f"{root}{prefix}/{name}")
            write(os.path.join(folder, os.path.basename(unit).replace("@.", "@root.")),
                  re.sub("^Documentation=.*\n", "", text, flags=re.MULTILINE))
        shutil.copy(os.path.join(root + prefix, "lib/systemd/system/run-ringside.mount"), folder)
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True,
                                  timeout=120, check=False)
        self.assertEqual((verified.returncode, verified.stdout, verified.stderr), (0, "", ""))
        for path in [path for path in paths if path.endswith(".service")]:
            run(["systemd-analyze", "security", "--offline=true", f"--threshold={HIGHEST_EXPOSURE}", "--no-pager", path])

    def test_the_shipper_reads_the_rings_of_the_services(self):
        def directory(name, key):
            return re.search(rf'(?m)^{key} *= *"?([^" \n]*)', read(os.path.join(SOURCE_ROOT, "packaging/systemd", name)))[1]

        unit = read(os.path.join(SOURCE_ROOT, "packaging/systemd", SHIPPER + ".in"))
        created = directory("traced-service.conf", "Environment=RINGSIDE_SHM_DIR")
        self.assertEqual(created, directory("consumerd.toml", "shm-dir"))
        self.assertEqual(created, directory(SHIPPER + ".in", "Environment=RINGSIDE_SHM_DIR"))
        self.assertIn(f"\nReadOnlyPaths=-{created}\n", unit)
        self.assertNotIn("InaccessiblePaths", unit)

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "needs systemd-analyze")
    def test_the_documented_score_is_the_real_one(self):
        root = self.installed(BUILD_ROOT)
        page = read(os.path.join(SOURCE_ROOT, "docs/how-to/systemd.md"))
        for unit in self.units(root, prefix_of(BUILD_ROOT)):
            name = os.path.basename(unit)
            report = run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit])
            score = re.search(r"Overall exposure level for [^:]*: ([0-9.]+)", report).group(1)
            self.assertIn(f"| `{name}` | {score} |", page)

    @unittest.skipIf(shutil.which("systemd-sysusers") is None, "needs systemd-sysusers")
    def test_user_group_and_directories_are_created_in_an_empty_root(self):
        root = self.installed(BUILD_ROOT)
        prefix = prefix_of(BUILD_ROOT)
        os.makedirs(root + "/etc", exist_ok=True)
        run(["systemd-sysusers", f"--root={root}", os.path.join(root + prefix, "lib/sysusers.d/ringside.conf")])
        self.assertRegex(read(root + "/etc/group"), "(?m)^ringside:")
        user = re.search("(?m)^ringside:x:([0-9]+):([0-9]+):", read(root + "/etc/passwd"))
        self.assertIsNotNone(user)
        if os.geteuid() != 0:
            return  # only root can give directories to another user
        run(["systemd-tmpfiles", "--create", f"--root={root}", os.path.join(root + prefix, "lib/tmpfiles.d/ringside.conf")])
        shared = os.stat(root + "/run/ringside")
        self.assertEqual((stat.S_IMODE(shared.st_mode), shared.st_uid, shared.st_gid),
                         (0o3770, int(user.group(1)), int(user.group(2))))
        etc = root + ("/etc" if prefix == "/usr" else prefix + "/etc") + "/ringside/consumerd.toml"
        self.assertEqual(read(etc), read(os.path.join(SOURCE_ROOT, "packaging/systemd/consumerd.toml")))
        # A changed file stays.
        write(etc, "output = '/elsewhere'\n")
        run(["systemd-tmpfiles", "--create", f"--root={root}", os.path.join(root + prefix, "lib/tmpfiles.d/ringside.conf")])
        self.assertEqual(read(etc), "output = '/elsewhere'\n")

    def test_the_page_shows_the_files_that_are_installed(self):
        page = read(os.path.join(SOURCE_ROOT, "docs/how-to/systemd.md"))
        self.assertIn(read(os.path.join(SOURCE_ROOT, "packaging/systemd/consumerd.toml")), code_blocks(page, "toml"))
        self.assertTrue(command_lines(page))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
