#include "trace-format/lines/record_extension_text.hpp"

namespace ringside::trace {

void RecordExtensionText::append_json_members(TextSink& out) const {
  for (const Property property : kExtensionProperties) {
    if (!read_property(property, source_)) continue;
    const PropertyEntry& entry = entry_of(property);
    const bool is_text = entry.type == PropertyType::kText;
    out.write(",\"");
    out.write(entry.name);
    out.write(is_text ? "\":\"" : "\":");
    append(out, property);
    if (is_text) out.put('"');
  }
}

void RecordExtensionText::append_pairs(TextSink& out, std::uint32_t wanted) const {
  for (const Property property : kExtensionProperties) {
    if ((wanted & property_bit(property)) == 0) continue;
    if (!read_property(property, source_)) continue;
    out.put(' ');
    out.write(entry_of(property).name);
    out.put('=');
    append(out, property);
  }
}

}  // namespace ringside::trace
