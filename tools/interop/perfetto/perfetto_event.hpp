#pragma once
// A TrackEvent of a Perfetto trace, with its strings resolved.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/perfetto/perfetto_arguments.hpp"
#include "tools/interop/perfetto/perfetto_interned.hpp"

namespace ringside::tool::perfetto {

struct CounterValue {
  bool is_double = false;
  std::int64_t integer = 0;
  double number = 0;
};

// Views are valid as long as the message and the interned entries.
struct TrackEvent {
  std::uint64_t type = 0;  // track_event::kSliceBegin ...
  std::optional<std::uint64_t> track;
  std::string_view name;
  std::string category;  // several are separated by commas
  std::string_view file;
  std::string_view function;
  std::uint32_t line = 0;
  InternedEntry own_location;  // a location that is not interned
  std::optional<CounterValue> value;
  std::vector<std::uint64_t> extra_tracks;
  std::vector<std::uint64_t> extra_values;  // as 64 bits
  std::vector<std::uint64_t> extra_double_tracks;
  std::vector<std::uint64_t> extra_double_values;
  std::vector<std::uint64_t> flows;
  std::vector<std::uint64_t> ended_flows;
  std::optional<std::uint64_t> correlation;
  std::string_view correlation_text;
  bool is_log = false;
  std::string_view log_body;
  std::uint64_t log_priority = 0;
  std::optional<std::uint64_t> time_delta_us;  // since the previous event of its sequence
  std::optional<std::uint64_t> time_us;
  std::uint32_t phase = 0;  // of an old event, as a character
  std::uint64_t duration_us = 0;
  std::uint64_t missing_strings = 0;

  void clear();
};

// Reads the event. Its annotations, and everything that distinguishes statements, go to
// `arguments`, which is cleared first. False if it is invalid.
bool read_event(std::string_view message, const InternedEntries& interned, Arguments& arguments,
                TrackEvent& event);

}  // namespace ringside::tool::perfetto
