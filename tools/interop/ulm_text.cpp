#include "tools/interop/ulm_text.hpp"

#include <chrono>
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

bool is_plain(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code > 0x20 && code != 0x7F && character != '"' && character != '\\' && character != '=';
}

}  // namespace

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
  bool plain = !text.empty();
  for (const char character : text) plain = plain && is_plain(character);
  if (plain) {
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
