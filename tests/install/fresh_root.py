"""A root folder with a new Debian of this machine's release, from the archives that this machine uses, and commands that run there
as root in namespaces of their own."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

BOUND_S = 300
# What apt-get tells if the archive cannot be reached.
UNREACHABLE = ("Could not resolve", "Could not connect", "Temporary failure", "Connection timed out", "Network is unreachable")
# The namespaces end with their process 1. The network is this machine's, for apt-get.
ENTER = r"""
set -e
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
ln -s /proc/self/fd dev/fd
mkdir dev/shm
mount -t tmpfs -o mode=1777 tmpfs dev/shm
cat /etc/resolv.conf > etc/resolv.conf
exec chroot . sleep infinity
"""
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}

NOT_COMPARED = {"/var/lib/apt", "/var/lib/dpkg", "/var/cache", "/var/log", "/tmp", "/root", "/proc", "/dev"}


class Unreachable(Exception):
    """Debian's archive cannot be reached."""


def archives():
    """The lines of sources.list for the archives of Debian that this machine uses, and its release."""
    lines = subprocess.run(
        ["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian"],
        capture_output=True, text=True, timeout=BOUND_S, check=True).stdout
    with open("/etc/os-release", encoding="utf-8") as file:
        release = next(line.split("=")[1].strip() for line in file if line.startswith("VERSION_CODENAME="))
    return sorted(set(lines.splitlines())), release


def make_root(folder, include):
    """A minimal Debian with these packages."""
    lines, release = archives()
    if not lines:
        raise Unreachable("no archive of Debian in /etc/apt; or apt-get update is needed")
    done = subprocess.run(["mmdebstrap", "--variant=minbase", "--include=" + ",".join(include), release, folder, "-"],
                          input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode != 0:
        if any(text in done.stderr for text in UNREACHABLE):
            raise Unreachable(done.stderr.splitlines()[-1])
        raise AssertionError(f"mmdebstrap: {done.returncode}\n{done.stderr}")


class FreshRoot:
    """Commands in a copy of a root folder, with the processes that they start."""

    def __init__(self, base, name):
        self.path = os.path.join(os.path.dirname(base), name)
        subprocess.run(["cp", "--archive", base, self.path], check=True, timeout=BOUND_S)
        with tempfile.TemporaryFile() as complaints:
            self.holder = subprocess.Popen(["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
                                            "sh", "-c", ENTER, "enter", self.path],
                                           stdin=subprocess.DEVNULL, stdout=complaints, stderr=complaints, start_new_session=True)
            deadline = time.monotonic() + BOUND_S
            while not (init := self.find_init()):
                if self.holder.poll() is not None or time.monotonic() > deadline:
                    complaints.seek(0)
                    raise AssertionError("namespaces: " + complaints.read().decode(errors="replace"))
                time.sleep(0.05)
        self.init = init

    def find_init(self):
        """The process 1 of the namespaces, when it has reached its last command."""
        try:
            with open(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children", encoding="utf-8") as children:
                pids = children.read().split()
            for pid in pids:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
                    if name.read() == "sleep\n":
                        return int(pid)
        except FileNotFoundError:
            pass
        return None

    def close(self):
        """Ends all processes. The files remain."""
        if self.holder.poll() is None:
            os.killpg(self.holder.pid, signal.SIGKILL)
        self.holder.wait(BOUND_S)

    def remove(self):
        self.close()
        shutil.rmtree(self.path)

    def call(self, *words, bound_s=BOUND_S, **environment):
        return subprocess.run(["nsenter", f"--target={self.init}", "--mount", "--pid", "--ipc", "--uts", "--root", "--wd", "--",
                               *[str(word) for word in words]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=bound_s, check=False, env={**ENVIRONMENT, **environment})

    def run(self, *words, bound_s=BOUND_S, **environment):
        """The output; AssertionError with it if the command fails."""
        done = self.call(*words, bound_s=bound_s, **environment)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-8000:]}"
        return done.stdout

    def shell(self, line, bound_s=BOUND_S, folder="/", **environment):
        return self.run("sh", "-ec", f"cd {folder}; {line}", bound_s=bound_s, **environment)

    def processes(self):
        """The names of the processes of the root, without the one that keeps it."""
        names = []
        for pid in self.run("sh", "-c", "echo /proc/[0-9]*").split():
            done = self.call("cat", pid + "/comm")
            if done.returncode == 0:
                names.append(done.stdout.strip())
        return sorted(set(names) - {"sleep", "cat", "sh"})

    def files(self):
        """The paths of all files and folders, except those that apt-get and dpkg write for themselves, and temporary ones."""
        found = set()
        for folder, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if os.path.join(folder, name)[len(self.path):] not in NOT_COMPARED]
            found |= {os.path.join(folder, name)[len(self.path):] for name in folders + names}
        return found
