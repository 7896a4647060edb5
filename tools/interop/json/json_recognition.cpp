// Recognises which JSON format a file has.

#include <algorithm>
#include <string_view>

#include "tools/interop/json/chrome_format.hpp"
#include "tools/interop/json/ndjson_format.hpp"

namespace ringside::tool {
namespace {

std::string_view json_text_of(std::span<const std::byte> first_bytes) {
  std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

std::string_view after(std::string_view text, char character) {
  if (!text.starts_with(character)) return {};
  text.remove_prefix(1);
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(), [text](std::string_view key) {
    return text.find(key) != std::string_view::npos;
  });
}

}  // namespace

bool recognise_chrome(std::span<const std::byte> first_bytes) {
  const std::string_view text = json_text_of(first_bytes);
  const std::string_view of_array = after(text, '[');
  if (of_array.starts_with('{')) return has_any(of_array, {"\"ph\"", "\"pid\"", "\"tid\""});
  const std::string_view of_object = after(text, '{');
  if (has_any(of_object, {"\"traceEvents\""})) return of_object.starts_with('"');
  // Other members of such an object can have any length and precede its events.
  const bool begins =
      has_any(of_object.substr(0, 24), {"\"displayTimeUnit\"", "\"stackFrames\"", "\"otherData\"",
                                        "\"systemTraceEvents\"", "\"powerTraceAsString\""});
  return begins && of_object.starts_with('"');
}

bool recognise_ndjson(std::span<const std::byte> first_bytes) {
  const std::string_view text = json_text_of(first_bytes);
  const std::string_view of_object = after(text, '{');
  if (!of_object.starts_with('"')) return false;
  // Documents of other formats, and JSON texts of several lines.
  if (has_any(of_object.substr(0, 32), {"\"resourceSpans\"", "\"resourceLogs\"", "\"$schema\""})) {
    return false;
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.size() == text.size() || line[last] == '}';
}

}  // namespace ringside::tool
