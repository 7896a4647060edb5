#pragma once
// The facts that viewers show: an event's name, its duration and its counters.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "shm-layout/record_head.hpp"
#include "trace-format/reader/open_spans.hpp"
#include "trace-format/reader/record_property.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// The statement's name, or else its format, or else its place in the source; never empty.
inline std::string event_name(const trace::Site& site) {
  if (!site.name.empty()) return site.name;
  if (!site.format.empty()) return site.format;
  if (!site.function.empty()) return site.function;
  return site.file.empty() ? "event" : site.file + ":" + std::to_string(site.line);
}

inline bool has_duration(const trace::Event& event) {
  return (event.record.ext_flags & shm::kExtDuration) != 0 && event.segment->tick_hz != 0;
}

// The duration of a record, counted from unix_ns; at most up to the largest time.
inline std::uint64_t duration_ns(const trace::Event& event) {
  const std::uint64_t hz = event.segment->tick_hz;
  const std::uint64_t most = UINT64_MAX - event.unix_ns;
  if (hz == 1'000'000'000) return std::min(event.record.duration, most);
  const auto ns = trace::UInt128{event.record.duration} * 1'000'000'000 / hz;
  return ns > most ? most : static_cast<std::uint64_t>(ns);
}

// When a span ends; far from now if the record is the beginning of one without an end.
inline std::uint64_t span_end_ns(const trace::Event& event) {
  return has_duration(event) ? event.unix_ns + duration_ns(event) : UINT64_MAX;
}

// The same for the nesting of spans. The sum of a begin and a duration, which were rounded each by
// itself, can be 1 ns beyond the end of a span around it, or before that of one within it: here
// equal ticks are equal times.
inline std::uint64_t nesting_end_ns(const trace::Event& event) {
  constexpr std::uint64_t kMostTicks = std::uint64_t{1} << 62;  // so that no usual sum wraps
  if (!has_duration(event)) return UINT64_MAX;
  if (event.clocks == nullptr || event.record.duration > kMostTicks) return span_end_ns(event);
  return std::max(event.unix_ns, event.clocks->unix_ns(event.record.tsc + event.record.duration));
}

// The substream of a record, such as a coroutine of its thread; 0 if it has none.
inline std::uint64_t substream_of(const trace::Event& event) {
  const bool has = (event.record.ext_flags & shm::kExtSubstream) != 0;
  return has ? event.record.substream : 0;
}

// FNV-1a: flows need equal numbers for equal ids, and have 64 bits for an id of 128.
inline std::uint64_t flow_id(const std::array<std::uint8_t, 16>& activity) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::uint8_t byte : activity) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

// Whether a viewer draws the field as a curve: the numbers of counters' statements.
inline bool is_counted(const trace::Site& site, const trace::Field& field) {
  using enum shm::FieldType;
  if (site.kind != shm::SiteKind::kCounter || field.is_array) return false;
  return field.type == f32 || field.type == f64 ||
         (shm::is_integer(field.type) && field.type != i128 && field.type != u128);
}

using trace::kind_name;

}  // namespace ringside::tool
