#include "tools/ringrun/run_message.hpp"

#include <system_error>

#include <fmt/format.h>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {

void report(const std::string& text) {
  // One write, so that lines of other processes do not divide it.
  const std::string line = fmt::format("ringrun: {}\n", trace::visible(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace ringside::tool
