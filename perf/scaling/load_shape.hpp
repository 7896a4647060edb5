#pragma once
// The shape of one traced load, passed as command line options: the driver of the scaling points
// starts services with it.

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ringside::perf {

// All services together log `records` records, divided evenly among services and threads.
struct LoadShape {
  std::uint64_t records = 8'000'000;
  std::uint32_t services = 1;
  std::uint32_t threads = 1;     // per service
  std::uint32_t sites = 1;       // that each thread cycles through, up to kMaxSites
  std::uint32_t text_bytes = 0;  // 0: one u32 argument; otherwise one string of this length
  std::uint32_t ring_bytes = 1U << 20;

  static constexpr std::uint32_t kMaxSites = 1024;

  std::uint64_t records_of_thread() const {
    const std::uint64_t all = std::uint64_t{services} * threads;
    return all == 0 ? 0 : records / all;
  }
};

// The number after `--name=` if `word` is that option.
inline bool read_number(std::string_view word, std::string_view name, auto* number) {
  if (!word.starts_with(name)) return false;
  word.remove_prefix(name.size());
  const auto result = std::from_chars(word.data(), word.data() + word.size(), *number);
  return result.ec == std::errc() && result.ptr == word.data() + word.size();
}

}  // namespace ringside::perf
