#include "tools/interop/site_format.hpp"

#include <vector>

#include "trace-format/text/message_text.hpp"

namespace ringside::tool {

bool can_format(const SiteDefinition& site) {
  std::vector<trace::FormatField> fields;
  fields.reserve(site.fields.size());
  for (const FieldDefinition& field : site.fields) fields.push_back({field.name, field.type});
  return trace::MessageFormat::parse(site.style, site.format, fields, nullptr).has_value();
}

}  // namespace ringside::tool
