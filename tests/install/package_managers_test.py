#!/usr/bin/env python3
"""The recipe of Conan and the port of vcpkg: what they say agrees with the source tree, what they pass to Meson builds and is found by CMake, and,
where Conan or vcpkg are installed, these build from an archive and a program uses the result.

usage: package_managers_test.py SOURCE_ROOT BUILD_ROOT [TEST...]
CONAN (default: conan) and VCPKG (default: vcpkg) name the programs.
"""

import ast
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from installation import read, run, write
from readme_blocks import code_blocks

SOURCE_ROOT = BUILD_ROOT = None
PORT = "packaging/vcpkg/ports/ringside"
RECIPE = "packaging/conan/conanfile.py"
BOUND_S = 550


def meson_version():
    return re.search(r"^  version: '([^']+)'", read(os.path.join(SOURCE_ROOT, "meson.build")), re.MULTILINE).group(1)


def copy_of_source(folder):
    """What an archive has of these folders, where no repository is."""
    top = os.path.join(folder, "ringside")
    for part in ("libagent", "shm-layout", "trace-format", "packaging"):
        shutil.copytree(os.path.join(SOURCE_ROOT, part), os.path.join(top, part))
    for name in ("meson.build", "meson_options.txt", "README.md", "LICENSE"):
        shutil.copy(os.path.join(SOURCE_ROOT, name), top)
    return top


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def options_of_the_port():
    text = read(os.path.join(SOURCE_ROOT, PORT, "portfile.cmake"))
    return re.search(r"^  OPTIONS (.*)$", text, re.MULTILINE).group(1).replace("${reader}", "disabled").split()


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-packages.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def project_of_the_page(self):
        """The first project of the page for users, with the program of the README."""
        project = os.path.join(self.folder, "project")
        os.mkdir(project)
        page = read(os.path.join(SOURCE_ROOT, "docs/how-to/build-systems.md"))
        write(os.path.join(project, "CMakeLists.txt"), code_blocks(page, "cmake")[0])
        write(os.path.join(project, "service.cpp"), code_blocks(read(os.path.join(SOURCE_ROOT, "README.md")), "cpp")[0])
        return project

    def assert_records(self, program):
        """It finds no consumer, but its records are in the segment that it leaves."""
        shm = tempfile.mkdtemp(dir=self.folder)
        run([program], env={**os.environ, "RINGSIDE_SHM_DIR": shm})
        segments = [path for path in glob.glob(os.path.join(shm, "**", "*"), recursive=True) if os.path.isfile(path)]
        self.assertTrue(any(b"order %d filled at %.2f" in contents(path) for path in segments), segments)


class Recipes(unittest.TestCase):
    def options_of_the_recipe(self):
        """The names and values that generate() gives to Meson."""
        tree = ast.parse(read(os.path.join(SOURCE_ROOT, RECIPE)))
        (options,) = [call.args[0] for call in ast.walk(tree) if isinstance(call, ast.Call)
                      and ast.unparse(call.func) == "toolchain.project_options.update"]
        values = [value.value if isinstance(value, ast.Constant) else "disabled" for value in options.values]
        return [f"-D{name.value}={value}" for name, value in zip(options.keys, values)]

    def components_of_the_recipe(self):
        """{name for pkg-config: component} that package_info() of the recipe declares, without Conan."""
        names = ("conan", "conan.errors", "conan.tools.build", "conan.tools.files", "conan.tools.layout", "conan.tools.meson",
                 "conan.tools.gnu")
        conan = {name: mock.MagicMock() for name in names}
        conan["conan"].ConanFile = object
        text = read(os.path.join(SOURCE_ROOT, RECIPE))
        scope = {}
        with mock.patch.dict(sys.modules, conan):
            exec(compile(text, RECIPE, "exec"), scope)  # pylint: disable=exec-used
        recipe = scope["RingsideRecipe"]()
        recipe.options = types.SimpleNamespace(shared=False, reader=True)
        # The default of Conan.
        components = {name: mock.MagicMock(includedirs=["include"]) for name in ("agent", "trace")}
        recipe.cpp_info = mock.MagicMock(components=components)
        recipe.package_info()
        return {call.args[1]: component for component in components.values()
                for call in component.set_property.call_args_list if call.args[0] == "pkg_config_name"}

    def test_folders_of_headers_are_those_of_pkg_config(self):
        installed = {os.path.basename(path): file for file, path in
                     json.loads(run(["meson", "introspect", "--installed", BUILD_ROOT])).items()}
        components = self.components_of_the_recipe()
        self.assertEqual(sorted(components), ["ringside", "ringside-trace"])
        for name, component in components.items():
            flags = re.search(r"(?m)^Cflags:(.*)$", read(installed[name + ".pc"])).group(1).split()
            folders = [flag[2:].replace("${includedir}", "include") for flag in flags if flag.startswith("-I")]
            self.assertEqual(component.includedirs, folders, name)

    def test_the_port_has_the_version_of_the_source(self):
        port = json.loads(read(os.path.join(SOURCE_ROOT, PORT, "vcpkg.json")))
        self.assertEqual(port["version"], meson_version())
        self.assertEqual(port["license"], "Apache-2.0")

    def test_both_pass_the_same_options_to_meson(self):
        self.assertEqual(sorted(options_of_the_port()), sorted(self.options_of_the_recipe()))
        self.assertIn("-Dprograms=disabled", options_of_the_port())

    def test_usage_of_the_port_is_that_of_the_page(self):
        page = code_blocks(read(os.path.join(SOURCE_ROOT, "docs/how-to/build-systems.md")), "cmake")[0]
        usage = read(os.path.join(SOURCE_ROOT, PORT, "usage"))
        for part in ("Ringside::agent", "REQUIRED COMPONENTS agent"):
            self.assertIn(part, usage)
            self.assertIn(part, page)


