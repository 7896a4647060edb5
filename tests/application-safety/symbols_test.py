#!/usr/bin/env python3
"""What the shared library may call. It calls nothing that ends or starts the process or a thread, takes over a signal or
uses the program's streams. It calls nothing that obeys the caller of a set-user-id program (getenv) or loads libraries
to answer (getpw, getgr).

usage: symbols_test.py LIBRARY
"""

import re
import subprocess
import sys
import unittest

LIBRARY = None

FORBIDDEN = re.compile(r"""^(
    _?_?exit | _Exit | quick_exit | abort | __assert_fail | raise | kill | tgkill | pthread_kill | killpg
  | _?_?sigaction | signal | bsd_signal | sigset | sigaltstack | sigsuspend | sigwait.* | alarm | setitimer | timer_.*
  | pthread_create | pthread_exit | pthread_cancel | thrd_.* | clone | _?_?v?fork | exec.* | posix_spawn.* | system | popen
  | getenv | setenv | putenv | unsetenv | clearenv | chdir | umask | setlocale | set.*[ug]id | chroot | prlimit | setrlimit
  | .*printf.* | puts | fputs | fwrite | putchar | std(out|err|in) | _ZSt4c(out|err|log) | syslog
  | longjmp | siglongjmp | dlopen | dlclose | mlockall | getpw.* | getgr[^o].* | gethostby.* | getaddrinfo
)$""", re.VERBOSE)

# The truncation guard (libagent/recording/truncation_guard.cpp) installs a handler of SIGBUS if it is on. The test
# safety_sigbus_handler shows that it is the only handler, and that there is none by default.
FOR_THE_GUARD = {"sigaction"}
# The handlers of crashes (libagent/crashes/) need more, if the service asks for them: stacks of their own, and a way back
# from a damaged stack. The test crashes shows what they do.
FOR_CRASHES = {"sigaltstack", "siglongjmp"}

# Calls that can end or unwind the process, but never do; each with its reason.
JUSTIFIED = {
    # Compilers add these to every noexcept function and to each unwinding that must not be left. All entry points catch
    # what can be thrown below them, which is std::bad_alloc.
    "_ZSt9terminatev", "__clang_call_terminate",
    # The containers of the standard library undo their work when memory is short, and throw std::bad_alloc again.
    "__cxa_rethrow",
}
ENDING = re.compile(r"^(_ZSt9terminatev|_ZSt10unexpectedv|__cxa_throw|__cxa_rethrow|__clang_call_terminate)$")


def undefined_symbols():
    done = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


class Symbols(unittest.TestCase):
    def test_the_symbols_of_the_library_are_read(self):
        self.assertIn("pthread_mutex_lock", undefined_symbols())

    def test_nothing_is_called_that_would_interfere_with_the_program(self):
        # The library itself checks whether the program has ThreadSanitizer.
        if any(name.startswith(("__asan_", "__tsan_", "__ubsan_")) for name in undefined_symbols() - {"__tsan_init"}):
            self.skipTest("a sanitizer has added its own calls to the library")
        self.assertEqual({name for name in undefined_symbols() if FORBIDDEN.match(name)},
                         FOR_THE_GUARD | FOR_CRASHES)

    def test_what_could_end_the_process_is_known(self):
        self.assertLessEqual({name for name in undefined_symbols() if ENDING.match(name)}, JUSTIFIED)

    def test_the_pattern_knows_what_it_forbids(self):
        for name in ("exit", "_exit", "abort", "sigaction", "signal", "pthread_create", "fork", "vfork", "raise",
                     "fprintf", "__fprintf_chk", "setuid", "stderr", "__assert_fail", "getenv", "getgrnam_r"):
            self.assertTrue(FORBIDDEN.match(name), name)
        for name in ("pthread_sigmask", "sigfillset", "write", "getpid", "nanosleep", "syscall", "getrandom", "secure_getenv", "getgroups"):
            self.assertFalse(FORBIDDEN.match(name), name)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
