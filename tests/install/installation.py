"""The build, installed below a folder for a test, and the commands that use it."""

import os
import signal
import subprocess
import tempfile

BOUND_S = 120
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
CPP_COMPILERS = ["g++", "clang++"]


class Installation:
    """The build installed below `root`, and the environment in which other programs find it."""

    def __init__(self, root, build_root):
        run(["meson", "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", root], cwd=root)
        self.look_at(root)

    @classmethod
    def at(cls, root):
        """An installation that is there already, wherever it has moved to."""
        installation = cls.__new__(cls)
        installation.look_at(root)
        return installation

    def look_at(self, root):
        self.root = root
        pc_file = self.find("ringside.pc")
        self.include = os.path.dirname(os.path.dirname(self.find("ringside.hpp")))
        self.prefix = os.path.dirname(self.include)
        library_folder = os.path.dirname(os.path.dirname(pc_file))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        self.environment.update(
            PKG_CONFIG_LIBDIR=os.path.dirname(pc_file),  # the build must need nothing else from the system
            PKG_CONFIG_PATH="",
            LD_LIBRARY_PATH=library_folder)

    def find(self, name):
        for folder, _, files in os.walk(self.root):
            if name in files:
                return os.path.join(folder, name)
        raise AssertionError(f"{name} was not installed")

    def program(self, name):
        for folder, _, files in os.walk(self.root):
            if name in files and os.path.basename(folder) == "bin":
                return os.path.join(folder, name)
        raise AssertionError(f"{name} was not installed")

    def flags(self, *options):
        return run(["pkg-config", *(options or ("--cflags", "--libs")), "ringside"], env=self.environment).split()

    def headers(self):
        top = os.path.join(self.include, "ringside")
        return sorted(os.path.relpath(os.path.join(folder, name), self.include)
                      for folder, _, files in os.walk(top) for name in files)


def run(command, bound_s=BOUND_S, **options):
    """Returns standard output; raises AssertionError with all output when the command fails or hangs."""
    # Files, not pipes: a background process of the command would keep a pipe open.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                   **options)
        try:
            status = process.wait(timeout=bound_s)
        except subprocess.TimeoutExpired:
            status = f"no end within {bound_s} s"
        try:
            os.killpg(process.pid, signal.SIGKILL)  # kills processes that the command left in the background
        except ProcessLookupError:
            pass
        process.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    if status != 0:
        raise AssertionError(f"{command}: {status}\n" + "".join(texts))
    return texts[0]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
