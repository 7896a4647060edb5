"""C++11 and C++14 get the C interface, its log macros included; headers that need a later standard say so in one line.

usage: older_standards_test.py SOURCE_ROOT
"""

import itertools
import re
import shutil
import subprocess
import sys
import unittest

BOUND_S = 250
ROOT = sys.argv.pop(1)
EACH = tuple(itertools.product(("g++", "clang++"), ("c++11", "c++14")))
TOO_OLD = (("gcc", "c99", "c", "C11"), ("clang", "gnu89", "c", "C11"), ("g++", "c++98", "c++", "C++11"),
           ("clang++", "gnu++98", "c++", "C++11"))
HEADERS = ("ringside.h", "netlogger.h", "runtime_statement.h")
NEWER_HEADERS = ("ringside.hpp", "log.hpp", "format.hpp", "stream.hpp", "event.hpp", "adapt.hpp", "address.hpp")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
PROGRAM = """
#include "libagent/include/ringside/netlogger.h"
#include "libagent/include/ringside/runtime_statement.h"
int main() {
  rs_options options = rs_options();
  options.struct_bytes = sizeof options;
  options.level = RS_LEVEL_INFO;
  if (rs_init_with(&options) == 0 || rs_preallocate() == 0) return 1;
  RS_INFO("%s has %d", "text", 1);
  RS_NETLOGGER_WRITE("event", "", "value=%d", 1);
  rs_netlogger* const handle = rs_netlogger_open();
  rs_netlogger_write(handle, "event", "", "value=%d", 1);
  rs_netlogger_close(handle);
  rs_runtime_statement statement = rs_runtime_statement();
  statement.struct_bytes = sizeof statement;
  statement.level = RS_LEVEL_INFO;
  statement.format = "event";
  statement.format_bytes = 5;
  const uint8_t types[] = {RS_VALUE_I64};
  statement.types = types;
  statement.type_count = 1;
  rs_value value = rs_value();
  value.type = RS_VALUE_I64;
  if (rs_statement_record(rs_statement_register(&statement), &value, 1) != 1) return 1;
  rs_set_level(RS_LEVEL_TRACE);
  return rs_flush(1) != 0 && rs_losses(RS_LOSS_ANY) == 0 ? 0 : 1;
}
"""
ERROR = re.compile(r"^.*\berror: .*$", re.MULTILINE)


REFUSED = {
    'RS_INFO("%d", "text");': "format",
    'RS_INFO("%d %d", 1);': "format",
    'RS_INFO("%d", 1, 2);': "argument",
    'int n = 0; RS_INFO("%n", &n);': "Ringside records what printf takes",
    'struct S { int x; } s = {1}; RS_INFO("%d", s);': "",
}


def compiled(compiler, standard, source, language="c++", warnings=tuple(WARNINGS)):
    path = shutil.which(compiler)
    if path is None:
        sys.exit(f"{compiler} is missing; packaging/install-build-deps.sh installs it")
    return subprocess.run(
        [path, "-std=" + standard, *warnings, "-I", ROOT, "-S", "-o", "/dev/null", "-x", language, "-"],
        input=source, capture_output=True, text=True, timeout=BOUND_S, check=False)


class OlderStandards(unittest.TestCase):
    def test_macros_and_functions_are_available(self):
        for compiler, standard in EACH:
            with self.subTest(compiler=compiler, standard=standard):
                result = compiled(compiler, standard, PROGRAM)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_arguments_that_do_not_fit_are_refused_without_any_warning_option(self):
        for (compiler, standard), (statement, message) in itertools.product(EACH, REFUSED.items()):
            with self.subTest(compiler=compiler, standard=standard, statement=statement):
                result = compiled(compiler, standard, '#include "libagent/include/ringside/ringside.h"\n'
                                  f"void f();\nvoid f() {{ {statement} }}\n", warnings=())
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(message, result.stderr)

    def test_a_standard_that_is_too_old_is_reported_in_one_line(self):
        for (compiler, standard, language, needed), header in itertools.product(TOO_OLD, HEADERS):
            with self.subTest(compiler=compiler, standard=standard, header=header):
                result = compiled(compiler, standard, f'#include "libagent/include/ringside/{header}"\n', language, ())
                errors = ERROR.findall(result.stderr)
                self.assertEqual(len(errors), 1, result.stderr)
                self.assertIn(f"Ringside needs {needed}:", errors[0])

    def test_a_header_that_needs_cpp17_says_so_in_one_line(self):
        for (compiler, standard), header in itertools.product(EACH, NEWER_HEADERS):
            with self.subTest(compiler=compiler, standard=standard, header=header):
                result = compiled(compiler, standard, f'#include "libagent/include/ringside/{header}"\n')
                errors = ERROR.findall(result.stderr)
                self.assertEqual(len(errors), 1, result.stderr)
                self.assertIn("needs C++17", errors[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
