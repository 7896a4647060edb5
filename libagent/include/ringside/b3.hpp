#pragma once
/// @file
/// The header `b3` of Zipkin, and its older form of several headers, for C++17 and later. Nothing
/// here allocates.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "trace_context.hpp"

namespace ringside {

/// Characters of a `b3` as format_b3() writes it.
inline constexpr std::size_t kB3Bytes = 51;

/// Reads `X-B3-TraceId` and `X-B3-SpanId`; `sampled`: `X-B3-Sampled`, or empty; `flags`:
/// `X-B3-Flags`, or empty. A trace id of 16 digits gets zeros in front.
///
/// @return nothing if an id is invalid
/// @par Thread safety
/// Any thread, and signal handlers.
constexpr std::optional<TraceParent> parse_b3(std::string_view trace_id, std::string_view span_id,
                                              std::string_view sampled,
                                              std::string_view flags) noexcept {
  constexpr std::size_t kShort = 16;
  TraceParent result;
  if (span_id.size() != kShort || (trace_id.size() != kShort && trace_id.size() != 2 * kShort)) {
    return std::nullopt;
  }
  const std::size_t zeros = trace_id.size() == kShort ? kShort / 2 : 0;
  if (!detail::read_hex(trace_id.data(), result.trace_id.data() + zeros, trace_id.size() / 2,
                        true) ||
      !detail::read_hex(span_id.data(), result.span_id.data(), span_id.size() / 2, true) ||
      detail::is_zero(result.trace_id) || detail::is_zero(result.span_id)) {
    return std::nullopt;
  }
  // `d` and the flag 1: record it in any case.
  result.is_sampled = flags == "1" || sampled == "1" || sampled == "true" || sampled == "d";
  return result;
}

/// Reads the value of a header `b3`: TRACE-SPAN, TRACE-SPAN-SAMPLED or TRACE-SPAN-SAMPLED-PARENT.
///
/// @return nothing if the value is invalid, or only says whether to record (`0`, `1`, `d`)
/// @par Thread safety
/// Any thread, and signal handlers.
constexpr std::optional<TraceParent> parse_b3(std::string_view header) noexcept {
  std::string_view parts[4] = {};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == 4) return std::nullopt;
    const std::size_t end = header.find('-');
    parts[count] = header.substr(0, end);
    more = end != std::string_view::npos;
    if (more) header.remove_prefix(end + 1);
  }
  const std::string_view sampled = parts[2];
  const bool says = sampled == "0" || sampled == "1" || sampled == "d";
  if (count < 2 || (count > 2 && !says)) return std::nullopt;
  SpanId parent{};
  if (count == 4 && (parts[3].size() != 2 * parent.size() ||
                     !detail::read_hex(parts[3].data(), parent.data(), parent.size(), true))) {
    return std::nullopt;
  }
  return parse_b3(parts[0], parts[1], sampled, {});
}

/// The value of a header `b3` for a request to another service: TRACE-SPAN-SAMPLED.
/// @par Thread safety
/// Any thread, and signal handlers.
constexpr std::array<char, kB3Bytes> format_b3(const TraceParent& parent) noexcept {
  std::array<char, kB3Bytes> result{};
  char* out = detail::write_hex(parent.trace_id.data(), parent.trace_id.size(), result.data());
  *out++ = '-';
  out = detail::write_hex(parent.span_id.data(), parent.span_id.size(), out);
  *out++ = '-';
  *out = parent.is_sampled ? '1' : '0';
  return result;
}

}  // namespace ringside
