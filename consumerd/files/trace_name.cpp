#include "consumerd/files/trace_name.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>

#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

constexpr std::string_view kSuffix = ".ringtrace";
constexpr std::string_view kPackedSuffix = ".ringtrace.zst";
constexpr std::string_view kUnfinishedSuffix = ".new";
constexpr std::string_view kStartTimePattern = "00000000T000000-000000";  // 0: any digit

std::string start_time_text(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000U);
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d%02d%02dT%02d%02d%02d-%06u", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<unsigned>(realtime_ns % 1'000'000'000U / 1000));
  return text;
}

// Takes the part up to the next point, and the point; nothing if there is none.
std::string_view take_part(std::string_view* rest) {
  const std::size_t point = rest->find('.');
  if (point == std::string_view::npos) return {};
  const std::string_view part = rest->substr(0, point);
  rest->remove_prefix(point + 1);
  return part;
}

template <class Number>
bool is_number(std::string_view text, Number* number) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool is_start_time(std::string_view text) {
  return std::equal(
      text.begin(), text.end(), kStartTimePattern.begin(), kStartTimePattern.end(),
      [](char c, char pattern) { return pattern == '0' ? c >= '0' && c <= '9' : c == pattern; });
}

}  // namespace

std::string TraceName::text() const {
  return stem + std::to_string(sequence).append(packed ? kPackedSuffix : kSuffix);
}

std::optional<TraceName> TraceName::parse(std::string_view name) {
  TraceName parsed;
  parsed.packed = name.ends_with(kPackedSuffix);
  if (!parsed.packed && !name.ends_with(kSuffix)) return {};
  std::string_view rest =
      name.substr(0, name.size() - (parsed.packed ? kPackedSuffix.size() : kSuffix.size()));
  const std::string_view whole = rest;
  const std::string_view service = take_part(&rest);
  std::uint32_t pid = 0;
  if (service.empty() || !std::all_of(service.begin(), service.end(), shm::is_service_char) ||
      !is_number(take_part(&rest), &pid) || !is_start_time(take_part(&rest)) ||
      !is_number(rest, &parsed.sequence)) {
    return {};
  }
  parsed.stem = whole.substr(0, whole.size() - rest.size());
  return parsed;
}

std::string unfinished_name(const std::string& name) {
  return name + std::string(kUnfinishedSuffix);
}

std::optional<TraceName> parse_unfinished_name(std::string_view name) {
  if (!name.ends_with(kUnfinishedSuffix)) return {};
  name.remove_suffix(kUnfinishedSuffix.size());
  return TraceName::parse(name);
}

std::string trace_stem(const std::string& segment_name, const shm::SegmentHeader& header) {
  return std::string(shm::service_of_segment_name(segment_name)) + "." +
         std::to_string(header.pid) + "." + start_time_text(header.start_realtime_ns) + ".";
}

}  // namespace ringside::consumer
