#pragma once
/// @file
/// The header `traceparent` of W3C Trace Context, for C++17 and later. Nothing here allocates.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "activity.hpp"
#include "hex_id.hpp"

namespace ringside {

/// Id of one span among all systems that take part; a `parent-id` of W3C.
using SpanId = std::array<std::uint8_t, 8>;

/// What a request brings along: who has called.
struct TraceParent {
  ActivityId trace_id{};
  SpanId span_id{};         ///< of the caller's span
  bool is_sampled = false;  ///< the caller records it
};

/// Characters of a `traceparent` of version 00.
inline constexpr std::size_t kTraceParentBytes = 55;

/// Reads the value of a header `traceparent`.
///
/// Versions after 00 are read as section 2.2 of the recommendation says: their known fields.
///
/// @return nothing if the value is invalid: then begin another trace (new_activity_id())
/// @par Thread safety
/// Any thread, and signal handlers.
constexpr std::optional<TraceParent> parse_traceparent(std::string_view header) noexcept {
  constexpr std::size_t kTrace = 3;
  constexpr std::size_t kSpan = 36;
  constexpr std::size_t kFlags = 53;
  if (header.size() < kTraceParentBytes) return std::nullopt;
  if (header[kTrace - 1] != '-' || header[kSpan - 1] != '-' || header[kFlags - 1] != '-') {
    return std::nullopt;
  }
  std::uint8_t version = 0;
  std::uint8_t flags = 0;
  TraceParent result;
  if (!detail::read_hex(header.data(), &version, 1) ||
      !detail::read_hex(header.data() + kTrace, result.trace_id.data(), result.trace_id.size()) ||
      !detail::read_hex(header.data() + kSpan, result.span_id.data(), result.span_id.size()) ||
      !detail::read_hex(header.data() + kFlags, &flags, 1)) {
    return std::nullopt;
  }
  if (version == 0xFF || detail::is_zero(result.trace_id) || detail::is_zero(result.span_id)) {
    return std::nullopt;
  }
  const bool has_more = header.size() > kTraceParentBytes;
  if (has_more && (version == 0 || header[kTraceParentBytes] != '-')) return std::nullopt;
  result.is_sampled = (flags & 1U) != 0;
  return result;
}

/// The value of the header for a request to another service, of version 00.
/// @par Thread safety
/// Any thread, and signal handlers.
constexpr std::array<char, kTraceParentBytes> format_traceparent(
    const TraceParent& parent) noexcept {
  std::array<char, kTraceParentBytes> result{};
  char* out = result.data();
  *out++ = '0';
  *out++ = '0';
  *out++ = '-';
  out = detail::write_hex(parent.trace_id.data(), parent.trace_id.size(), out);
  *out++ = '-';
  out = detail::write_hex(parent.span_id.data(), parent.span_id.size(), out);
  *out++ = '-';
  *out++ = '0';
  *out = parent.is_sampled ? '1' : '0';
  return result;
}

/// A new id of a span: 64 random bits, never zero.
/// @par Thread safety
/// As new_activity_id().
RS_EXPORT SpanId new_span_id() noexcept;

}  // namespace ringside
