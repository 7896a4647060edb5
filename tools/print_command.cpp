#include "tools/print_command.hpp"

#include <cerrno>
#include <optional>
#include <string_view>

#include "tools/exit_codes.hpp"
#include "tools/print_options.hpp"
#include "tools/standard_streams.hpp"
#include "tools/trace_text.hpp"
#include "trace-format/trace_set.hpp"

namespace ringside::tool {
namespace {

int print_trace(const PrintOptions& options) {
  trace::ReadError error;
  std::optional<trace::TraceSet> set = trace::TraceSet::open(options.paths, &error);
  if (!set) {
    complain(error.text());
    return kExitUnreadable;
  }
  int failure = 0;
  const bool whole =
      write_trace_text(*set, {options.utc, options.threads}, [&failure](std::string_view text) {
        if (write_output(text)) return true;
        failure = errno;
        return false;
      });
  return whole ? complain_of_damage(set->report()) : exit_code_of_failed_output(failure);
}

}  // namespace

int run_print(int argc, char** argv) {
  int exit_code = kExitOk;
  const auto options = parse_print_options(argc, argv, &exit_code);
  return options ? print_trace(*options) : exit_code;
}

}  // namespace ringside::tool
