"""Docker's default seccomp profile, applied through libseccomp."""

import json
import os
import platform

import seccomp

# Docker 25 and containerd 1.7.11 removed these from their profiles; Debian 12 has an older one.
IO_URING = ("io_uring_setup", "io_uring_enter", "io_uring_register")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
COMPARISONS = {"SCMP_CMP_EQ": seccomp.EQ, "SCMP_CMP_NE": seccomp.NE, "SCMP_CMP_LT": seccomp.LT, "SCMP_CMP_LE": seccomp.LE,
               "SCMP_CMP_GT": seccomp.GT, "SCMP_CMP_GE": seccomp.GE, "SCMP_CMP_MASKED_EQ": seccomp.MASKED_EQ}


def _version(text):
    return tuple(int(part) for part in text.split("-")[0].split(".")[:2])


def _applies(entry):
    """Whether an entry is for this architecture and kernel, and for a container without capabilities."""
    includes, excludes = entry.get("includes") or {}, entry.get("excludes") or {}
    architecture = ARCHITECTURES[platform.machine()]
    return not (includes.get("caps")
                or includes.get("arches") and architecture not in includes["arches"]
                or architecture in (excludes.get("arches") or ())
                or includes.get("minKernel") and _version(os.uname().release) < _version(includes["minKernel"]))


def _action(name, number):
    return {"SCMP_ACT_ALLOW": seccomp.ALLOW, "SCMP_ACT_ERRNO": seccomp.ERRNO(number)}[name]


def _comparison(argument):
    operation = COMPARISONS[argument["op"]]
    values = [argument["value"]]
    if operation == seccomp.MASKED_EQ:
        values.append(argument.get("valueTwo", 0))
    return seccomp.Arg(argument["index"], operation, *values)


def docker_filter(path):
    """The filter of the profile in this file, for a container without capabilities. load() applies it."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    default = _action(profile["defaultAction"], profile.get("defaultErrnoRet", 1))
    found = seccomp.SyscallFilter(default)
    for entry in profile["syscalls"]:
        action = _action(entry["action"], entry.get("errnoRet", 1))
        if not _applies(entry) or action == default:
            continue
        for name in entry.get("names") or [entry["name"]]:
            if name in IO_URING:
                continue
            try:
                found.add_rule(action, name, *(_comparison(argument) for argument in entry.get("args") or ()))
            except (RuntimeError, ValueError):
                pass  # a system call of other architectures, or one newer than libseccomp
    return found
