#pragma once
// The optional parts of records, as text.

#include <cstdint>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool {

// Refers to the extension. Parts that the record does not have append nothing.
class RecordExtensionText {
 public:
  // `tick_hz` of the record's segment; 0: durations are unknown.
  RecordExtensionText(const trace::RecordExtension& extension, std::uint64_t tick_hz)
      : extension_(extension), tick_hz_(tick_hz) {}

  void append_duration_ns(trace::TextSink& out) const;
  void append_activity(trace::TextSink& out) const;  // 32 hexadecimal digits
  void append_related(trace::TextSink& out) const;
  void append_cut(trace::TextSink& out) const;  // true

  // All parts, as `,"name":value` and as ` name=value`.
  void append_json_members(trace::TextSink& out) const;
  void append_pairs(trace::TextSink& out) const;

 private:
  template <class Append>
  void for_each(Append&& append) const;
  bool has(std::uint32_t flag) const { return (extension_.ext_flags & flag) != 0; }

  const trace::RecordExtension& extension_;
  std::uint64_t tick_hz_;
};

}  // namespace ringside::tool
