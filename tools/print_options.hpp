#pragma once
// The command line of `ringcat [print]`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/filter_options.hpp"
#include "tools/format_options.hpp"

namespace ringside::tool {

struct PrintOptions {
  std::vector<std::string> paths;
  std::string segment;  // not empty: a segment's file, and no paths
  FilterOptions filter;
  FormatOptions format;
  bool utc = false;
  bool color = false;
  bool follow = false;
  std::optional<std::uint64_t> head;  // lines
  std::optional<std::size_t> tail;
  unsigned threads = 1;
};

// Empty if the process is to end at once with `*exit_code`.
std::optional<PrintOptions> parse_print_options(int argc, char** argv, int* exit_code);

}  // namespace ringside::tool
