"""A file system small enough to fill. Only root can mount one."""

import os
import subprocess
import tempfile

MESON_SKIP = 77


class SmallFileSystem:
    """A tmpfs mounted below the temporary directory. A context manager."""

    def __init__(self, size_bytes):
        self.path = tempfile.mkdtemp(prefix="ringside-test-small-")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", self.path],
                       check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.path], check=True)
        os.rmdir(self.path)

    def resize(self, size_bytes):
        subprocess.run(["mount", "-o", f"remount,size={size_bytes}", self.path], check=True)

    def free_bytes(self):
        info = os.statvfs(self.path)
        return info.f_bavail * info.f_frsize

    def fill(self, but_bytes=0):
        """Fills the file system except for `but_bytes`."""
        path = os.path.join(self.path, "filler")
        with open(path, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, self.free_bytes() - but_bytes)
        return path
