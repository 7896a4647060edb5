"""A file system small enough to fill. Only root can mount one."""

import errno
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
        """Fills the file system except for `but_bytes`, although a service may be taking some of them."""
        path = os.path.join(self.path, "filler")
        with open(path, "wb") as file:
            for attempts_left in reversed(range(100)):
                left_bytes = self.free_bytes() - but_bytes
                if left_bytes <= 0:
                    break
                try:
                    os.posix_fallocate(file.fileno(), 0, left_bytes)
                    break
                except OSError as error:
                    if error.errno != errno.ENOSPC or attempts_left == 0:
                        raise
        return path
