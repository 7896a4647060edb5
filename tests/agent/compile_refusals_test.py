"""What compiles and what does not: formats against arguments, in C++17, C++20 and C11, with g++ and clang++.

usage: compile_refusals_test.py SOURCE_ROOT

Valid statements share one file, which must compile without a warning. The invalid ones share another file, each in a
function and under a file name of its own, with valid ones between them. Each invalid statement must cause an error with the
expected phrase, or a message of at most three lines with everything that a Refusal names, and no valid one may cause any. An invalid statement without an error is compiled again by itself before it
is reported.
"""

import concurrent.futures
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compile_cases import (CPP20_GOOD, C_BAD, C_GOOD, C_PARAMETERS, C_PROLOGUE, C_USES, CPP_BAD, CPP_GOOD, CPP_PARAMETERS,
                           CPP_PROLOGUE, Refusal)
import c_event_compile_cases
import run_time_compile_cases

BOUND_S = 300
INSTALLED = "(as a system header)"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]

# None of these may let an invalid statement compile.
C_DISARMING = [
    ["-Wno-format"],
    ["-Wno-error"],
    ["-Wno-format", "-Wno-error", "-O2"],
    [INSTALLED],
    [INSTALLED, "-Wno-format", "-Wno-error"],
]

# A diagnostic begins with lines that name where its place was included or instantiated (g++, both); its notes follow.
PLACE = re.compile(r"In file included from |\s+from |\S+ (In|At) |\S+\s+(recursively )?required |\S+\s+in .constexpr. expansion ")
INCLUDED = re.compile(r"In file included from |\s+from ")
HEAD = re.compile(r"\S+ (fatal )?(error|warning): ")
ERROR = re.compile(r"^\S+ (fatal )?error: ", re.MULTILINE)
STATEMENT = re.compile(r"\bstatement-(\d+):")


class Compiler:
    def __init__(self, path, root, standard):
        self.path = path
        self.standard = standard
        is_cpp = standard.startswith("c++")
        self.is_cpp = is_cpp
        self.prologue = run_time_compile_cases.HEADERS + CPP_PROLOGUE if is_cpp else C_PROLOGUE + c_event_compile_cases.HEADERS
        self.parameters = CPP_PARAMETERS if is_cpp else C_PARAMETERS
        self.good = CPP_GOOD + run_time_compile_cases.GOOD if is_cpp else C_GOOD + c_event_compile_cases.GOOD
        self.bad = CPP_BAD + run_time_compile_cases.BAD if is_cpp else C_BAD + c_event_compile_cases.BAD
        if standard == "c++20":
            self.good = self.good + CPP20_GOOD
        self.root = root
        self.options = ["-std=" + standard, "-S", "-o", "/dev/null"]
        if "clang" in Path(path).name:
            self.options += ["-fno-caret-diagnostics", "-ferror-limit=0", "-fmacro-backtrace-limit=0", "-ftemplate-backtrace-limit=0"]
        else:
            self.options += ["-fno-diagnostics-show-caret"]

    def function(self, name, body):
        start = f"void {name}{self.parameters}"
        uses = "" if self.is_cpp else C_USES
        return f"{start};\n{start} {{{uses}{body}\n}}\n"

    def compile(self, functions, options, directory):
        # Installed headers are system headers, in which compilers hide warnings.
        include = "-isystem" if INSTALLED in options else "-I"
        options = [include, str(self.root), *(o for o in options if o != INSTALLED)]
        suffix = ".cpp" if self.is_cpp else ".c"
        with tempfile.NamedTemporaryFile("w", suffix=suffix, dir=directory, delete=False) as file:
            file.write(self.prologue + functions)
        result = subprocess.run(
            [self.path, *self.options, *options, file.name],
            capture_output=True, text=True, timeout=BOUND_S, check=False)
        return result.returncode == 0, result.stderr


def check_good(compiler, options, directory):
    body = "\n".join("{ " + s + " }" for s in compiler.good)
    accepted, message = compiler.compile(compiler.function("test", body), options, directory)
    return [] if accepted else [f"{compiler.path} -std={compiler.standard}: valid statements refused:\n{message}"]


