#pragma once
// The optional parts of records, as text.

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/record_property.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// The properties that RecordExtensionText covers, in their order.
inline constexpr Property kExtensionProperties[] = {Property::kSubstream,  Property::kActivity,
                                                    Property::kRelated,    Property::kStackId,
                                                    Property::kDurationNs, Property::kCut};

constexpr bool is_of_extension(Property property) {
  return std::find(std::begin(kExtensionProperties), std::end(kExtensionProperties), property) !=
         std::end(kExtensionProperties);
}

// Refers to the extension. Parts that the record does not have append nothing.
class RecordExtensionText {
 public:
  // `tick_hz` of the record's segment; 0: durations are unknown.
  RecordExtensionText(const RecordExtension& extension, std::uint64_t tick_hz) {
    source_.extension = &extension;
    source_.tick_hz = tick_hz;
  }

  // One of kExtensionProperties.
  void append(TextSink& out, Property property) const { append_property(out, property, source_); }

  // All parts, as `,"name":value` and as ` name=value`; of pairs only those in `wanted`, see
  // property_bit().
  void append_json_members(TextSink& out) const;
  void append_pairs(TextSink& out, std::uint32_t wanted = UINT32_MAX) const;

 private:
  PropertySource source_;
};

}  // namespace ringside::trace
