#pragma once
// The command line of `ringcat [print]`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/interop/conversion.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/format_options.hpp"

namespace ringside::tool {

struct PrintOptions {
  std::vector<std::string> paths;
  std::string segment;  // not empty: a segment's file; then there are no paths
  std::string from;     // the format of the paths; empty: detected by their first bytes
  std::string listen;   // not empty: an address that senders connect to; then there are no paths
  FleetOptions fleet;
  FilterOptions filter;
  ConversionOptions conversion;  // if its format is empty, lines are printed
  FormatOptions format;
  bool utc = false;
  bool color = false;
  bool follow = false;
  bool unordered = false;
  bool mark_order = false;
  std::optional<std::uint64_t> head;  // lines
  std::optional<std::size_t> tail;
  unsigned threads = 1;
};

// Empty if the process must end at once with `*exit_code`.
std::optional<PrintOptions> parse_print_options(int argc, char** argv, int* exit_code);

}  // namespace ringside::tool
