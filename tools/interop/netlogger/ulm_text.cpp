#include "tools/interop/netlogger/ulm_text.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace ringside::tool::ulm {
namespace {

struct Civil {
  int year;
  unsigned month;
  unsigned day;
  unsigned hour;
  unsigned minute;
  unsigned second;
  unsigned ns;
};

Civil civil_of(std::int64_t unix_ns) {
  using namespace std::chrono;
  const sys_time<nanoseconds> time{nanoseconds(unix_ns)};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          static_cast<unsigned>(clock.hours().count()),
          static_cast<unsigned>(clock.minutes().count()),
          static_cast<unsigned>(clock.seconds().count()),
          static_cast<unsigned>(clock.subseconds().count())};
}

constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x21; code < plain.size(); ++code) plain[code] = code != 0x7F;
  for (const std::size_t code : {0x22U, 0x5CU, 0x3DU}) plain[code] = false;  // quote, backslash, =
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

bool is_plain(char character) {
  return kPlain[static_cast<unsigned char>(character)];
}

}  // namespace

bool is_plain(std::string_view text) {
  bool plain = !text.empty();
  for (const char character : text) plain = is_plain(character) && plain;
  return plain;
}

void append_date(std::string& line, std::int64_t unix_ns) {
  const Civil c = civil_of(unix_ns);
  append_name(line, "DATE");
  fmt::format_to(std::back_inserter(line), "{:04}{:02}{:02}{:02}{:02}{:02}.{:06}", c.year, c.month,
                 c.day, c.hour, c.minute, c.second, c.ns / 1000);
}

std::string iso_time(std::int64_t unix_ns) {
  const Civil c = civil_of(unix_ns);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", c.year, c.month, c.day, c.hour,
                     c.minute, c.second, c.ns);
}

void append_name(std::string& line, std::string_view name) {
  if (!line.empty()) line += ' ';
  for (const char character : name) line += is_plain(character) ? character : '_';
  if (name.empty()) line += '_';
  line += '=';
}

void append_text(std::string& line, std::string_view text) {
  if (is_plain(text)) {
    line += text;
    return;
  }
  line += '"';
  for (const char character : text) {
    if (character == '\n') {
      line += "\\n";
    } else if (character == '\r') {
      line += "\\r";
    } else {
      if (character == '"' || character == '\\') line += '\\';
      line += character;
    }
  }
  line += '"';
}

void append_float(std::string& line, double number) {
  fmt::format_to(std::back_inserter(line), "{:f}", number);
}

}  // namespace ringside::tool::ulm
