#include "libagent/description/stream_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace ringside {
namespace {

constexpr std::size_t kMaxStreamFormatBytes = 64U << 10;
constexpr std::size_t kStreamNameBytes = 8;

// Too large for the stack of a signal handler. Under the slow-path lock.
constinit std::array<char, kMaxStreamFormatBytes> stream_format_place{};
constinit std::array<std::array<char, kStreamNameBytes>, RS_MAX_FIELDS> stream_name_places{};

class StreamFormatText {
 public:
  bool add(std::string_view text) {
    if (text.size() > stream_format_place.size() - 1 - used_) return false;
    std::ranges::copy(text, stream_format_place.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += text.size();
    return true;
  }
  bool add_escaped(std::string_view text) {
    return std::ranges::all_of(text, [this](const char& c) {
      const std::string_view one(&c, 1);
      return add(one) && ((c != '{' && c != '}') || add(one));
    });
  }
  std::string_view text() const { return {stream_format_place.data(), used_}; }

 private:
  std::size_t used_ = 0;
};

std::string_view placeholder(rs_stream_operand operand) {
  switch (operand) {
    case RS_STREAM_FLAG:
      return "{:d}";
    case RS_STREAM_NUMBER:
      return "{:g}";
    case RS_STREAM_PATH:
      return "\"{}\"";
    default:
      return "{}";
  }
}

// Null before the first execution.
const rs_stream* stream_of(const rs_site& site) {
  return reinterpret_cast<const rs_stream*>(site.format);
}

bool keeps_texts(const rs_site& site) {
  return (site.flags & RS_SITE_STREAM_VARYING) == 0;
}

}  // namespace

std::optional<std::string_view> stream_format(const rs_site& site) {
  const rs_stream* const stream = stream_of(site);
  if (stream == nullptr) return "<text known from the first execution on>";
  StreamFormatText format;
  const rs_stream_text* next = stream->texts;
  for (const rs_stream_operand operand : std::span(stream->shape->operands, stream->shape->count)) {
    if (operand == RS_STREAM_TEXT && keeps_texts(site)) {
      const rs_stream_text& text = *next++;
      if (!format.add_escaped({text.text, strnlen(text.text, text.bytes)})) return {};
    } else if (!format.add(placeholder(operand))) {
      return {};
    }
  }
  return format.text();
}

void name_stream_fields(const rs_site& site, std::span<std::string_view> names) {
  const rs_stream* const stream = stream_of(site);
  if (stream == nullptr) return;
  std::size_t values = 0;
  std::size_t texts = 0;
  std::size_t used = 0;
  for (const rs_stream_operand operand : std::span(stream->shape->operands, stream->shape->count)) {
    const bool is_text = operand == RS_STREAM_TEXT;
    if ((is_text && keeps_texts(site)) || used == names.size()) continue;
    std::array<char, kStreamNameBytes>& place = stream_name_places[used];
    const std::string_view kind = is_text ? "text" : "arg";
    char* const digits = std::ranges::copy(kind, place.data()).out;
    const char* const end =
        std::to_chars(digits, place.data() + place.size(), is_text ? ++texts : ++values).ptr;
    names[used++] = {place.data(), static_cast<std::size_t>(end - place.data())};
  }
}

}  // namespace ringside
