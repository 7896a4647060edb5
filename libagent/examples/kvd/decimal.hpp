// Decimal text to integer, exactly as strict as Redis: no sign '+', no blank, no leading zero, no
// "-0", nothing after the digits. Accepts only the canonical form of an integer.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace kvd {

[[nodiscard]] inline std::optional<std::int64_t> parse_decimal(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty()) return std::nullopt;
  if (digits.front() == '0' && text.size() > 1) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace kvd
