#pragma once
// Names in the shared-memory directory:
//   ringside.<service>.<pid>.<16 hex digits>       a segment
//   ringside-staging.<32 hex digits>               a consumerd's staging file
//   ringside-staging.<32 hex digits>@<directory>   a marker: that file is in another directory

#include <cstddef>
#include <string_view>

namespace ringside::shm {

inline constexpr std::string_view kSegmentPrefix = "ringside.";
inline constexpr std::string_view kStagingPrefix = "ringside-staging.";
inline constexpr std::size_t kMaxServiceBytes = 63;

constexpr bool is_service_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// The file name character for a character of a service's name.
constexpr char service_file_char(char c) {
  return is_service_char(c) ? c : '_';
}

// The service part of a segment's file name; empty if `name` is not a segment's.
constexpr std::string_view service_of_segment_name(std::string_view name) {
  if (!name.starts_with(kSegmentPrefix)) return {};
  name.remove_prefix(kSegmentPrefix.size());
  const std::size_t end = name.find('.');
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view service = name.substr(0, end);
  std::string_view rest = name.substr(end + 1);
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos || dot == 0 || rest.size() != dot + 17) return {};
  for (const char c : service) {
    if (!is_service_char(c)) return {};
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool digit = rest[i] >= '0' && rest[i] <= '9';
    const bool hex = digit || (rest[i] >= 'a' && rest[i] <= 'f');
    if (i < dot ? !digit : (i > dot && !hex)) return {};
  }
  return service;
}

}  // namespace ringside::shm
