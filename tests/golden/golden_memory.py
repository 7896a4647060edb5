"""Golden shared memory: segments and staging files as a release left them, compressed, and their return to a test's directories.

A folder has `shm/` (the files of the shared-memory directory) and `traces/` (trace files that were begun), each packed by zstd."""

import os
import struct
import subprocess

from traced_processes import BOUND_S

SEGMENT_EXE, SEGMENT_HOST, SEGMENT_BOOT_ID = (520, 256), (776, 64), (96, 16)
SLOT_COUNT_OFFSET, SLOT_HEADER_BYTES, FIRST_SLOT = 12, 64 << 10, 4096
SLOT_FILE_PATH = (304, 3072)


def pack(source, target):
    """A file of gigabytes with little content takes kilobytes."""
    subprocess.run(["zstd", "--quiet", "--force", "-19", "--long=27", source, "-o", target], check=True, timeout=BOUND_S)


def unpack(source, target):
    subprocess.run(["zstd", "--quiet", "--force", "--decompress", "--sparse", "--long=27", source, "-o", target], check=True,
                   timeout=BOUND_S)
    os.chmod(target, 0o600)


def write_at(file, place, data):
    offset, size = place
    assert len(data) < size, data
    file.seek(offset)
    file.write(data.ljust(size, b"\0"))


def is_segment(name):
    return name.startswith("ringside.")


def is_staging(name):
    return name.startswith("ringside-staging.")


def hide_origin(path):
    """The program's path and the host in a segment are replaced by others."""
    with open(path, "r+b") as file:
        write_at(file, SEGMENT_EXE, b"/opt/golden/golden_service")
        write_at(file, SEGMENT_HOST, b"host")


def change_directory(path, directory):
    """The trace files that a staging file names are in this directory."""
    with open(path, "r+b") as file:
        file.seek(SLOT_COUNT_OFFSET)
        slots = struct.unpack("<I", file.read(4))[0]
        for slot in range(slots):
            offset = FIRST_SLOT + slot * SLOT_HEADER_BYTES + SLOT_FILE_PATH[0]
            file.seek(offset)
            name = file.read(SLOT_FILE_PATH[1]).rstrip(b"\0")
            if name:
                new = os.path.join(os.fsencode(directory), os.path.basename(name))
                write_at(file, (offset, SLOT_FILE_PATH[1]), new)


def committed_bytes(path):
    """What a staging file holds that is not written yet."""
    with open(path, "rb") as file:
        file.seek(SLOT_COUNT_OFFSET)
        slots = struct.unpack("<I", file.read(4))[0]
        total = 0
        for slot in range(slots):
            file.seek(FIRST_SLOT + slot * SLOT_HEADER_BYTES)
            total += struct.unpack("<Q", file.read(8))[0] & 0xFFFFFFFF
    return total


def store(bed, folder):
    """What the processes of the bed have left goes to `folder`."""
    for kind, source in (("shm", bed.shm_dir), ("traces", bed.output_dir)):
        for name in sorted(os.listdir(source)):
            path = os.path.join(source, name)
            if not (is_segment(name) or is_staging(name) or kind == "traces"):
                continue
            os.makedirs(os.path.join(folder, kind), exist_ok=True)
            if is_segment(name):
                hide_origin(path)
            if is_staging(name):
                change_directory(path, "/traces")
            pack(path, os.path.join(folder, kind, name + ".zst"))


def restore(folder, bed):
    """The opposite of store()."""
    for kind, target in (("shm", bed.shm_dir), ("traces", bed.output_dir)):
        source = os.path.join(folder, kind)
        for name in sorted(os.listdir(source)) if os.path.isdir(source) else ():
            path = os.path.join(target, name.removesuffix(".zst"))
            unpack(os.path.join(source, name), path)
            if is_staging(os.path.basename(path)):
                change_directory(path, bed.output_dir)
