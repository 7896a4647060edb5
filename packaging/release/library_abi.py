#!/usr/bin/env python3
"""Compares the binary interface of the shared libraries with the descriptions in packaging/release/abi: functions, variables and
the types in them that headers declare.

usage: library_abi.py check|update [LIBRARY...]
  check    status 1 if a library differs from its description; prints how (abidiff)
  update   writes the descriptions anew
  LIBRARY  agent or interop; both if none is given. The description of the reader, whose headers declare all of its classes, would have
           a megabyte; before version 1.0 each release may change them"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DESCRIPTIONS = os.path.join(ROOT, "packaging/release/abi")
# As one source, without optimisation: the interface is that of the build, in a tenth of the time. What it would be linked with
# does not matter. abidw reads what clang writes as DWARF 4.
COMPILER = ["clang++", "-std=c++20", "-g", "-gdwarf-4", "-O0", "-fPIC", "-shared", "-D_GNU_SOURCE", "-I" + ROOT]


def sources_in(folder, name):
    """The list of this name in the meson.build of the folder."""
    with open(os.path.join(ROOT, folder, "meson.build"), encoding="utf-8") as file:
        found = re.search(rf"^{name} = files\(([^)]*)\)", file.read(), re.MULTILINE)
    return [os.path.join(ROOT, folder, source) for source in re.findall(r"'([^']+)'", found[1])]


# Name: file, sources, folder of the public headers, symbol map, further options.
LIBRARIES = {
    "agent": ("libringside.so.1", lambda: sources_in("libagent", "ringside_sources"), "libagent/include",
              "libagent/public_symbols.map", ["-Ilibagent/include", "-fvisibility=hidden", "-ftls-model=initial-exec"]),
    # The two sources of its public functions.
    "interop": ("libringside-interop.so.0",
                lambda: [os.path.join(ROOT, "tools/interop", name) for name in ("trace.cpp", "trace_conversion.cpp")],
                "tools/interop/include", "tools/interop/public_symbols.map", ["-Itools/interop/include"]),
}


def describe(name, output, scratch):
    """Writes the description of a library as it is compiled now."""
    soname, sources, headers, symbols, options = LIBRARIES[name]
    unit = os.path.join(scratch, name + ".cpp")
    with open(unit, "w", encoding="utf-8") as file:
        file.writelines(f'#include "{source}"\n' for source in sources())
    library = os.path.join(scratch, soname)
    subprocess.run([*COMPILER, *options, unit, "-o", library, "-Wl,-soname," + soname, "-Wl,--version-script=" + symbols],
                   cwd=ROOT, check=True)
    # Without file names, lines and names of parameters, which change without changing the interface.
    subprocess.run(["abidw", "--headers-dir", os.path.join(ROOT, headers), "--drop-private-types", "--no-corpus-path",
                    "--no-comp-dir-path", "--no-show-locs", "--exported-interfaces-only", "--no-parameter-names",
                    "--no-elf-needed", "--no-write-default-sizes", "--out-file", output, library], check=True)


def stored_description(name):
    return os.path.join(DESCRIPTIONS, LIBRARIES[name][0] + ".abi")


def differences(stored, current):
    """What abidiff says; nothing if the interfaces are equal."""
    done = subprocess.run(["abidiff", stored, current], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout if done.returncode != 0 else ""


def differs(name, scratch):
    current = os.path.join(scratch, name + ".abi")
    describe(name, current, scratch)
    found = differences(stored_description(name), current)
    if found:
        print(f"{found}library_abi: {name} differs from {os.path.relpath(stored_description(name), ROOT)}. If programs that are linked with "
              "a released version still run, write it anew: packaging/release/library_abi.py update. If not, the soversion has to "
              "change, too.")
    return bool(found)


def main():
    what, names = sys.argv[1:2], sys.argv[2:] or list(LIBRARIES)
    if what not in (["check"], ["update"]) or not set(names) <= LIBRARIES.keys():
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="ringside-abi.") as scratch:
        if what == ["update"]:
            for name in names:
                describe(name, stored_description(name), scratch)
        elif any([differs(name, scratch) for name in names]):
            sys.exit(1)


if __name__ == "__main__":
    main()
