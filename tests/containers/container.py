"""Runs one program as a container, without a container engine: namespaces of its own (user, mount, pid, ipc, net, uts), a
read-only root, no capabilities, no_new_privs, and a seccomp profile. Needs root.

usage: container.py SPECIFICATION
SPECIFICATION is JSON: root (an empty directory), mounts ({path in the container: directory}), writable (paths of mounts), command,
environment, user, group, groups, first_host_id (of 65536 ids), seccomp (file), cgroups (files for process ids), and pid_file, which
gets the program's process id outside. The exit status is that of the program, 128 + N if signal N ended it."""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys

import seccomp_profile

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}[os.uname().machine]
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
IDS = 65536

LIBC = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    converted = [argument.encode() if isinstance(argument, str) else argument for argument in arguments]
    if getattr(LIBC, name)(*converted) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}{arguments}: {os.strerror(number)}")


def mount(source, target, kind, flags, data=None):
    call("mount", source, target, kind, ctypes.c_ulong(flags), data)


def bind(source, target, writable):
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb"):
            pass
    mount(source, target, None, MS_BIND)
    if not writable:
        mount(None, target, None, MS_REMOUNT | MS_BIND | MS_RDONLY)


def build_root(spec):
    """The tree of the container, in a mount namespace that the host does not see."""
    root = spec["root"]
    call("unshare", CLONE_NEWNS)
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("root", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    for path in ("proc", "dev"):
        os.mkdir(os.path.join(root, path))
    for path in ("null", "zero", "urandom"):
        bind(f"/dev/{path}", f"{root}/dev/{path}", True)
    for path, source in spec["mounts"].items():
        bind(source, root + path, path in spec["writable"])
    for path in ("lib", "lib64") if "/usr" in spec["mounts"] else ():
        os.symlink(f"usr/{path}", os.path.join(root, path))


def enter_root(root):
    mount(root, root, None, MS_BIND | MS_REC)
    os.chdir(root)
    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    call("syscall", ctypes.c_long(SYS_PIVOT_ROOT), ".", ".")
    call("umount2", ".", MNT_DETACH)
    os.chdir("/")
    mount(None, "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def start_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def drop_rights(spec):
    for capability in range(spec["capabilities"]):
        call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups(spec["groups"])
    os.setresgid(*[spec["group"]] * 3)
    os.setresuid(*[spec["user"]] * 3)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def run_first_process(spec, profile, may_go):
    enter_root(spec["root"])
    start_loopback()
    socket.sethostname("container")
    drop_rights(spec)
    os.read(may_go, 1)
    profile.load()
    os.execve(spec["command"][0], spec["command"], spec["environment"])


def run_keeper(spec, profile, told_parent, may_go):
    """In the namespaces; the parent maps the ids and chooses the cgroups, for which only it has the rights."""
    call("unshare", CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS)
    os.write(told_parent, b"unshared")
    os.read(may_go, 1)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    first = os.fork()
    if first == 0:
        run_first_process(spec, profile, may_go)
    os.write(told_parent, str(first).encode())
    return exit_status(os.waitpid(first, 0)[1])


def exit_status(status):
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def main(spec):
    profile = seccomp_profile.docker_filter(spec["seccomp"])
    # Read here: Python finds none of its modules in the container.
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        spec["capabilities"] = int(file.read()) + 1
    build_root(spec)
    from_keeper, told_parent = os.pipe()
    may_go, let_go = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os._exit(run_keeper(spec, profile, told_parent, may_go))
    os.close(told_parent)
    if os.read(from_keeper, 64):
        for name in ("uid_map", "gid_map"):
            write(f"/proc/{keeper}/{name}", f"0 {spec['first_host_id']} {IDS}")
        os.write(let_go, b"x")
    first = os.read(from_keeper, 64).decode()
    if first:
        for file in spec["cgroups"]:
            write(file, first)
        write(spec["pid_file"] + ".new", first)
        os.rename(spec["pid_file"] + ".new", spec["pid_file"])
        os.write(let_go, b"x")
    return exit_status(os.waitpid(keeper, 0)[1])


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
