"""Debian's podman and buildah, with storage of a test's own."""

import os
import re
import shutil
import subprocess
import unittest

BOUND_S = 600
# Machines without the right to raise limits refuse podman's defaults. crun refuses machines with both versions of cgroups.
OF_EVERY_RUN = ("--network=none", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND_S, check=False)


class Engine:
    def __init__(self, folder):
        self.storage = ["--storage-driver=vfs", f"--root={folder}/storage", f"--runroot={folder}/run"]
        self.podman_options = ["--cgroup-manager=cgroupfs", "--runtime=runc", f"--tmpdir={folder}/tmp"]

    def buildah(self, *arguments):
        done = run("buildah", *self.storage, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def podman(self, *arguments):
        """As it is for Docker: `run` gets what this machine needs."""
        if arguments[0] == "run":
            arguments = ("run", *OF_EVERY_RUN, *arguments[1:])
        done = run("podman", *self.storage, *self.podman_options, *arguments)
        assert done.returncode == 0, f"podman {arguments}: {done.stderr}"
        return done.stdout.strip()

    def require_containers(self, image):
        """Skips the test on a machine that cannot run any container."""
        done = run("podman", *self.storage, *self.podman_options, "run", *OF_EVERY_RUN, "--rm", image, "--version")
        if done.returncode != 0:
            raise unittest.SkipTest(f"podman cannot run containers here: {done.stderr}")

    def build_from_program(self, folder, name, program, library, arguments):
        """An image of a program with the libraries that it needs."""
        context = os.path.join(folder, name)
        os.makedirs(os.path.join(context, "programs"))
        shutil.copy(program, os.path.join(context, "programs", name))
        shutil.copy(library, os.path.join(context, "programs"))
        needed = run("ldd", program).stdout
        for path in re.findall(r"(?:=> |^\s+)(/lib\S+) \(", needed, re.MULTILINE):
            os.makedirs(context + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, context + path)
        file = os.path.join(folder, name + ".Containerfile")
        with open(file, "w", encoding="utf-8") as text:
            entry = ", ".join(f'"{word}"' for word in (f"/programs/{name}", *arguments))
            text.write(f"FROM scratch\nCOPY . /\nENV LD_LIBRARY_PATH=/programs\nENTRYPOINT [{entry}]\n")
        self.buildah("bud", "--quiet", "--isolation=chroot", f"--tag={name}", f"--file={file}", context)
