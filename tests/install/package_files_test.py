#!/usr/bin/env python3
"""Each installed file is in exactly one Debian package and one RPM, and each line of their lists has a file.

usage: package_files_test.py SOURCE_ROOT BUILD_ROOT
"""

import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from installation import Installation, read, run, write

SOURCE_ROOT = BUILD_ROOT = None
DEBIAN = "packaging/deb/debian"
SPEC = "packaging/rpm/ringside.spec"
# The package for pip. The packages contain what pip makes of it.
PIP_SOURCES = "usr/share/ringside/python"
# Directories of the spec, as patterns of an installation whose libraries are in lib/*.
MACROS = {"_bindir": "usr/bin", "_includedir": "usr/include", "_libdir": "usr/lib/*", "_datadir": "usr/share", "_mandir": "usr/share/man",
          "_unitdir": "usr/lib/systemd/system", "_sysusersdir": "usr/lib/sysusers.d", "_tmpfilesdir": "usr/lib/tmpfiles.d",
          "_libexecdir": "usr/libexec", "_sysconfdir": "etc", "python3_sitelib": "usr/lib/python3/dist-packages", "version": "*"}

installed = None
libraries = {}  # of each program


def read_libraries(path, file):
    dump = subprocess.run(["objdump", "-p", file], capture_output=True, text=True, timeout=60, check=False).stdout
    if dump:
        libraries[path] = set(re.findall(r"NEEDED +(\S+)", dump))


def setUpModule():
    global installed
    with tempfile.TemporaryDirectory(prefix="ringside-files.") as root:
        installation = Installation(root, BUILD_ROOT)
        prefix = installation.prefix
        installed = {"usr/" + os.path.relpath(os.path.join(folder, name), prefix)
                     for folder, _, names in os.walk(prefix) for name in names}
        for path in installed:
            if os.path.basename(os.path.dirname(path)) in ("bin", "ringside"):
                read_libraries(path, os.path.join(prefix, os.path.relpath(path, "usr")))


def matches(path, pattern):
    """Whether the path is of the pattern or below it. No * is for a /, as in debhelper and rpm."""
    parts, wanted = path.split("/"), pattern.rstrip("/").split("/")
    return len(parts) >= len(wanted) and all(fnmatch.fnmatchcase(part, want) for part, want in zip(parts, wanted))


def debian_lists():
    """{package: patterns} of debian/*.install."""
    lists = {}
    for path in sorted(glob.glob(os.path.join(SOURCE_ROOT, DEBIAN, "*.install"))):
        package = os.path.basename(path)[:-len(".install")]
        lists[package] = [line.split()[0] for line in read(path).splitlines() if line and not line.startswith("#")]
    return lists


def rpm_lists():
    """{package: patterns} of %files."""
    lists = {}
    spec = read(os.path.join(SOURCE_ROOT, SPEC))
    for named, name, text in re.findall(r"(?ms)^%files (-n )?(\S+)\n(.*?)(?=^%(?:files|changelog))", spec):
        lines = [line.split()[-1] for line in text.splitlines() if line and not line.startswith(("%license", "%doc", "%dir", "%if", "%endif"))]
        lists[name if named else "ringside-" + name] = [
            re.sub(r"%\{(\w+)\}", lambda macro: MACROS[macro.group(1)], line) for line in lines]
    return lists


