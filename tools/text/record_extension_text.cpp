#include "tools/text/record_extension_text.hpp"

#include <charconv>
#include <span>
#include <string_view>

#include "shm-layout/record_head.hpp"
#include "tools/text/hex_digits.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool {
namespace {

void append_decimal(trace::TextSink& out, std::uint64_t number) {
  char* const begin = out.reserve(24);
  out.commit(std::to_chars(begin, begin + 24, number).ptr);
}

void append_id(trace::TextSink& out, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) {
    out.put(kHexDigits[byte >> 4]);
    out.put(kHexDigits[byte & 15]);
  }
}

}  // namespace

void RecordExtensionText::append_duration_ns(trace::TextSink& out) const {
  if (!has(shm::kExtDuration) || tick_hz_ == 0) return;
  const auto ns = static_cast<trace::UInt128>(extension_.duration) * 1'000'000'000 / tick_hz_;
  append_decimal(out, ns > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(ns));
}

void RecordExtensionText::append_activity(trace::TextSink& out) const {
  if (has(shm::kExtActivity)) append_id(out, extension_.activity);
}

void RecordExtensionText::append_related(trace::TextSink& out) const {
  if (has(shm::kExtRelatedActivity)) append_id(out, extension_.related);
}

void RecordExtensionText::append_cut(trace::TextSink& out) const {
  if (extension_.cut) out.write("true");
}

// Calls append(name, is_text, write) for each part.
template <class Append>
void RecordExtensionText::for_each(Append&& append) const {
  if (has(shm::kExtSubstream))
    append("substream", false,
           [this](trace::TextSink& out) { append_decimal(out, extension_.substream); });
  if (has(shm::kExtActivity))
    append("activity", true, [this](trace::TextSink& out) { append_activity(out); });
  if (has(shm::kExtRelatedActivity))
    append("related", true, [this](trace::TextSink& out) { append_related(out); });
  if (has(shm::kExtStack))
    append("stack_id", false,
           [this](trace::TextSink& out) { append_decimal(out, extension_.stack_id); });
  if (has(shm::kExtDuration) && tick_hz_ != 0)
    append("duration_ns", false, [this](trace::TextSink& out) { append_duration_ns(out); });
  if (extension_.cut) append("cut", false, [this](trace::TextSink& out) { append_cut(out); });
}

void RecordExtensionText::append_json_members(trace::TextSink& out) const {
  for_each([&out](std::string_view name, bool is_text, auto&& write) {
    out.write(",\"");
    out.write(name);
    out.write("\":");
    if (is_text) out.put('"');
    write(out);
    if (is_text) out.put('"');
  });
}

void RecordExtensionText::append_pairs(trace::TextSink& out) const {
  for_each([&out](std::string_view name, bool, auto&& write) {
    out.put(' ');
    out.write(name);
    out.put('=');
    write(out);
  });
}

}  // namespace ringside::tool
