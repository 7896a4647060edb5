#pragma once
// The state of a packet sequence of a Perfetto trace.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shm-layout/loss_cause.hpp"
#include "tools/interop/perfetto/perfetto_clocks.hpp"
#include "tools/interop/perfetto/perfetto_interned.hpp"
#include "tools/interop/perfetto/perfetto_reader.hpp"
#include "tools/interop/perfetto/perfetto_sites.hpp"

namespace ringside::tool::perfetto {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

struct Sequence {
  InternedEntries interned;
  SequenceClocks clocks;
  bool is_seen = false;
  bool is_valid = false;         // its state is complete since it was cleared
  std::uint64_t generation = 0;  // number of times it was cleared
  std::uint32_t clock = 0;       // defaults
  std::uint64_t track = 0;
  std::vector<std::uint64_t> extra_tracks;
  std::vector<std::uint64_t> extra_double_tracks;
  std::uint32_t pid = 0;
  // Of an old producer, whose sequences are threads.
  bool is_thread = false;
  std::uint32_t thread_pid = 0;
  std::uint32_t thread_tid = 0;
  std::uint64_t time_us = 0;
  // To be reported before the next event.
  std::uint64_t lost = 0;
  shm::LossCause cause = shm::LossCause::kUnknown;
  // For the events until now, by Arguments::key().
  std::unordered_map<std::string, SiteChoice, TextHash, std::equal_to<>> sites;
  // A record of a counter's statement came as several values of this time, the first with all
  // facts.
  bool is_within_counter = false;
  std::uint64_t counter_unix_ns = 0;

  // Takes the packet's flags; called before anything else of the packet is used.
  void take_flags(const Packet& packet, std::uint64_t& interned_bytes_left);
  // False if it is invalid.
  bool take_defaults(std::string_view defaults);
};

}  // namespace ringside::tool::perfetto