class PackageFiles(unittest.TestCase):
    def check(self, lists):
        lists = dict(lists)
        python = lists.pop("python3-ringside")
        self.assertTrue(all(pattern.startswith("usr/lib/python3/dist-packages") for pattern in python), python)
        self.assertTrue(any(path.startswith(PIP_SOURCES + "/") for path in installed))
        for path in sorted(installed):
            owners = [package for package, patterns in lists.items() if any(matches(path, pattern) for pattern in patterns)]
            with self.subTest(path=path):
                self.assertEqual(len(owners), 0 if path.startswith(PIP_SOURCES + "/") else 1, owners)
        for package, patterns in lists.items():
            for pattern in patterns:
                with self.subTest(package=package, pattern=pattern):
                    # The settings come from the source tree.
                    self.assertTrue(any(matches(path, pattern) for path in installed) or pattern == "etc/ringside/consumerd.toml"
                                    or os.path.exists(os.path.join(SOURCE_ROOT, pattern)))

    def test_each_file_is_in_one_debian_package(self):
        self.check(debian_lists())

    def test_each_file_is_in_one_rpm(self):
        self.check(rpm_lists())

    def test_both_have_the_same_packages(self):
        self.assertEqual({name.replace("-devel", "-dev").rstrip("01") for name in rpm_lists()},
                         {name.rstrip("01") for name in debian_lists()})

    def test_a_package_of_a_library_has_the_name_of_its_soname(self):
        for package, patterns in debian_lists().items():
            for pattern in patterns:
                if pattern.endswith(".so.*"):
                    library = next(path for path in installed if matches(path, pattern))
                    name, version = re.search(r"/(lib[^/]*)\.so\.([0-9]+)", library).groups()
                    self.assertEqual(package, name + version)

    def test_all_versions_are_those_of_the_project(self):
        version = re.search(r"\n  version: '([^']+)'", read(os.path.join(SOURCE_ROOT, "meson.build"))).group(1)
        self.assertRegex(read(os.path.join(SOURCE_ROOT, DEBIAN, "changelog")), rf"\Aringside \({re.escape(version)}-1\) ")
        spec = read(os.path.join(SOURCE_ROOT, SPEC))
        self.assertRegex(spec, rf"(?m)^Version: +{re.escape(version)}$")
        self.assertRegex(spec, rf"%changelog\n.* - {re.escape(version)}-1\n")

    def test_the_page_names_the_architecture_of_the_packages(self):
        architectures = set(re.findall(r"(?m)^Architecture: (\S+)$", read(os.path.join(SOURCE_ROOT, DEBIAN, "control"))))
        self.assertEqual(architectures, {"amd64", "all"})
        self.assertRegex(read(os.path.join(SOURCE_ROOT, SPEC)), r"(?m)^ExclusiveArch: +x86_64$")
        page = read(os.path.join(SOURCE_ROOT, "docs/how-to/install.md"))
        for line in ("| Debian packages | x86-64 machines ", "| RPMs | x86-64 machines ", "| from source with Meson | development, AArch64,"):
            self.assertIn("\n" + line, page)

    def test_both_are_built_with_the_same_options(self):
        def options(path):
            return set(re.findall(r"-D(\w+=\w+)", read(os.path.join(SOURCE_ROOT, path)))) - {"short_tests=true", "fleet=enabled"}
        self.assertIn("tests=false", options(SPEC))
        self.assertEqual(options(DEBIAN + "/rules"), options(SPEC))
        # libnats is not in every distribution with RPM.
        self.assertIn("-Dfleet=enabled", read(os.path.join(SOURCE_ROOT, DEBIAN, "rules")))
        self.assertIn("%bcond_without fleet", read(os.path.join(SOURCE_ROOT, SPEC)))

    def test_both_require_the_libraries_of_the_build(self):
        fleet = {"libcurl", "libnats"}
        named = set(re.findall(r"dependency\('(lib\w+)'", read(os.path.join(SOURCE_ROOT, "meson.build"))))
        self.assertLess(fleet, named)
        conditional = re.search(r"(?ms)^%if %\{with fleet\}\n(BuildRequires.*?)^%endif", read(os.path.join(SOURCE_ROOT, SPEC)))[1]
        self.assertEqual({name for name in named if f"pkgconfig({name})" in conditional}, fleet)
        self.assertEqual({name for name in named if f"pkgconfig({name})" not in read(os.path.join(SOURCE_ROOT, SPEC))}, set())
        script = read(os.path.join(SOURCE_ROOT, "packaging/install-build-deps.sh"))
        packages = set(re.findall(r"\S+-dev\b", re.search(r"(?s)^packages=\((.*?)\)", script, re.MULTILINE)[1]))
        fields = read(os.path.join(SOURCE_ROOT, DEBIAN, "control")).split("\nPackage: ")[0]
        self.assertEqual(packages - set(re.findall(r"[\w.+-]+-dev\b", fields)), set())

    def test_only_the_package_of_the_fleet_has_programs_that_need_libnats(self):
        self.assertGreater(len(libraries), 5)
        for path, needed in libraries.items():
            owners = [package for package, patterns in debian_lists().items() if any(matches(path, pattern) for pattern in patterns)]
            with self.subTest(path=path):
                self.assertEqual(any(name.startswith("libnats") for name in needed), owners == ["ringside-fleet"])

    @unittest.skipIf(shutil.which("rpmspec") is None, "needs rpm")
    def test_the_spec_is_accepted(self):
        packages = run(["rpmspec", "--query", "--builtrpms", "--queryformat", "%{NAME}\n", os.path.join(SOURCE_ROOT, SPEC)]).split()
        self.assertEqual(sorted(name for name in packages if not name.endswith(("-debuginfo", "-debugsource"))), sorted(rpm_lists()))

    def test_an_unknown_option_of_the_build_is_refused(self):
        done = subprocess.run([os.path.join(SOURCE_ROOT, "packaging/deb/build.sh"), "--sign"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("unknown argument '--sign'", done.stderr)

    def build_without_compiling(self, folder, *arguments):
        """build.sh with a dpkg-buildpackage that makes one package."""
        tools = os.path.join(folder, "tools")
        os.makedirs(tools, exist_ok=True)
        for tool in ("dh", "meson", "dpkg-buildpackage"):
            path = os.path.join(tools, tool)
            write(path, "#!/bin/sh\ntouch ../libringside1_0.1.0-1_amd64.deb ../ringside_0.1.0-1_amd64.changes\n")
            os.chmod(path, 0o755)
        return subprocess.run([os.path.join(SOURCE_ROOT, "packaging/deb/build.sh"), *arguments], capture_output=True, text=True,
                              timeout=60, check=False, env={**os.environ, "PATH": tools + ":" + os.environ["PATH"]})

    def test_a_build_in_a_folder_with_other_files_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="ringside-files.") as folder:
            work = os.path.join(folder, "work")
            os.makedirs(os.path.join(work, "ringside"))
            files = [os.path.join(work, "notes.txt"), os.path.join(work, "ringside", "service.cpp")]
            for path in files:
                write(path, "mine")
            done = self.build_without_compiling(folder, "--work", work, "--output", os.path.join(folder, "out"))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"build: cannot compile in '{work}': it has files that are not of an earlier build; "
                             "name a new or empty folder with --work\n")
            self.assertEqual([read(path) for path in files], ["mine", "mine"])

    def test_a_second_build_in_the_same_folder_is_accepted(self):
        with tempfile.TemporaryDirectory(prefix="ringside-files.") as folder:
            work = os.path.join(folder, "work")
            os.mkdir(work)
            for _ in range(2):
                done = self.build_without_compiling(folder, "--work", work, "--output", os.path.join(folder, "out"))
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(work)), [".ringside-deb-work", "ringside"])

    def test_packages_of_other_versions_are_replaced(self):
        with tempfile.TemporaryDirectory(prefix="ringside-files.") as folder:
            output = os.path.join(folder, "out")
            os.mkdir(output)
            for name in ("libringside1_0.9.0-1_amd64.deb", "libringside1_0.9.0-1_arm64.deb", "libringside1-dbgsym_0.9.0-1_amd64.deb", "x"):
                write(os.path.join(output, name), "")
            done = self.build_without_compiling(folder, "--output", output)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(output)), ["libringside1-dbgsym_0.9.0-1_amd64.deb", "libringside1_0.1.0-1_amd64.deb",
                                                          "libringside1_0.9.0-1_arm64.deb", "ringside_0.1.0-1_amd64.changes", "x"])

    def test_purge_succeeds_if_the_traces_are_a_mounted_file_system(self):
        # All that the script removes is in new file systems of a namespace of its own.
        script = """set -e
for folder in /etc /run /var/lib; do mount -t tmpfs new "$folder"; done
mkdir -p /etc/ringside /run/ringside /var/lib/ringside /var/lib/ringside-user/alice
mount -t tmpfs traces /var/lib/ringside
touch /etc/ringside/consumerd.toml /var/lib/ringside/a.ringtrace
"""
        namespace = ["unshare", "--mount", *(["--user", "--map-root-user"] if os.geteuid() else []), "sh", "-c"]
        if subprocess.run([*namespace, script], capture_output=True, timeout=60, check=False).returncode != 0:
            self.skipTest("needs mount namespaces")
        postrm = read(os.path.join(SOURCE_ROOT, DEBIAN, "ringside-consumerd.postrm"))
        done = subprocess.run([*namespace, script + 'sh -c "$1" postrm purge; find /etc /run /var/lib -name "*ring*"', "sh", postrm],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "/var/lib/ringside\n"), done.stderr)
        self.assertRegex(done.stderr, "(?m)^ringside-consumerd: cannot remove all of /var/lib/ringside .* remains$")

    def test_the_archive_of_the_source_has_its_files(self):
        with tempfile.TemporaryDirectory(prefix="ringside-archive.") as folder:
            archive = os.path.join(folder, "archive.tar")
            with open(archive, "wb") as out:
                subprocess.run([os.path.join(SOURCE_ROOT, "packaging/source-archive.sh"), "ringside-1/"], stdout=out, check=True, timeout=60)
            names = run(["tar", "-tf", archive]).splitlines()
        self.assertIn("ringside-1/meson.build", names)
        self.assertIn("ringside-1/packaging/deb/debian/rules", names)
        self.assertEqual([name for name in names if not name.startswith("ringside-1/") or "/build/" in name or "/.git/" in name], [])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
