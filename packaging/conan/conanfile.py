"""The libraries of Ringside as a package of Conan 2: libringside for services and, with the option reader, libringside-trace, which
reads traces. consumerd and the tools are not in it. Made from the source tree or archive that this file is in:

    conan create packaging/conan
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load, rm, rmdir
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain
from conan.tools.gnu import PkgConfigDeps

# From this file.
SOURCE_ROOT = os.path.join("..", "..")


class RingsideRecipe(ConanFile):
    name = "ringside"
    license = "Apache-2.0"
    description = "Tracing of latency-critical C and C++ services at the cost of reading the clock"
    topics = ("tracing", "logging", "low-latency")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "reader": [True, False]}
    default_options = {"shared": False, "reader": False}
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, SOURCE_ROOT, "meson.build"))
        self.version = re.search(r"^  version: '([^']+)'", text, re.MULTILINE).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, SOURCE_ROOT)
        for pattern in ("meson.build", "meson_options.txt", "LICENSE", "shm-layout/*", "libagent/*", "trace-format/*",
                        "packaging/cmake/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("ringside runs on Linux only")
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20 if self.options.reader else 17)

    def layout(self):
        basic_layout(self)

    def requirements(self):
        if self.options.reader:
            self.requires("fmt/[>=9 <12]", transitive_headers=True)
            self.requires("zstd/[>=1.5 <2]")

    def generate(self):
        PkgConfigDeps(self).generate()
        toolchain = MesonToolchain(self)
        toolchain.project_options.update({
            "programs": "disabled", "tests": "false", "perf": "false", "werror": "false",
            "reader": "enabled" if self.options.reader else "disabled",
        })
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Both kinds are built; Conan's generators write the files of CMake and pkg-config.
        lib = os.path.join(self.package_folder, "lib")
        rm(self, "*.a" if self.options.shared else "*.so*", lib)
        rmdir(self, os.path.join(lib, "cmake"))
        rmdir(self, os.path.join(lib, "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Ringside")
        agent = self.cpp_info.components["agent"]
        agent.set_property("cmake_target_name", "Ringside::agent")
        agent.set_property("pkg_config_name", "ringside")
        agent.libs = ["ringside"]
        agent.system_libs = ["pthread"]
        if not self.options.shared:
            agent.set_property("cmake_target_aliases", ["Ringside::agent-static"])
            agent.system_libs += ["stdc++", "m"]  # for programs of C
        if self.options.reader:
            trace = self.cpp_info.components["trace"]
            trace.set_property("cmake_target_name", "Ringside::trace")
            trace.set_property("pkg_config_name", "ringside-trace")
            trace.libs = ["ringside-trace"]
            trace.includedirs = [os.path.join("include", "ringside-trace")]
            trace.requires = ["fmt::fmt", "zstd::zstd"]
            trace.system_libs = ["pthread"]