def diagnostics(output):
    """The texts of the diagnostics, one by one."""
    groups, place_only = [], False
    for line in output.splitlines(keepends=True):
        is_place = PLACE.match(line) is not None
        if not groups or (is_place and not place_only) or (HEAD.match(line) and not place_only):
            groups.append("")
        place_only = is_place
        groups[-1] += line
    return groups


def by_statement(output):
    """{number: all messages about this statement}."""
    said, numbers = {}, set()
    for text in diagnostics(output):
        # A statement without any message: for several in one function, g++ prints the place only once.
        numbers = {int(number) for number in STATEMENT.findall(text)} or numbers
        for number in numbers:
            said[number] = said.get(number, "") + text
    return said


def refused(message, statement, phrases):
    if ERROR.search(message) is None:
        return False
    if isinstance(phrases, Refusal):
        return is_complete(message, statement, phrases)
    return any(phrase in message for phrase in phrases)


def is_complete(message, statement, refusal):
    """Whether at most three lines before the first note say everything about a refused statement."""
    lines = message.split(" note: ")[0].splitlines()
    lines = [line for line in lines if not INCLUDED.match(line)]
    if " note: " in message:
        lines.pop()  # the beginning of the note's line
    said = "\n".join(lines).replace(" *", "*").replace('\\"', '"')
    conversion = re.escape(refusal.conversion) or r"\\\w+"
    kind = ".+" if refusal.kind is None else re.escape(refusal.kind)
    # Of a NetLogger event the message has the name.
    has_text = '", ' in statement and "NETLOGGER" not in statement
    arguments = statement[statement.rfind('", ') + 3:-2] + ")" if has_text else ""
    wanted = rf"Refused<(ringside::)?Because::{refusal.because}, '{conversion}', {refusal.byte}, {refusal.argument}, {kind} ?>"
    text = re.search(r"Ringside refuses \(.*" + re.escape(arguments), said)
    return len(lines) <= 3 and re.search(wanted, said) is not None and text is not None


def check_bad(compiler, options, directory):
    statements = []
    for index, (bad, phrases) in enumerate(compiler.bad):
        statements.append((bad, (phrases,) if isinstance(phrases, str) else phrases))
        statements.append((compiler.good[index % len(compiler.good)], None))
    functions = "".join(f'#line 1 "statement-{number}"\n{compiler.function(f"test_{number}", statement)}'
                        for number, (statement, _) in enumerate(statements))
    _, output = compiler.compile(functions, options, directory)
    said = by_statement(output)
    failures = []
    for number, (statement, phrases) in enumerate(statements):
        name = f"{compiler.path} -std={compiler.standard} {' '.join(options)}: {statement[:80]}"
        message = said.get(number, "")
        if phrases is None:
            if ERROR.search(message):
                failures.append(f"{name}: valid, but refused among invalid ones:\n{message}")
        elif not refused(message, statement, phrases):
            print(f"{name}: compiled by itself")
            accepted, message = compiler.compile(compiler.function("test", statement), options, directory)
            if accepted:
                failures.append(f"{name}: compiled, but must not compile")
            elif not refused(message, statement, phrases):
                failures.append(f"{name}: the message should be {getattr(phrases, '__dict__', phrases)}:\n{message}")
    return failures


def main():
    root = Path(sys.argv[1]).resolve()
    jobs = []
    with tempfile.TemporaryDirectory() as directory:
        for names, standard in ((("g++", "clang++"), "c++17"), (("g++", "clang++"), "c++20"), (("gcc", "clang"), "c11")):
            for name in names:
                path = shutil.which(name)
                if path is None:
                    print(f"{name} is missing; packaging/install-build-deps.sh installs it")
                    return 1
                compiler = Compiler(path, root, standard)
                for options in (WARNINGS, [*WARNINGS, INSTALLED]):
                    jobs.append((check_good, (compiler, options, directory)))
                for options in ([[]] if compiler.is_cpp else [[], *C_DISARMING]):
                    jobs.append((check_bad, (compiler, options, directory)))
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(lambda job: job[0](*job[1]), jobs))
    failures = [failure for result in results for failure in result]
    print("\n".join(failures))
    print(f"{len(jobs)} compilations, {len(failures)} statements not as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
