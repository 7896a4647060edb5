#pragma once
// Universal Logger Messages: lines of "NAME=VALUE", with the time as DATE=YYYYMMDDhhmmss.ffffff.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::tool::ulm {

inline bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7F;
}

// Whether the text needs no quotes: not empty, and without blanks, quotes, backslashes, '=' and
// control characters.
bool is_plain(std::string_view text);

// These append to a line, with a blank before it unless the line is empty.
void append_date(std::string& line, std::int64_t unix_ns);   // six digits; the rest is cut
void append_name(std::string& line, std::string_view name);  // blanks, '=' and the like become '_'
// In quotes if it is empty or has a blank, a quote, a backslash, '=' or a control character.
void append_text(std::string& line, std::string_view text);
void append_float(std::string& line, double number);  // as %f

// "2001-06-27T23:10:45.123456000Z".
std::string iso_time(std::int64_t unix_ns);

}  // namespace ringside::tool::ulm