class Build(InFolder):
    def test_with_these_options_and_one_kind_of_library_cmake_finds_the_library(self):
        """Conan also sets the standard of the user's sources; both managers remove one kind after the installation."""
        source, prefix = copy_of_source(self.folder), os.path.join(self.folder, "prefix")
        build = os.path.join(self.folder, "build")
        run(["meson", "setup", "--prefix", prefix, "-Dunity=on", "-Doptimization=0", "-Dcpp_std=gnu++17",
             *options_of_the_port(), build, source])
        run(["ninja", "-C", build, "-j", "2", "install"], bound_s=BOUND_S)
        for path in glob.glob(os.path.join(prefix, "lib", "**", "libringside.so*"), recursive=True):
            os.remove(path)
        project, consumer = self.project_of_the_page(), os.path.join(self.folder, "consumer")
        run(["cmake", "-S", project, "-B", consumer, "-DCMAKE_PREFIX_PATH=" + prefix])
        run(["cmake", "--build", consumer])
        self.assert_records(os.path.join(consumer, "service"))


class Managers(InFolder):
    def program(self, variable, name):
        program = shutil.which(os.environ.get(variable, name))
        if not program:
            self.skipTest(f"{name} is not installed, and Debian has no package of it; {variable} names the program")
        return program

    def commands(self, word):
        """The block of the page that begins with this command."""
        page = read(os.path.join(SOURCE_ROOT, "docs/how-to/build-systems.md"))
        (block,) = [block for block in code_blocks(page, "sh") if block.startswith(word + " ")]
        return block

    def run_commands(self, word, program, tree, **environment):
        path = os.path.join(self.folder, "path")
        os.mkdir(path)
        os.symlink(program, os.path.join(path, word))
        run(["bash", "-exc", self.commands(word)], bound_s=BOUND_S, cwd=tree,
            env={**os.environ, **environment, "PATH": path + ":" + os.environ["PATH"]})

    def test_conan_makes_a_package_from_an_archive(self):
        conan = self.program("CONAN", "conan")
        tree, home = copy_of_source(self.folder), os.path.join(self.folder, "home")
        environment = {"CONAN_HOME": home}
        run([conan, "profile", "detect"], env={**os.environ, **environment})
        # It ends with packaging/conan/test_package, compiled and run.
        self.run_commands("conan", conan, tree, **environment)
        listed = run([conan, "list", "ringside/*:*", "--format=json"], env={**os.environ, **environment})
        self.assertIn("ringside/" + meson_version(), json.loads(listed)["Local Cache"])

    def test_vcpkg_installs_from_an_archive(self):
        vcpkg = self.program("VCPKG", "vcpkg")
        tree = copy_of_source(self.folder)
        installed = os.path.join(tree, "vcpkg_installed")
        self.run_commands("vcpkg", vcpkg, tree)
        (prefix,) = [path for path in glob.glob(os.path.join(installed, "*-linux"))]
        project, consumer = self.project_of_the_page(), os.path.join(self.folder, "consumer")
        run(["cmake", "-S", project, "-B", consumer, "-DCMAKE_PREFIX_PATH=" + prefix])
        run(["cmake", "--build", consumer])
        self.assert_records(os.path.join(consumer, "service"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE_ROOT = os.path.abspath(sys.argv.pop(1))
    BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
