"""A systemd, started as process 1 of new namespaces, on a copy-on-write view of this machine's files or of another root folder:
real units run under it, and nothing of it stays on the machine."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

BOUND_S = 120

# Runs in the new namespaces. Everything is mounted below $1, a tmpfs; $2 is the root folder that is seen. The last command becomes systemd.
BOOT = r"""
set -e
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir -p upper/etc/systemd/system work root
for slow in ldconfig systemd-hwdb-update systemd-journal-catalog-update systemd-udevd systemd-udev-trigger systemd-machine-id-commit; do
  ln -s /dev/null upper/etc/systemd/system/$slow.service
done
mount -t overlay overlay -o lowerdir=$2,upperdir=$PWD/upper,workdir=$PWD/work root
mount -t proc proc root/proc
mount -t sysfs -o ro sysfs root/sys
mount -t tmpfs tmpfs root/sys/fs/cgroup
mount -t cgroup2 cgroup2 root/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs root/dev
for device in null zero full random urandom tty; do
  touch root/dev/$device
  mount --bind /dev/$device root/dev/$device
done
ln -s /proc/self/fd root/dev/fd
mkdir root/dev/shm root/dev/pts
mount -t tmpfs -o mode=1777 tmpfs root/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts root/dev/pts
ln -s pts/ptmx root/dev/ptmx
mount -t tmpfs -o mode=755 tmpfs root/run
cd root
pivot_root . mnt
umount -l /mnt
exec chroot . env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal --unit=basic.target
"""
NAMESPACES = ["--fork", "--kill-child", "--pid", "--mount", "--uts", "--ipc", "--net", "--cgroup"]


def why_not():
    """Why this machine cannot run such a systemd; empty if it can."""
    if os.geteuid() != 0:
        return "needs root to create namespaces"
    if not os.path.exists("/lib/systemd/systemd"):
        return "needs systemd (packaging/install-build-deps.sh)"
    trial = subprocess.run(
        ["unshare", *NAMESPACES, "sh", "-ec", 'mount -t tmpfs t "$1"; cd "$1"; mkdir u w r s; '
         "mount -t overlay o -o lowerdir=/,upperdir=$PWD/u,workdir=$PWD/w r; mount -t cgroup2 c s", "sh", tempfile.gettempdir()],
        capture_output=True, text=True, timeout=BOUND_S, check=False)
    return "" if trial.returncode == 0 else "needs overlayfs and cgroup2: " + trial.stderr.strip()


def cgroup2():
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        return next(line.split()[1] for line in mounts if line.split()[2] == "cgroup2")


class BootedSystemd:
    def __init__(self, lower="/"):
        self.folder = tempfile.mkdtemp(prefix="ringside-boot.")
        # Of its own, so that the cgroups of its units are found and removed.
        self.group = os.path.join(cgroup2(), os.path.basename(self.folder))
        os.mkdir(self.group)
        self.log_path = self.folder + ".log"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', self.group, "unshare", *NAMESPACES,
                 "sh", "-c", BOOT, "boot", self.folder, lower], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.init = self.wait_for(self.find_init, "systemd as process 1")
        self.root = f"/proc/{self.init}/root"
        self.wait_for(lambda: self.call("systemctl", "is-active", "basic.target").stdout == "active\n", "basic.target")

    def find_init(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="utf-8") as children:
            pids = children.read().split()
        for pid in pids:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
                if name.read() == "systemd\n":
                    return int(pid)
        return None

    def close(self):
        """Ends process 1, and with it every process of its namespaces."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(BOUND_S)
        self.wait_for(self.remove_groups, "the processes of systemd to end")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.unlink(self.log_path)

    def remove_groups(self):
        """Whether all are gone; one with a process that is about to end cannot be removed yet."""
        for folder, _, _ in os.walk(self.group, topdown=False):
            try:
                os.rmdir(folder)
            except OSError:
                return False
        return True

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def wait_for(self, condition, what):
        deadline = time.monotonic() + BOUND_S
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for {what}; systemd said:\n{self.log()}")
            time.sleep(0.05)
        return value

    def command(self, *words):
        """The command line that runs it as root beside the units."""
        return ["nsenter", f"--target={self.init}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd",
                "--", *[str(word) for word in words]]

    def call(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=BOUND_S, check=False,
                              stdin=subprocess.DEVNULL, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    def run(self, *words):
        """Standard output; AssertionError with all output if the command fails."""
        done = self.call(*words)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def path(self, path):
        """How the test reaches a file of the system."""
        return self.root + path

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)

    def property(self, unit, name):
        return self.run("systemctl", "show", "--property", name, "--value", unit).strip()
