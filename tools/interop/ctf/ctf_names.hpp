#pragma once
// The names that the writer of CTF puts into a trace and its reader recognises.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool::ctf {

inline constexpr std::uint32_t kPacketMagic = 0xC1FC1FC1;
inline constexpr std::uint32_t kMetadataPacketMagic = 0x75D11D57;

// In a packet's `cpu_id`.
inline constexpr std::uint32_t kUnknownProcessor = 0xFFFFFFFF;

inline constexpr std::string_view kTracerName = "ringside";
// Entries of `env` begin with these prefixes and end in a number.
inline constexpr std::string_view kProcessEntry = "ringside_process_";
inline constexpr std::string_view kEventEntry = "ringside_event_";

// Fields after a statement's own, for what few records have, in this order.
struct ExtensionField {
  std::uint32_t flag = 0;
  std::string_view name;
  std::string_view type;
  unsigned bytes = 0;
};
inline constexpr std::array<ExtensionField, 6> kExtensionFields{{
    {shm::kExtSubstream, "ringside_substream", "uint64_t", 8},
    {shm::kExtActivity, "ringside_activity", "byte_t", 16},
    {shm::kExtRelatedActivity, "ringside_related_activity", "byte_t", 16},
    {shm::kExtStack, "ringside_stack", "uint32_t", 4},
    {shm::kExtDuration, "ringside_duration_ns", "uint64_t", 8},
    {shm::kExtCut, "ringside_cut", "uint8_t", 1},
}};

inline constexpr std::array<std::string_view, 6> kKindNames{"",     "log",     "event",
                                                            "span", "counter", "histogram"};
inline constexpr std::array<std::string_view, 3> kStyleNames{"none", "printf", "brace"};

inline std::string_view name_of_kind(shm::SiteKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : kKindNames[0];
}

inline std::string_view name_of_style(shm::FormatStyle style) {
  const auto index = static_cast<std::size_t>(style);
  return index < kStyleNames.size() ? kStyleNames[index] : kStyleNames[0];
}

// LTTng's numbers: syslog's, and several further levels for debugging.
constexpr unsigned loglevel_of(shm::Level level) {
  switch (level) {
    case shm::Level::kCritical:
      return 2;
    case shm::Level::kError:
      return 3;
    case shm::Level::kWarning:
      return 4;
    case shm::Level::kNotice:
      return 5;
    case shm::Level::kInfo:
      return 6;
    case shm::Level::kTrace:
      return 13;
    default:
      return 14;
  }
}

constexpr shm::Level level_of(std::uint64_t loglevel) {
  if (loglevel <= 2) return shm::Level::kCritical;
  if (loglevel <= 6) return static_cast<shm::Level>(9 - loglevel);
  return loglevel == 13 ? shm::Level::kTrace : shm::Level::kDebug;
}
static_assert(level_of(loglevel_of(shm::Level::kNotice)) == shm::Level::kNotice);
static_assert(level_of(loglevel_of(shm::Level::kError)) == shm::Level::kError);

// LTTng's form: "provider:name".
inline std::string event_name_of(const trace::Site& site) {
  std::string_view name = site.name.empty() ? std::string_view(site.format) : site.name;
  if (name.empty()) name = "unnamed";
  return site.category.empty() ? std::string(name) : site.category + ":" + std::string(name);
}

}  // namespace ringside::tool::ctf
