/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// spdlog's to_hex: an argument that shows bytes as hexadecimal digits.
//
// X: upper case. s: no space between bytes. p: no position at the start of a line. n: one line.
// a: the printable characters at the end of a line.

#include <cctype>
#include <iterator>

#include <ringside/compat/spdlog.hpp>

namespace spdlog {

namespace compat {
template <class It>
struct HexDump {
  It begin;
  It end;
  std::size_t line_bytes;
};
}  // namespace compat

template <class It>
compat::HexDump<It> to_hex(It begin, It end, std::size_t size_per_line = 32) {
  return {begin, end, size_per_line};
}
template <class Container>
auto to_hex(const Container& bytes, std::size_t size_per_line = 32)
    -> compat::HexDump<decltype(std::begin(bytes))> {
  static_assert(sizeof(*std::begin(bytes)) == 1, "to_hex shows bytes");
  return {std::begin(bytes), std::end(bytes), size_per_line};
}

}  // namespace spdlog

template <class It>
struct fmt::formatter<spdlog::compat::HexDump<It>> {
  template <class Context>
  constexpr auto parse(Context& context) {
    auto at = context.begin();
    for (; at != context.end() && *at != '}'; ++at) {
      has_upper_case = has_upper_case || *at == 'X';
      has_spaces = has_spaces && *at != 's';
      has_positions = has_positions && *at != 'p';
      has_lines = has_lines && *at != 'n';
      has_characters = has_characters || *at == 'a';
    }
    return at;
  }

  template <class Context>
  auto format(const spdlog::compat::HexDump<It>& dump, Context& context) const {
    auto out = context.out();
    const auto size = static_cast<std::size_t>(std::distance(dump.begin, dump.end));
    const std::size_t line_bytes = has_lines && dump.line_bytes > 0 ? dump.line_bytes : size;
    It it = dump.begin;
    for (std::size_t at = 0; at < size; at += line_bytes) {
      const It line = it;
      if (has_lines) {
        *out++ = '\n';
        if (has_positions) out = fmt::format_to(out, "{:04X}: ", at);
      }
      for (std::size_t i = 0; i < line_bytes; ++i) {
        const bool is_missing = at + i >= size;
        if (is_missing && (!has_lines || !has_characters || size <= line_bytes)) break;
        if (has_spaces && i > 0) *out++ = ' ';
        if (at + i >= size) {
          out = fmt::format_to(out, "  ");
        } else {
          const auto byte = static_cast<unsigned char>(*it++);
          out = has_upper_case ? fmt::format_to(out, "{:02X}", byte)
                               : fmt::format_to(out, "{:02x}", byte);
        }
      }
      if (!has_lines || !has_characters) continue;
      out = fmt::format_to(out, "  ");
      for (It each = line; each != it; ++each) {
        const auto byte = static_cast<unsigned char>(*each);
        *out++ = std::isprint(byte) != 0 ? static_cast<char>(byte) : '.';
      }
    }
    return out;
  }

  bool has_upper_case = false;
  bool has_spaces = true;
  bool has_positions = true;
  bool has_lines = true;
  bool has_characters = false;
};
