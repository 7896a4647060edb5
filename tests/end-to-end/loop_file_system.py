"""An ext4 file system on a loop device, which can be frozen and made read-only. Only root can mount one, and not on every
machine."""

import os
import subprocess
import tempfile


class NotPermitted(Exception):
    """This machine or container does not permit a loop device; the text gives the reason."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPermitted(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")


class LoopFileSystem:
    """A context manager; `path` is the mount point."""

    def __init__(self, size_bytes):
        self.frozen = False
        self.mounted = False
        self.image = tempfile.NamedTemporaryFile(prefix="ringside-test-image-")
        self.path = tempfile.mkdtemp(prefix="ringside-test-loop-")
        try:
            os.truncate(self.image.name, size_bytes)
            run("mkfs.ext4", "-q", "-F", self.image.name)
            run("mount", "-o", "loop", self.image.name, self.path)
            self.mounted = True
        except (NotPermitted, FileNotFoundError) as error:
            self.close()
            raise NotPermitted(str(error)) from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.frozen:
            self.thaw()
        if self.mounted:
            subprocess.run(["umount", "--lazy", self.path], check=True)
            self.mounted = False
        if os.path.isdir(self.path):
            os.rmdir(self.path)
        self.image.close()

    def remount(self, how):
        """`how`: "ro" or "rw"."""
        subprocess.run(["mount", "-o", f"remount,{how}", self.path], check=True)

    def freeze(self):
        """From here on every writer waits until thaw()."""
        subprocess.run(["fsfreeze", "--freeze", self.path], check=True)
        self.frozen = True

    def thaw(self):
        self.frozen = False
        subprocess.run(["fsfreeze", "--unfreeze", self.path], check=True)
