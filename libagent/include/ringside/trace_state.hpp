#pragma once
/// @file
/// The header `tracestate` of W3C Trace Context, for C++17 and later. Nothing here allocates.

#include <cstddef>
#include <optional>
#include <string_view>

namespace ringside {
namespace detail {

constexpr bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Level 2, section 3.3.1.3.1: a letter or digit, then up to 255 of those, `_`, `-`, `*`, `/`, `@`.
constexpr bool is_state_key(std::string_view key) noexcept {
  constexpr std::size_t kMostBytes = 256;
  if (key.empty() || key.size() > kMostBytes) return false;
  if (!is_lower(key[0]) && !is_digit(key[0])) return false;
  for (const char c : key) {
    const bool other = c == '_' || c == '-' || c == '*' || c == '/' || c == '@';
    if (!is_lower(c) && !is_digit(c) && !other) return false;
  }
  return true;
}

// 1 to 256 printable characters without `,` and `=`, the last one not a space.
constexpr bool is_state_value(std::string_view value) noexcept {
  constexpr std::size_t kMostBytes = 256;
  if (value.empty() || value.size() > kMostBytes || value.back() == ' ') return false;
  for (const char c : value) {
    if (c < ' ' || c > '~' || c == ',' || c == '=') return false;
  }
  return true;
}

constexpr std::string_view without_spaces(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace detail

/// The valid members of a `tracestate`, a view of the header.
/// @par Thread safety
/// Any thread, and signal handlers.
class TraceState {
 public:
  static constexpr std::size_t kMostMembers = 32;

  struct Member {
    std::string_view key;
    std::string_view value;
  };

  /// @return nothing if a member is invalid, a key occurs twice, or there are more than 32 members:
  /// then no member may be passed on
  static constexpr std::optional<TraceState> parse(std::string_view header) noexcept {
    TraceState state;
    for (bool more = true; more;) {
      const std::size_t end = header.find(',');
      const std::string_view text = detail::without_spaces(header.substr(0, end));
      more = end != std::string_view::npos;
      if (more) header.remove_prefix(end + 1);
      if (text.empty()) continue;  // permitted
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos || state.count_ == kMostMembers) return std::nullopt;
      const Member member{text.substr(0, equals), text.substr(equals + 1)};
      if (!detail::is_state_key(member.key) || !detail::is_state_value(member.value) ||
          state.find(member.key)) {
        return std::nullopt;
      }
      state.members_[state.count_++] = member;
    }
    return state;
  }

  constexpr std::size_t size() const noexcept { return count_; }
  constexpr const Member& operator[](std::size_t index) const noexcept { return members_[index]; }

  constexpr std::optional<std::string_view> find(std::string_view key) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (members_[i].key == key) return members_[i].value;
    }
    return std::nullopt;
  }

  /// Writes the header for a request to another service: the member `key`=`value` first, as the
  /// recommendation requires of a changed one, then the others, as long as they fit.
  ///
  /// @return the number of characters; 0 if key or value is invalid, or does not fit into `bytes`
  constexpr std::size_t write_with(std::string_view key, std::string_view value, char* out,
                                   std::size_t bytes) const noexcept {
    if (!detail::is_state_key(key) || !detail::is_state_value(value)) return 0;
    std::size_t size = 0;
    if (!append(out, bytes, size, {key, value})) return 0;
    std::size_t written = 1;
    for (std::size_t i = 0; i < count_ && written < kMostMembers; ++i) {
      if (members_[i].key == key) continue;
      if (!append(out, bytes, size, members_[i])) break;
      ++written;
    }
    return size;
  }

 private:
  constexpr static bool append(char* out, std::size_t bytes, std::size_t& size,
                               const Member& member) noexcept {
    const std::size_t comma = size == 0 ? 0 : 1;
    if (bytes - size < comma + member.key.size() + 1 + member.value.size()) return false;
    if (comma != 0) out[size++] = ',';
    for (const char c : member.key) out[size++] = c;
    out[size++] = '=';
    for (const char c : member.value) out[size++] = c;
    return true;
  }

  Member members_[kMostMembers] = {};
  std::size_t count_ = 0;
};

}  // namespace ringside
